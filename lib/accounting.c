/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/accounting.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/job.h"
#include "lib/scrub.h"
#include "lib/spawn.h"

#define OUT_MAX (8 * 1024 * 1024) /* comments are 64 KiB at most */
#define REPLY_MAX 4096

bool accounting_is_job(const char *job)
{
	size_t n;

	if (!job_id_at(&job))
		return false;
	if (!*job)
		return true;
	n = strspn(job + 1, "0123456789");
	return *job == '_' && n && n <= 10 && !job[1 + n];
}

/* The last line, malloc'ed; NULL: there is none. A line may be empty: a job
 * that has no comment. */
static char *last_line(char *text)
{
	size_t n = strlen(text);
	char *from;

	if (!n)
		return NULL;
	if (text[n - 1] == '\n')
		text[--n] = '\0';
	from = strrchr(text, '\n');
	return strdup(from ? from + 1 : text);
}

/* The last of what it said, which is why it gave up, without its name. */
static void last_word(char *said, size_t size, const char *what, char *text)
{
	size_t n = strlen(what);
	char *line = text + strlen(text);

	while (line > text && isspace((unsigned char)line[-1]))
		*--line = '\0';
	while (line > text && line[-1] != '\n')
		line--;
	if (!strncmp(line, what, n) && !strncmp(line + n, ": ", 2))
		line += n + 2;
	scrub_copy(said, size, line);
}

/* Did it do what it was asked for? 0, or -1 with ETIMEDOUT, EFBIG or EIO. */
static int complain(struct spawn_out *out, const char *what,
		    const char *job, struct err *e)
{
	char said[200];

	if (out->timed_out) {
		errno = ETIMEDOUT;
		return err_errno(e, "%s of job %s", what, job);
	}
	if (out->truncated) {
		errno = EFBIG;
		return err_set(e, "%s of job %s: too much is said", what, job);
	}
	if (out->status) {
		errno = EIO;
		last_word(said, sizeof(said), what, out->text);
		return err_set(e, "%s of job %s: %s", what, job, said);
	}
	return 0;
}

/* Execute with {SLURM_CONF}; out is the caller's to free if 0. */
static int run(const struct accounting *a, const char *const argv[], size_t max,
	       struct spawn_out *out, struct err *e)
{
	const char *envp[2] = { NULL, NULL };
	char conf[4200];

	if (a->conf && *a->conf) {
		snprintf(conf, sizeof(conf), "SLURM_CONF=%s", a->conf);
		envp[0] = conf;
	}
	return spawn_run(argv, envp, a->deadline_ms, max, out, e);
}

static int no_job(const char *job, struct err *e)
{
	errno = EINVAL;
	return err_set(e, "'%.40s' is no job id", job);
}

char *accounting_lines(const struct accounting *a, const char *job,
		       const char *fields, struct err *e)
{
	const char *const argv[] = { a->sacct, "-n", "-P",   "-X", "-j",
				     job,      "-o", fields, NULL };
	struct spawn_out out;
	char *text = NULL;

	if (!accounting_is_job(job)) {
		no_job(job, e);
		return NULL;
	}
	if (run(a, argv, OUT_MAX, &out, e) < 0)
		return NULL;
	if (complain(&out, "sacct", job, e) == 0) {
		text = out.text;
		out.text = NULL;
	}
	spawn_out_fini(&out);
	return text;
}

char *accounting_ask(const struct accounting *a, const char *job,
		     const char *fields, struct err *e)
{
	char *text = accounting_lines(a, job, fields, e), *line;

	if (!text)
		return NULL;
	line = last_line(text);
	free(text);
	if (!line) {
		errno = ENOENT;
		err_set(e, "sacct knows no job %s", job);
	}
	return line;
}

bool accounting_answers(const struct accounting *a)
{
	char *lines = accounting_lines(a, "1", "JobIDRaw", NULL);

	free(lines);
	return lines != NULL;
}

/* A cluster's name, fit to be an argument. */
static bool is_cluster(const char *name)
{
	return *name && strlen(name) < 64 && name[0] != '-' &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
				  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")];
}

int accounting_comment(const struct accounting *a, const char *job,
		       const char *cluster, const char *comment, struct err *e)
{
	char where[64], of[80], *set;
	const char *argv[] = { a->sacctmgr, "-i", "update", "job", "where",
			       where,	    of,	  "set",    NULL,  NULL };
	struct spawn_out out;
	int rc;

	if (!accounting_is_job(job))
		return no_job(job, e);
	if (!is_cluster(cluster)) {
		errno = EINVAL;
		return err_set(e, "'%.64s' is no name of a cluster", cluster);
	}
	snprintf(where, sizeof(where), "jobid=%s", job);
	snprintf(of, sizeof(of), "cluster=%s", cluster);
	set = malloc(strlen(comment) + sizeof("AdminComment="));
	if (!set)
		return err_errno(e, "comment of job %s", job);
	strcpy(stpcpy(set, "AdminComment="), comment);
	argv[8] = set;
	rc = run(a, argv, REPLY_MAX, &out, e);
	free(set);
	if (rc < 0)
		return -1;
	rc = complain(&out, "sacctmgr", job, e);
	spawn_out_fini(&out);
	return rc;
}
