/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/nccl_ring.h"

#include <stdio.h>

#include "checks/probe_past.h"

#define HISTORY 0.05		/* least distance from the own median */

struct nccl_ring nccl_ring_open(const struct check_env *env,
				struct check_result *r, double expected)
{
	struct nccl_ring g = { .env = env, .r = r, .expected = expected,
			       .gpu = probe_next(env, PROBE_nccl, -1) };

	if (g.gpu < 0)
		return g;
	g.shot = probe_shot(env, PROBE_nccl, g.gpu, 0);
	snprintf(g.past, sizeof(g.past), "%.40s x%d NCCL %d %d KiB",
		 env->facts->gpus.gpu[g.gpu].name, env->probes->nccl_gpus,
		 env->probes->nccl_version,
		 (int)(env->probes->nccl_bytes >> 10));
	return g;
}

struct yard_sight nccl_ring_hold(const struct nccl_ring *g, int shot)
{
	double v[PAST_SAMPLES];
	struct yardstick y;
	int n = past_samples(g->env, g->gpu, g->past, v);

	yardstick_init(&y);
	yardstick_site(&y, g->expected);
	yardstick_history(&y, v, n, HISTORY);
	return yardstick_hold(&y, g->shot[shot].figure[NCCL_RING_LARGE]);
}

bool nccl_ring_repeated(const struct nccl_ring *g)
{
	return g->shot[1].end != PROBE_NONE;
}

bool nccl_ring_excuse(const struct nccl_ring *g, int shot, char *buf,
		      size_t size)
{
	int i;

	for (i = g->gpu; i >= 0; i = probe_next(g->env, PROBE_nccl, i))
		if (probe_excuse(probe_shot(g->env, PROBE_nccl, i, shot), false,
				 buf, size))
			return true;
	return false;
}

static json_t *report_shot(const struct nccl_ring *g, int shot)
{
	json_t *obj = probe_report(g->env, PROBE_nccl, g->gpu, shot);

	if (g->shot[shot].end != PROBE_DONE)
		return obj;
	probe_figure(obj, "small_busbw_gbps", g->shot[shot].figure[0]);
	probe_figure(obj, "busbw_gbps",
		     g->shot[shot].figure[NCCL_RING_LARGE]);
	probe_figure(obj, "init_s", g->shot[shot].figure[2]);
	return obj;
}

static void report_version(const struct nccl_ring *g, json_t *obj)
{
	int v = g->env->probes->nccl_version;
	char text[32];

	if (!v)
		return;
	snprintf(text, sizeof(text), "%d.%d.%d", v / 10000, v / 100 % 100,
		 v % 100);
	json_object_set_new(obj, "nccl", json_string(text));
}

void nccl_ring_report(const struct nccl_ring *g)
{
	const struct facts_probes *p = g->env->probes;
	json_t *obj;

	if (g->shot[0].end == PROBE_NONE)
		return;
	obj = report_shot(g, 0);
	json_object_set_new(obj, "subject", json_string("node"));
	json_object_set_new(obj, "gpus", json_integer(p->nccl_gpus));
	report_version(g, obj);
	if (g->shot[0].end == PROBE_DONE)
		json_object_set_new(obj, "bytes", json_integer(p->nccl_bytes));
	if (nccl_ring_repeated(g))
		json_object_set_new(obj, "repeat", report_shot(g, 1));
	probe_record(g->r, obj);
}
