/* SPDX-License-Identifier: Apache-2.0
 * act - carry a verdict out on Slurm, with every brake in between.
 *
 * Only called when a verdict wants a drain (or drain-after) and enforces it.
 * Reads the node first; leaves what is not ours as it is; limits soft rules;
 * falls back on the exit code when slurmctld does not answer.
 */
#ifndef ASSAY_ACT_H
#define ASSAY_ACT_H

#include "checks/policy.h"
#include "checks/session.h"

enum acted {
	ACTED_RUN,		/* nothing was done, the job runs */
	ACTED_DRAIN_AFTER,	/* drained, the job runs */
	ACTED_DRAIN,		/* drained; a Prolog refuses the job */
	ACTED_REFUSE,		/* drained already: the job is refused */
	ACTED_RESUMED		/* the node came back with this evidence known:
				 * weigh again, nothing was done */
};

struct act_request {
	const struct session *s;
	enum context context;
	enum action action;	/* ACTION_DRAIN_AFTER or ACTION_DRAIN */
	bool soft;		/* only soft rules want it */
	bool consumed;		/* the headline's evidence has drained this
				 * node, and Slurm knew: if the node is free,
				 * it came back */
	bool long_ago;		/* ... longer ago than any Prolog runs: that a
				 * job starts here says so, too */
	const char *rule;	/* headline check */
	const char *reason;
	const char *noted;	/* reason of the drain that is known as ours,
				 * NULL none */
};

struct act_outcome {
	enum acted acted;
	bool told;		/* Slurm knows (or knew already); false with
				 * a drain: the exit code must tell */
	char note[200];		/* what went differently, "" nothing */
};

void act(const struct act_request *q, struct act_outcome *out);

const char *acted_name(enum acted a);	/* "run", "drain", "refuse" ... */

#endif
