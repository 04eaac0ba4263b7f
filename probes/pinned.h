/* SPDX-License-Identifier: Apache-2.0
 * pinned - host memory that a device reads and writes directly, on its NUMA
 * node where that is known.
 */
#ifndef ASSAY_PROBES_PINNED_H
#define ASSAY_PROBES_PINNED_H

#include "probes/device.h"

struct pinned {
	void *bytes;		/* NULL: none */
	size_t size;
	bool registered;
};

/* size bytes, touched, not registered with anybody. numa: the node wanted, -1
 * any. The node where they came to lie goes into shot->cond. 0 or -1 with the
 * shot ended. */
int pinned_map(struct pinned *p, int numa, struct probe_shot *shot,
	       size_t size);
void pinned_unmap(struct pinned *p);

/* The same for a GPU, registered with CUDA. */
int pinned_open(struct pinned *p, struct probe_device *d,
		struct probe_shot *shot, size_t size);
void pinned_close(struct pinned *p, struct probe_device *d);

/* Fill with numbers that seed decides. */
void pinned_fill(struct pinned *p, uint64_t seed);

#endif
