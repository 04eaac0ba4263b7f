/* SPDX-License-Identifier: Apache-2.0
 * merge_stalls - when the GPUs of all nodes were idle at once: what the stalls
 * of the nodes have in common.
 */
#ifndef ASSAY_EPILOG_MERGE_STALLS_H
#define ASSAY_EPILOG_MERGE_STALLS_H

#include "epilog/sheet.h"

#define COMMON_MAX 256

struct common {
	int nodes, spans;
	struct span span[COMMON_MAX];
	struct stalls first;	     /* of the only node */
	struct story_number unknown; /* some node does not know: why */
	double lead, tail;	     /* the shortest, NAN */
};

/* A zeroed one is empty. */
void common_add(struct common *c, const struct stalls *of_node);
/* Of one node: its own. */
void common_stalls(const struct common *c, struct stalls *out);

#endif
