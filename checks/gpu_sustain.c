/* SPDX-License-Identifier: Apache-2.0
 * gpu_sustain: does the GPU end a long load as fast as it began, and what held
 * it back if not? */
#include "config.h"
#include "checks/check.h"

#include <math.h>
#include <stdio.h>

#include "checks/node.h"
#include "checks/probe_each.h"
#include "checks/yardstick.h"
#include "lib/nvml.h"

#define SHARE 0.90		/* of the rate at the start */

static const struct cfg_key keys[] = {
	{ "seconds", CFG_INT, "s", "20", 2, 600, NULL,
	  "how long the load lasts" },
	{ 0 },
};

/* What slowed it, the set-up's doing first; "" if nothing says so. */
static void cause(const struct probe_shot *s, char *buf, size_t size)
{
	const char *slow = probe_slowdown(s);

	if (probe_excuse(s, false, buf, size))
		return;
	if (slow)
		snprintf(buf, size, "%s", slow);
	else if (s->cond.throttle > 0 &&
		 s->cond.throttle & NVML_REASON_SW_POWER_CAP)
		snprintf(buf, size, "held down by its power limit");
	else
		snprintf(buf, size, "and no reason is told");
}

static void judge(struct probe_look *l, int gpu)
{
	const struct probe_shot *s = probe_shot(l->env, PROBE_sustain, gpu, 0);
	double begin = s->figure[0], end = s->figure[1];
	char less[64], why[80];
	struct finding *f;

	if (!isfinite(begin) || !isfinite(end) || end >= SHARE * begin)
		return;
	cause(s, why, sizeof(why));
	yardstick_less(end, SHARE * begin, less, sizeof(less));
	f = result_add_gpu(l->r, STATUS_WARN, "falls", l->env, gpu,
			   "%s TFLOP/s after %.0f s of load, %s", less,
			   s->figure[2], why);
	node_numbers(f, end, SHARE * begin, "TFLOP/s");
	/* The same tomorrow is no news. */
	if (f)
		snprintf(f->evidence, sizeof(f->evidence), "falls");
}

/* ---- for the record --------------------------------------------------------- */

/* One column of the trace; unknown is null. */
static json_t *column(const struct probe_trace *t,
		      double (*value)(const struct probe_sample *))
{
	json_t *list = json_array();
	double v;
	int i;

	for (i = 0; i < t->count && i < PROBE_TRACE_MAX; i++) {
		v = value(&t->sample[i]);
		json_array_append_new(
			list, v < 0	     ? json_null() :
			      v == floor(v) ? json_integer((json_int_t)v) :
					      json_real(round(1e2 * v) / 1e2));
	}
	return list;
}

#define COLUMN(name) \
	static double get_##name(const struct probe_sample *s) \
	{ \
		return (double)s->name; \
	}
COLUMN(at_s)
COLUMN(tflops)
COLUMN(sm_mhz)
COLUMN(temp_c)
COLUMN(power_w)
COLUMN(throttle)

static json_t *trace(const struct probe_trace *t)
{
	json_t *obj = json_object();

#define ADD(name) json_object_set_new(obj, #name, column(t, get_##name))
	ADD(at_s);
	ADD(tflops);
	ADD(sm_mhz);
	ADD(temp_c);
	ADD(power_w);
	ADD(throttle);
#undef ADD
	return obj;
}

static void report(struct probe_look *l, int gpu)
{
	const struct probe_shot *s = probe_shot(l->env, PROBE_sustain, gpu, 0);
	json_t *obj;

	if (s->end == PROBE_NONE)
		return;
	obj = probe_report(l->env, PROBE_sustain, gpu, 0);
	if (s->end == PROBE_DONE) {
		probe_figure(obj, "begin_tflops", s->figure[0]);
		probe_figure(obj, "end_tflops", s->figure[1]);
		probe_figure(obj, "seconds", s->figure[2]);
		json_object_set_new(obj, "trace",
				    trace(&l->env->probes->gpu[gpu].trace));
	}
	probe_record(l->r, obj);
}

static int run(const struct check_env *env, struct check_result *r)
{
	struct probe_look l = { .env = env, .r = r, .probe = PROBE_sustain };
	int i;

	PROBE_EACH(i, env, PROBE_sustain) {
		if (probe_measured(&l, i))
			judge(&l, i);
		report(&l, i);
	}
	return probe_end(&l);
}

const struct check check_gpu_sustain = {
	.name = "gpu_sustain",
	.summary = "each GPU ends a long load as fast as it began",
	.reads = "a probe of the deep tier: tensor cores under load for the "
		 "configured seconds (20), on all GPUs at once, with a trace of rate, clock, "
		 "temperature, power and clock event reasons",
	.fails = "an uncorrectable error of the device under load; warns when "
		 "the rate of the last two seconds is below 0.90 of that of "
		 "the first two, and names what held the GPU down: HW "
		 "slowdown, heat, a power brake, its power limit",
	.advice = "Heat: look at air flow, dust, heat sinks and inlet "
		  "temperature. Power brake: at the power supplies. Compare "
		  "the GPU's trace (assay check --tier deep --json) with its "
		  "neighbours'.",
	.domain = DOMAIN_GPU,
	.needs = NEED_GPU,
	.scope = SCOPE_NODE,
	.def = ACTION_DRAIN_AFTER,
	.soft = true,
	.tier = TIER_DEEP,
	.probe = PROBE_sustain,
	.keys = keys,
	.run = run,
};
