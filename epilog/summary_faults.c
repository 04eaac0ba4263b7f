/* SPDX-License-Identifier: Apache-2.0
 * Faults: what broke, when, on which device, and whose fault that was. Low
 * confidence also means that it did not have to stop the job.
 */
#include "config.h"
#include "epilog/summary.h"

#include <string.h>

#include "epilog/summary_private.h"
#include "lib/scrub.h"

#define AFTERMATH_S 60 /* a reset behind the program's own fault may be its */

enum confidence { LOW, MEDIUM, HIGH };

struct verdict {
	const char *blame;
	enum confidence confidence;
};

/* What does not depend on a number: by kind, and whether it was fatal. */
struct kind {
	const char *name;
	bool is_fault;
	struct verdict mild, fatal;
};

#define HARDWARE(c) \
	{ \
		"hardware", c \
	}
#define PROGRAM(c) \
	{ \
		"program", c \
	}
#define NOBODY \
	{ \
		"unknown", LOW \
	}

static const struct kind kinds[] = {
	[EVENT_XID] = { "xid", true, NOBODY, NOBODY },
	[EVENT_SXID] = { "sxid", true, HARDWARE(LOW), HARDWARE(HIGH) },
	[EVENT_OFFBUS] = { "off_bus", true, HARDWARE(HIGH), HARDWARE(HIGH) },
	[EVENT_HW] = { "hardware", true, HARDWARE(LOW), HARDWARE(HIGH) },
	[EVENT_ECC] = { "ecc", true, HARDWARE(LOW), HARDWARE(HIGH) },
	[EVENT_LINK_DOWN] = { "link_down", true, HARDWARE(MEDIUM),
			      HARDWARE(MEDIUM) },
	[EVENT_LINK_UP] = { "link_up", false, NOBODY, NOBODY },
	[EVENT_RATE_DROP] = { "rate_drop", true, HARDWARE(LOW), HARDWARE(LOW) },
	[EVENT_HELD] = { "held", false, NOBODY, NOBODY },
	[EVENT_OOM] = { "oom", true, PROGRAM(HIGH), PROGRAM(HIGH) },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static const char *const confidences[] = { "low", "medium", "high" };

static const struct xid_row *row_of(const struct story_event *e,
				    const struct xid_table *xids)
{
	if (!xids)
		return NULL;
	if (e->kind == EVENT_XID)
		return xid_find(xids, e->number, e->subcode, e->fatal);
	if (e->kind == EVENT_SXID)
		return sxid_find(xids, e->number, e->fatal);
	return NULL;
}

static bool stops_jobs(enum xid_class c)
{
	return c == XID_RESET || c == XID_REBOOT || c == XID_SERVICE;
}

/* Did the job's own process do something wrong on this GPU just before? */
static bool is_aftermath(const struct story *s, const struct story_event *e,
			 const struct xid_table *xids)
{
	const struct story_event *o;
	const struct xid_row *row;
	int i;

	for (i = 0; i < s->event_count && i < STORY_EVENTS_MAX; i++) {
		o = &s->event[i];
		row = row_of(o, xids);
		if (row && row->blame == XID_BLAME_PROGRAM && o->pid_is_jobs &&
		    !strcmp(o->device, e->device) && o->time_s <= e->time_s &&
		    e->time_s - o->time_s <= AFTERMATH_S)
			return true;
	}
	return false;
}

static bool has_failed(enum story_state s)
{
	return s == STORY_FAILED || s == STORY_OOM || s == STORY_TIMEOUT;
}

/* An XID that only a program can cause: its process tells whether this one. */
static struct verdict of_program(const struct story *s,
				 const struct story_event *e)
{
	if (e->pid >= 0 && !e->pid_is_jobs)
		return (struct verdict)NOBODY;
	if (!e->pid_is_jobs)
		return (struct verdict)PROGRAM(MEDIUM);
	return has_failed(s->job.state) ? (struct verdict)PROGRAM(HIGH)
					: (struct verdict)PROGRAM(MEDIUM);
}

static struct verdict of_number(const struct story *s,
				const struct story_event *e,
				const struct xid_row *row,
				const struct xid_table *xids)
{
	enum confidence c =
		stops_jobs(row->class) || row->class == XID_APP ? HIGH : LOW;

	if (row->blame == XID_BLAME_PROGRAM)
		return of_program(s, e);
	if (row->blame == XID_BLAME_UNKNOWN)
		return (struct verdict){ "unknown", c ? MEDIUM : LOW };
	if (row->class == XID_RESET && e->kind == EVENT_XID &&
	    is_aftermath(s, e, xids))
		c = MEDIUM;
	return (struct verdict){ "hardware", c };
}

static json_t *event_json(const struct story *s, const struct story_event *e,
			  const struct xid_table *xids)
{
	size_t k = (size_t)e->kind < KINDS ? (size_t)e->kind : EVENT_HW;
	const struct xid_row *row = row_of(e, xids);
	struct verdict v = e->fatal ? kinds[k].fatal : kinds[k].mild;
	struct fault_row r = { .time_s = e->time_s, .number = -1 };

	if (row)
		v = of_number(s, e, row, xids);
	if (e->kind == EVENT_XID || e->kind == EVENT_SXID)
		r.number = e->number;
	scrub_copy(r.node, sizeof(r.node), s->job.node);
	scrub_copy(r.device, sizeof(r.device), e->device);
	scrub_copy(r.text, sizeof(r.text), row ? row->name : e->text);
	scrub_copy(r.kind, sizeof(r.kind), kinds[k].name);
	scrub_copy(r.blame, sizeof(r.blame), v.blame);
	scrub_copy(r.confidence, sizeof(r.confidence), confidences[v.confidence]);
	return fault_row_json(&r);
}

static bool is_fault(const struct story_event *e)
{
	return (size_t)e->kind >= KINDS || kinds[e->kind].is_fault;
}

/* Append the events, or only those that are faults. */
static void list_events(json_t *list, const struct story *s, bool faults)
{
	struct xid_table *own = NULL;
	const struct xid_table *xids = s->xids;
	int i, n = s->event_count;

	if (!xids && n > 0)
		xids = own = xid_load(NULL, NULL);
	for (i = 0; i < n && i < STORY_EVENTS_MAX; i++)
		if (!faults || is_fault(&s->event[i]))
			json_array_append_new(list,
					      event_json(s, &s->event[i], xids));
	xid_destroy(own);
}

void summary_faults(struct sheet *sheet, const struct story *s)
{
	sheet->faults_cut = s->events_cut;
	list_events(sheet->faults, s, true);
}

json_t *summary_events(const struct story *s)
{
	json_t *list = json_array();

	if (list)
		list_events(list, s, false);
	return list;
}
