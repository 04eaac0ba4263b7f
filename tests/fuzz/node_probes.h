/* SPDX-License-Identifier: Apache-2.0
 * node_probes - what the makers of measurements share.
 */
#ifndef ASSAY_FUZZ_NODE_PROBES_H
#define ASSAY_FUZZ_NODE_PROBES_H

#include "lib/facts_probe.h"
#include "tests/fuzz/node.h"

/* 0 to 1, always the same for the same machine and words. */
double node_fixed(const struct node *n, uint32_t a, uint32_t b);

/* A factor near 1. */
double node_wobble(struct rng *r, double percent);

/* Both shots of a place: what it would show, and what comes between. The first
 * may be disturbed by what has passed until the repeat, if there is one. */
void node_measure(const struct node *n, struct rng *r, int place, enum probe p,
		  const double *rate);

/* GB/s of a GPU's link. */
double node_link(const struct node *n, int gpu);

/* The ports, and the GPUs' memory written through them. */
void node_make_ports(const struct node *n, struct rng *r);

#endif
