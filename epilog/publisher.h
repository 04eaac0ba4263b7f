/* SPDX-License-Identifier: Apache-2.0
 * publisher - brings a node's records to where the other nodes' are.
 *
 * Off everybody's way: a detached process, one at most on a node. What a dead
 * cluster file system holds up stays pending, and the next one tries again;
 * while one hangs there, no other is started.
 */
#ifndef ASSAY_EPILOG_PUBLISHER_H
#define ASSAY_EPILOG_PUBLISHER_H

#include <stdint.h>

#include "lib/cfg.h"

struct publisher {
	const char *spool, *shared_dir, *shared_user, *metrics_dir;
	int64_t keep_s, max_bytes; /* of the spool */
	int deadline_ms;	   /* for each record */
};

/* Start it. 0 when it has detached, or -1 with errno. */
int publisher_start(const struct cfg *cfg);

/* What it does (behind the metrics of jobs, job_metrics.h): SPOOL/pending into
 * SHARED_DIR/jobs (shared.h), as shared_user. Then, once an hour at most, what
 * is kept no longer is removed there, if no other node has seen to it, and in
 * the spool. How many records were published; -1 with errno: EWOULDBLOCK
 * another one is at work, ETIMEDOUT shared_dir does not answer. What failed is
 * pending still. */
int publisher_run(const struct publisher *p, int64_t now_s);

#endif
