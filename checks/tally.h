/* SPDX-License-Identifier: Apache-2.0
 * tally - what each rule did and would have done, per day: assay policy.
 *
 * Kept in the state document "tally" for eight days: {"days": {"2026-11-30":
 * {"gpu_remap": {"runs": 10, "would": 1, "did": 0}}}}.
 */
#ifndef ASSAY_TALLY_H
#define ASSAY_TALLY_H

#include <jansson.h>
#include <stdint.h>

#include "checks/policy.h"

#define TALLY_DAYS 8

/* Count one run. did: the verdict was carried out. */
void tally_add(json_t *doc, const struct check_result *results, int count,
	       const struct verdict *v, bool did, int64_t now_s);

struct tally {
	int64_t runs, would, did;
};

/* Sum over the last days of one check. */
struct tally tally_sum(const json_t *doc, const char *check, int days,
		       int64_t now_s);

#endif
