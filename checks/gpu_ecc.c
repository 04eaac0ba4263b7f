/* SPDX-License-Identifier: Apache-2.0
 * gpu_ecc: memory errors. The driver's own SRAM threshold decides, counts
 * inform: a corrected past is no fault. */
#include "config.h"
#include "checks/check.h"

#include <inttypes.h>
#include <stdio.h>

#include "checks/gpu_each.h"

static int64_t sum(struct val a, struct val b)
{
	return (VAL_KNOWN(a) ? a.v : 0) + (VAL_KNOWN(b) ? b.v : 0);
}

static void judge_sram(struct gpu_look *l, int i)
{
	const struct gpu *g = &l->env->facts->gpus.gpu[i];
	struct finding *f;
	int64_t count;

	if (!gpu_known(l, i, g->sram_threshold, "SRAM error state") ||
	    !g->sram_threshold.v)
		return;
	count = sum(g->sram_unc_parity, g->sram_unc_secded);
	f = result_add_gpu(l->r, STATUS_FAIL, "sram", l->env, i,
			   "SRAM error threshold exceeded");
	if (!f)
		return;
	f->remedy = REMEDY_SERVICE;
	f->value = (double)count;
	/* The state outlives boots: no boot in it. */
	snprintf(f->evidence, sizeof(f->evidence), "sram=%" PRId64, count);
}

static void judge_counts(struct gpu_look *l, int i)
{
	const struct gpu *g = &l->env->facts->gpus.gpu[i];
	struct finding *f;

	if (!gpu_known(l, i, g->ecc_unc_volatile, "ECC counters") ||
	    g->ecc_unc_volatile.v <= 0)
		return;
	f = result_add_gpu(l->r, STATUS_WARN, "uncorrectable", l->env, i,
			   "%" PRId64 " uncorrectable ECC errors since the "
			   "driver started",
			   g->ecc_unc_volatile.v);
	if (!f)
		return;
	f->value = (double)g->ecc_unc_volatile.v;
	f->limit = 0;
	gpu_evidence_boot(f, l->env, "unc=%" PRId64, g->ecc_unc_volatile.v);
}

/* ECC off on some of several equal GPUs is an accident; on all of them it is
 * the site's choice. */
static void judge_mode(struct gpu_look *l)
{
	const struct facts_gpus *g = &l->env->facts->gpus;
	int64_t mode[FACTS_GPUS_MAX];
	struct finding *f;
	int i, j;

	for (i = 0; i < g->count; i++)
		mode[i] = g->gpu[i].answered && VAL_KNOWN(g->gpu[i].ecc_mode)
				  ? g->gpu[i].ecc_mode.v
				  : GPU_LEVEL_UNKNOWN;
	for (i = 0; i < g->count; i++) {
		if (mode[i] != 0)
			continue;
		for (j = 0; j < g->count; j++)
			if (mode[j] == 1 && gpu_equal(&g->gpu[i], &g->gpu[j]))
				break;
		if (j == g->count)
			continue;
		f = result_add_gpu(l->r, STATUS_WARN, "disabled", l->env, i,
				   "ECC is off, on for its siblings");
		if (f)
			f->remedy = REMEDY_CONFIG;
	}
}

static int run(const struct check_env *env, struct check_result *r)
{
	struct gpu_look l = { .env = env, .r = r };
	int i;

	for (i = gpu_next(env, -1); i >= 0; i = gpu_next(env, i)) {
		judge_sram(&l, i);
		judge_counts(&l, i);
		gpu_known(&l, i, env->facts->gpus.gpu[i].ecc_mode, "ECC mode");
	}
	judge_mode(&l);
	return gpu_done(&l, "no GPU tells of ECC");
}

const struct check check_gpu_ecc = {
	.name = "gpu_ecc",
	.summary = "GPU memory errors stay below the driver's threshold",
	.reads = "NVML: SRAM error status, volatile ECC counters, ECC mode; "
		 "the SRAM status needs root",
	.fails = "the driver says that the SRAM error threshold is exceeded; "
		 "warns of uncorrectable errors since the driver started and "
		 "of ECC switched off on some of several equal GPUs",
	.advice = "Threshold exceeded: have the board exchanged. "
		  "Uncorrectable errors: the job that met them may have "
		  "failed; look at gpu_remap and the kernel log.",
	.domain = DOMAIN_GPU,
	.needs = NEED_GPU | NEED_NVML,
	.scope = SCOPE_NODE,
	.def = ACTION_DRAIN_AFTER,
	.run = run,
};
