/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "cmd/audit.h"

#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/log.h"
#include "lib/scrub.h"

#define LOCK_MS 5000	/* a gate holds it for about as long as it runs */
#define NO_LOGIN 4294967295UL

extern char **environ;

static void name_of(uid_t uid, char *buf, size_t size)
{
	const struct passwd *pw = getpwuid(uid);

	if (pw)
		scrub_copy(buf, size, pw->pw_name);
	else
		snprintf(buf, size, "uid %lu", (unsigned long)uid);
}

/* Set once at login, kept across su and sudo. */
static bool login_uid(uid_t *out)
{
	FILE *f = fopen("/proc/self/loginuid", "re");
	unsigned long uid = NO_LOGIN;
	bool told;

	if (!f)
		return false;
	told = fscanf(f, "%lu", &uid) == 1 && uid != NO_LOGIN;
	fclose(f);
	*out = (uid_t)uid;
	return told;
}

char *audit_who(char *buf, size_t size)
{
	char name[64], login[64];
	uid_t uid;

	name_of(getuid(), name, sizeof(name));
	if (login_uid(&uid) && uid != getuid()) {
		name_of(uid, login, sizeof(login));
		snprintf(buf, size, "%s (login %s)", name, login);
	} else {
		snprintf(buf, size, "%s", name);
	}
	return buf;
}

static const char *forbidden(const struct session *s)
{
	struct stat st = { 0 };
	bool there = s->state.dir >= 0 && fstat(s->state.dir, &st) == 0;

	if (!there && geteuid() == 0)
		return "the state directory cannot be opened: see assay doctor";
	if (geteuid() != 0 && st.st_uid != geteuid())
		return "only root and the owner of the state may do this";
	return NULL;
}

int audit_open(struct session *s, const char *config, struct job *job)
{
	const char *why;
	struct err e;

	job_from_env(job, environ);
	job->id = 0;
	if (session_open(s, config, job, &e) < 0) {
		log_error("%s", e.text);
		return -1;
	}
	why = forbidden(s);
	if (!why && state_lock(&s->state, LOCK_MS) < 0)
		why = "the state is in use or cannot be written; try again";
	if (!why)
		return 0;
	log_error("%s: %s", cfg_text(s->cfg, "paths", "state"), why);
	session_close(s);
	return -1;
}

void audit_say(const char *fmt, ...)
{
	char who[160], text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_open("assay", true, LOG_LVL_INFO);
	log_info("%s: %s", audit_who(who, sizeof(who)), text);
}
