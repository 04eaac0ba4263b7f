/* SPDX-License-Identifier: Apache-2.0
 * leaf - the leaf switch that a node hangs on, as Slurm (topology/tree) tells
 * it in the environment of each step.
 */
#ifndef ASSAY_SPANK_LEAF_H
#define ASSAY_SPANK_LEAF_H

#include <stddef.h>

#define LEAF_BYTES 64
#define LEAF_NONE "no switches"
#define LEAF_ODD "not readable"

/* addr is "spine.leaf1.n1", pattern "switch.switch.node": the name of the last
 * switch into leaf. NULL; or one of the above why not, and leaf is "". A list
 * of switches ("leaf[1-2]") and a name with a dot in it are no name. */
const char *leaf_of(const char *addr, const char *pattern,
		    char leaf[LEAF_BYTES]);

#endif
