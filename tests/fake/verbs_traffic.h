/* SPDX-License-Identifier: Apache-2.0
 * verbs_traffic - what goes through a port of the fake libibverbs, in the files
 * of the test's tree that count it.
 */
#ifndef ASSAY_FAKE_VERBS_TRAFFIC_H
#define ASSAY_FAKE_VERBS_TRAFFIC_H

#include "tests/fake/verbs_queue.h"

/* The number in a file grows. */
void verbs_count(const char *file, int64_t by);

/* The first write is posted: from now on others are at work, too. */
void verbs_traffic_begin(struct fake_cq *cq, int64_t now_ns);

/* What was moved until now; idle: nothing is under way. */
void verbs_traffic_count(struct fake_cq *cq, int64_t now_ns, bool idle);

#endif
