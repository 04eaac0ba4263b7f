/* SPDX-License-Identifier: Apache-2.0
 * runner - gather the facts in workers, then let the checks judge them.
 *
 * One worker per domain that has work. The kernel log comes first: a GPU that
 * it declares dead is not asked. A worker that hangs, crashes, floods its
 * socket or dies half-way costs only its own checks. This process calls no
 * vendor library.
 */
#ifndef ASSAY_RUNNER_H
#define ASSAY_RUNNER_H

#include "checks/check.h"
#include "checks/session.h"
#include "lib/devices.h"

struct run {
	/* asked for */
	struct session *s;
	enum context context;
	const char *only;	/* names divided by commas, NULL: all */
	enum tier tier;		/* all: of these tiers */
	int passive_ms;
	bool ask_dead;		/* ask also GPUs that the log declares dead */
	bool kmsg_only;		/* gather the kernel log and nothing else */
	const json_t *evidence;	/* document of evidence.h, NULL: none */

	/* found */
	struct facts *facts;	/* malloc'ed */
	struct facts_probes *probes;	/* malloc'ed, NULL: nothing was probed */
	char probe_why[160];		/* and why not */
	char port_why[160];		/* why no port, if that is another */
	struct devices devices;
	struct ownership owned;
	struct check_result *results;	/* malloc'ed array */
	struct rule *rules;		/* parallel to results */
	int count;
	json_t *kmsg_state;	/* new state of the log reader, or NULL */
	json_t *memory;		/* checks' memories, changed in place */
	bool memory_changed;
	int64_t started_us;
};

/* Gather. 0, or -1 with *e on ENOMEM only. */
int run_gather(struct run *r, struct err *e);

/* Are GPUs anything to this run: the job has some, or there is no job? */
bool run_wants_gpus(const struct run *r);

/* Is the node so young that [policy] boot_grace_s excuses it? */
bool run_boot_is_young(const struct run *r);

/* Work out devices and ownership from the inventory (part of run_gather). */
void run_own(struct run *r);

/* Is this check asked for, and switched on? */
bool run_selected(const struct run *r, const struct check *c);

/* What the checks are given, but for the memory of each. */
void run_env(struct run *r, struct check_env *env);

/* Judge the checks of the tiers above the passive one again, up to tier. */
void run_rejudge(struct run *r, enum tier tier);

/* Judge what was gathered: fills results and rules (actions, scope, soft,
 * enforce; untested is the caller's). 0 or -1 on ENOMEM. */
int run_judge(struct run *r, struct err *e);

/* Free what run_* allocated. */
void run_fini(struct run *r);

#endif
