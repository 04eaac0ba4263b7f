/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/nvlink_pairs.h"

#include <math.h>
#include <stdio.h>

#include "checks/gpu_each.h"
#include "checks/probe_each.h"
#include "checks/yardstick.h"

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
		j = probe_next(env, PROBE_peer, j);
	while (j >= 0 && (j == gpu || !gpu_equal(&g[gpu], &g[j])));
	return j;
}

/* Of one alone it is the worst as well. */
static double best(const struct check_env *env, int shot, int gpu)
{
	double most = NAN;
	int j, n = 0;

	for (j = next_peer(env, gpu, -1); j >= 0; j = next_peer(env, gpu, j)) {
		most = fmax(most, between(env, shot, gpu, j));
		n++;
	}
	return n > 1 ? most : NAN;
}

static double usual(const struct check_env *env, int gpu)
{
	double v[PROBE_GPUS_MAX], x;
	int j, n = 0;

	for (j = next_peer(env, gpu, -1); j >= 0; j = next_peer(env, gpu, j)) {
		x = between(env, 0, gpu, j);
		if (!isnan(x))
			v[n++] = x;
	}
	return n ? yardstick_median(v, n) : NAN;
}

/* Nothing holds that GPU up that is not its own fault. */
static bool is_free(const struct check_env *env, int gpu)
{
	return probe_is_fair(probe_shot(env, PROBE_peer, gpu, 0), false);
}

/* May this pair be judged? Copies through the host go as fast as the driver's
 * buffers happen to lie, so that yesterday's rate says nothing of today's;
 * with a switch they are the fault itself. */
static bool counts(const struct rates *l, int i, int j)
{
	const struct probe_pairs *t = &l->env->probes->pairs;

	return !l->relative_only ||
	       (!t->no_access[i][j] && !t->no_access[j][i]);
}

/* The worst peer of the first shot that is not to blame itself; -1. */
static int worst_peer(const struct rates *l, int gpu)
{
	const struct check_env *env = l->env;
	const struct pairs *p = l->arg;
	double least = NAN, x;
	int j, peer = -1;

	for (j = next_peer(env, gpu, -1); j >= 0; j = next_peer(env, gpu, j)) {
		x = between(env, 0, gpu, j);
		if (p->low[j] || !is_free(env, j) || !counts(l, gpu, j) ||
		    isnan(x) || x >= least)
			continue;
		least = x;
		peer = j;
	}
	return peer;
}

/* Nobody knows whether a and b are of one model. */
static bool is_riddle(const struct gpu *a, const struct gpu *b)
{
	return (!a->pci_id || !b->pci_id) && (!a->name[0] || !b->name[0]);
}

/* Is every pair of that GPU known, also with GPUs that were left out? */
static bool is_complete(const struct check_env *env, int shot, int gpu)
{
	const struct facts_gpus *f = &env->facts->gpus;
	const struct gpu *g = f->gpu;
	int j;

	for (j = 0; j < f->count && j < PROBE_GPUS_MAX; j++) {
		if (j == gpu)
			continue;
		if (is_riddle(&g[gpu], &g[j]) ||
		    (gpu_equal(&g[gpu], &g[j]) &&
		     isnan(between(env, shot, gpu, j))))
			return false;
	}
	return true;
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
	const struct gpu *g = env->facts->gpus.gpu;
	double all = all_links(env);
	int i;

	if (isnan(all))
		return false;
	PROBE_EACH(i, env, PROBE_peer) {
		/* The profile is about the first GPU's model. */
		if (i > 0 && !gpu_equal(&g[0], &g[i]))
			continue;
		if (VAL_KNOWN(g[i].fabric_state) &&
		    g[i].fabric_state.v == FABRIC_COMPLETED)
			return true;
		if (usual(env, i) >= rule->peak_floor * all ||
		    best(env, 0, i) >= rule->peak_floor * all)
			return true;
	}
	return false;
}

/* Is there a peer at all that a GPU's best rate may be judged by? */
static bool has_direct(const struct rates *l, int gpu)
{
	int j;

	for (j = next_peer(l->env, gpu, -1); j >= 0;
	     j = next_peer(l->env, gpu, j))
		if (counts(l, gpu, j))
			return true;
	return false;
}

/* Without a switch pairs differ, and the best of some compares with nothing:
 * neither with the best of others nor with yesterday's. */
static bool may_fill(const struct rates *l, int shot, int gpu)
{
	return probe_done(l->env, l->rule->probe, gpu, shot) &&
	       (!l->relative_only || is_complete(l->env, shot, gpu));
}

static void fill_best(struct rates *l)
{
	const struct check_env *env = l->env;
	int i, s;

	PROBE_EACH(i, env, PROBE_peer)
		for (s = 0; s < PROBE_SHOTS; s++) {
			l->value[s][i][PAIRS_BEST] = NAN;
			l->value[s][i][PAIRS_WORST] = NAN;
			l->value[s][i][PAIRS_USUAL] = NAN;
			if (!may_fill(l, s, i) || !has_direct(l, i))
				continue;
			l->value[s][i][PAIRS_BEST] = best(env, s, i);
			l->value[s][i][PAIRS_USUAL] = usual(env, i);
		}
}

/* The repeat must confirm the same pair. */
static void fill_worst(struct rates *l, struct pairs *p)
{
	const struct check_env *env = l->env;
	int i, s;

	PROBE_EACH(i, env, PROBE_peer) {
		p->worst[i] = worst_peer(l, i);
		for (s = 0; p->worst[i] >= 0 && s < PROBE_SHOTS; s++)
			if (may_fill(l, s, i))
				l->value[s][i][PAIRS_WORST] =
					between(env, s, i, p->worst[i]);
	}
}

void pairs_open(struct pairs *p, struct rates *l, const struct rate_rule *rule,
		const struct check_env *env)
{
	int i;

	*p = (struct pairs){ .low = { false } };
	rates_open(l, rule, env);
	l->arg = p;
	l->relative_only = !is_switched(env, rule);
	/* With a switch all pairs are alike. Without, one GPU may be wired to
	 * its peers otherwise than the next: only its own past tells. */
	l->no_peers = l->relative_only;
	l->peers_by[PAIRS_WORST] = PAIRS_USUAL;
	fill_best(l);
	PROBE_EACH(i, env, PROBE_peer)
		p->low[i] = rates_hold(l, i, PAIRS_BEST, 0).sense == YARD_LOW;
	fill_worst(l, p);
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
	double most = fmax(best(l->env, 0, gpu), usual(l->env, gpu));
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

	PROBE_EACH(i, l->env, PROBE_peer) {
		if (!probe_done(l->env, l->rule->probe, i, 0))
			continue;
		if (!l->relative_only)
			judge_no_access(l, r, i);
		else
			judge_staged(l, r, i);
	}
}
