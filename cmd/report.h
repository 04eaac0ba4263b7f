/* SPDX-License-Identifier: Apache-2.0
 * report - where a job's record is found, and how it is shown.
 */
#ifndef ASSAY_CMD_REPORT_H
#define ASSAY_CMD_REPORT_H

#include <jansson.h>
#include <stdint.h>

#include "checks/session.h"
#include "lib/err.h"

struct report {
	json_t *record; /* assay.job/1 */
	json_t *nodes;	/* the nodes' own records, may be empty */
	char from[160]; /* where they were found, for a person */
};

/* The newest there is of the job: from shared_dir, from this node (where it
 * may still run), or else from what Slurm's accounting keeps. word: as the
 * user named it ("123", "123_4" of an array). 0; -1 with errno and *e: ENOENT
 * nobody knows of it, EACCES it may be somebody else's, EINVAL no job id.
 * Free with report_fini(). */
int report_find(const struct session *s, const char *word, struct report *out,
		struct err *e);
void report_fini(struct report *r);

/* What a page needs beyond that: the series of the nodes. */
void report_add_series(const struct session *s, struct report *r);

/* From the accounting only. */
int report_from_sacct(const struct session *s, const char *word,
		      struct report *out, struct err *e);
/* "123_4": the id that the node knows it by. 0 or -1 with *e. */
int report_raw_id(const struct session *s, const char *word, uint32_t *out,
		  struct err *e);

/* For a person: 80 columns. */
void report_show(const struct report *r);

#endif
