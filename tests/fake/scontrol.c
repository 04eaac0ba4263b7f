/* SPDX-License-Identifier: Apache-2.0
 * scontrol (and sacctmgr) for the cases: records how it was called and
 * answers about nodes in scontrol's own form.
 *
 * It is started with nothing but SLURM_CONF in its environment, so it finds
 * its files beside itself: slurm.json (what to answer; see doc/cases.md),
 * node.json (what accepted updates made of it) and calls.jsonl (one line per
 * call, {"argv": [...], "env": [...]}).
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* The time behind the reasons that a case brings. */
static const char OLD_TIME[] = "2026-01-01T00:00:00";

/* One lock around read, change and write: two callers may come at once. */
static int lock_calls(void)
{
	int fd = open("calls.jsonl",
		      O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	if (fd >= 0)
		(void)flock(fd, LOCK_EX);
	return fd;
}

static json_t *strings(char *const v[])
{
	json_t *list = json_array();

	for (int i = 0; v[i]; i++)
		json_array_append_new(list, json_stringn_nocheck(v[i],
								 strlen(v[i])));
	return list;
}

static void record_call(int fd, char **argv)
{
	json_t *call = json_object();

	json_object_set_new(call, "argv", strings(argv));
	json_object_set_new(call, "env", strings(environ));
	char *text = json_dumps(call, JSON_COMPACT);
	if (text)
		dprintf(fd, "%s\n", text);
	free(text);
	json_decref(call);
}

static const char *text_of(const json_t *o, const char *key, const char *def)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : def;
}

static json_t *load(const char *file)
{
	json_error_t error;
	json_t *o = json_load_file(file, 0, &error);

	return o ? o : json_object();
}

/* What a reason's "[root@...]" says: a given time, so many seconds ago, or
 * the time of all reasons that a case brings. */
static void reason_time(const json_t *node, char *buf, size_t size)
{
	const json_t *ago = json_object_get(node, "ago_s");
	time_t t = time(NULL) - (time_t)json_integer_value(ago);
	struct tm tm;

	if (ago && localtime_r(&t, &tm))
		strftime(buf, size, "%Y-%m-%dT%H:%M:%S", &tm);
	else
		snprintf(buf, size, "%s", text_of(node, "time", OLD_TIME));
}

static void print_node(const json_t *node, const char *name, bool oneline)
{
	const char *nl = oneline ? " " : "\n   ";
	const char *state = text_of(node, "state", "IDLE");
	const char *reason = text_of(node, "reason", NULL);
	char when[32];

	printf("NodeName=%s Arch=x86_64 CoresPerSocket=48 %sCPUAlloc=0 "
	       "CPUEfctv=96 CPUTot=96 CPULoad=0.19%sAvailableFeatures=(null)"
	       "%sActiveFeatures=(null)%sGres=gpu:h100:8%sNodeAddr=%s "
	       "NodeHostName=%s Version=22.05.8%sOS=Linux 6.1.0-28-amd64 #1 "
	       "SMP PREEMPT_DYNAMIC Debian 6.1.119-1 (2024-11-22) %s"
	       "RealMemory=2000000 AllocMem=0 FreeMem=1900000 Sockets=2 "
	       "Boards=1%s",
	       name, nl, nl, nl, nl, nl, name, name, nl, nl, nl);
	printf("State=%s ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A "
	       "MCS_label=N/A%sPartitions=train %sBootTime=2026-01-01T00:00:00 "
	       "SlurmdStartTime=2026-01-01T00:01:00%s"
	       "LastBusyTime=2026-01-01T00:01:00%sCfgTRES=cpu=96,mem=2000000M,"
	       "billing=96%sAllocTRES=%sCapWatts=n/a%sCurrentWatts=0 "
	       "AveWatts=0%sExtSensorsJoules=n/s ExtSensorsWatts=0 "
	       "ExtSensorsTemp=n/s",
	       state, nl, nl, nl, nl, nl, nl, nl, nl);
	if (reason && *reason) {
		reason_time(node, when, sizeof(when));
		printf("%sReason=%s [%s@%s]", nl, reason,
		       text_of(node, "by", "root"), when);
	}
	printf(oneline ? "\n" : "\n\n");
}

/* "nodes": how many there are, or a list of the others. */
static const json_t *other_node(const json_t *cfg, const char *name)
{
	const json_t *list = json_object_get(cfg, "nodes");
	json_t *node;
	size_t i;

	json_array_foreach(list, i, node)
		if (!strcmp(text_of(node, "name", ""), name))
			return node;
	return NULL;
}

static void show_all(const json_t *cfg, const json_t *node, bool oneline)
{
	const json_t *list = json_object_get(cfg, "nodes");
	json_t *other;
	char name[32];
	size_t i;

	print_node(node, text_of(cfg, "name", "gpu001"), oneline);
	json_array_foreach(list, i, other)
		print_node(other, text_of(other, "name", "peer"), oneline);
	for (int n = 2; n <= json_integer_value(list); n++) {
		snprintf(name, sizeof(name), "peer%04d", n);
		print_node(NULL, name, oneline);
	}
}

static int show(const json_t *cfg, const json_t *node, char **arg, bool oneline)
{
	const char *what = arg[0] ? arg[0] : "";
	const json_t *other;
	const char *key;
	json_t *value;

	if (!strcasecmp(what, "config")) {
		printf("Configuration data as of 2026-01-01T00:00:00\n");
		json_object_foreach(json_object_get(cfg, "config"), key, value)
			printf("%-23s = %s\n", key, json_string_value(value));
		return 0;
	}
	if (strncasecmp(what, "node", 4))
		return 0;
	if (!arg[1]) {
		show_all(cfg, node, oneline);
		return 0;
	}
	other = other_node(cfg, arg[1]);
	print_node(other ? other : node, arg[1], oneline);
	return 0;
}

static bool has_token(const char *state, const char *token)
{
	size_t n = strlen(token);

	for (const char *s = state; s; s = strchr(s, '+')) {
		s += *s == '+';
		if (!strncasecmp(s, token, n) && (!s[n] || s[n] == '+'))
			return true;
	}
	return false;
}

/* The base state without DRAIN and DOWN: what a resume leaves. */
static void resume(json_t *node)
{
	const char *state = text_of(node, "state", "IDLE");
	size_t base = strcspn(state, "+*");

	if (!strncasecmp(state, "DOWN", 4))
		json_object_set_new(node, "state", json_string("IDLE"));
	else
		json_object_set_new(node, "state", json_stringn(state, base));
	json_object_del(node, "reason");
}

static int set_state(json_t *node, const char *state, const char *reason)
{
	const char *old = text_of(node, "state", "IDLE");
	char buf[256];

	if (!strcasecmp(state, "resume") || !strcasecmp(state, "undrain") ||
	    !strcasecmp(state, "idle")) {
		resume(node);
		return 0;
	}
	if (strcasecmp(state, "drain") && strcasecmp(state, "down")) {
		fprintf(stderr, "Invalid input: state=%s\n", state);
		return 1;
	}
	if (!reason && !*text_of(node, "reason", "")) {
		fprintf(stderr, "You must specify a reason when DOWNING or "
				"DRAINING a node. Request denied\n");
		return 1;
	}
	snprintf(buf, sizeof(buf), "%s", old);
	if (!strcasecmp(state, "down"))
		snprintf(buf, sizeof(buf), "DOWN");
	else if (!has_token(old, "DRAIN"))
		snprintf(buf, sizeof(buf), "%s+DRAIN", old);
	json_object_set_new(node, "state", json_string(buf));
	return 0;
}

/* A reason given now is a minute old in a minute. */
static void stamp(json_t *node)
{
	char when[32];

	json_object_set_new(node, "ago_s", json_integer(0));
	reason_time(node, when, sizeof(when));
	json_object_set_new(node, "time", json_string(when));
	json_object_del(node, "ago_s");
	json_object_del(node, "by");
}

static int update(json_t *node, char **arg)
{
	const char *state = NULL, *reason = NULL;

	for (; *arg; arg++) {
		if (!strncasecmp(*arg, "state=", 6))
			state = *arg + 6;
		else if (!strncasecmp(*arg, "reason=", 7))
			reason = *arg + 7;
		else if (!strncasecmp(*arg, "job", 3))
			return 0;
	}
	if (state && set_state(node, state, reason))
		return 1;
	if (reason) {
		json_object_set_new(node, "reason",
				    json_stringn_nocheck(reason,
							 strlen(reason)));
		stamp(node);
	}
	return json_dump_file(node, "node.json", JSON_COMPACT) ? 1 : 0;
}

static void hang(json_int_t ms)
{
	struct timespec ts = { .tv_sec = ms / 1000,
			       .tv_nsec = ms % 1000 * 1000000 };

	while (ms < 0)
		pause();
	nanosleep(&ts, NULL);
}

/* "rc" and "hang_ms" are those of all calls, unless "update" has its own. */
static json_int_t trouble(const json_t *cfg, bool is_update, const char *key)
{
	const json_t *own = json_object_get(json_object_get(cfg, "update"), key);

	if (is_update && own)
		return json_integer_value(own);
	return json_integer_value(json_object_get(cfg, key));
}

static int enter_own_directory(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n < 0)
		return -1;
	path[n] = '\0';
	return chdir(dirname(path));
}

static json_t *current_node(const json_t *cfg)
{
	json_t *given = json_object_get(cfg, "node");

	if (!access("node.json", F_OK))
		return load("node.json");
	return given ? json_incref(given) : json_object();
}

static int answer(const json_t *cfg, char **arg, bool is_update, bool oneline)
{
	json_t *node = current_node(cfg);
	int rc = (int)trouble(cfg, is_update, "rc");

	if (rc)
		fprintf(stderr, "slurm_load_node error: Unable to contact "
				"slurm controller (connect failure)\n");
	else if (is_update)
		rc = update(node, arg + 1);
	else if (*arg && !strcasecmp(*arg, "show"))
		rc = show(cfg, node, arg + 1, oneline);
	json_decref(node);
	return rc;
}

int main(int argc, char **argv)
{
	bool oneline = false, is_update;
	char **arg = argv + (argc > 0);
	json_t *cfg;
	int rc, fd;

	if (enter_own_directory() || (fd = lock_calls()) < 0)
		return 99;
	record_call(fd, arg);
	for (; *arg && **arg == '-'; arg++)
		oneline |= !strcmp(*arg, "-o") || !strcmp(*arg, "--oneliner");
	is_update = *arg && !strcasecmp(*arg, "update");
	cfg = load("slurm.json");
	flock(fd, LOCK_UN);
	hang(trouble(cfg, is_update, "hang_ms"));
	flock(fd, LOCK_EX);
	rc = answer(cfg, arg, is_update, oneline);
	json_decref(cfg);
	return rc;
}
