/* SPDX-License-Identifier: Apache-2.0
 * gpu_sdc: does every SM of every GPU compute the same with every kind of
 * instruction? */
#include "config.h"
#include "checks/check.h"

#include <stddef.h>

#include "checks/probe_past.h"
#include "checks/probe_wrong.h"

static struct digest_rule rule(enum probe_path path)
{
	return (struct digest_rule){
		.probe = PROBE_sdc,
		.digests = offsetof(struct gpu_probes, sdc) +
			   (size_t)path *
				   sizeof(((struct gpu_probes *)0)->sdc[0]),
		.kind = probe_path_name(path),
		.unseen_elsewhere = path > 0,
	};
}

/* Which paths the digests are of. */
static json_t *paths(const struct gpu_probes *g, int shot)
{
	json_t *list = json_array();
	int p;

	for (p = 0; p < PROBE_PATH_COUNT; p++)
		if (g->sdc[p][shot].seen)
			json_array_append_new(
				list,
				json_string(probe_path_name((enum probe_path)p)));
	return list;
}

static json_t *report_shot(const struct check_env *env, int gpu, int shot)
{
	const struct probe_shot *s = probe_shot(env, PROBE_sdc, gpu, shot);
	json_t *obj = probe_report(env, PROBE_sdc, gpu, shot);

	if (s->end != PROBE_DONE)
		return obj;
	probe_figure(obj, "digests", s->figure[0]);
	probe_figure(obj, "different", s->figure[1]);
	json_object_set_new(obj, "paths", paths(&env->probes->gpu[gpu], shot));
	return obj;
}

static void report(struct probe_look *l, int gpu)
{
	const struct probe_shot *s = probe_shot(l->env, PROBE_sdc, gpu, 0);
	json_t *obj;

	if (s[0].end == PROBE_NONE)
		return;
	obj = report_shot(l->env, gpu, 0);
	if (s[1].end != PROBE_NONE)
		json_object_set_new(obj, "repeat",
				    report_shot(l->env, gpu, 1));
	probe_record(l->r, obj);
}

static int run(const struct check_env *env, struct check_result *r)
{
	struct probe_look l = { .env = env, .r = r, .probe = PROBE_sdc };
	struct digest_rule one;
	int i, p;

	for (p = 0; p < PROBE_PATH_COUNT; p++) {
		one = rule((enum probe_path)p);
		digests_judge(&one, env, r);
	}
	PROBE_EACH(i, env, PROBE_sdc) {
		if (!probe_measured(&l, i) ||
		    probe_shot(env, PROBE_sdc, i, 0)->partial)
			past_remind(r, env, i);
		report(&l, i);
	}
	return probe_end(&l);
}

static bool doubts(const struct check_env *env, int gpu)
{
	struct digest_rule one;
	int p;

	for (p = 0; p < PROBE_PATH_COUNT; p++) {
		one = rule((enum probe_path)p);
		if (digests_doubt(&one, env, gpu))
			return true;
	}
	return false;
}

const struct check check_gpu_sdc = {
	.name = "gpu_sdc",
	.summary = "each SM computes what the others do with every kind of "
		   "instruction, bit by bit",
	.reads = "a probe of the deep tier: integer, fp32, fp64, bf16 and fp8 "
		 "arithmetic, shared memory and L2, the same numbers on every "
		 "SM, a digest from each for each kind; a few seconds on all "
		 "GPUs at once",
	.fails = "an SM's digest differs from that of more than half of all "
		 "SMs of equal GPUs, twice; warns where no digest has the "
		 "majority, and of SMs that were not tested",
	.advice = "A wrong result is silent data corruption: take the GPU out "
		  "of service and have the board exchanged.",
	.domain = DOMAIN_GPU,
	.needs = NEED_GPU,
	.scope = SCOPE_NODE,
	.def = ACTION_DRAIN,
	.soft = true,
	.tier = TIER_DEEP,
	.probe = PROBE_sdc,
	.run = run,
	.doubts = doubts,
};
