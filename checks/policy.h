/* SPDX-License-Identifier: Apache-2.0
 * policy - from results to a verdict: a pure function.
 *
 * First each finding is weighed (its status may be lowered, never raised,
 * and gets its action), then the verdict is taken over all of them. Nothing
 * here reads a clock, a file or the environment.
 */
#ifndef ASSAY_POLICY_H
#define ASSAY_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "checks/check.h"

/* What applies to one check in one context. */
struct rule {
	enum action action;
	enum scope scope;
	bool soft;
	bool enforce;		/* mode = enforce, or promoted by hand */
	bool untested;		/* soft: has not passed since the last change */
};

/* Has this evidence drained the node before, and was the node resumed? */
enum evidence_state {
	EVIDENCE_NEW,
	EVIDENCE_CONSUMED,	/* drained for it; nobody is known to have
				 * resumed the node since */
	EVIDENCE_RESUMED,	/* drained for it, and the node came back */
	EVIDENCE_ACKED		/* an admin acknowledged it */
};

struct policy {
	bool exempt;		/* this job is only observed */
	bool has_job;		/* false: check or health, all devices count */
	bool devices_sure;	/* per-device findings may drain */
	const bool *gpu_is_jobs;	/* [FACTS_GPUS_MAX]; NULL: all are */
	bool young_boot;	/* within boot_grace_s after boot */
	/* State of a finding's evidence; NULL: all is new. */
	enum evidence_state (*evidence)(const struct check_result *r,
					const struct finding *f, void *arg);
	void *evidence_arg;
};

enum cause { CAUSE_NONE, CAUSE_FAIL, CAUSE_TIMEOUT };

/* ACTION_IGNORE and ACTION_WARN are never in a verdict: "run" is
 * ACTION_IGNORE here, so that the order of actions is that of the enum. */
#define ACTION_RUN ACTION_IGNORE

struct verdict {
	enum action would;	/* what enforce mode would have done */
	enum action act;	/* what is to be done now */
	enum cause cause;
	int result;		/* headline: index of its result, -1 none */
	int finding;		/* and of its finding */
	int more;		/* further failing checks */
	bool soft;		/* every reason to act is a soft one */
	bool blind;		/* something could not be judged (ERROR) */
};

/* Lower and annotate the findings of one result, and set its status. */
void policy_weigh(const struct policy *p, const struct rule *rule,
		  struct check_result *r);

/* The verdict over weighed results; rules[i] belongs to results[i]. */
void policy_decide(const struct policy *p, const struct rule *rules,
		   const struct check_result *results, int count,
		   struct verdict *out);

/* The drain reason of a verdict (CONTRACTS 3): at most 120 bytes, printable.
 * job 0: none. "" when there is no headline. Returns buf. */
char *policy_reason(const struct verdict *v, const struct check_result *results,
		    uint32_t job, char *buf, size_t size);

const char *cause_name(enum cause c);
/* "run", "drain-after" or "drain". */
const char *verdict_name(enum action a);

#endif
