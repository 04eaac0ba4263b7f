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

#define SUMMARY_SERIES_MAX 240

/* The record, kind "node" (new reference); NULL on ENOMEM. It borrows nothing
 * of the story. */
json_t *summary_node(const struct story *s);

/* Add to that record what only a page of one node needs: "series" to each
 * GPU, of at most points (<= SUMMARY_SERIES_MAX) steps, and "events".
 * 0, or -1 on ENOMEM. */
int summary_add_series(json_t *record, const struct story *s, int points);

#endif
