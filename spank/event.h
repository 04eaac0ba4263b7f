/* SPDX-License-Identifier: Apache-2.0
 * event - a line of steps.jsonl: a step began, a task of it ended, it ended.
 */
#ifndef ASSAY_SPANK_EVENT_H
#define ASSAY_SPANK_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "lib/cgroup.h"
#include "spank/leaf.h"

#define EVENT_BYTES 8192
#define EVENT_NOT_TOLD "not told by Slurm"

enum event_kind { EVENT_BEGIN, EVENT_TASK, EVENT_END };

/* A number that Slurm tells, or not. */
struct event_number {
	bool known;
	uint64_t n;
};

struct event {
	enum event_kind kind;
	char step[16];		/* "batch", "interactive", "0" */
	int64_t time_ms;	/* wall clock */
	struct event_number task;	/* EVENT_TASK: its rank in the step */
	struct event_number ntasks;	/* of the step, here */
	struct event_number ended;	/* EVENT_END: of these */
	struct event_number cpus;	/* of the step, here */
	struct event_number step_mem_mb, job_mem_mb;	/* allocated */
	struct event_number array_job;	/* EVENT_BEGIN; 0: of no array */
	struct event_number array_task;
	char leaf[LEAF_BYTES];	/* EVENT_BEGIN: the node's switch */
	const char *leaf_why;	/* NULL: leaf is known */
	bool has_status;
	int status;		/* wait status: of the task; EVENT_END: of the
				 * first task that failed, else 0 */
	bool has_usage;		/* of processes that were waited for */
	struct rusage usage;
};

/* Where job and step are counted. */
struct event_place {
	struct cgroup job, step;
};

/* Write the line, its newline included. place may be NULL: the cgroups have
 * gone, and their numbers are left out. 0, or -1: it did not fit. */
int event_format(const struct event *e, const struct roots *r,
		 const struct event_place *place, char buf[EVENT_BYTES]);

#endif
