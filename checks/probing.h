/* SPDX-License-Identifier: Apache-2.0
 * probing - whether GPUs and RDMA ports may be loaded now, with what, and doing
 * it.
 *
 * What was passed, or tried without passing, is remembered (passes.h).
 */
#ifndef ASSAY_PROBING_H
#define ASSAY_PROBING_H

#include <jansson.h>

#include "checks/runner.h"

struct probing {
	enum tier tier;		/* up to this one */
	/* A pass older than this is none; 0: all are. The second one is of
	 * what only the deep tier has. */
	int ttl_s, deep_ttl_s;
	int budget_ms;
	json_t *passes;		/* document "probes", changed in place; NULL:
				 * nothing is remembered */
	const bool *gpus;	/* by index as shown; NULL: all */
	bool changed;		/* out: passes was */
};

/* What a gate's job allows: 0, or -1 with why. owned, limit, [budget] quick. */
int probing_job_allows(const struct run *r, char *why, size_t size);

/* What the node allows: GPUs that answer or ports that are active, memory,
 * nothing stuck, and without a job of its own nobody else's. */
int probing_node_allows(const struct run *r, char *why, size_t size);

/* Time for a round outside a gate. */
int probing_budget_ms(const struct cfg *cfg, enum tier tier);

/* The highest tier up to tier that a check which is asked for has. */
enum tier probing_tier(const struct run *r, enum tier tier);

/* What is left of a budget outside a gate, where the program is ended in so
 * many ms and has to do all that comes behind the probes before; may be less
 * than 0. */
#define PROBING_LEAVE_MS 700	/* for the workers to go, behind the budget */
int probing_within_ms(const struct cfg *cfg, int budget_ms, int64_t left_ms);

/* Is some pass of the tier's selected checks missing or too old, and not tried
 * just now? */
bool probing_is_due(const struct run *r, const struct probing *q,
		    int64_t now_s);

/* Measure what is due and judge it: replaces the results of the checks of
 * that tier. Where the run has no job, one that comes to the node ends it at
 * once: -1, and nothing was judged. Else 0. */
int probing_round(struct run *r, struct probing *q, int64_t now_s);

/* Say in each probing check's result why it was not run. */
void probing_skip(struct run *r, const char *why);

#endif
