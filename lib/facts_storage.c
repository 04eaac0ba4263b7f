/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/facts_storage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

#include "lib/clock.h"
#include "lib/facts_tasks.h"
#include "lib/fan.h"
#include "lib/scrub.h"

#define SECTION "check storage_mounts"
#define MOUNTINFO_MAX (4 * 1024 * 1024)

_Static_assert(FACTS_MOUNTS_MAX <= FAN_MAX, "one worker for each path");

struct answer {
	int rc;			/* 0 or errno */
	struct statfs st;
};

struct look {
	const struct roots *roots;
	const struct sysfacts *sysfacts;
	struct facts_storage *out;
};

/* ---- which paths ------------------------------------------------------------ */

static void collect(const struct cfg *c, struct facts_storage *out)
{
	char path[sizeof(out->mount[0].path)];

	for (int i = 0; out->count < FACTS_MOUNTS_MAX &&
	     cfg_list_at(c, SECTION, "paths", i, path, sizeof(path)); i++) {
		struct mount_fact *m = &out->mount[out->count++];
		size_t len = strlen(path);

		while (len > 1 && path[len - 1] == '/')
			path[--len] = '\0';
		memcpy(m->path, path, sizeof(m->path));
		m->bytes_total = m->bytes_avail = -1;
		m->inodes_total = m->inodes_free = -1;
	}
}

/* ---- do they answer --------------------------------------------------------- */

static int ask(int i, void *arg, void *answer)
{
	const struct look *l = arg;
	struct answer *a = answer;

	if (sysfacts_statfs(l->sysfacts, l->out->mount[i].path, &a->st) < 0)
		a->rc = errno;
	return 0;
}

static void take(struct mount_fact *m, const struct answer *a)
{
	m->answered = true;
	m->rc = a->rc;
	if (a->rc)
		return;
	m->bytes_total = (int64_t)a->st.f_blocks * a->st.f_bsize;
	m->bytes_avail = (int64_t)a->st.f_bavail * a->st.f_bsize;
	m->readonly = a->st.f_flags & ST_RDONLY;
	/* Some file systems make inodes as they need them, and say 0. */
	if (a->st.f_files) {
		m->inodes_total = (int64_t)a->st.f_files;
		m->inodes_free = (int64_t)a->st.f_ffree;
	}
}

/* Does the process that an earlier run left behind still hang there? */
static bool still_hangs(const struct roots *real, const json_t *memory,
			struct mount_fact *m)
{
	const json_t *stuck = json_object_get(json_object_get(memory, "stuck"),
					      m->path);
	json_int_t pid = json_integer_value(json_object_get(stuck, "pid"));
	json_int_t start = json_integer_value(json_object_get(stuck, "start"));

	if (pid <= 0 || !facts_tasks_in_d(real, pid, (uint64_t)start))
		return false;
	m->hung = true;
	m->stuck_pid = pid;
	m->stuck_start = (uint64_t)start;
	return true;
}

static void ended(const struct roots *real, struct mount_fact *m,
		  const struct fan_slot *slot, const struct answer *a)
{
	if (slot->end == FAN_SKIPPED)
		return;
	m->elapsed_us = slot->elapsed_us;
	m->hung = slot->end == FAN_LATE;
	if (slot->end == FAN_ANSWERED)
		take(m, a);
	else if (!m->hung)
		m->rc = ECHILD;
	if (slot->left > 0) {
		m->stuck_start = facts_tasks_start(real, slot->left);
		m->stuck_pid = m->stuck_start ? slot->left : 0;
	}
}

static void ask_all(struct look *l, const json_t *memory, int deadline_ms)
{
	struct answer answers[FACTS_MOUNTS_MAX];
	struct fan_slot slots[FACTS_MOUNTS_MAX];
	struct fan fan = { .count = l->out->count, .body = ask, .arg = l,
			   .size = sizeof(answers[0]), .answers = answers,
			   .deadline_ms = deadline_ms };
	struct roots real = { .fd = -1 };

	/* Our own processes are in the real /proc. */
	roots_open(&real, "/", NULL);
	for (int i = 0; i < fan.count; i++)
		fan.skip[i] = still_hangs(&real, memory, &l->out->mount[i]);
	fan_run(&fan, slots);
	for (int i = 0; i < fan.count; i++)
		ended(&real, &l->out->mount[i], &slots[i], &answers[i]);
	roots_close(&real);
}

/* ---- what is mounted -------------------------------------------------------- */

/* "\040" and the like, in place. */
static void unescape(char *s)
{
	char *to = s;

	while (*s) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' &&
		    s[2] >= '0' && s[2] <= '7' && s[3] >= '0' && s[3] <= '7') {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 |
				       (s[3] - '0'));
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

static bool has_ro(const char *options)
{
	return !strncmp(options, "ro", 2) &&
	       (options[2] == ',' || options[2] == '\0');
}

/* The later line covers the earlier one. autofs alone is a promise. */
static void match(struct facts_storage *out, const char *point,
		  const char *options, const char *type, const char *source)
{
	for (int i = 0; i < out->count; i++) {
		struct mount_fact *m = &out->mount[i];

		if (strcmp(m->path, point))
			continue;
		m->mounted = strcmp(type, "autofs") != 0;
		m->readonly = has_ro(options) || m->readonly;
		scrub_copy(m->fstype, sizeof(m->fstype), type);
		scrub_copy(m->source, sizeof(m->source), source);
	}
}

/* ID PARENT MAJ:MIN ROOT POINT OPTIONS [TAGS] - TYPE SOURCE SUPER */
static void each_line(struct facts_storage *out, char *line)
{
	char *word[6], *type, *source, *save = NULL;
	char *dash = strstr(line, " - ");

	if (!dash)
		return;
	*dash = '\0';
	for (int i = 0; i < 6; i++) {
		word[i] = strtok_r(i ? NULL : line, " ", &save);
		if (!word[i])
			return;
	}
	type = strtok_r(dash + 3, " ", &save);
	source = strtok_r(NULL, " ", &save);
	unescape(word[4]);
	if (type)
		match(out, word[4], word[5], type, source ? source : "");
}

static int read_mounts(const struct roots *r, struct facts_storage *out)
{
	char *text = roots_slurp(r, "proc/self/mountinfo", MOUNTINFO_MAX,
				 NULL);
	char *line = text;

	if (!text) {
		out->gather.end = GATHER_ERROR;
		snprintf(out->gather.why, sizeof(out->gather.why),
			 "read /proc/self/mountinfo: %s", strerror(errno));
		return -1;
	}
	while (line) {
		char *next = strchr(line, '\n');

		if (next)
			*next++ = '\0';
		each_line(out, line);
		line = next;
	}
	free(text);
	return 0;
}

bool facts_storage_wanted(const struct cfg *c)
{
	char path[sizeof(((struct mount_fact *)0)->path)];

	return cfg_list_at(c, SECTION, "paths", 0, path, sizeof(path));
}

int facts_storage_gather(const struct roots *r, const struct sysfacts *s,
			 const struct cfg *c, const json_t *memory,
			 int deadline_ms, struct facts_storage *out)
{
	struct look l = { r, s, out };
	int64_t started = clock_mono_us();
	int64_t timeout_ms = cfg_int(c, SECTION, "timeout_ms");

	memset(out, 0, sizeof(*out));
	collect(c, out);
	if (out->count) {
		ask_all(&l, memory, timeout_ms < deadline_ms ?
			(int)timeout_ms : deadline_ms);
		if (read_mounts(r, out) < 0)
			return -1;
	}
	out->gather.end = GATHER_DONE;
	out->gather.elapsed_us = clock_mono_us() - started;
	return 0;
}
