/* SPDX-License-Identifier: Apache-2.0
 * brakes - how many nodes one soft rule may drain within a while.
 *
 * With a shared directory: atomic mkdir of numbered tokens below
 * tokens/RULE/, by shared_user, in a child with a deadline (a dead cluster
 * file system must not stop the gate). Without: the node is drained first,
 * counts its own rank among that rule's drains, and backs out above the
 * limit.
 */
#ifndef ASSAY_BRAKES_H
#define ASSAY_BRAKES_H

#include "lib/cfg.h"
#include "lib/err.h"

enum brake {
	BRAKE_FREE,		/* a token was had: drain */
	BRAKE_LIMIT,		/* over the limit: do not drain */
	BRAKE_RANK,		/* no shared directory: drain, then count */
	BRAKE_UNKNOWN		/* it could not be told in time */
};

/* Take a token for RULE on this node. */
enum brake brakes_take(const struct cfg *cfg, const char *rule,
		       const char *node, int deadline_ms, struct err *e);

/* The pure part, in an open tokens directory: tokens older than window_s are
 * taken over; one node holds at most one token per rule and window (the same
 * node asking again gets its own). BRAKE_FREE, _LIMIT or _UNKNOWN. */
enum brake brakes_take_in(int tokens_dir, const char *rule, const char *node,
			  int limit, int window_s, int64_t now_s);

#endif
