/* SPDX-License-Identifier: Apache-2.0
 * fan - several things at once, each in its own worker, within one deadline.
 *
 * For what may hang one by one: a hung one costs its own answer only. Not for
 * vendor libraries: a late worker gets SIGKILL, and is not waited for.
 */
#ifndef ASSAY_FAN_H
#define ASSAY_FAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define FAN_MAX 32

/* In worker number i: fill answer (zeroed before). 0, or -1: no answer. */
typedef int (*fan_f)(int i, void *arg, void *answer);

struct fan {
	int count;		/* at most FAN_MAX */
	fan_f body;
	void *arg;
	size_t size;		/* of one answer, at most 16 kB */
	void *answers;		/* [count]: filled for those that answered */
	int deadline_ms;
	bool skip[FAN_MAX];	/* not to be started */
};

enum fan_end {
	FAN_SKIPPED,
	FAN_NOT_STARTED,	/* no process to be had */
	FAN_ANSWERED,
	FAN_DIED,		/* ended without an answer */
	FAN_LATE		/* stopped at the deadline */
};

struct fan_slot {
	enum fan_end end;
	int64_t elapsed_us;
	pid_t left;		/* LATE, and not even SIGKILL ended it (yet) */
};

/* Returns when all have ended or the deadline is over. slots: [count]. */
void fan_run(const struct fan *f, struct fan_slot *slots);

#endif
