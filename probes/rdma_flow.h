/* SPDX-License-Identifier: Apache-2.0
 * rdma_flow - as much as a port can write, for a while; for loopback and gdr.
 *
 * The memory of a flow is one piece: RDMA_SLOTS sources, then so many sinks for
 * each pair. Writes go round the sinks; in each round another source goes into
 * each, so that what is found there at the end tells whether the last writes
 * came.
 */
#ifndef ASSAY_PROBES_RDMA_FLOW_H
#define ASSAY_PROBES_RDMA_FLOW_H

#include "probes/rdma_link.h"

#define RDMA_PAIRS 2
#define RDMA_DEPTH 64		/* writes of a pair that are under way */
#define RDMA_MSG (512 << 10)
#define RDMA_SLOTS 4
#define RDMA_SOURCE (RDMA_SLOTS * RDMA_MSG)
/* 6 MiB: an ordinary user may have 8 MiB pinned. */
#define RDMA_FLOW_SIZE ((1 + RDMA_PAIRS) * RDMA_SOURCE)

struct rdma_flow {
	struct rdma_link link;
	struct rdma_shot *how;
	uint64_t base;		/* where the device sees the memory */
	/* How it is written. */
	int32_t msg;
	int depth, every;	/* so many writes are one post, and the last
				 * of them tells when they are done */
	int64_t posted[RDMA_PAIRS];	/* writes */
	int flying[RDMA_PAIRS];		/* of them */
};

/* On a link that is open, with its memory known: write, and count what the
 * port's error counters rise by. Figure 0 of the shot is GB/s. 0, or -1 with
 * the shot ended. */
int rdma_flow_run(struct rdma_flow *f);

/* Does the memory hold what was last written? bytes: all of it, as the CPU
 * sees it. */
bool rdma_flow_is_intact(const struct rdma_flow *f, const void *bytes);

#endif
