/* SPDX-License-Identifier: Apache-2.0
 * nvlink_pairs - from a table of pairs to one or two figures of each GPU.
 */
#ifndef ASSAY_NVLINK_PAIRS_H
#define ASSAY_NVLINK_PAIRS_H

#include "checks/check.h"
#include "checks/probe_rate.h"

enum pairs_figure {
	PAIRS_BEST,	/* its best peer, of two at least */
	PAIRS_WORST,	/* its worst peer that is not slow to all itself */
	PAIRS_FIGURES,
	PAIRS_USUAL = PAIRS_FIGURES	/* median, to hold others against */
};

struct pairs {
	bool low[PROBE_GPUS_MAX];	/* slow to all others */
	int worst[PROBE_GPUS_MAX];	/* its worst peer at first, -1 none */
};

#define PAIRS_STAGED ", staged through the host"

/* Rates whose figures are made of the pairs; l->arg is p, which must last. */
void pairs_open(struct pairs *p, struct rates *l, const struct rate_rule *rule,
		const struct check_env *env);

/* GB/s from GPU i into GPU j, NAN not measured. */
double pairs_into(const struct check_env *env, int shot, int i, int j);

/* Is a figure so low that the copies must have gone through the host, or does
 * the driver say so? */
bool pairs_staged(const struct rates *l, int gpu, int figure);

/* The first peer whose payload from gpu changed (shot 1: in both); -1. */
int pairs_corrupt(const struct check_env *env, int gpu, int shot);

/* Findings that no rate tells: no peer access where there was no measurement,
 * and a board on which all pairs are staged. */
void pairs_judge_access(const struct rates *l, struct check_result *r);

#endif
