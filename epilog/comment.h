/* SPDX-License-Identifier: Apache-2.0
 * comment - what nodes told of a finished job becomes its AdminComment.
 *
 * Runs where Slurm's controller does, as SlurmUser: the records come from
 * [paths] shared_dir, sacct tells what the accounting knows, sacctmgr writes.
 * What others have written stays.
 */
#ifndef ASSAY_EPILOG_COMMENT_H
#define ASSAY_EPILOG_COMMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "epilog/queue.h"
#include "lib/accounting.h"
#include "lib/err.h"

struct comments {
	const char *shared_dir;
	uid_t owner; /* of the records in it */
	struct accounting accounting;
	size_t max; /* bytes of a comment */
	int wait_s; /* for records of nodes that have not told yet */
	bool all;   /* "Short" and "None", too */
	int gap_ms; /* from one comment that is written to the next */
	/* Kept here: */
	int64_t next_ms;  /* before which none is written */
	bool told_down;	  /* that the accounting does not answer */
	int64_t until_ms; /* when the work must end, clock_mono_ms() */
};

enum commented {
	COMMENT_DONE,	 /* written, and read again */
	COMMENT_KEPT,	 /* what is there stays; *e says why */
	COMMENT_NOTHING, /* no node told of it */
	COMMENT_LATER,	 /* not all is there yet; *e says what */
	COMMENT_DOWN,	 /* the accounting does not answer */
	COMMENT_REFUSED	 /* it keeps something else than what was written */
};

/* One job that ended age_s ago. */
enum commented comment_job(struct comments *p, uint32_t job, int64_t age_s,
			   struct err *e);

/* Work through the queue, which the caller has locked: once, or (stay) until
 * it is empty, waiting for what is not there yet. Logs a line for each job
 * that is done with. How many still wait; -1 if the accounting is the reason.
 */
int comment_run(struct comments *p, struct queue *q, bool stay);

#endif
