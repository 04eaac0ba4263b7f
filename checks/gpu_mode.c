/* SPDX-License-Identifier: Apache-2.0
 * gpu_mode: persistence, compute mode and MIG as jobs need them. */
#include "config.h"
#include "checks/check.h"

#include <inttypes.h>
#include <string.h>

#include "checks/gpu_each.h"

extern const struct check check_gpu_mode;

static const struct cfg_key keys[] = {
	{ .name = "persistence",
	  .type = CFG_BOOL,
	  .def = "yes",
	  .help = "warn about GPUs without persistence mode" },
	{ 0 },
};

#define COMPUTE_PROHIBITED 2

static void mark(struct finding *f, enum remedy remedy)
{
	if (f)
		f->remedy = remedy;
}

static void judge_persistence(struct gpu_look *l, int i)
{
	const struct gpu *g = &l->env->facts->gpus.gpu[i];

	if (!gpu_known(l, i, g->persistence, "persistence mode") ||
	    g->persistence.v ||
	    !check_cfg_bool(l->env, &check_gpu_mode, "persistence"))
		return;
	mark(result_add_gpu(l->r, STATUS_WARN, "persistence", l->env, i,
			    "persistence mode is off"),
	     REMEDY_CONFIG);
}

static void judge_compute(struct gpu_look *l, int i)
{
	const struct gpu *g = &l->env->facts->gpus.gpu[i];
	struct finding *f;

	if (!gpu_known(l, i, g->compute_mode, "compute mode") ||
	    g->compute_mode.v != COMPUTE_PROHIBITED)
		return;
	f = result_add_gpu(l->r, STATUS_FAIL, "prohibited", l->env, i,
			   "compute mode is prohibited");
	mark(f, REMEDY_CONFIG);
	gpu_evidence_boot(f, l->env, "prohibited");
}

static void judge_mig(struct gpu_look *l, int i)
{
	const struct gpu *g = &l->env->facts->gpus.gpu[i];

	if (!gpu_known(l, i, g->mig_mode, "MIG mode") ||
	    !gpu_known(l, i, g->mig_pending, "MIG mode") ||
	    g->mig_mode.v == g->mig_pending.v)
		return;
	mark(result_add_gpu(l->r, STATUS_WARN, "mig_pending", l->env, i,
			    "MIG turns %s at the next reset",
			    g->mig_pending.v ? "on" : "off"),
	     REMEDY_RESET_GPU);
}

/* One job, one kind of GPU: some in MIG mode and some not is a mix-up. */
static void judge_mix(const struct check_env *env, struct check_result *r)
{
	const struct facts_gpus *g = &env->facts->gpus;
	int i, first = -1;

	for (i = gpu_next(env, -1); i >= 0; i = gpu_next(env, i)) {
		if (!VAL_KNOWN(g->gpu[i].mig_mode) ||
		    (env->gpu_is_jobs && !env->gpu_is_jobs[i]))
			continue;
		if (first < 0) {
			first = i;
		} else if (g->gpu[i].mig_mode.v != g->gpu[first].mig_mode.v) {
			mark(result_add_gpu(r, STATUS_WARN, "mig_mixed", env, i,
					    "MIG is %s, unlike on GPU%d",
					    g->gpu[i].mig_mode.v ? "on" : "off",
					    g->gpu[first].index),
			     REMEDY_CONFIG);
			return;
		}
	}
}

static int run(const struct check_env *env, struct check_result *r)
{
	struct gpu_look l = { .env = env, .r = r };
	int i;

	for (i = gpu_next(env, -1); i >= 0; i = gpu_next(env, i)) {
		judge_persistence(&l, i);
		judge_compute(&l, i);
		judge_mig(&l, i);
	}
	judge_mix(env, r);
	return gpu_done(&l, "no GPU tells its modes");
}

const struct check check_gpu_mode = {
	.name = "gpu_mode",
	.summary = "persistence, compute mode and MIG are as jobs need them",
	.reads = "NVML: persistence mode, compute mode, MIG mode now and "
		 "pending",
	.fails = "a GPU's compute mode is prohibited; warns without "
		 "persistence mode, of a pending MIG change, and of MIG on "
		 "some of the job's GPUs only",
	.advice = "Run nvidia-persistenced; nvidia-smi -c 0 allows compute; "
		  "nvidia-smi -mig sets MIG, and a reset applies it.",
	.domain = DOMAIN_GPU,
	.needs = NEED_GPU | NEED_NVML,
	.scope = SCOPE_NODE,
	.def = ACTION_WARN,
	.keys = keys,
	.run = run,
};
