/* SPDX-License-Identifier: Apache-2.0
 * queue - jobs that wait for their comment: one empty file each, its name the
 * job's id, its time when it was queued. Nothing in it can be torn.
 */
#ifndef ASSAY_EPILOG_QUEUE_H
#define ASSAY_EPILOG_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"

#define QUEUE_MAX 20000 /* jobs */

struct queue {
	int dir;
	int lock; /* -1: not ours */
};

struct queued {
	uint32_t job;
	int64_t since_s;  /* seconds since 1970 */
	int64_t since_ns; /* of that second: which request it was */
};

/* Open (creating it, 0700) the directory: it must be the effective user's own
 * and nobody else's to write. */
int queue_open(struct queue *q, const char *path, struct err *e);
void queue_close(struct queue *q);

/* The job waits from now on, also if it did before. 0 or -1 (ENOSPC: there
 * are QUEUE_MAX). */
int queue_add(struct queue *q, uint32_t job, struct err *e);

/* Does it wait? */
bool queue_has(const struct queue *q, uint32_t job);

/* Those that wait, longest first; malloc'ed. Their number or -1. */
int queue_list(const struct queue *q, struct queued **list);

/* When a job was last queued or removed, in nanoseconds: a change is one. */
int64_t queue_changed_ns(const struct queue *q);

/* It waits no more; unless it was queued again since. */
void queue_remove(const struct queue *q, const struct queued *job);

/* One writer at a time: false if there is another. Not inherited by what is
 * executed. */
bool queue_lock(struct queue *q);
void queue_unlock(struct queue *q);

/* Writers are to leave it alone for so long from now on, and is it so? By a
 * file of its own; 0 s: no longer. */
void queue_pause(const struct queue *q, int seconds);
bool queue_is_paused(const struct queue *q, int64_t now_s);

/* Up to when has somebody looked for jobs to be queued? 0: never. */
int64_t queue_looked(const struct queue *q);
void queue_look(const struct queue *q, int64_t upto_s);

#endif
