/* SPDX-License-Identifier: Apache-2.0
 * hook - a site's own programs, told of events: event.d beside assay.conf.
 *
 *	PROGRAM KIND DEVICE NUMBER JOBS TIME
 *
 * e.g. "xid GPU3 79 1234,1235 2026-11-30T15:26:58Z"; what there is none of is
 * "-". The environment is empty, output goes nowhere. They run one after the
 * other in a child, each with HOOK_MS, and never while the sampler waits. A
 * program that others may write is not run.
 */
#ifndef ASSAY_WATCH_HOOK_H
#define ASSAY_WATCH_HOOK_H

#include "checks/session.h"
#include "lib/spawn.h"
#include "watch/events.h"

#define HOOK_MS 10000
#define HOOK_QUEUE 32
#define HOOK_AGAIN_S 600	/* of one kind and device one in this time, */
#define HOOK_AT_MOST 20		/* and of all so many */

struct hook_call {
	struct event ev;
	char jobs[256];
};

struct hook {
	char dir[4096];		/* "" there is none */
	struct worker worker;
	int count;
	bool full_said;
	struct hook_call queue[HOOK_QUEUE];
	struct {		/* told lately, a ring */
		enum story_event_kind kind;
		char device[48];
		int64_t up_s;	/* 0 none */
	} told[HOOK_AT_MOST];
	int next;
};

void hook_init(struct hook *h, const struct session *s);

/* Tell the programs of it, if they were not told of the like just now. jobs:
 * "1234,1235". */
void hook_add(struct hook *h, const struct event *ev, const char *jobs);

/* Start what waits, if nothing runs; forget what has ended. */
void hook_turn(struct hook *h);

/* What waits is started once more; what runs is left to its end. */
void hook_end(struct hook *h);

#endif
