/* SPDX-License-Identifier: Apache-2.0
 * faults - one fault each, put into a node that shows everything: proof that
 * the rules which stay silent over healthy nodes can fire at all.
 */
#ifndef ASSAY_FUZZ_FAULTS_H
#define ASSAY_FUZZ_FAULTS_H

#include "tests/fuzz/node.h"

struct injection {
	const char *check; /* that must see it */
	const char *what;
	/* Put it in, about GPU or HCA number i. *memory: what the check
	 * remembers, to be replaced where the fault needs a history. */
	void (*put)(struct node *n, int i, json_t **memory);
};

/* Ends with a NULL check. */
extern const struct injection injections[];

#endif
