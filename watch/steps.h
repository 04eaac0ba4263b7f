/* SPDX-License-Identifier: Apache-2.0
 * steps - what the SPANK plugin has noted of a job's steps on this node
 * (steps.jsonl in the job's run directory).
 */
#ifndef ASSAY_WATCH_STEPS_H
#define ASSAY_WATCH_STEPS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct steps {
	json_t *last;	/* the last word of each: {"batch": {"cpu_us": 7}} */
	bool dropped;	/* some had no place in the file */
};

/* dir: the job's, -1 none. What cannot be read is no step. */
void steps_read(int dir, struct steps *s);
void steps_fini(struct steps *s);

/* How many; -1 unknown. */
int steps_count(const struct steps *s);

/* What their cgroups have counted, over all steps: the sum, or the largest.
 * NAN: no step tells; nor is there a sum of some of them. */
double steps_sum(const struct steps *s, const char *key);
double steps_most(const struct steps *s, const char *key);

/* What is known without cgroups, once all steps have ended and none of them
 * went unnoted: of the processes that were waited for. NAN else. */
double steps_waited_us(const struct steps *s);
double steps_largest_bytes(const struct steps *s); /* of one process */
/* What Slurm has allocated to the job here, or to its largest step; NAN. */
double steps_alloc_bytes(const struct steps *s);

/* A number of the job's own that a step told when it began, -1 none. */
int64_t steps_job_number(const struct steps *s, const char *key);
/* The leaf switch of the node, NULL unknown. */
const char *steps_leaf(const struct steps *s);

#endif
