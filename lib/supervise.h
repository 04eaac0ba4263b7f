/* SPDX-License-Identifier: Apache-2.0
 * supervise - a program that is gone in time whatever happens inside it.
 *
 * The work is done in a worker; this process only waits for it, with nothing
 * that can block. When the time is over it leaves with the exit code that the
 * worker last told it. The worker may then be stuck on a dead disk for ever:
 * it holds no pipe of slurmd's.
 */
#ifndef ASSAY_SUPERVISE_H
#define ASSAY_SUPERVISE_H

struct supervised;	/* the worker's link to its supervisor */

/* The work; its return value becomes the exit code. */
typedef int (*supervise_f)(struct supervised *link, void *arg);

/* Run body. Its log lines come out on this process's stderr. deadline_ms
 * holds until supervise_deadline() changes it; fallback is the exit code
 * until supervise_expect() changes it. Returns the exit code. */
int supervise(supervise_f body, void *arg, int deadline_ms, int fallback);

/* In the worker: the deadline, counted from the start of supervise(). */
void supervise_deadline(struct supervised *link, int deadline_ms);
/* In the worker: the code to leave with if the time is over. */
void supervise_expect(struct supervised *link, int exit_code);

#endif
