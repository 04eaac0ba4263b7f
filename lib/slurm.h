/* SPDX-License-Identifier: Apache-2.0
 * slurm - the one module that acts on Slurm, by executing scontrol.
 *
 * Every call is one child with argv (no shell), the environment {SLURM_CONF}
 * and a deadline. Only failing nodes come here. A node is read before it is
 * touched; states are parsed as tokens; what is not ours stays as it is.
 * Names of nodes are checked before they become arguments (EINVAL). Errors:
 * ETIMEDOUT no answer in time, EIO scontrol said no, EINVAL.
 */
#ifndef ASSAY_SLURM_H
#define ASSAY_SLURM_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"

#define SLURM_REASON_MAX 120	/* bytes of a drain reason */

struct slurm {
	const char *scontrol;	/* absolute path */
	const char *conf;	/* SLURM_CONF, or NULL/"" */
	int64_t until_ms;	/* deadline of all calls together, mono ms */
};

/* State tokens, as in State=IDLE+DRAIN+MAINT. */
enum node_flag {
	NODE_DRAIN = 1 << 0,	/* DRAIN, DRAINED, DRAINING */
	NODE_DOWN = 1 << 1,
	NODE_FAIL = 1 << 2,	/* FAIL, FAILING */
	NODE_HANDS_OFF = 1 << 3,	/* MAINT*, REBOOT*, POWER*, PLANNED, INVAL*,
					 * FUTURE... or their signs behind the
					 * base state; not RESERVED */
	NODE_IDLE = 1 << 4,	/* base state IDLE */
	NODE_BUSY = 1 << 5,	/* ALLOCATED, MIXED, COMPLETING */
	NODE_NOT_RESPONDING = 1 << 6
};

struct node_state {
	unsigned int flags;	/* enum node_flag */
	char tokens[128];	/* as Slurm said them */
	char reason[512];	/* without " [user@time]", scrubbed */
	char reason_by[64];
	char reason_time[32];	/* "2026-01-01T00:00:00" */
};

/* Whose drain is it? */
enum node_owner {
	NODE_FREE,		/* nobody drained it; may be drained */
	NODE_OURS,		/* drained, reason starts with "assay:" */
	NODE_PROLOG_ERROR,	/* drained with exactly Slurm's own text
				 * "Prolog error" or "Epilog error" */
	NODE_FOREIGN		/* somebody else's, or hands off */
};

enum node_owner slurm_owner(const struct node_state *n);

/* Parse the text of "scontrol -o show node NAME" (or without -o); of several
 * nodes, the first. -1 EINVAL when there is no State=. */
int slurm_parse_node(const char *text, struct node_state *out);

int slurm_show_node(const struct slurm *s, const char *node,
		    struct node_state *out, struct err *e);
/* state=drain reason=... ; reason is cut to SLURM_REASON_MAX and scrubbed. */
int slurm_drain(const struct slurm *s, const char *node, const char *reason,
		struct err *e);
/* Only a new reason, for a node that is drained already. */
int slurm_set_reason(const struct slurm *s, const char *node,
		     const char *reason, struct err *e);
int slurm_resume(const struct slurm *s, const char *node, struct err *e);
int slurm_requeue(const struct slurm *s, uint32_t job, struct err *e);
int slurm_notify(const struct slurm *s, uint32_t job, const char *text,
		 struct err *e);

/* How many nodes were drained by the same rule ("assay:RULE ...") within the
 * last window_s, counting from the oldest, equal times by name: *rank of this
 * node from 1. From one "scontrol -o show nodes". Call it after the node's
 * own drain: it waits a good second first (where the deadline allows), so
 * that all drains of the same second are there to be counted. -1 if it
 * cannot be told (ENOENT: this node does not show such a drain). */
int slurm_rank(const struct slurm *s, const char *node, const char *rule,
	       int window_s, int *rank, struct err *e);
/* The pure part: text of all nodes. "Now" is the node's own drain: all times
 * are slurmctld's, and this node's clock and zone do not matter. */
int slurm_rank_in(const char *text, const char *node, const char *rule,
		  int window_s, int *rank);

/* Milliseconds to wait so that the nodes of a large job do not all call at
 * once: a hash of the name, below spread_ms. 0 for one-node jobs. */
int slurm_jitter_ms(const char *node, int num_nodes, int spread_ms);

/* Leave a detached process that, for at most 15 minutes, replaces Slurm's
 * own "Prolog error"/"Epilog error" by reason as soon as slurmctld answers
 * and the node shows exactly that text. It ends when somebody else's reason
 * is there. One at a time per node: run_dir (root's own) holds its lock. */
int slurm_retry_detached(const struct slurm *s, const char *node,
			 const char *reason, const char *run_dir);

/* One try of it: true if it shall be tried again. *seen, false at first, says
 * whether Slurm's own text has been there already. */
bool slurm_retry_once(const struct slurm *s, const char *node,
		      const char *reason, bool *seen);

#endif
