/* SPDX-License-Identifier: Apache-2.0
 * spool - the records that this node keeps.
 *
 *   SPOOL/JOB.RESTART.NODE.json           the record: root's
 *   SPOOL/users/UID/JOB.json              its owner's copy, of the last run
 *   SPOOL/pending/JOB.RESTART.NODE.json   not in SHARED_DIR yet (a hard link)
 *
 * A user may read his copy (grant.h), but it is root's as all else here: who
 * owned it could fill the disk with it, and date it so that others' records
 * are given up before. Directories are root's, too, so nobody but root adds,
 * removes or replaces anything.
 */
#ifndef ASSAY_EPILOG_SPOOL_H
#define ASSAY_EPILOG_SPOOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/err.h"

#define SPOOL_NAME_MAX 256

/* "JOB.RESTART.NODE.json" of a record; NULL with EINVAL: it tells no job, or
 * a node that is no host name. */
const char *spool_name(const json_t *record, char buf[SPOOL_NAME_MAX]);

/* The file name in dir becomes the user's copy of the record: for user to
 * read, made aside and renamed. 0, or -1 with errno. */
int spool_user_copy(int dir, const char *name, const json_t *record, uid_t user);

/* Store the record, the copy of its owner (user (uid_t)-1: none), and, if it
 * is to be shared, the mark that it is pending. A copy that cannot be made is
 * said in *e, and is no failure. 0, or -1 with errno and *e. */
int spool_store(const char *spool, const json_t *record, uid_t user, bool share,
		struct err *e);

/* Remove what is older than keep_s, and of the rest the oldest until at most
 * max_bytes are left: records, copies and marks alike. By one at a time: who
 * finds the spool locked leaves. How many files, or -1 with errno. */
int spool_prune(const char *spool, int64_t keep_s, int64_t max_bytes,
		int64_t now_s);

#endif
