/* SPDX-License-Identifier: Apache-2.0
 * accounting - what Slurm's accounting knows of a job, by executing sacct, and
 * what it shall note of one, by sacctmgr.
 *
 * A call is one child with argv (no shell), the environment {SLURM_CONF} and
 * a deadline. Never on a gate's way.
 */
#ifndef ASSAY_ACCOUNTING_H
#define ASSAY_ACCOUNTING_H

#include <stdbool.h>

#include "lib/err.h"

struct accounting {
	const char *sacct; /* absolute path */
	const char *sacctmgr; /* the same, of who writes */
	const char *conf;  /* SLURM_CONF, NULL or "": sacct's default */
	int deadline_ms;
};

/* "123", or "123_4" of an array: fit to be an argument. */
bool accounting_is_job(const char *job);

/* Fields ("JobIDRaw,AdminComment") of the job itself, not of its steps, as
 * sacct prints them: divided by '|', of the job's last run if it was requeued.
 * malloc'ed. NULL with errno and *e: EINVAL that is no job, ENOENT nobody
 * knows it, ETIMEDOUT, EFBIG more than anybody keeps, EIO sacct said no. */
char *accounting_ask(const struct accounting *a, const char *job,
		     const char *fields, struct err *e);

/* All lines instead of the last: of an array's own id there are many. */
char *accounting_lines(const struct accounting *a, const char *job,
		       const char *fields, struct err *e);

/* Does it answer at all? Asked when it failed for one job, which may be that
 * job's trouble. */
bool accounting_answers(const struct accounting *a);

/* Put comment (printable ASCII, "" for none) where the job's AdminComment was.
 * 0, or -1 with errno and *e as above; EIO too if no such job was found in
 * that cluster. */
int accounting_comment(const struct accounting *a, const char *job,
		       const char *cluster, const char *comment,
		       struct err *e);

#endif
