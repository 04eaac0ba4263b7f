/* SPDX-License-Identifier: Apache-2.0
 * Workers that stayed behind in the driver, remembered across runs. */
#include "config.h"
#include "checks/gather.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "lib/jsonfile.h"
#include "lib/log.h"
#include "lib/spawn.h"

#define NOTES_MAX 16

/* A pid alone may be somebody else's by now: its start time tells (field 22
 * of /proc/PID/stat, in clock ticks after boot). -1 if it is gone. */
static long long start_time(pid_t pid)
{
	char buf[SPAWN_STAT_MAX];
	const char *stat = spawn_proc_stat(pid, buf);
	unsigned long long start;

	if (!stat || *stat == 'Z' || *stat == 'X' ||
	    sscanf(stat,
		   "%*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
		   "%*s %*s %*s %*s %*s %llu",
		   &start) != 1)
		return -1;
	return (long long)start;
}

/* Seconds since boot; 0 unknown. */
static json_int_t uptime_s(void)
{
	struct timespec now;

	return clock_gettime(CLOCK_BOOTTIME, &now) < 0 ? 0 : now.tv_sec;
}

/* How long it has not come back: a worker of the probes may have worked for a
 * minute before, and then only be slow to give its context back. */
static int64_t age_s(const json_t *n)
{
	json_int_t since = json_integer_value(json_object_get(n, "noted"));

	return since > 0 && uptime_s() > since ? uptime_s() - since : 0;
}

static json_t *load(const struct session *s)
{
	json_t *list = jsonfile_read(s->run_dir, "stuck.json");

	if (!json_is_array(list)) {
		json_decref(list);
		list = json_array();
	}
	return list;
}

/* Forgotten workers would be joined by others in the driver. */
static void store(const struct session *s, json_t *list)
{
	if (jsonfile_replace(s->run_dir, "stuck.json", 0600, list,
			     JSON_COMPACT) < 0)
		log_warn("stuck.json not written: %s", strerror(errno));
}

static bool alive(const json_t *n)
{
	pid_t pid = (pid_t)json_integer_value(json_object_get(n, "pid"));
	json_int_t start = json_integer_value(json_object_get(n, "start"));

	return pid > 1 && start > 0 && start_time(pid) == start;
}

static void copy(char *dst, size_t size, const json_t *n, const char *key)
{
	const char *s = json_string_value(json_object_get(n, key));

	snprintf(dst, size, "%s", s ? s : "");
}

static bool is_at(const json_t *n, const char *hca)
{
	const char *at = json_string_value(json_object_get(n, "hca"));

	return !strcmp(at ? at : "", hca);
}

static bool find(const struct session *s, const char *hca,
		 struct gather_stuck *out)
{
	json_t *list = load(s);
	const json_t *n;
	bool found = false;
	size_t i;

	json_array_foreach(list, i, n) {
		if (!is_at(n, hca) || !alive(n))
			continue;
		out->pid = (pid_t)json_integer_value(json_object_get(n, "pid"));
		out->age_s = age_s(n);
		copy(out->bus_id, sizeof(out->bus_id), n, "bus_id");
		copy(out->hca, sizeof(out->hca), n, "hca");
		copy(out->call, sizeof(out->call), n, "call");
		found = true;
		break;
	}
	json_decref(list);
	return found;
}

bool gather_stuck_before(const struct session *s, struct gather_stuck *out)
{
	return find(s, "", out);
}

bool gather_stuck_at_hca(const struct session *s, const char *hca)
{
	struct gather_stuck stuck;

	return find(s, hca, &stuck);
}

void gather_stuck_note(const struct session *s, const struct gather_stuck *n)
{
	long long start = start_time(n->pid);
	json_t *list, *keep, *old;
	size_t i;

	if (start <= 0)		/* it has gone in the meantime */
		return;
	list = load(s);
	keep = json_array();
	json_array_foreach(list, i, old)
		if (alive(old) && json_array_size(keep) < NOTES_MAX)
			json_array_append(keep, old);
	json_array_append_new(
		keep, json_pack("{s:I, s:I, s:I, s:s, s:s, s:s}", "pid",
				(json_int_t)n->pid, "start", (json_int_t)start,
				"noted", uptime_s(), "bus_id", n->bus_id,
				"hca", n->hca, "call", n->call));
	store(s, keep);
	json_decref(keep);
	json_decref(list);
}
