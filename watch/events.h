/* SPDX-License-Identifier: Apache-2.0
 * events - what happened on the node while jobs ran: <run>/watch/events.jsonl,
 * one object a line, bounded.
 *
 * {"time", "kind", "number", "subcode", "fatal", "device", "text", "pid",
 *  "job", "seq", "count"}
 *
 * A storm is folded: of one kind, number and device there is one line a
 * minute, whose count says for how many it stands.
 */
#ifndef ASSAY_WATCH_EVENTS_H
#define ASSAY_WATCH_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "epilog/story.h"

#define EVENTS_FILE "events.jsonl"
#define EVENTS_LINES 2048	/* of one sampler, more are not written */
#define EVENTS_KINDS 128	/* that are folded at once */
#define EVENTS_FOLD_S 60

struct event {
	int64_t time_s;
	enum story_event_kind kind;
	int number;		/* of an XID; -1 none */
	int subcode;		/* of an XID; -1 none */
	bool fatal;		/* as the line says; of memory: not corrected */
	int64_t pid;		/* named in the log, -1 none */
	uint32_t job;		/* whose process that is; 0 nobody's known */
	uint64_t seq;		/* of the kernel's record; 0 none */
	uint32_t count;		/* it stands for so many, at least 1 */
	char device[48];	/* "GPU3", "mlx5_0:1", "0000:3d:00.0" */
	char text[120];
};

/* "xid", "link_down", ... */
const char *event_kind_name(enum story_event_kind kind);

struct events {
	int dir;		/* <run>/watch, borrowed */
	int lines;
	bool cut;		/* some were not written */
	struct {
		enum story_event_kind kind;
		int number;
		char device[48];
		int64_t told_s;
		uint32_t since;	/* untold since then */
	} recent[EVENTS_KINDS];
	int recent_count;
};

/* afresh: nobody needs what is there. */
void events_open(struct events *e, int dir, bool afresh);

/* Write it, unless it is folded into the one before. True: it was written
 * (ev->count then tells of those that were folded). */
bool events_add(struct events *e, struct event *ev);

/* Those from the time from_s to to_s, oldest first, at most max. How many, or
 * -1 with errno (ENOENT: there is no file). What is no event is left out;
 * *cut: there were more. */
struct events_query {
	int64_t from_s, to_s;
	int max;
	bool cut;
};
int events_read(int dir, struct events_query *q, struct event *out);

#endif
