/* SPDX-License-Identifier: Apache-2.0
 * probe_wrong - the rule for results that are not slow but wrong: a payload
 * that has changed, a digest that differs from the others'.
 *
 * Silent corruption is a hard fault: no limit, no fuse. But it has to be seen
 * twice in the same place.
 */
#ifndef ASSAY_PROBE_WRONG_H
#define ASSAY_PROBE_WRONG_H

#include "checks/check.h"
#include "checks/probe_each.h"

/* One place, what is wrong with it and whether the repeat says the same. */
struct wrong {
	const struct check_env *env;
	enum probe probe;
	int place;
	const char *key;	/* suffix of the code, and of what is open */
	bool first, again;	/* seen in the first shot; and in the repeat */
	char subject[48];	/* "": "GPU5" */
	char evidence[64];	/* stays the same from run to run */
	char text[96];		/* "wrong result" */
	enum remedy remedy;	/* 0: service */
	bool soft;		/* an event that may have a harmless cause */
	bool warn;		/* it may be another's doing: never fails */
};

/* Add a finding, or note that it has passed. */
void wrong_judge(const struct wrong *w, struct check_result *r);

/* Is it to be repeated before it is judged? */
bool wrong_doubt(const struct wrong *w);

/* The rule for probes whose shots say that a payload was corrupt. */
void payload_judge(const struct check_env *env, enum probe probe,
		   const char *text, struct check_result *r);
bool payload_doubt(const struct check_env *env, enum probe probe, int place);

/* ---- digests: the same work on every SM, so the same result --------------- */

/* The digests of a probe by their place in struct gpu_probes. A probe may have
 * several kinds of them, each with a rule. */
struct digest_rule {
	enum probe probe;
	size_t digests;		/* of struct probe_digests [PROBE_SHOTS] */
	const char *kind;	/* "fp64": suffix of the code, and said before
				 * the fact; NULL: there is one kind only */
	bool unseen_elsewhere;	/* another rule tells of SMs that ran nothing */
};

/* GPUs of the same capability and size vote together, SM by SM; the digest of
 * more than half of all SMs is right. Judges every GPU that was measured. */
void digests_judge(const struct digest_rule *rule, const struct check_env *env,
		   struct check_result *r);
bool digests_doubt(const struct digest_rule *rule, const struct check_env *env,
		   int gpu);

#endif
