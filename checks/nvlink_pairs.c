/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/nvlink_pairs.h"

#include <math.h>
#include <stdio.h>

#include "checks/gpu_each.h"
#include "checks/yardstick.h"

#define USUAL_MIN 3	   /* peers that tell what is usual */
#define STAGED_SHARE 0.2   /* of what is expected: a loss of factors */
#define FABRIC_COMPLETED 3 /* a GPU that the fabric manager has set up */

double pairs_into(const struct check_env *env, int shot, int i, int j)
{
	double v = env->probes->pairs.gbps[shot][i][j];

	return isfinite(v) && v > 0 ? v : NAN;
}

/* The worse of the two directions, both of which were loaded at once. */
static double between(const struct check_env *env, int shot, int i, int j)
{
	return fmin(pairs_into(env, shot, i, j), pairs_into(env, shot, j, i));
}

/* Another GPU of the same model, behind place j (-1: the first); -1. */
static int next_peer(const struct check_env *env, int gpu, int j)
{
	const struct gpu *g = env->facts->gpus.gpu;

	do
		j = probe_next(env, j);
	while (j >= 0 && (j == gpu || !gpu_equal(&g[gpu], &g[j])));
	return j;
}

static double usual(const struct check_env *env, int shot, int gpu)
{
	double v[PROBE_GPUS_MAX], x;
	int j, n = 0;

	for (j = next_peer(env, gpu, -1); j >= 0; j = next_peer(env, gpu, j)) {
		x = between(env, shot, gpu, j);
		if (!isnan(x))
			v[n++] = x;
	}
	return n >= USUAL_MIN ? yardstick_median(v, n) : NAN;
}

/* Fills *peer. */
static double worst(const struct pairs *p, const struct check_env *env,
		    int shot, int gpu, int *peer)
{
	double least = NAN, x;
	int j;

	*peer = -1;
	for (j = next_peer(env, gpu, -1); j >= 0; j = next_peer(env, gpu, j)) {
		x = between(env, shot, gpu, j);
		if (p->low[j] || isnan(x) || x >= least)
			continue;
		least = x;
		*peer = j;
	}
	return least;
}

static double best(const struct check_env *env, int gpu)
{
	double most = NAN;
	int j;

	for (j = next_peer(env, gpu, -1); j >= 0; j = next_peer(env, gpu, j))
		most = fmax(most, between(env, 0, gpu, j));
	return most;
}

/* What all links of the GPU carry together, if the profile knows and they are
 * no optional bridges; else NAN. */
static double all_links(const struct check_env *env)
{
	if (!env->profile || env->profile->nvlink_bridge == 1)
		return NAN;
	return env->profile->nvlink_gbps;
}

/* On a board with NVSwitch every pair gets what all links of a GPU carry; on
 * one that wires GPU to GPU only a part of it, and the profile cannot tell
 * the two apart. A fabric that is set up shows it, or any pair that is as
 * fast. */
static bool is_switched(const struct check_env *env, const struct rate_rule *rule)
{
	double all = all_links(env);
	const struct gpu *g;
	int i;

	for (i = probe_next(env, -1); i >= 0; i = probe_next(env, i)) {
		g = &env->facts->gpus.gpu[i];
		if (!isnan(all) && VAL_KNOWN(g->fabric_state) &&
		    g->fabric_state.v == FABRIC_COMPLETED)
			return true;
		if (best(env, i) >= rule->peak_floor * all)
			return true;
	}
	return false;
}

void pairs_open(struct pairs *p, struct rates *l, const struct rate_rule *rule,
		const struct check_env *env)
{
	int i, s, peer;

	*p = (struct pairs){ .low = { false } };
	rates_open(l, rule, env);
	l->arg = p;
	l->relative_only = !is_switched(env, rule);
	/* With a switch all pairs are alike. Without, the worst pair of a GPU
	 * compares only with the worst pairs of others. */
	if (!l->relative_only)
		l->peers_by[PAIRS_WORST] = PAIRS_USUAL;
	/* Over PCIe and bridges it matters where a card sits. */
	l->no_peers = env->profile && isnan(all_links(env));
	for (i = probe_next(env, -1); i >= 0; i = probe_next(env, i))
		for (s = 0; s < PROBE_SHOTS; s++) {
			l->value[s][i][PAIRS_USUAL] =
				probe_done(env, rule->probe, i, s)
					? usual(env, s, i)
					: NAN;
			l->value[s][i][PAIRS_WORST] = NAN;
		}
	for (i = probe_next(env, -1); i >= 0; i = probe_next(env, i))
		p->low[i] = rates_hold(l, i, PAIRS_USUAL, 0).sense == YARD_LOW;
	for (i = probe_next(env, -1); i >= 0; i = probe_next(env, i))
		for (s = PROBE_SHOTS - 1; s >= 0; s--) {
			if (!probe_done(env, rule->probe, i, s))
				continue;
			l->value[s][i][PAIRS_WORST] = worst(p, env, s, i, &peer);
			p->worst[i] = peer;
		}
}

bool pairs_staged(const struct rates *l, int gpu, int figure)
{
	const struct probe_pairs *t = &l->env->probes->pairs;
	const struct pairs *p = l->arg;
	struct yard_sight sight = rates_hold(l, gpu, figure, 0);
	int j = p->worst[gpu];

	if (l->value[0][gpu][figure] < STAGED_SHARE * sight.expected)
		return true;
	return figure == PAIRS_WORST && j >= 0 &&
	       (t->no_access[gpu][j] || t->no_access[j][gpu]);
}

int pairs_corrupt(const struct check_env *env, int gpu, int shot)
{
	const struct probe_pairs *t = &env->probes->pairs;
	int j;

	for (j = next_peer(env, gpu, -1); j >= 0; j = next_peer(env, gpu, j))
		if (t->corrupt[0][gpu][j] && t->corrupt[shot][gpu][j])
			return j;
	return -1;
}

static void judge_no_access(const struct rates *l, struct check_result *r, int gpu)
{
	const struct probe_pairs *t = &l->env->probes->pairs;
	int j;

	for (j = next_peer(l->env, gpu, -1); j >= 0;
	     j = next_peer(l->env, gpu, j)) {
		if (!t->no_access[gpu][j] || !isnan(between(l->env, 0, gpu, j)))
			continue;
		result_add_gpu(r, STATUS_WARN, "no_access", l->env, gpu,
			       "no peer access to GPU%d",
			       l->env->facts->gpus.gpu[j].index);
		return;
	}
}

/* Nothing tells that the board has a switch, but even without one the best
 * pair would be faster than this. */
static void judge_staged(const struct rates *l, struct check_result *r, int gpu)
{
	double expected = l->rule->peak_achieved * all_links(l->env);
	double most = best(l->env, gpu);
	struct finding *f;
	char number[32];

	if (!(most < STAGED_SHARE * expected))
		return;
	f = result_add_gpu(r, STATUS_WARN, "staged", l->env, gpu,
			   "%s GB/s to the best of the others" PAIRS_STAGED,
			   yardstick_number(most, number, sizeof(number)));
	if (f)
		f->value = most;
}

void pairs_judge_access(const struct rates *l, struct check_result *r)
{
	int i;

	for (i = probe_next(l->env, -1); i >= 0; i = probe_next(l->env, i)) {
		if (!probe_done(l->env, l->rule->probe, i, 0))
			continue;
		if (!l->relative_only)
			judge_no_access(l, r, i);
		else
			judge_staged(l, r, i);
	}
}
