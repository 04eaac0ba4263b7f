/* SPDX-License-Identifier: Apache-2.0
 * merge - the records of a job's nodes become one of kind "job".
 *
 * Records are added one by one and may be dropped at once: what is kept of a
 * node is small. They are input from files: whatever is in them, the sum is a
 * record. The order in which they come does not matter; of two records of one
 * node the later one counts.
 */
#ifndef ASSAY_EPILOG_MERGE_H
#define ASSAY_EPILOG_MERGE_H

#include <jansson.h>
#include <stdint.h>

struct merge;

/* What is merged: this job's records only. names: the nodes that it ran on,
 * of which those are missing that told nothing; NULL: not known, then nodes
 * (0: as the records say) is the number of them. Borrowed until finish. */
struct merge_job {
	uint32_t id, restart;
	int nodes;
	const char *const *names;
};

/* NULL on ENOMEM. */
struct merge *merge_create(const struct merge_job *job);
/* 0, or -1: EINVAL this is no record of this job, ENOMEM. */
int merge_add(struct merge *m, const json_t *record);
/* The record (new reference); NULL: ENOENT nothing was added, ENOMEM. */
json_t *merge_finish(struct merge *m);
void merge_destroy(struct merge *m);

/* All of an array at once; what is no record of this job is left out. */
json_t *merge_all(const json_t *records, const struct merge_job *job);

#endif
