/* SPDX-License-Identifier: Apache-2.0
 * rdma_traffic - what a port moves beside its own probe: a file system's client,
 * or another job's. It takes from what the probe can have.
 */
#ifndef ASSAY_PROBES_RDMA_TRAFFIC_H
#define ASSAY_PROBES_RDMA_TRAFFIC_H

#include "lib/facts.h"
#include "lib/facts_rdma.h"
#include "lib/roots.h"

struct rdma_traffic {
	int64_t us;		/* clock_mono_us() of the look */
	int source;		/* which counters, -1 none that tell */
	int64_t bytes[2];	/* sent, received */
};

/* Of port number of h. */
void rdma_traffic_read(const struct roots *r, const struct hca *h, int number,
		       struct rdma_traffic *t);

/* GB/s of others in the direction where they moved more, between two looks, in
 * which how->payload was our own: it may be among what the device counts, or
 * not. Where that cannot be told, only what exceeds our own is others'. NAN: the
 * counters do not tell. */
double rdma_traffic_others(const struct rdma_traffic *before,
			   const struct rdma_traffic *after,
			   const struct rdma_shot *how);

#endif
