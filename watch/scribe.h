/* SPDX-License-Identifier: Apache-2.0
 * scribe - what is known of a job becomes its record, and the record files:
 * in the run directory while the job runs, in the spool behind it.
 */
#ifndef ASSAY_WATCH_SCRIBE_H
#define ASSAY_WATCH_SCRIBE_H

#include "watch/gathered.h"

#define SCRIBE_RECORD "record.json"	/* root's */
#define SCRIBE_USER "user.json"		/* its owner's copy */
#define SCRIBE_BLOCK "block"		/* what the plugin prints */

/* assay.job/1 of this node, with series and events (new reference); NULL on
 * ENOMEM. */
json_t *scribe_record(const struct gathered_from *from);

/* The three files in the job's directory. 0 or -1 with errno. */
int scribe_files(int dir, const json_t *record, const struct mark *m);

/* Is the record of a job like this one for the other nodes' readers, too? As
 * the block it is for jobs that ran [report] block_after_s; with [report]
 * publish of every job that is long enough to be told of. */
bool scribe_is_shared(const struct cfg *cfg, int nodes, int64_t ran_s);

/* And of one that still runs on several nodes, whose readers want to hear in
 * between: first when it has run for so long, then each time as long again. Times
 * are since boot. */
#define SCRIBE_SHARE_S 300
struct scribe_times {
	int64_t start_s, shared_s, now_s; /* shared_s 0: not yet */
};
bool scribe_is_due(const struct cfg *cfg, int nodes,
		   const struct scribe_times *t);

#endif
