/* SPDX-License-Identifier: Apache-2.0
 * probing_inside - what the files of probing share: probing.c (a round),
 * probing_allows.c (whether there may be one), probing_passed.c (what came of
 * it).
 */
#ifndef ASSAY_PROBING_INSIDE_H
#define ASSAY_PROBING_INSIDE_H

#include "checks/passes.h"
#include "checks/probing.h"
#include "probes/crew.h"

/* Can this GPU be loaded: it answers, and is whole? */
bool probing_can_gpu(const struct gpu *g);

/* Why no GPU can be measured; NULL: some can. */
const char *probing_no_gpus(const struct run *r);

struct passes probing_passes(const struct run *r, const struct probing *q,
			     int64_t now_s);

/* Note for each place of the plan what it passed, and what it did not. */
void probing_note_passes(struct run *r, struct probing *q,
			 const struct crew_plan *plan, int64_t now_s);

#endif
