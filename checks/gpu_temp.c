/* SPDX-License-Identifier: Apache-2.0
 * gpu_temp: is there still a margin to the temperature at which the GPU slows
 * itself down? The driver knows that temperature, we do not guess it. */
#include "config.h"
#include "checks/check.h"

#include <inttypes.h>
#include <stdio.h>

#include "checks/gpu_each.h"

static bool plausible(struct val t)
{
	return VAL_KNOWN(t) && t.v > 0 && t.v < 200;
}

static void fill(struct finding *f, const struct check_env *env, int64_t value,
		 int64_t limit)
{
	if (!f)
		return;
	f->value = (double)value;
	f->limit = (double)limit;
	snprintf(f->unit, sizeof(f->unit), "C");
	f->remedy = REMEDY_SERVICE;
	gpu_evidence_boot(f, env, "temp");
}

/* At or over the slowdown threshold in both looks. */
static bool judge_threshold(struct gpu_look *l, int i)
{
	const struct gpu *g = &l->env->facts->gpus.gpu[i];
	struct finding *f;

	if (!gpu_known(l, i, g->temp, "temperature") ||
	    !gpu_known(l, i, g->temp_slowdown, "slowdown temperature") ||
	    !plausible(g->temp) || !plausible(g->temp_again) ||
	    !plausible(g->temp_slowdown))
		return false;
	if (g->temp.v < g->temp_slowdown.v ||
	    g->temp_again.v < g->temp_slowdown.v)
		return false;
	f = result_add_gpu(l->r, STATUS_FAIL, "slowdown", l->env, i,
			   "%" PRId64 ">=%" PRId64 " C, the slowdown limit",
			   g->temp_again.v, g->temp_slowdown.v);
	fill(f, l->env, g->temp_again.v, g->temp_slowdown.v);
	return true;
}

/* The driver's own margin, read once: the second look at the temperature
 * tells what is left of it. */
static void judge_margin(struct gpu_look *l, int i)
{
	const struct gpu *g = &l->env->facts->gpus.gpu[i];
	enum status status = STATUS_WARN;
	int64_t left;

	if (!gpu_known(l, i, g->temp_margin, "temperature margin"))
		return;
	left = g->temp_margin.v;
	if (left > 0 || left < -150)
		return;
	if (plausible(g->temp) && plausible(g->temp_again)) {
		if (left - (g->temp_again.v - g->temp.v) > 0)
			return;
		status = STATUS_FAIL;
	}
	fill(result_add_gpu(l->r, status, "margin", l->env, i,
			    "%" PRId64 " C left to the slowdown limit", left),
	     l->env, left, 0);
}

static void judge_memory(struct gpu_look *l, int i)
{
	const struct gpu *g = &l->env->facts->gpus.gpu[i];

	if (!gpu_known(l, i, g->temp_mem, "memory temperature") ||
	    !plausible(g->temp_mem) || !plausible(g->temp_mem_max) ||
	    g->temp_mem.v < g->temp_mem_max.v)
		return;
	fill(result_add_gpu(l->r, STATUS_WARN, "memory", l->env, i,
			    "memory at %" PRId64 ">=%" PRId64 " C",
			    g->temp_mem.v, g->temp_mem_max.v),
	     l->env, g->temp_mem.v, g->temp_mem_max.v);
}

static int run(const struct check_env *env, struct check_result *r)
{
	struct gpu_look l = { .env = env, .r = r };
	int i;

	for (i = gpu_next(env, -1); i >= 0; i = gpu_next(env, i)) {
		if (!judge_threshold(&l, i))
			judge_margin(&l, i);
		judge_memory(&l, i);
	}
	return gpu_done(&l, "no GPU tells its temperature");
}

const struct check check_gpu_temp = {
	.name = "gpu_temp",
	.summary = "GPUs are cooler than their slowdown limit",
	.reads = "NVML temperatures, the driver's slowdown limits and its "
		 "margin to them; twice, 200 ms apart, where the first look is "
		 "too hot",
	.fails = "a GPU is at its slowdown limit in both looks; warns of "
		 "memory at its limit",
	.advice = "Look at fans, air or coolant flow and the temperature of "
		  "the room; compare with the neighbours of the rack.",
	.domain = DOMAIN_GPU,
	.needs = NEED_GPU | NEED_NVML,
	.scope = SCOPE_NODE,
	.def = ACTION_WARN,
	.soft = true,
	.run = run,
};
