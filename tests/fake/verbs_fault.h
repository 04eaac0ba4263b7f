/* SPDX-License-Identifier: Apache-2.0
 * verbs_fault - what goes wrong in the fake libibverbs, counted by the writes
 * of a device.
 */
#ifndef ASSAY_FAKE_VERBS_FAULT_H
#define ASSAY_FAKE_VERBS_FAULT_H

#include "tests/fake/verbs_queue.h"

/* A queue is made: what the scenario says then counts for all that goes through
 * it, writes from 0 on. */
void verbs_fault_begin(struct fake_context *c);

/* A write is posted. */
void verbs_fault_write(struct fake_context *c, struct fake_write *w);

/* A write completes: is it one that is never made? */
bool verbs_fault_loses(const struct fake_context *c, const struct fake_write *w);

/* A write that completed is made: from here to there. */
void verbs_fault_move(struct fake_context *c, const struct fake_write *w);

#endif
