/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/events.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/fdio.h"
#include "lib/log.h"
#include "lib/scrub.h"

#define LINE_SIZE 1024
#define FILE_MAX (EVENTS_LINES * LINE_SIZE)
#define NEVER (INT64_MIN / 2)

static const char *const kind_names[] = {
	[EVENT_XID] = "xid",		 [EVENT_SXID] = "sxid",
	[EVENT_OFFBUS] = "off_bus",	 [EVENT_HW] = "hardware",
	[EVENT_ECC] = "ecc",		 [EVENT_LINK_DOWN] = "link_down",
	[EVENT_LINK_UP] = "link_up",	 [EVENT_RATE_DROP] = "rate_drop",
	[EVENT_HELD] = "held",		 [EVENT_OOM] = "oom",
};

#define KINDS (sizeof(kind_names) / sizeof(kind_names[0]))

const char *event_kind_name(enum story_event_kind kind)
{
	return kind_names[kind];
}

/* ---- reading ------------------------------------------------------------- */

static int64_t number(const json_t *o, const char *key, int64_t absent)
{
	const json_t *v = json_object_get(o, key);

	return json_is_integer(v) ? json_integer_value(v) : absent;
}

static void text(const json_t *o, const char *key, char *to, size_t size)
{
	scrub_copy(to, size, json_string_value(json_object_get(o, key)));
}

static bool parse(const char *line, size_t len, struct event *ev)
{
	json_t *o = json_loadb(line, len, 0, NULL);
	const char *kind = json_string_value(json_object_get(o, "kind"));
	size_t i = 0;

	while (kind && i < KINDS && strcmp(kind_names[i], kind))
		i++;
	if (kind && i < KINDS) {
		memset(ev, 0, sizeof(*ev));
		ev->kind = (enum story_event_kind)i;
		ev->time_s = number(o, "time", 0);
		ev->up_s = number(o, "up", 0);
		ev->number = (int)number(o, "number", -1);
		ev->subcode = (int)number(o, "subcode", -1);
		ev->fatal = json_is_true(json_object_get(o, "fatal"));
		ev->pid = number(o, "pid", -1);
		ev->job = (uint32_t)number(o, "job", 0);
		ev->seq = (uint64_t)number(o, "seq", 0);
		ev->count = (uint32_t)number(o, "count", 1);
		text(o, "device", ev->device, sizeof(ev->device));
		text(o, "text", ev->text, sizeof(ev->text));
	}
	json_decref(o);
	return kind && i < KINDS;
}

/* The event that a line tells. How long the line is, with its end; 0: there is
 * none that has one. */
static size_t take_line(const char *line, size_t len, struct event *ev,
			bool *good)
{
	const char *end = memchr(line, '\n', len);

	if (!end)
		return 0;	/* a torn last line */
	*good = parse(line, (size_t)(end - line), ev);
	return (size_t)(end - line) + 1;
}

static char *slurp(int dir, size_t *len)
{
	struct stat st;
	char *all = fdio_slurp(dir, EVENTS_FILE, FILE_MAX, &st);

	*len = all ? (size_t)st.st_size : 0;
	return all;
}

int events_read(int dir, events_f fn, void *arg)
{
	size_t len, at = 0, n;
	char *all = slurp(dir, &len);
	struct event ev;
	bool good;

	if (!all)
		return -1;
	for (; (n = take_line(all + at, len - at, &ev, &good)); at += n)
		if (good)
			fn(&ev, arg);
	free(all);
	return 0;
}

/* ---- writing ------------------------------------------------------------- */

static char *line_of(const struct event *ev)
{
	json_t *o = json_pack("{s:I, s:I, s:s, s:i, s:i, s:b, s:s, s:s, s:I, s:I, "
			      "s:I, s:I}",
			      "time", (json_int_t)ev->time_s, "up",
			      (json_int_t)ev->up_s, "kind",
			      event_kind_name(ev->kind), "number", ev->number,
			      "subcode", ev->subcode, "fatal", ev->fatal,
			      "device", ev->device, "text", ev->text, "pid",
			      (json_int_t)ev->pid, "job", (json_int_t)ev->job,
			      "seq", (json_int_t)ev->seq, "count",
			      (json_int_t)ev->count);
	char *text = o ? json_dumps(o, JSON_COMPACT) : NULL;

	json_decref(o);
	return text;
}

/* The whole line or nothing of it. */
static int append(int dir, const char *text)
{
	char line[LINE_SIZE];
	int n = snprintf(line, sizeof(line), "%s\n", text);
	int rc = -1;
	off_t before;
	int fd;

	if (n < 0 || (size_t)n >= sizeof(line))
		return -1;
	fd = openat(dir, EVENTS_FILE,
		    O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK |
			    O_CLOEXEC,
		    0600);
	before = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	if (before >= 0)
		rc = fdio_write(fd, line, (size_t)n);
	if (before >= 0 && rc < 0 && ftruncate(fd, before) < 0)
		log_debug("half an event stays in the file");
	fdio_close(fd);
	return rc;
}

static int count_lines(const char *all, size_t len)
{
	const char *p = all;
	int n = 0;

	for (; (p = memchr(p, '\n', len - (size_t)(p - all))); p++)
		n++;
	return n;
}

/* A killed writer's half line must not swallow the next one. */
void events_open(struct events *e, int dir, bool afresh)
{
	size_t len;
	char *all;

	memset(e, 0, sizeof(*e));
	e->dir = dir;
	if (afresh)
		unlinkat(dir, EVENTS_FILE, 0);
	all = slurp(dir, &len);
	if (all)
		e->lines = count_lines(all, len);
	if (len && all[len - 1] != '\n' && append(dir, "") == 0)
		e->lines++;
	free(all);
}

void events_part(struct events *e, int64_t needed_up_s)
{
	int i;

	e->needed_up_s = needed_up_s;
	for (i = 0; i < e->recent_count; i++)
		e->recent[i].told_up_s = NEVER;
}

/* It is never taken back: what a device tells may be older than that. */
void events_lost(struct events *e, int64_t up_s)
{
	if (up_s > e->cut_up_s)
		e->cut_up_s = up_s;
}

/* How much of it goes, to leave room: what is before all jobs, and if that is
 * not a quarter, the older half. */
static size_t too_old(struct events *e, const char *all, size_t len)
{
	int left = count_lines(all, len), most = 0;
	size_t at = 0, n;
	struct event ev;
	bool good;

	for (; (n = take_line(all + at, len - at, &ev, &good)); at += n) {
		if (good && ev.up_s >= e->needed_up_s) {
			if (!most)
				most = left > EVENTS_LINES / 4 * 3 ?
					       EVENTS_LINES / 2 :
					       left;
			if (left <= most)
				break;
			events_lost(e, ev.up_s);
		}
		left--;
	}
	e->lines = left;
	return at;
}

static int make_room(struct events *e)
{
	size_t len, from;
	char *all = slurp(e->dir, &len);
	int rc;

	if (!all && errno == ENOENT)
		e->lines = 0;
	if (!all)
		return e->lines ? -1 : 0;
	from = too_old(e, all, len);
	rc = fdio_replace(e->dir, EVENTS_FILE, 0600, all + from, len - from);
	if (rc < 0)
		e->lines = EVENTS_LINES;
	free(all);
	return rc;
}

static bool lately(const struct event_recent *r, const struct event *ev)
{
	return ev->up_s - r->told_up_s < EVENTS_FOLD_S;
}

static bool is_like(const struct event_recent *r, const struct event *ev)
{
	return r->kind == ev->kind && strcmp(r->device, ev->device) == 0;
}

bool events_folds(const struct events *e, const struct event *ev)
{
	int i;

	for (i = 0; i < e->recent_count; i++)
		if (is_like(&e->recent[i], ev) &&
		    e->recent[i].number == ev->number)
			return lately(&e->recent[i], ev);
	return false;
}

/* Its place among the recent ones; a full table gives up the oldest. NULL: its
 * device has too much to tell. */
static struct event_recent *place_of(struct events *e, const struct event *ev)
{
	struct event_recent *r, *oldest = e->recent;
	int i, others = 0;

	for (i = 0; i < e->recent_count; i++) {
		r = &e->recent[i];
		if (r->told_up_s < oldest->told_up_s)
			oldest = r;
		if (!is_like(r, ev))
			continue;
		if (r->number == ev->number)
			return r;
		others += lately(r, ev);
	}
	if (others >= EVENTS_EACH)
		return NULL;
	r = e->recent_count < EVENTS_KINDS ? &e->recent[e->recent_count++] :
					     oldest;
	*r = (struct event_recent){ .kind = ev->kind,
				    .number = ev->number,
				    .told_up_s = NEVER };
	memcpy(r->device, ev->device, sizeof(r->device));
	return r;
}

static int write_event(struct events *e, const struct event *ev)
{
	char *text = line_of(ev);
	int rc = -1;

	if (text && (e->lines < EVENTS_LINES || make_room(e) == 0))
		rc = append(e->dir, text);
	e->lines += rc == 0;
	free(text);
	return rc;
}

bool events_add(struct events *e, struct event *ev)
{
	struct event_recent *r = place_of(e, ev);

	if (!r) {
		events_lost(e, ev->up_s);
		return false;
	}
	if (lately(r, ev)) {
		r->since++;
		return false;
	}
	ev->count = 1 + r->since;
	r->since = 0;
	r->told_up_s = ev->up_s;
	if (write_event(e, ev) < 0) {
		log_warn("event not written: %s", strerror(errno));
		events_lost(e, ev->up_s);
	}
	return true;
}
