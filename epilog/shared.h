/* SPDX-License-Identifier: Apache-2.0
 * shared - SHARED_DIR/jobs as nodes write it.
 *
 *   JOB.RESTART/NODE.json     the record of a node, without its series
 *   JOB.RESTART/NODE.series   its series, which only a page needs
 *   .pruned                   by its time, when this was pruned last
 *
 * Root writes nothing there: all of this runs in a child that has become
 * shared_user, with a deadline, as a cluster file system may hang.
 */
#ifndef ASSAY_EPILOG_SHARED_H
#define ASSAY_EPILOG_SHARED_H

#include <stddef.h>
#include <stdint.h>

struct shared_text {
	const char *name; /* JOB.RESTART.NODE.json, as in the spool */
	const char *text;
	size_t size;
};

/* Put a record there. 0, or -1 with errno: EINVAL it is no record's name or no
 * JSON. */
int shared_put(const char *shared_dir, const struct shared_text *record);

struct shared_pruning {
	const char *shared_dir;
	int64_t keep_s;
	int budget_ms; /* of a pass */
	int most;      /* runs that a pass looks at */
};

#define SHARED_PRUNE_S 86400	 /* between passes over all of it */
#define SHARED_PRUNE_MORE_S 3600 /* a pass that came to no end goes on */

/* Remove the runs of which no node has told for more than keep_s. Any node may
 * try at any time: one at a time does it, and a day later again. Only what
 * shared_put() makes is removed, and what the caller owns. Its age is by the
 * file system's clock: a node with a wrong one removes nothing early. How many
 * runs are gone, 0 also if it is not the time yet; -1 with errno. */
int shared_prune(const struct shared_pruning *how, int64_t now_s);

#endif
