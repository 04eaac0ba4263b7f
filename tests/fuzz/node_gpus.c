/* SPDX-License-Identifier: Apache-2.0
 * The GPUs of a random healthy node. */
#include "config.h"
#include "tests/fuzz/node.h"

#include <stdio.h>
#include <string.h>

static const struct model {
	const char *name;
	uint32_t pci_id;
	int links, up; /* links told, and up on a healthy board */
	int width, gen;
	int64_t power_mw;
	bool retires_pages, fabric;
} models[] = {
	{ "NVIDIA H100 80GB HBM3", 0x233010de, 18, 18, 16, 5, 700000, 0, 1 },
	{ "NVIDIA H200", 0x233510de, 18, 18, 16, 5, 700000, 0, 1 },
	{ "NVIDIA A100-SXM4-80GB", 0x20b210de, 12, 12, 16, 4, 400000, 0, 0 },
	{ "Tesla V100-SXM2-32GB", 0x1db510de, 6, 6, 16, 3, 300000, 1, 0 },
	{ "NVIDIA H100 NVL", 0x232110de, 18, 12, 16, 5, 400000, 0, 0 },
	{ "NVIDIA L40S", 0x26b910de, 0, 0, 16, 4, 350000, 0, 0 },
	{ "NVIDIA GB200", 0x294110de, 18, 18, 1, 1, 1200000, 0, 1 },
	{ "NVIDIA A100 80GB PCIe", 0x20b510de, 12, 0, 16, 4, 300000, 0, 0 },
	{ "NVIDIA X999", 0x4fff10de, 18, 17, 8, 7, 2000000, 0, 1 },
};

static struct val told(int64_t v)
{
	return (struct val){ .v = v };
}

static struct val flag(struct rng *r, int percent)
{
	return told(rng_chance(r, percent));
}

static struct val not_told(struct rng *r)
{
	static const int rcs[] = {
		3, 3, 3, 2, 6, 13, 21, 25, 27, VAL_UNASKED, VAL_NO_SYMBOL
	};

	/* Now and then for a reason of our own: loud, never a drain. */
	if (rng_chance(r, 1))
		return (struct val){ .rc = rng_chance(r, 50) ? 4 : 999 };
	return (struct val){ .rc = rcs[rng_below(r, 11)] };
}

/* Hide some values, or all. */
static void hide(struct gpu *g, struct rng *r, int percent)
{
	int i;

#define X(m) \
	if (rng_chance(r, percent)) \
		g->m = not_told(r);
	FACTS_GPU_VALS(X)
#undef X
	for (i = 0; i < FACTS_LINKS_MAX; i++)
		if (rng_chance(r, percent))
			g->link_state[i] = not_told(r);
}

static void all_unasked(struct gpu *g)
{
	int i;

#define X(m) g->m = (struct val){ .rc = VAL_UNASKED };
	FACTS_GPU_VALS(X)
#undef X
	for (i = 0; i < FACTS_LINKS_MAX; i++)
		g->link_state[i] = (struct val){ .rc = VAL_UNASKED };
}

static void make_memory(struct gpu *g, const struct model *m, struct rng *r)
{
	if (m->retires_pages) {
		g->retired_sbe = told(rng_below(r, 64));
		g->retired_dbe = told(rng_below(r, 64));
		g->retired_pending = flag(r, 5);
	} else {
		g->remap_corr = told(rng_below(r, 600));
		g->remap_unc = told(rng_below(r, 600));
		g->remap_pending = flag(r, 5);
		g->remap_failure = told(0);
		g->bank_none = told(rng_chance(r, 95) ? 0 : rng_below(r, 9));
		g->bank_low = told(rng_below(r, 640));
	}
	g->ecc_mode = flag(r, 95);
	g->ecc_unc_volatile = told(rng_chance(r, 80) ? 0 : rng_counter(r));
	g->ecc_corr_volatile = told(rng_counter(r));
	g->ecc_unc_aggregate = told(rng_counter(r));
	g->ecc_corr_aggregate = told(rng_counter(r));
	g->sram_unc_parity = told(rng_counter(r));
	g->sram_unc_secded = told(rng_counter(r));
	g->sram_corr = told(rng_counter(r));
	g->sram_threshold = told(0);
}

/* Under load, warm, capped: all of it happens on nodes that work. */
static void make_power(struct gpu *g, const struct model *m, struct rng *r,
		       bool health)
{
	int64_t idle = rng_below(r, 8) | (rng_chance(r, 10) ? 0x110 : 0);

	g->throttle = told(idle);
	g->throttle_again = told(rng_below(r, 8));
	if (rng_chance(r, 10)) {
		/* A flash is in one look; before a job it may be in both. */
		g->throttle.v |= rng_below(r, 256);
		g->throttle_again.v |= health ? 0 : rng_below(r, 256);
	}
	g->temp = told(20 + rng_below(r, 90));
	g->temp_again = told(20 + rng_below(r, 90));
	g->temp_slowdown = told(80 + rng_below(r, 30));
	g->temp_margin = told(rng_below(r, 80) - 10);
	g->temp_mem = told(rng_below(r, 110));
	g->temp_mem_max = told(95);
	g->power_default_mw = told(m->power_mw);
	g->power_limit_mw =
		told(rng_chance(r, 90) ? m->power_mw : m->power_mw * 3 / 4);
	g->power_enforced_mw = told(rng_chance(r, 95) ? g->power_limit_mw.v : 1);
	g->power_mw = told(rng_below(r, 1200000));
	g->energy_mj = told(rng_counter(r));
}

static void make_links(struct gpu *g, const struct model *m, struct rng *r)
{
	int i;

	for (i = 0; i < m->links; i++)
		g->link_state[i] = told(i < m->up);
	if (m->links) {
		g->nvlink_replay = told(rng_counter(r));
		g->nvlink_recovery = told(rng_counter(r));
		g->nvlink_crc = told(rng_counter(r));
	}
	g->fabric_state = told(m->fabric ? 3 : 0);
	g->fabric_status = g->fabric_clique = g->fabric_health = told(0);
	if (m->fabric && rng_chance(r, 5)) {
		g->fabric_state = told(rng_below(r, 5));
		g->fabric_status = told(rng_below(r, 4));
		g->fabric_health = told((int64_t)rng_next(r) & 0x3fff);
		g->fabric_summary = told(rng_below(r, 4));
		g->fabric_clique = told(rng_below(r, 3));
	}
}

static void make_modes(struct gpu *g, struct rng *r)
{
	static const int wishes[] = { 3, 5, 6, 7, 8, 77, -1 };

	g->recovery = told(rng_chance(r, 97) ? 0 : wishes[rng_below(r, 7)]);
	g->persistence = flag(r, 90);
	g->compute_mode = told(rng_chance(r, 90) ? 0 : rng_below(r, 4));
	g->mig_mode = told(0);
	g->mig_pending = flag(r, 3);
	g->pcie_replay = told(rng_counter(r));
	g->proc_count = rng_chance(r, 90) ? 0 : rng_below(r, 5);
	g->procs_again = rng_chance(r, 50);
	if (g->proc_count)
		snprintf(g->proc[0].comm, sizeof(g->proc[0].comm), "python3");
}

/* MIG hides and changes much. */
static void turn_mig_on(struct gpu *g, struct rng *r)
{
	int i;

	g->mig_mode = told(1);
	g->mig_pending = flag(r, 95);
	g->remap_failure = g->remap_pending = not_told(r);
	for (i = 0; i < FACTS_LINKS_MAX; i++)
		if (!g->link_state[i].rc && rng_chance(r, 80))
			g->link_state[i] = told(0);
}

static void make_pcie(struct gpu *g, const struct model *m, int now, int slot,
		      struct rng *r)
{
	g->pcie_gen_max = g->pcie_gen_gpu_max = told(m->gen);
	g->pcie_gen = told(1 + rng_below(r, m->gen)); /* idle links are slow */
	g->pcie_width_max = told(m->width < slot ? m->width : slot);
	g->pcie_width = told(now < m->width ? now : m->width);
	g->pci_width = (uint16_t)g->pcie_width.v;
	g->pci_width_max = (uint16_t)m->width;
	g->pci_parent_width_max = (uint16_t)slot;
}

/* Who is compared with its own past must be the same in the same place. */
static void make_identity(struct gpu *g, const struct model *m, int i,
			  const char *place)
{
	snprintf(g->bus_id, sizeof(g->bus_id), "0000:%02x:00.0", 16 + i);
	snprintf(g->uuid, sizeof(g->uuid), "GPU-%08x-%s-%d", m->pci_id, place, i);
	snprintf(g->name, sizeof(g->name), "%s", m->name);
	g->pci_id = m->pci_id;
	g->index = g->minor = i;
	g->in_pci = g->in_proc = g->in_nvml = g->asked = g->answered = true;
}

/* What hides on a node: files, calls, single GPUs that are slow to answer. */
static void obscure(struct gpu *g, struct rng *r, int percent)
{
	struct val mig = g->mig_mode;

	hide(g, r, percent);
	/* A GPU that is in MIG mode tells so. */
	if (mig.v)
		g->mig_mode = mig;
	if (rng_chance(r, 5))
		g->pci_id = 0;
	if (rng_chance(r, 2))
		g->name[0] = '\0';
	if (rng_chance(r, 10))
		g->pci_width = g->pci_width_max = g->pci_parent_width_max = 0;
	if (rng_chance(r, 5))
		g->proc_count = -1;
	if (rng_chance(r, 1)) {
		g->answered = false;
		g->hung = true; /* once: no witness */
	}
}

/* The driver did not answer, for reasons that are not the hardware's. */
static void make_ending(struct facts_gpus *g, struct rng *r)
{
	static const enum gather_end ends[] = { GATHER_NONE, GATHER_ERROR,
						GATHER_CRASHED, GATHER_TIMEOUT };
	int i;

	if (rng_chance(r, 70)) {
		/* The worker died early: zeros are all that is left. */
		if (rng_chance(r, 30))
			memset(g, 0, sizeof(*g));
		g->gather.end = ends[rng_below(r, 4)];
		g->init_rc = rng_chance(r, 50) ? VAL_UNASKED : 0;
	} else {
		g->no_library = rng_chance(r, 50);
		g->missing_required = rng_below(r, 3);
		g->init_rc = rng_chance(r, 50) ? VAL_UNASKED : 12;
	}
	g->nvml_count = -1;
	for (i = 0; i < g->count; i++) {
		g->gpu[i].answered = g->gpu[i].asked = false;
		all_unasked(&g->gpu[i]);
	}
}

/* A node that never had GPUs; perhaps the library is there all the same. */
static void make_no_gpus(struct facts_gpus *g, struct rng *r)
{
	g->module_loaded = false;
	g->init_rc = rng_chance(r, 50) ? 9 : VAL_UNASKED;
	g->no_library = rng_chance(r, 50);
	g->nvml_count = -1;
	g->gather.end = rng_chance(r, 50) ? GATHER_ABSENT : GATHER_DONE;
}

void node_make_gpus(struct node *n, struct rng *r, bool whole)
{
	static const int counts[] = { 8, 4, 8, 8, 2, 1, 3, 16, 0 };
	struct facts_gpus *g = &n->facts.gpus;
	const struct model *m = &models[rng_below(r, whole ? 3 : 9)];
	const struct model *other = &models[rng_below(r, 9)];
	int hidden = whole || rng_chance(r, 50) ? 0 : rng_below(r, 101);
	bool mig = !whole && rng_chance(r, 10);
	bool mixed = !whole && rng_chance(r, 10);
	int slot = whole || rng_chance(r, 90) ? 16 : 8;
	int now = whole || rng_chance(r, 90) ? slot : 8;
	char place[32];
	int i;

	n->pcie_trained = now == slot;
	g->gather.end = GATHER_DONE;
	snprintf(g->kernel_driver, sizeof(g->kernel_driver), "580.95.05");
	g->module_loaded = true;
	g->count = whole ? 8 : counts[rng_below(r, 9)];
	n->installed = g->count;
	g->pci_count = g->proc_count = g->nvml_count = g->count;
	snprintf(place, sizeof(place), "%d-%d-%d", g->count, slot, mixed);
	for (i = 0; i < g->count; i++) {
		struct gpu *gpu = &g->gpu[i];

		if (mixed && i >= g->count / 2)
			m = other;
		all_unasked(gpu);
		make_identity(gpu, m, i, place);
		n->model[i] = m->pci_id;
		n->pcie_gen[i] = m->gen;
		n->pcie_lanes[i] = m->width < slot ? m->width : slot;
		make_memory(gpu, m, r);
		make_power(gpu, m, r, n->context == CONTEXT_HEALTH);
		make_links(gpu, m, r);
		make_modes(gpu, r);
		make_pcie(gpu, m, now, slot, r);
		if (mig && rng_chance(r, 70))
			turn_mig_on(gpu, r);
		if (!whole)
			obscure(gpu, r, hidden);
	}
	if (!g->count)
		make_no_gpus(g, r);
	else if (!whole && rng_chance(r, 5))
		make_ending(g, r);
}
