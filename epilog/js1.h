/* SPDX-License-Identifier: Apache-2.0
 * js1 - a job's record as Slurm's AdminComment, in the form that jobstats
 * began and that reportseff and job_defense_shield read too (assay-record(5)):
 *
 *   "JS1:" followed by "Short", "None" or base64(gzip(JSON))
 *
 * What those readers do not know is below one key, "assay", of the object and
 * of its nodes. Pure: no file, no clock, no library but Jansson and zlib.
 */
#ifndef ASSAY_EPILOG_JS1_H
#define ASSAY_EPILOG_JS1_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

#define JS1_COMMENT_MAX 65000  /* the column of the data base holds 65,535 */
#define JS1_COMMENT_MIN 2048
#define JS1_JSON_MAX (1 << 20) /* bytes of JSON, unpacked */
#define JS1_VALUES_MAX 131072  /* values in it */
#define JS1_SHORT_S 60	       /* of shorter jobs nobody tells figures */

/* What accounting says of the job; -1: not known, then what the record says
 * counts. */
struct js1_alloc {
	int64_t wall_s, gpus, cpus, mem_bytes, nodes;
};
#define JS1_ALLOC_UNKNOWN (struct js1_alloc){ -1, -1, -1, -1, -1 }

/* The comment (malloc'ed, printable ASCII, at most max bytes: of a job too
 * big for it less is told, and the comment says so) of a record of either
 * kind; NULL: there is none. NULL with errno: EINVAL no record, E2BIG it does
 * not fit at all, ENOMEM. */
char *js1_encode(const json_t *record, const struct js1_alloc *alloc,
		 size_t max);

/* "Short" and "None" are JS1 without data. */
enum js1_kind { JS1_FOREIGN, JS1_SHORT, JS1_NONE, JS1_DATA };
enum js1_kind js1_kind(const char *comment);

/* The object in a comment of kind JS1_DATA, whoever wrote it (new reference).
 * It is whole, no reader trips over it, and all its text is printable ASCII;
 * or NULL with errno and *e: EINVAL, EFBIG more than the limits above, ENOMEM.
 * Never more memory is used than they allow. */
json_t *js1_decode(const char *comment, struct err *e);

/* Was it assay that wrote it? Then which run of the job is it of, and how
 * many nodes reported? (-1: it does not say.) */
bool js1_is_own(const json_t *js1);
int64_t js1_restart(const json_t *js1);
int64_t js1_reported(const json_t *js1);

/* What is kept in it as a record of kind "job", for the readers of records
 * (new reference; NULL with ENOMEM). Of a foreign one: what devices did. */
json_t *js1_record(const json_t *js1);

#endif
