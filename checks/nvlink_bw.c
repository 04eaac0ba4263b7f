/* SPDX-License-Identifier: Apache-2.0
 * nvlink_bw: do copies from GPU to GPU run at the rate of their links? A pair
 * that is staged through the host loses a factor of ten. */
#include "config.h"
#include "checks/check.h"

#include <math.h>
#include <stdio.h>

#include "checks/nvlink_pairs.h"
#include "checks/probe_rate.h"
#include "checks/probe_wrong.h"

extern const struct check check_nvlink_bw;

static const struct cfg_key keys[] = {
	{ "expected_gbps", CFG_INT, "GB/s", "0", 0, 10000, NULL,
	  "rate to every other GPU, in one direction, that this site expects; "
	  "0: none" },
	{ 0 },
};

static double peak(const struct check_env *env, int gpu)
{
	(void)gpu;
	return env->profile->nvlink_gbps;
}

/* A GPU whose links are bad is slow to all others, and they only to it: so
 * each GPU is judged by its best peer, then by its worst one among those that
 * are not to blame themselves. */
static const struct rate_figure figures[] = {
	[PAIRS_BEST] = { "all", "best_gbps", "expected_gbps",
			 RATE_PROFILE(own_peer_gbps),
			 RATE_PROFILE(p2p_floor_gbps) },
	[PAIRS_WORST] = { "peer", "worst_gbps", "expected_gbps",
			  RATE_PROFILE(own_peer_gbps),
			  RATE_PROFILE(p2p_floor_gbps) },
};

static void detail(const struct rates *l, int gpu, int figure, char *buf,
		   size_t size)
{
	const struct pairs *p = l->arg;
	int peer = p->worst[gpu];
	bool staged = pairs_staged(l, gpu, figure);

	if (figure == PAIRS_BEST)
		snprintf(buf, size, " to all others%s",
			 staged ? PAIRS_STAGED : "");
	else
		snprintf(buf, size, " to GPU%d%s%s",
			 l->env->facts->gpus.gpu[peer].index,
			 p->low[gpu] ? " and all others" : "",
			 staged ? PAIRS_STAGED : "");
}

static void report(const struct rates *l, int gpu, int shot, json_t *obj)
{
	json_t *to = json_object();
	char name[24];
	int j;

	PROBE_EACH(j, l->env, PROBE_peer) {
		if (j == gpu)
			continue;
		snprintf(name, sizeof(name), "GPU%d",
			 l->env->facts->gpus.gpu[j].index);
		probe_figure(to, name, pairs_into(l->env, shot, gpu, j));
	}
	json_object_set_new(obj, "to_gbps", to);
}

static const struct rate_rule rule = {
	.check = &check_nvlink_bw,
	.probe = PROBE_peer,
	.unit = "GB/s",
	.figure = figures,
	.figures = PAIRS_FIGURES,
	.peers = 0.95,
	.history = 0.05,
	.peak = peak,
	.peak_floor = 0.60,
	.peak_achieved = 0.80,
	.detail = detail,
	.report = report,
};

static struct wrong payload(const struct check_env *env, int gpu)
{
	struct wrong w = {
		.env = env, .probe = PROBE_peer, .place = gpu, .key = "corrupt"
	};
	int peer = pairs_corrupt(env, gpu, 0);

	w.first = peer >= 0;
	if (!w.first)
		return w;
	w.again = pairs_corrupt(env, gpu, 1) >= 0;
	if (w.again)
		peer = pairs_corrupt(env, gpu, 1);
	snprintf(w.evidence, sizeof(w.evidence), "payload");
	snprintf(w.text, sizeof(w.text), "a payload to GPU%d changed",
		 env->facts->gpus.gpu[peer].index);
	return w;
}

static int run(const struct check_env *env, struct check_result *r)
{
	struct pairs p;
	struct rates l;
	struct wrong w;
	int i;

	PROBE_EACH(i, env, PROBE_peer) {
		if (!probe_done(env, PROBE_peer, i, 0))
			continue;
		w = payload(env, i);
		wrong_judge(&w, r);
	}
	pairs_open(&p, &l, &rule, env);
	pairs_judge_access(&l, r);
	return rates_judge(&l, r);
}

static bool doubts(const struct check_env *env, int gpu)
{
	struct wrong w = payload(env, gpu);
	struct pairs p;
	struct rates l;

	if (probe_done(env, PROBE_peer, gpu, 0) && wrong_doubt(&w))
		return true;
	pairs_open(&p, &l, &rule, env);
	return rates_doubt(&l, gpu);
}

const struct check check_nvlink_bw = {
	.name = "nvlink_bw",
	.summary = "copies from GPU to GPU run at the rate of their links, and "
		   "arrive unchanged",
	.reads = "a probe: copies between all pairs of GPUs, in rounds of "
		 "disjoint pairs, both directions at once; about 10 ms each "
		 "round",
	.fails = "two references agree that a GPU is slow to all others or to "
		 "one, or one is missed by far (0.7), and the repeat is slow "
		 "too; a payload arrived changed, twice. References: the "
		 "profile, the links' rate and the median of equal GPUs (all on "
		 "boards with NVSwitch only), the site's figure, the GPU's own "
		 "history",
	.advice = "Staged through the host: look at peer access (nvidia-smi "
		  "topo -p2p r), ACS and IOMMU settings, the fabric manager. "
		  "Slow links: look at nvlink_links, nvlink_errors and the "
		  "kernel log, reset all GPUs of the board together, then have "
		  "it looked at.",
	.domain = DOMAIN_NVLINK,
	.needs = NEED_GPU,
	.scope = SCOPE_NODE,
	.def = ACTION_DRAIN,
	.soft = true,
	.tier = TIER_QUICK,
	.probe = PROBE_peer,
	.keys = keys,
	.run = run,
	.doubts = doubts,
};
