/* SPDX-License-Identifier: Apache-2.0
 * merges - some records become one. */
#ifndef ASSAY_TESTS_MERGES_H
#define ASSAY_TESTS_MERGES_H

#include "epilog/merge.h"

static inline json_t *merge_of(json_t *const *records, int n,
			       const struct merge_job *job)
{
	json_t *list = json_array(), *record;
	int i;

	for (i = 0; i < n; i++)
		json_array_append(list, records[i]);
	record = merge_all(list, job);
	json_decref(list);
	return record;
}

#endif
