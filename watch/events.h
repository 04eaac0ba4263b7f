/* SPDX-License-Identifier: Apache-2.0
 * events - what happened on the node while jobs ran: <run>/watch/events.jsonl,
 * one object a line, bounded.
 *
 * {"time", "up", "kind", "number", "subcode", "fatal", "device", "text", "pid",
 *  "job", "seq", "count"}
 *
 * "up" is the same moment since boot: by it everything is counted and sought,
 * whoever sets the clock. A storm is folded: of one kind, number and device
 * there is one line a minute, whose count says for how many it stands, and of
 * one kind and device there are EVENTS_EACH numbers a minute. A full file is
 * made shorter: what no present job needs goes, then the older half.
 */
#ifndef ASSAY_WATCH_EVENTS_H
#define ASSAY_WATCH_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "epilog/story.h"

#define EVENTS_FILE "events.jsonl"
#define EVENTS_LINES 2048
#define EVENTS_KINDS 256	/* that are folded at once */
#define EVENTS_EACH 16
#define EVENTS_FOLD_S 60

struct event {
	int64_t time_s;
	int64_t up_s;
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
	int64_t needed_up_s;	/* what was before no job needs */
	int64_t cut_up_s;	/* not all up to then are there; 0 all are */
	struct event_recent {
		enum story_event_kind kind;
		int number;
		char device[48];
		int64_t told_up_s;
		uint32_t since;	/* untold since then */
	} recent[EVENTS_KINDS];
	int recent_count;
};

/* afresh: nobody needs what is there. */
void events_open(struct events *e, int dir, bool afresh);

/* A job begins or ends; the oldest that is left began then. What comes next
 * is not folded into what came before. */
void events_part(struct events *e, int64_t needed_up_s);

/* Some that happened up to then are not there. */
void events_lost(struct events *e, int64_t up_s);

/* Would it be folded into one before? */
bool events_folds(const struct events *e, const struct event *ev);

/* Write it, unless it is folded into the one before. True: it was not
 * (ev->count then tells of those that were). */
bool events_add(struct events *e, struct event *ev);

/* fn for each, oldest first; what is no event is left out. 0, or -1 with errno
 * (ENOENT: there is no file). */
typedef void (*events_f)(const struct event *ev, void *arg);
int events_read(int dir, events_f fn, void *arg);

#endif
