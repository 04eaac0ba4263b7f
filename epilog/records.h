/* SPDX-License-Identifier: Apache-2.0
 * records - the records of a job's nodes, as files.
 *
 *   SPOOL/JOB.RESTART.NODE.json             this node's own, root's
 *   SHARED_DIR/jobs/JOB.RESTART/NODE.json   all nodes', of shared_user, and
 *   SHARED_DIR/jobs/JOB.RESTART/NODE.series their series, which lie in the
 *                                           record itself elsewhere
 *
 * Files are input: only regular ones of the right owner, reached without a
 * link, of a bounded size, that are a record of that job.
 */
#ifndef ASSAY_EPILOG_RECORDS_H
#define ASSAY_EPILOG_RECORDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/err.h"

#define RECORDS_FILE_MAX (8 << 20) /* bytes */
#define RECORDS_SUFFIX ".json"
#define RECORDS_SERIES ".series"
#define RECORDS_SERIES_SCHEMA "assay.series/1"

/* The record in the file name below dir (AT_FDCWD: an absolute path). NULL
 * with errno and *e: ENOENT it is not there, EPERM it is not owner's or no
 * regular file, EFBIG, EINVAL no record of that job. */
json_t *records_read(int dir, const char *name, uid_t owner, uint32_t job,
		     struct err *e);

/* The job and the run of it that a file of a spool or a directory of
 * SHARED_DIR/jobs is named after; returns what is behind "JOB.RESTART", "" or
 * ".NODE.json", and NULL where the name is none of these. */
const char *records_name(const char *name, uint32_t *job, uint32_t *restart);

/* "NODE.json" of a record's file in a spool; NULL: it is none. */
const char *records_node(const char *name, uint32_t *job, uint32_t *restart);

#define RECORDS_NEWEST (-1L)

/* What is wanted. */
struct records_query {
	const char *dir; /* a spool, or shared_dir */
	uid_t owner;	 /* of files that count */
	uint32_t job;
	long restart; /* this run of it, or RECORDS_NEWEST */
};

/* Append to list (an array) what the directory tells of the job. Their number;
 * -1 with errno and *e only if the directory cannot be read (ENOENT: it is not
 * there). What is wrong with single files is said in *e. */
int records_of_spool(const struct records_query *q, json_t *list, struct err *e);
int records_of_shared(const struct records_query *q, json_t *list, struct err *e);

/* The same of shared_dir one by one, as there may be thousands: f gets each
 * (borrowed) until it returns non-zero, which is returned; else 0, or -1 as
 * above. q->restart becomes which run it was, -1 there is none. */
typedef int (*records_f)(const json_t *record, void *arg);
int records_each_shared(struct records_query *q, records_f f, void *arg,
			struct err *e);

/* How many nodes' files of that run there are in shared_dir, read or not;
 * q->restart and -1 as above. */
int records_count_shared(struct records_query *q, struct err *e);

/* Give those of the nodes (records of one run of a job) that carry no series
 * what lies beside them in shared_dir. */
void records_add_series(const char *shared_dir, uid_t owner, json_t *nodes);

/* Does SHARED_DIR answer? Whoever looks there himself may never come back, so
 * a child is sent first, and left there if need be, with all that it has
 * inherited: a lock is then held for as long as the file system hangs. */
bool records_answer(const char *shared_dir, struct err *e);

/* The user's id; -1: there is no such user. */
int records_owner(const char *user, uid_t *out);

/* What lies in a spool, or in SHARED_DIR/jobs, by its name: f for each until
 * it returns non-zero, which is returned. (Of a job that ran on several nodes
 * or again there are several.) -1 with errno if it cannot be read. */
int records_each_job(const char *dir,
		     int (*f)(uint32_t job, uint32_t restart, void *arg),
		     void *arg);

#endif
