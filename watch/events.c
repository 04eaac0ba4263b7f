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

#define FILE_MAX (1024 * 1024)

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

/* ---- writing ------------------------------------------------------------- */

void events_open(struct events *e, int dir, bool afresh)
{
	memset(e, 0, sizeof(*e));
	e->dir = dir;
	if (afresh)
		unlinkat(dir, EVENTS_FILE, 0);
}

/* Its place among the recent ones; a full table gives up the oldest. */
static int place_of(struct events *e, const struct event *ev)
{
	int i, oldest = 0;

	for (i = 0; i < e->recent_count; i++) {
		if (e->recent[i].kind == ev->kind &&
		    e->recent[i].number == ev->number &&
		    !strcmp(e->recent[i].device, ev->device))
			return i;
		if (e->recent[i].told_s < e->recent[oldest].told_s)
			oldest = i;
	}
	i = e->recent_count < EVENTS_KINDS ? e->recent_count++ : oldest;
	memset(&e->recent[i], 0, sizeof(e->recent[i]));
	e->recent[i].kind = ev->kind;
	e->recent[i].number = ev->number;
	memcpy(e->recent[i].device, ev->device, sizeof(ev->device));
	e->recent[i].told_s = INT64_MIN / 2;
	return i;
}

static char *line_of(const struct event *ev)
{
	json_t *o = json_pack("{s:I, s:s, s:i, s:i, s:b, s:s, s:s, s:I, s:I, "
			      "s:I, s:I}",
			      "time", (json_int_t)ev->time_s, "kind",
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

static int append(int dir, const char *text)
{
	char line[1024];
	int n = snprintf(line, sizeof(line), "%s\n", text);
	int rc = -1;
	int fd;

	if (n < 0 || (size_t)n >= sizeof(line))
		return -1;
	fd = openat(dir, EVENTS_FILE,
		    O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK |
			    O_CLOEXEC,
		    0600);
	if (fd >= 0)
		rc = fdio_write(fd, line, (size_t)n);
	fdio_close(fd);
	return rc;
}

bool events_add(struct events *e, struct event *ev)
{
	int i = place_of(e, ev);
	char *text;

	/* Either way: a clock that was set back must not hide what comes. */
	if (llabs(ev->time_s - e->recent[i].told_s) < EVENTS_FOLD_S) {
		e->recent[i].since++;
		return false;
	}
	ev->count = 1 + e->recent[i].since;
	e->recent[i].since = 0;
	e->recent[i].told_s = ev->time_s;
	if (e->lines >= EVENTS_LINES) {
		e->cut = true;
		return true;
	}
	text = line_of(ev);
	if (!text || append(e->dir, text) < 0)
		log_warn("event not written: %s", strerror(errno));
	else
		e->lines++;
	free(text);
	return true;
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

int events_read(int dir, struct events_query *q, struct event *out)
{
	struct stat st;
	char *all = fdio_slurp(dir, EVENTS_FILE, FILE_MAX, &st);
	char *line, *end;
	struct event ev;
	int n = 0;

	q->cut = false;
	if (!all)
		return -1;
	for (line = all; line < all + st.st_size; line = end + 1) {
		end = memchr(line, '\n', (size_t)(all + st.st_size - line));
		if (!end)
			break;	/* a torn last line */
		if (!parse(line, (size_t)(end - line), &ev) ||
		    ev.time_s < q->from_s || ev.time_s > q->to_s)
			continue;
		if (n == q->max) {
			q->cut = true;
			break;
		}
		out[n++] = ev;
	}
	free(all);
	return n;
}
