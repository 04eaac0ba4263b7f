/* SPDX-License-Identifier: Apache-2.0
 * retest - may an own drain be lifted? The pure part of assay health.
 *
 * Works on the state document "drain" that pass_act() wrote: reason,
 * drained_s, boot_id, keys {evidence key: remedy}, passes, first_pass_s.
 */
#ifndef ASSAY_RETEST_H
#define ASSAY_RETEST_H

#include <jansson.h>

#include "checks/policy.h"

enum retest {
	RETEST_NONE,		/* no drain of ours is known */
	RETEST_SICK,		/* the condition is still there, or unknown */
	RETEST_HAND,		/* it looks well, but needs a hand, and no trace
				 * of one is seen (other boot, other GPU) */
	RETEST_WAIT,		/* well, but not often or long enough */
	RETEST_RESUME		/* well: resume the node */
};

struct retest_limits {
	int passes;		/* [policy] resume_passes */
	int min_s;		/* [policy] resume_min_s */
};

/* The highest tier of the checks that have drained the node: without it they
 * cannot be re-tested. TIER_PASSIVE if nothing is drained. */
enum tier retest_tier(const json_t *doc);

/* Count this pass in doc (changed in place) and answer. */
enum retest retest_step(json_t *doc, const struct facts *facts,
			const struct check_result *results, int count,
			const struct verdict *v,
			const struct retest_limits *limits, int64_t now_s);

#endif
