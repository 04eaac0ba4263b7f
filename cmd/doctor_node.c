/* SPDX-License-Identifier: Apache-2.0
 * This node's own files: configuration, places, what the last passes left. */
#include "config.h"
#include "cmd/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/clock.h"

#define OLD_PASS_S 86400

/* What a mistake means until it is mended. */
static void tell_mistake(const struct doctor *d, const char *sec,
			 const char *text)
{
	char mend[300] = "mend the line: nothing reads it";

	if (sec && (!strncmp(sec, "check ", 6) || !strncmp(sec, "exec ", 5)))
		snprintf(mend, sizeof(mend), "mend the line; until then [%s] "
			 "is off and reports ERROR", sec);
	else if (sec)
		snprintf(mend, sizeof(mend), "mend the line; until then all "
			 "of [%s] is at its defaults%s", sec,
			 strcmp(sec, "policy") ? "" :
			 ": mode is observe, nothing is drained");
	doctor_say(d, DOCTOR_WRONG, "config", mend, "%s", text);
}

static int complaints(const struct doctor *d)
{
	const struct session *s = d->s;
	const char *text;
	int i;

	session_profiles(d->s);		/* which may have its own */
	for (i = 0; (text = cfg_complaint_at(s->cfg, i)); i++)
		tell_mistake(d, cfg_complaint_section(s->cfg, i), text);
	if (i || !s->complaint[0] || (!s->cfg_is_copy && !s->cfg_lost &&
				      (s->state.dir < 0 || s->run_dir < 0)))
		return i;	/* that is for doctor_places() to tell */
	doctor_say(d, DOCTOR_WRONG, "config",
		   s->cfg_is_copy ? "mend it; the last good copy is in use" :
		   s->cfg_lost ? "mend it; built-in defaults are in use" : NULL,
		   "%s", s->complaint);
	return 1;
}

void doctor_config(struct doctor *d)
{
	const struct session *s = d->s;
	const struct cfg *cfg = s->cfg;
	bool there = access(s->config_path, F_OK) == 0;

	if (geteuid() != 0)
		doctor_say(d, DOCTOR_NOTE, "user", "run it as root",
			   "not run as root: it sees only part of what a gate "
			   "sees");
	if (!complaints(d) && there)
		doctor_say(d, DOCTOR_OK, "config", NULL, "%s is read",
			   s->config_path);
	if (!there && !s->cfg_lost)
		doctor_say(d, DOCTOR_NOTE, "config", NULL,
			   "no %s: every value is its default", s->config_path);
	if (!session_enforces(s))
		doctor_say(d, DOCTOR_NOTE, "policy",
			   "assay policy shows what would have been drained; "
			   "then mode = enforce, or promote check by check",
			   "mode is observe: nothing is drained");
	if (cfg_int(cfg, "budget", "passive_ms") >=
	    cfg_int(cfg, "budget", "total_ms"))
		doctor_say(d, DOCTOR_WRONG, "policy",
			   "[budget] passive_ms well below total_ms",
			   "passive_ms leaves no time to tell Slurm");
}

static int one_value(const char *sec, const struct cfg_key *key,
		     const char *value, const char *source, void *arg)
{
	const struct doctor *d = arg;
	char name[160];

	if (!strcmp(source, "default") ||
	    (key->def && !strcmp(value, key->def)))
		return 0;
	snprintf(name, sizeof(name), "[%.80s] %.60s", sec, key->name);
	d->value(name, value, source, d->arg);
	return 0;
}

void doctor_values(struct doctor *d)
{
	cfg_each(d->s->cfg, one_value, d);
}

void doctor_switch(struct doctor *d)
{
	struct err why;

	if (session_switched_off(d->s->config_path, &why))
		doctor_say(d, DOCTOR_WRONG, "switch",
			   "remove the file OFF beside the configuration",
			   "assay is switched off here: every gate lets its job "
			   "run unchecked");
	else if (why.text[0])
		doctor_say(d, DOCTOR_WRONG, "switch",
			   "chown it to root if gates shall be off, else "
			   "remove it", "%s", why.text);
}

/* Paths that root programs believe: who may write there? */
static const struct place {
	const char *section, *key;
	bool needed;		/* where it is set */
} places[] = {
	{ "paths", "profiles", false },	 { "paths", "xids", true },
	{ "paths", "run", false },	 { "paths", "state", false },
	{ "paths", "spool", false },	 { "libraries", "nvml", true },
	{ "libraries", "cuda", true },	 { "libraries", "nccl", true },
	{ "libraries", "verbs", true },	 { "slurm", "scontrol", false },
	{ "slurm", "sacctmgr", false },
};

static bool look_at(const struct doctor *d, const char *name, const char *path,
		    bool needed)
{
	struct err e;

	if (!*path || cfg_file_trusted(path, &e) == 0)
		return true;
	if (errno == ENOENT && !needed)
		return true;
	if (errno == ENOENT)
		doctor_say(d, DOCTOR_WRONG, "places", "mend the path",
			   "%s = %s: not there", name, path);
	else
		doctor_say(d, DOCTOR_WRONG, "places",
			   "owned by root, writable only by root, and so each "
			   "directory above", "%s: %s", name, e.text);
	return false;
}

/* The gates' own: they open it and create its last directory. */
static bool look_at_own(const struct doctor *d, const char *key, int fd)
{
	const char *path = cfg_text(d->s->cfg, "paths", key);
	char mend[300] = "a directory, root's alone";

	if (fd >= 0 || geteuid() != 0)
		return true;
	if (access(path, F_OK) < 0 && errno == ENOENT)
		snprintf(mend, sizeof(mend), "mkdir -p %s, or set [paths] %s",
			 path, key);
	doctor_say(d, DOCTOR_WRONG, "places", mend,
		   "[paths] %s: %s cannot be used: nothing is kept there", key,
		   path);
	return false;
}

/* Written as shared_user, because root is nobody there. */
static bool look_at_shared(const struct doctor *d)
{
	const char *dir = cfg_text(d->s->cfg, "paths", "shared_dir");
	const char *user = cfg_text(d->s->cfg, "paths", "shared_user");
	const struct passwd *pw;
	struct stat st;

	if (!*dir)
		return true;
	pw = getpwnam(user);
	if (stat(dir, &st) < 0 || !S_ISDIR(st.st_mode))
		doctor_say(d, DOCTOR_WRONG, "places", "create it on the file "
			   "system that all nodes share",
			   "[paths] shared_dir %s is no directory here", dir);
	else if (!pw)
		doctor_say(d, DOCTOR_WRONG, "places", "create the user",
			   "[paths] shared_user %s does not exist", user);
	else if (st.st_uid != pw->pw_uid || st.st_mode & 02)
		doctor_say(d, DOCTOR_WRONG, "places",
			   "chown it to shared_user, chmod 0750",
			   "[paths] shared_dir %s is not %s's alone", dir,
			   user);
	else
		return true;
	return false;
}

void doctor_places(struct doctor *d)
{
	const struct cfg *cfg = d->s->cfg;
	bool good = true;
	char name[64];
	size_t i;

	good &= look_at(d, "configuration", d->s->config_path, false);
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(name, sizeof(name), "[%s] %s", places[i].section,
			 places[i].key);
		good &= look_at(d, name, cfg_text(cfg, places[i].section,
						  places[i].key),
				places[i].needed);
	}
	good &= look_at_own(d, "state", d->s->state.dir);
	good &= look_at_own(d, "run", d->s->run_dir);
	good &= look_at_shared(d);
	if (good)
		doctor_say(d, DOCTOR_OK, "places", NULL,
			   "files and directories are root's alone");
}

/* When was the document of the last pass written? -1: never. */
static int64_t last_pass_s(const struct session *s)
{
	struct stat st;

	if (s->state.dir < 0 ||
	    fstatat(s->state.dir, "metrics.json", &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	return (int64_t)st.st_mtime;
}

void doctor_memory(struct doctor *d)
{
	json_t *doc = state_get((struct state *)&d->s->state, "metrics");
	int64_t last = last_pass_s(d->s), now = clock_wall_s();
	int64_t good = json_integer_value(json_object_get(doc,
							  "last_success_s"));
	char at[21], before[21];

	json_decref(doc);
	if (d->s->state.unread) {
		doctor_say(d, DOCTOR_NOTE, "passes", NULL,
			   "not known whether a gate has run here: %s",
			   d->s->state.complaint.text);
		return;
	}
	if (last < 0) {
		doctor_say(d, DOCTOR_NOTE, "passes", NULL,
			   "no gate and no health check has run here yet");
		return;
	}
	clock_iso(last, at);
	if (good + 2 < last)
		doctor_say(d, DOCTOR_WRONG, "passes",
			   "assay check shows which check reports ERROR, and "
			   "the log says why",
			   "gates run blind: the last pass (%s) could not judge "
			   "everything; the last that could: %s", at,
			   good ? clock_iso(good, before) : "never");
	else if (now - last > OLD_PASS_S)
		doctor_say(d, DOCTOR_NOTE, "passes", NULL,
			   "the last gate or health check ran at %s", at);
	else
		doctor_say(d, DOCTOR_OK, "passes", NULL,
			   "the last gate or health check ran at %s and judged "
			   "everything", at);
}
