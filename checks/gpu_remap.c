/* SPDX-License-Identifier: Apache-2.0
 * gpu_remap: does the memory's repair still work? Row remapping from Ampere
 * on, page retirement before. */
#include "config.h"
#include "checks/check.h"

#include <inttypes.h>
#include <stdio.h>

#include "checks/gpu_each.h"

/* Page retirement holds 64 pages; at 60 the board is to be exchanged. */
#define RETIRED_PAGES_END 60

static void judge_rows(struct gpu_look *l, int i)
{
	const struct gpu *g = &l->env->facts->gpus.gpu[i];
	struct finding *f;

	if (gpu_known(l, i, g->remap_failure, "row remap state") &&
	    g->remap_failure.v) {
		f = result_add_gpu(l->r, STATUS_FAIL, "failure", l->env, i,
				   "row remap failed");
		if (f) {
			f->remedy = REMEDY_SERVICE;
			/* Outlives boots and resets: no boot in it. */
			snprintf(f->evidence, sizeof(f->evidence),
				 "failure=%" PRId64 " unc=%" PRId64,
				 g->remap_failure.v,
				 VAL_KNOWN(g->remap_unc) ? g->remap_unc.v : -1);
		}
	}
	if (gpu_known(l, i, g->remap_pending, "row remap state") &&
	    g->remap_pending.v) {
		f = result_add_gpu(l->r, STATUS_WARN, "pending", l->env, i,
				   "row remap pending");
		if (f)
			f->remedy = REMEDY_RESET_GPU;
		gpu_evidence_boot(f, l->env, "pending");
	}
}

/* Banks that have used up their spare rows: the next fault there fails. */
static void judge_banks(struct gpu_look *l, int i)
{
	const struct gpu *g = &l->env->facts->gpus.gpu[i];
	struct finding *f;

	if (!gpu_known(l, i, g->bank_none, "row remap histogram") ||
	    g->bank_none.v <= 0)
		return;
	f = result_add_gpu(l->r, STATUS_WARN, "spare", l->env, i,
			   "%" PRId64 " memory banks without spare rows",
			   g->bank_none.v);
	if (f) {
		f->value = (double)g->bank_none.v;
		f->limit = 0;
		f->remedy = REMEDY_SERVICE;
	}
}

static void judge_pages(struct gpu_look *l, int i)
{
	const struct gpu *g = &l->env->facts->gpus.gpu[i];
	struct finding *f;
	int64_t pages = 0;

	if (gpu_known(l, i, g->retired_pending, "retired pages") &&
	    g->retired_pending.v) {
		f = result_add_gpu(l->r, STATUS_WARN, "retire_pending", l->env,
				   i, "page retirement pending");
		if (f)
			f->remedy = REMEDY_RESET_GPU;
		gpu_evidence_boot(f, l->env, "retire_pending");
	}
	if (gpu_known(l, i, g->retired_sbe, "retired pages"))
		pages += g->retired_sbe.v;
	if (gpu_known(l, i, g->retired_dbe, "retired pages"))
		pages += g->retired_dbe.v;
	if (pages < RETIRED_PAGES_END)
		return;
	f = result_add_gpu(l->r, STATUS_FAIL, "retired", l->env, i,
			   "%" PRId64 " of 64 pages retired", pages);
	if (f) {
		f->value = (double)pages;
		f->limit = RETIRED_PAGES_END;
		f->remedy = REMEDY_SERVICE;
		/* A lifetime count: it is told, it never drains. */
		f->at_most = ACTION_WARN;
		snprintf(f->evidence, sizeof(f->evidence), "retired=%" PRId64,
			 pages);
	}
}

static int run(const struct check_env *env, struct check_result *r)
{
	struct gpu_look l = { .env = env, .r = r };
	int i;

	for (i = gpu_next(env, -1); i >= 0; i = gpu_next(env, i)) {
		judge_rows(&l, i);
		judge_banks(&l, i);
		judge_pages(&l, i);
	}
	return gpu_done(&l, "no GPU tells of row remapping or retired pages");
}

const struct check check_gpu_remap = {
	.name = "gpu_remap",
	.summary = "GPU memory can still repair itself (row remapping)",
	.reads = "NVML: remapped rows and their histogram, retired pages on "
		 "Volta and older; well under a millisecond per GPU",
	.fails = "a row remap has failed; warns of a pending remap, of banks "
		 "without spare rows and of 60 or more retired pages",
	.advice = "Failed: have the board exchanged. Pending: reset the GPU "
		  "(nvidia-smi -r) or reboot while the node is idle; until "
		  "then the bad row is only fenced off.",
	.domain = DOMAIN_GPU,
	.needs = NEED_GPU | NEED_NVML,
	.scope = SCOPE_NODE,
	.def = ACTION_DRAIN,
	.run = run,
};
