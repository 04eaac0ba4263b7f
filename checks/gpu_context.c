/* SPDX-License-Identifier: Apache-2.0
 * gpu_context: can a program start on each GPU, and how long does that take?
 */
#include "config.h"
#include "checks/check.h"

#include <math.h>
#include <stdio.h>

#include "checks/node.h"
#include "checks/probe_each.h"

extern const struct check check_gpu_context;

static const struct cfg_key keys[] = {
	{ "slow_s", CFG_INT, "s", "3", 1, 600, NULL,
	  "time until a GPU is usable that is worth a warning" },
	{ 0 },
};

static const char *cause(const struct check_env *env, int gpu)
{
	const struct probe_shot *s = probe_shot(env, PROBE_context, gpu, 0);
	const struct val *p = &env->facts->gpus.gpu[gpu].persistence;

	if (VAL_KNOWN(*p) && !p->v)
		return "persistence mode is off";
	if (s->cond.confidential > 0)
		return "confidential computing";
	if (env->probes->gpu[gpu].jit)
		return "the driver compiled the kernels";
	return "cause unknown";
}

static void judge_start(struct probe_look *l, int gpu)
{
	double s = probe_shot(l->env, PROBE_context, gpu, 0)->figure[0];
	int64_t limit = check_cfg_int(l->env, &check_gpu_context, "slow_s");
	struct finding *f;

	if (!isfinite(s) || s <= (double)limit)
		return;
	f = result_add_gpu(l->r, STATUS_WARN, "slow", l->env, gpu,
			   "%.1f>%d s until it is usable, %s", s, (int)limit,
			   cause(l->env, gpu));
	node_numbers(f, s, (double)limit, "s");
}

static void judge_left(struct probe_look *l, int gpu)
{
	int left = l->env->probes->gpu[gpu].left_mib;
	struct finding *f;

	if (left <= 0)
		return;
	f = result_add_gpu(l->r, STATUS_WARN, "left", l->env, gpu,
			   "%d MiB still held after the probes", left);
	node_numbers(f, left, 0, "MiB");
}

/* One word for all GPUs: the build lacks code for this model. */
static void judge_jit(struct probe_look *l)
{
	const struct gpu_probes *g = l->env->probes->gpu;
	int i;

	PROBE_EACH(i, l->env, PROBE_context) {
		if (!g[i].jit)
			continue;
		result_add(l->r, STATUS_WARN, "jit", "node",
			   "kernels were compiled by the driver: no native "
			   "code for %d.%d in this build",
			   g[i].cc / 10, g[i].cc % 10);
		return;
	}
}

static void report(struct probe_look *l, int gpu)
{
	const struct probe_shot *s = probe_shot(l->env, PROBE_context, gpu, 0);
	json_t *obj;

	if (s->end == PROBE_NONE)
		return;
	obj = probe_report(l->env, PROBE_context, gpu, 0);
	if (s->end == PROBE_DONE)
		probe_figure(obj, "seconds", s->figure[0]);
	probe_record(l->r, obj);
}

static int run(const struct check_env *env, struct check_result *r)
{
	struct probe_look l = { .env = env, .r = r, .probe = PROBE_context };
	int i;

	PROBE_EACH(i, env, PROBE_context) {
		if (probe_measured(&l, i))
			judge_start(&l, i);
		judge_left(&l, i);
		report(&l, i);
	}
	judge_jit(&l);
	return probe_end(&l);
}

const struct check check_gpu_context = {
	.name = "gpu_context",
	.summary = "a program can start on each GPU, without delay, and leaves "
		   "nothing behind",
	.reads = "a probe: start of the CUDA driver, a context and the loading "
		 "of kernels on each GPU, all at once; and what of their "
		 "memory the probes could not free",
	.fails = "the driver reports an uncorrectable error of the device; "
		 "warns of other errors, of a slow start with its cause, of "
		 "kernels that the driver had to compile, and of memory that "
		 "stays in use. No answer in time is a skip, which the health "
		 "check follows up",
	.advice = "Slow: nvidia-smi -pm 1, or run nvidia-persistenced. Errors: "
		  "look for the XID in the kernel log, reset the GPU. Compiled "
		  "kernels: use a build that has code for this model.",
	.domain = DOMAIN_GPU,
	.needs = NEED_GPU,
	.scope = SCOPE_NODE,
	.def = ACTION_DRAIN_AFTER,
	.soft = true,
	.tier = TIER_QUICK,
	.probe = PROBE_context,
	.keys = keys,
	.run = run,
};
