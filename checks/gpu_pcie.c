/* SPDX-License-Identifier: Apache-2.0
 * gpu_pcie: is the GPU's link to the host as wide as it could be? The
 * generation falls on an idle GPU and says nothing; only its maximum does. */
#include "config.h"
#include "checks/check.h"

#include <inttypes.h>
#include <stdio.h>

#include "checks/gpu_each.h"

extern const struct check check_gpu_pcie;

static const struct cfg_key keys[] = {
	{ .name = "replay_warn",
	  .type = CFG_INT,
	  .def = "100",
	  .min = 1,
	  .max = 1000000000,
	  .help = "PCIe replays since the last run that are worth a warning" },
	{ 0 },
};

struct link {
	int64_t now[FACTS_GPUS_MAX]; /* lanes, or GPU_LEVEL_UNKNOWN */
	int64_t can[FACTS_GPUS_MAX]; /* what GPU, slot and bridges allow */
	int64_t gen_max[FACTS_GPUS_MAX];
};

static void look(const struct gpu *g, struct link *l, int i)
{
	l->now[i] = l->can[i] = l->gen_max[i] = GPU_LEVEL_UNKNOWN;
	if (g->dead_by_log || gpu_is_c2c(g))
		return;
	if (g->answered && VAL_KNOWN(g->pcie_width) &&
	    gpu_is_lanes(g->pcie_width.v))
		l->now[i] = g->pcie_width.v;
	else if (gpu_is_lanes(g->pci_width))
		l->now[i] = g->pci_width;
	l->can[i] = gpu_lanes_max(g);
	if (g->answered && VAL_KNOWN(g->pcie_gen_max))
		l->gen_max[i] = g->pcie_gen_max.v;
}

static void judge_width(const struct check_env *env, struct check_result *r,
			const struct link *l, int i)
{
	int64_t common = gpu_common_level(env, l->now, i);
	bool minority = common > l->now[i];
	struct finding *f;

	if (l->now[i] == GPU_LEVEL_UNKNOWN || l->can[i] == GPU_LEVEL_UNKNOWN ||
	    l->now[i] >= l->can[i])
		return;
	f = result_add_gpu(r, minority ? STATUS_FAIL : STATUS_WARN,
			   minority ? "width" : "board", env, i,
			   "x%" PRId64 "<x%" PRId64 " lanes%s", l->now[i],
			   l->can[i], minority ? "" : ", as on its siblings");
	if (!f)
		return;
	f->value = (double)l->now[i];
	f->limit = (double)l->can[i];
	snprintf(f->unit, sizeof(f->unit), "lanes");
	f->remedy = minority ? REMEDY_SERVICE : REMEDY_NONE;
	gpu_evidence_boot(f, env, "width=%" PRId64, l->now[i]);
}

/* The slot of this GPU is set to an older generation than its siblings'. */
static void judge_gen(const struct check_env *env, struct check_result *r,
		      const struct link *l, int i)
{
	int64_t common = gpu_common_level(env, l->gen_max, i);
	struct finding *f;

	if (l->gen_max[i] == GPU_LEVEL_UNKNOWN || l->gen_max[i] >= common)
		return;
	f = result_add_gpu(r, STATUS_WARN, "generation", env, i,
			   "PCIe Gen%" PRId64 "<Gen%" PRId64
			   " at most, unlike its siblings",
			   l->gen_max[i], common);
	if (!f)
		return;
	f->value = (double)l->gen_max[i];
	f->limit = (double)common;
	f->remedy = REMEDY_SERVICE;
	gpu_evidence_boot(f, env, "gen=%" PRId64, l->gen_max[i]);
}

static void judge_replay(struct gpu_look *l, int i)
{
	const struct gpu *g = &l->env->facts->gpus.gpu[i];
	int64_t limit = check_cfg_int(l->env, &check_gpu_pcie, "replay_warn");
	struct finding *f;
	int64_t delta;

	if (!g->answered || !gpu_known(l, i, g->pcie_replay, "PCIe replays"))
		return;
	delta = gpu_delta(l->r, l->env, i, "replay", g->pcie_replay.v);
	if (delta < limit)
		return;
	f = result_add_gpu(l->r, STATUS_WARN, "replay", l->env, i,
			   "%" PRId64 " PCIe replays since the last run", delta);
	if (!f)
		return;
	f->value = (double)delta;
	f->limit = (double)limit;
	gpu_evidence_boot(f, l->env, "replay=%" PRId64, g->pcie_replay.v);
}

static int run(const struct check_env *env, struct check_result *r)
{
	const struct facts_gpus *g = &env->facts->gpus;
	struct gpu_look l = { .env = env, .r = r };
	struct link link;
	int i;

	for (i = 0; i < g->count; i++) {
		look(&g->gpu[i], &link, i);
		l.known += link.now[i] != GPU_LEVEL_UNKNOWN;
	}
	for (i = 0; i < g->count; i++) {
		judge_width(env, r, &link, i);
		judge_gen(env, r, &link, i);
		judge_replay(&l, i);
	}
	return gpu_done(&l, "no GPU with a PCIe link that can be judged");
}

const struct check check_gpu_pcie = {
	.name = "gpu_pcie",
	.summary = "each GPU's PCIe link is as wide as GPU, slot and bridges "
		   "allow",
	.reads = "NVML: link width now and at most, highest generation, replay "
		 "counter; sysfs link widths of GPU and bridges above",
	.fails = "a minority of equal GPUs runs on fewer lanes than it could; "
		 "warns if all do, if a slot is limited to an older "
		 "generation, and of many replays. The generation of an idle "
		 "link is never judged",
	.advice = "Reseat the board or riser; a link that stays narrow after a "
		  "cold start needs an exchange of board, riser or cable.",
	.domain = DOMAIN_GPU,
	.needs = NEED_GPU,
	.scope = SCOPE_NODE,
	.def = ACTION_DRAIN_AFTER,
	.keys = keys,
	.run = run,
};
