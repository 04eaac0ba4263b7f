/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/accounting.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/scrub.h"
#include "lib/spawn.h"

#define OUT_MAX (1024 * 1024) /* comments are 64 KiB at most */

bool accounting_is_job(const char *job)
{
	size_t n = strspn(job, "0123456789");
	size_t m;

	if (!n || n > 10)
		return false;
	if (!job[n])
		return true;
	m = strspn(job + n + 1, "0123456789");
	return job[n] == '_' && m && m <= 10 && !job[n + 1 + m];
}

/* The last line, malloc'ed; NULL: there is none. */
static char *last_line(char *text)
{
	size_t n = strlen(text);
	char *from;

	while (n && text[n - 1] == '\n')
		text[--n] = '\0';
	if (!n)
		return NULL;
	from = strrchr(text, '\n');
	return strdup(from ? from + 1 : text);
}

static char *answer(const struct spawn_out *out, const char *job, struct err *e)
{
	char *line;
	char said[120];

	if (out->timed_out) {
		errno = ETIMEDOUT;
		err_errno(e, "sacct -j %s", job);
		return NULL;
	}
	if (out->status) {
		errno = EIO;
		scrub_copy(said, sizeof(said), out->text);
		err_set(e, "sacct -j %s: %s", job, said);
		return NULL;
	}
	line = last_line(out->text);
	if (!line) {
		errno = ENOENT;
		err_set(e, "sacct knows no job %s", job);
	}
	return line;
}

char *accounting_ask(const struct accounting *a, const char *job,
		     const char *fields, struct err *e)
{
	const char *const argv[] = { a->sacct, "-n", "-P",   "-X", "-j",
				     job,      "-o", fields, NULL };
	const char *envp[2] = { NULL, NULL };
	struct spawn_out out;
	char conf[4200];
	char *line;

	if (!accounting_is_job(job)) {
		errno = EINVAL;
		err_set(e, "'%.40s' is no job id", job);
		return NULL;
	}
	if (a->conf && *a->conf) {
		snprintf(conf, sizeof(conf), "SLURM_CONF=%s", a->conf);
		envp[0] = conf;
	}
	if (spawn_run(argv, envp, a->deadline_ms, OUT_MAX, &out, e) < 0)
		return NULL;
	line = answer(&out, job, e);
	spawn_out_fini(&out);
	return line;
}
