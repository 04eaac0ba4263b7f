/* SPDX-License-Identifier: Apache-2.0
 * facts_tasks - look for processes that are stuck.
 *
 * Only user processes count: kernel threads sleep in D as a matter of course
 * (kworkers, modeset and md threads). Where the kernel lists the children of
 * kthreadd in one file, their own files are not even opened.
 */
#ifndef ASSAY_FACTS_TASKS_H
#define ASSAY_FACTS_TASKS_H

#include "lib/facts.h"
#include "lib/roots.h"

/* Fill the task members of *out. Tasks in D are looked at again after
 * second_look_ms; those that are still in D and have not run in between are
 * counted and kept. Stops looking after 50 ms (tasks_cut). */
void facts_tasks_gather(const struct roots *r, int second_look_ms,
			struct facts_host *out);

/* When a process was started, in clock ticks after boot; 0 if it is gone. */
uint64_t facts_tasks_start(const struct roots *r, int64_t pid);

/* Is the task (pid, start) still there and in D? */
bool facts_tasks_in_d(const struct roots *r, int64_t pid, uint64_t start);

#endif
