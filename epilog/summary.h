/* SPDX-License-Identifier: Apache-2.0
 * summary - the record assay.job/1 of one job on one node (assay-record(5)),
 * made of its story. Pure: no file, no clock, no library but Jansson.
 */
#ifndef ASSAY_EPILOG_SUMMARY_H
#define ASSAY_EPILOG_SUMMARY_H

#include <jansson.h>

#include "epilog/story.h"

/* How a record is written: json_dumps(record, SUMMARY_DUMP). */
#define SUMMARY_DUMP (JSON_COMPACT | JSON_REAL_PRECISION(9))

/* The record, kind "node" (new reference); NULL on ENOMEM. It borrows nothing
 * of the story. */
json_t *summary_node(const struct story *s);

/* All events of the job, faults or not, as the faults of the record are: for
 * the marks of a page (new reference); NULL on ENOMEM. */
json_t *summary_events(const struct story *s);

#endif
