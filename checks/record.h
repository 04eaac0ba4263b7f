/* SPDX-License-Identifier: Apache-2.0
 * record - the verdict as a document: assay.check/1 (CONTRACTS 4).
 */
#ifndef ASSAY_RECORD_H
#define ASSAY_RECORD_H

#include <jansson.h>

#include "checks/policy.h"
#include "lib/err.h"

struct record {
	const char *node;
	uint32_t job, restart;		/* job 0: none */
	const char *mode;		/* "observe" | "enforce" */
	int64_t time_s;			/* wall clock */
	int64_t elapsed_us;
	const struct verdict *verdict;
	const char *action;		/* what was done: "run" ... "refuse" */
	const char *reason;
	const char *note;		/* NULL or what else must be said */
	const struct check_result *results;
	int count;
	const struct facts_probes *probes;	/* NULL: nothing was probed */
};

/* The document (new reference), NULL on ENOMEM. */
json_t *record_json(const struct record *r);

/* Write NAME in dir (a directory descriptor) aside and rename.
 * 0 or -1 with *e. */
int record_write(const json_t *doc, int dir, const char *name,
		 struct err *e);

#endif
