/* SPDX-License-Identifier: Apache-2.0
 * Steps that run here, by the names of processes, and whether somebody came. */
#include "config.h"
#include "checks/session.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct step_search {
	const struct session *s;
	char begins[32];	/* how they call themselves */
	int steps;
};

/* Anybody may call himself a step; slurmd's are root's, or whoever's it runs
 * as. The real user: one that works for a user for a while stays it. */
static bool may_be_slurmds(const struct roots *r, const char *pid)
{
	char text[4096];
	unsigned int uid;
	const char *line;

	if (roots_readf(r, text, sizeof(text), "proc/%.20s/status", pid) <= 0)
		return true;
	line = strstr(text, "\nUid:");
	return !line || sscanf(line, "\nUid: %u", &uid) != 1 || !uid ||
	       uid == geteuid();
}

/* A step calls itself "slurmstepd: [123.batch]"; one that is there without a
 * job, to keep the cgroup, does not. */
static int count_step(const char *name, void *arg)
{
	struct step_search *q = arg;
	char text[4096];

	if (isdigit((unsigned char)name[0]) &&
	    roots_readf(&q->s->roots, text, sizeof(text), "proc/%.20s/comm",
			name) > 0 &&
	    !strncmp(text, "slurmstepd", strlen("slurmstepd")) &&
	    roots_readf(&q->s->roots, text, sizeof(text), "proc/%.20s/cmdline",
			name) > 0)
		q->steps += !strncmp(text, q->begins, strlen(q->begins)) &&
			    may_be_slurmds(&q->s->roots, name);
	return 0;
}

int session_steps(const struct session *s)
{
	struct step_search q = { .s = s, .begins = "slurmstepd: [" };

	roots_each(&s->roots, "proc", count_step, &q);
	return q.steps;
}

int session_steps_of(const struct session *s, uint32_t job)
{
	struct step_search q = { .s = s };

	snprintf(q.begins, sizeof(q.begins), "slurmstepd: [%u.", job);
	roots_each(&s->roots, "proc", count_step, &q);
	return q.steps;
}

static bool is_time(int64_t *next_ms, int64_t now_ms, int every_ms)
{
	if (now_ms < *next_ms)
		return false;
	*next_ms = now_ms + every_ms;
	return true;
}

bool session_job_came(const struct session *s, struct session_watch *watch,
		      int64_t now_ms)
{
	if (is_time(&watch->jobs_ms, now_ms, SESSION_JOBS_MS) &&
	    session_other_jobs(s) > 0)
		return true;
	return !s->job->id &&
	       is_time(&watch->steps_ms, now_ms, SESSION_STEPS_MS) &&
	       session_steps(s) > 0;
}
