/* SPDX-License-Identifier: Apache-2.0
 * Workers that stayed behind in the driver, remembered across runs. */
#include "config.h"
#include "checks/gather.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOTES_MAX 16

/* A pid alone may be somebody else's by now: its start time tells (field 22
 * of /proc/PID/stat, in clock ticks after boot). -1 if it is gone. */
static long long start_time(pid_t pid)
{
	unsigned long long start;
	char path[64], buf[1024];
	const char *p;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	if (n <= 0)
		return -1;
	buf[n] = '\0';
	p = strrchr(buf, ')');
	if (!p || p[1] != ' ' || p[2] == 'Z' || p[2] == 'X' ||
	    sscanf(p + 2,
		   "%*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
		   "%*s %*s %*s %*s %*s %llu",
		   &start) != 1)
		return -1;
	return (long long)start;
}

static json_t *load(const struct session *s)
{
	json_t *list = NULL;
	int fd = s->run_dir < 0 ? -1 :
				  openat(s->run_dir, "stuck.json",
					 O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0) {
		list = json_loadfd(fd, 0, NULL);
		close(fd);
	}
	if (!json_is_array(list)) {
		json_decref(list);
		list = json_array();
	}
	return list;
}

static void store(const struct session *s, json_t *list)
{
	int fd;

	if (s->run_dir < 0)
		return;
	unlinkat(s->run_dir, ".stuck.json", 0);
	fd = openat(s->run_dir, ".stuck.json",
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	if (json_dumpfd(list, fd, JSON_COMPACT) == 0)
		renameat(s->run_dir, ".stuck.json", s->run_dir, "stuck.json");
	close(fd);
}

static bool alive(const json_t *n)
{
	pid_t pid = (pid_t)json_integer_value(json_object_get(n, "pid"));

	return pid > 1 &&
	       start_time(pid) ==
		       json_integer_value(json_object_get(n, "start"));
}

static void copy(char *dst, size_t size, const json_t *n, const char *key)
{
	const char *s = json_string_value(json_object_get(n, key));

	snprintf(dst, size, "%s", s ? s : "");
}

bool gather_stuck_before(const struct session *s, struct gather_stuck *out)
{
	json_t *list = load(s);
	const json_t *n;
	bool found = false;
	size_t i;

	json_array_foreach(list, i, n) {
		if (!alive(n))
			continue;
		out->pid = (pid_t)json_integer_value(json_object_get(n, "pid"));
		out->since_s =
			json_integer_value(json_object_get(n, "since_s"));
		copy(out->bus_id, sizeof(out->bus_id), n, "bus_id");
		copy(out->call, sizeof(out->call), n, "call");
		found = true;
		break;
	}
	json_decref(list);
	return found;
}

void gather_stuck_note(const struct session *s, const struct gather_stuck *n)
{
	json_t *list = load(s);
	json_t *keep = json_array();
	json_t *old;
	size_t i;

	json_array_foreach(list, i, old)
		if (alive(old) && json_array_size(keep) < NOTES_MAX)
			json_array_append(keep, old);
	json_array_append_new(
		keep, json_pack("{s:I, s:I, s:I, s:s, s:s}", "pid",
				(json_int_t)n->pid, "start",
				(json_int_t)start_time(n->pid), "since_s",
				(json_int_t)n->since_s, "bus_id", n->bus_id,
				"call", n->call));
	store(s, keep);
	json_decref(keep);
	json_decref(list);
}
