/* SPDX-License-Identifier: Apache-2.0
 * gpus - healthy facts of an eight-GPU node, for tests of the GPU judges. */
#ifndef ASSAY_TESTS_GPUS_H
#define ASSAY_TESTS_GPUS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checks/check.h"
#include "tests/unit/unit.h"

#define BOOT "2b1d7a5e-0000-4000-8000-000000000001"
#define GIGA 1000000000LL

struct gpus {
	struct facts facts;
	struct check_env env;
	struct check_result r;
	struct cfg *cfg;
	bool jobs[FACTS_GPUS_MAX];
};

/* One section for each check that is built in. */
static inline const struct cfg_section *gpus_sections(void)
{
	static const struct cfg_key none[] = { { 0 } };
	static struct cfg_section table[64];
	static char name[64][48];
	int i;

	for (i = 0; checks_all[i]; i++) {
		snprintf(name[i], sizeof(name[i]), "check %s",
			 checks_all[i]->name);
		table[i].name = name[i];
		table[i].keys = checks_all[i]->keys ? checks_all[i]->keys : none;
	}
	return table;
}

static inline struct val known(int64_t v)
{
	return (struct val){ .v = v };
}

static inline struct val unknown(int rc)
{
	return (struct val){ .rc = rc };
}

static inline void gpu_all_unknown(struct gpu *g, int rc)
{
	int i;

#define X(m) g->m = unknown(rc);
	FACTS_GPU_VALS(X)
#undef X
	for (i = 0; i < FACTS_LINKS_MAX; i++)
		g->link_state[i] = unknown(rc);
}

static inline void gpu_healthy_state(struct gpu *g)
{
	g->recovery = g->remap_corr = g->remap_unc = known(0);
	g->remap_pending = g->remap_failure = known(0);
	g->bank_none = g->bank_low = g->bank_partial = known(0);
	g->bank_max = known(640);
	g->ecc_mode = known(1);
	g->ecc_unc_volatile = g->ecc_corr_volatile = known(0);
	g->sram_threshold = g->sram_unc_parity = g->sram_unc_secded = known(0);
	g->throttle = g->throttle_again = known(1);
	g->persistence = known(1);
	g->compute_mode = g->mig_mode = g->mig_pending = known(0);
	g->nvlink_replay = g->nvlink_recovery = g->nvlink_crc = known(0);
	g->fabric_state = known(3);
	g->fabric_status = g->fabric_clique = g->fabric_health = known(0);
}

static inline void gpu_healthy_levels(struct gpu *g)
{
	int i;

	g->pcie_width = g->pcie_width_max = known(16);
	g->pci_width = g->pci_width_max = g->pci_parent_width_max = 16;
	g->pcie_gen = known(1);
	g->pcie_gen_max = g->pcie_gen_gpu_max = known(5);
	g->pcie_replay = known(0);
	g->temp = g->temp_again = known(34);
	g->temp_slowdown = known(87);
	g->temp_margin = known(53);
	g->power_limit_mw = g->power_default_mw = known(700000);
	g->power_enforced_mw = known(700000);
	g->mem_total = known(85 * GIGA);
	g->mem_used = known(0);
	g->proc_count = 0;
	g->nvlink_count = known(18);
	for (i = 0; i < 18; i++)
		g->link_state[i] = known(1);
}

static inline void gpu_healthy(struct gpu *g, int i)
{
	gpu_all_unknown(g, VAL_UNASKED);
	gpu_healthy_state(g);
	gpu_healthy_levels(g);
	snprintf(g->bus_id, sizeof(g->bus_id), "0000:%02x:00.0", 0x1b + i);
	snprintf(g->uuid, sizeof(g->uuid), "GPU-%d", i);
	snprintf(g->name, sizeof(g->name), "NVIDIA H100 80GB HBM3");
	g->pci_id = 0x233010de;
	g->index = g->minor = i;
	g->in_pci = g->in_proc = g->in_nvml = g->asked = g->answered = true;
}

static inline struct gpus *gpus_healthy(int count)
{
	struct gpus *s = calloc(1, sizeof(*s));
	struct facts_gpus *g;
	int i;

	assert_non_null(s);
	g = &s->facts.gpus;
	snprintf(s->facts.kmsg.boot_id, sizeof(s->facts.kmsg.boot_id), BOOT);
	s->facts.kmsg.uptime_s = 100000;
	g->gather.end = GATHER_DONE;
	g->module_loaded = true;
	g->count = g->pci_count = g->proc_count = g->nvml_count = count;
	for (i = 0; i < count; i++) {
		gpu_healthy(&g->gpu[i], i);
		s->jobs[i] = true;
	}
	s->cfg = cfg_defaults(gpus_sections());
	assert_non_null(s->cfg);
	s->env.cfg = s->cfg;
	s->env.facts = &s->facts;
	s->env.job_has_gpus = count > 0;
	s->env.now_s = 1800000000;
	return s;
}

/* Configure: "[check gpu_count]\nexpected = 8\n". */
static inline void gpus_config(struct gpus *s, const char *text)
{
	char path[] = "/tmp/assay-gpus-XXXXXX";
	struct err e = { "" };
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	cfg_destroy(s->cfg);
	s->cfg = cfg_load(path, gpus_sections(), NULL, &e);
	unlink(path);
	if (!s->cfg || cfg_complaint(s->cfg))
		fail_msg("%s%s", e.text, s->cfg ? cfg_complaint(s->cfg) : "");
	s->env.cfg = s->cfg;
}

static inline enum status gpus_run(struct gpus *s, const struct check *c)
{
	result_fini(&s->r);
	memset(&s->r, 0, sizeof(s->r));
	s->r.check = c;
	s->r.name = c->name;
	if (c->run(&s->env, &s->r))
		return STATUS_ERROR;
	return result_status(&s->r);
}

/* Run again as the next run would: with what this one remembered. */
static inline enum status gpus_run_next(struct gpus *s, const struct check *c,
					int after_s)
{
	json_t *old = (json_t *)(uintptr_t)s->env.memory;

	if (s->r.memory) {
		s->env.memory = json_incref(s->r.memory);
		json_decref(old);
	}
	s->env.now_s += after_s;
	return gpus_run(s, c);
}

static inline void gpus_free(struct gpus *s)
{
	json_decref((json_t *)(uintptr_t)s->env.memory);
	result_fini(&s->r);
	cfg_destroy(s->cfg);
	free(s);
}

/* The check stays silent, and is a SKIP, when no GPU tells anything. */
static inline void gpus_skips_unknown(const struct check *c)
{
	static const int rcs[] = {
		VAL_UNASKED, VAL_NO_SYMBOL, 2, 3, 6, 13, 21, 25, 26, 27, 15
	};
	struct gpus *s = gpus_healthy(8);
	struct gpu *g;
	size_t i;
	int j;

	for (i = 0; i < sizeof(rcs) / sizeof(rcs[0]); i++) {
		for (j = 0; j < 8; j++) {
			g = &s->facts.gpus.gpu[j];
			gpu_all_unknown(g, rcs[i]);
			g->pci_width = g->pci_width_max = 0;
			g->pci_parent_width_max = 0;
			g->proc_count = -1;
		}
		s->env.owned = true;
		assert_int_equal(gpus_run(s, c), STATUS_SKIP);
		assert_int_equal(s->r.count, 0);
	}
	gpus_free(s);
}

/* The check is PASS and has nothing to say about healthy GPUs. */
static inline void gpus_passes_healthy(const struct check *c)
{
	struct gpus *s = gpus_healthy(8);

	s->env.owned = true;
	assert_int_equal(gpus_run(s, c), STATUS_PASS);
	assert_int_equal(s->r.count, 0);
	gpus_free(s);
}

/* Exactly one finding, of this code, about this subject. */
#define assert_only(s, c, subj) \
	do { \
		assert_int_equal((s)->r.count, 1); \
		assert_string_equal((s)->r.finding[0].code, c); \
		assert_string_equal((s)->r.finding[0].subject, subj); \
	} while (0)

#endif
