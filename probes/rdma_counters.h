/* SPDX-License-Identifier: Apache-2.0
 * rdma_counters - the error counters of a port before and after its own probe.
 *
 * What counts are errors and retries of any kind, by the names that the
 * kernel's drivers give them; not what busy or lossy networks raise without
 * fault (waiting, congestion marks, dropped multicast).
 */
#ifndef ASSAY_PROBES_RDMA_COUNTERS_H
#define ASSAY_PROBES_RDMA_COUNTERS_H

#include "lib/facts.h"
#include "lib/facts_rdma.h"
#include "lib/roots.h"

#define RDMA_COUNTERS_MAX 48

struct rdma_counters {
	int64_t value[RDMA_COUNTERS_MAX];	/* -1 not there */
};

/* Was that group of a port refused when facts were gathered? It is not to be
 * asked again: that fills the kernel log on some adapters. */
bool rdma_counters_refused(const struct hca *h, int number, bool hw);

/* Of port number of h, but for a group that is refused. */
void rdma_counters_read(const struct roots *r, const struct hca *h, int number,
			struct rdma_counters *c);

/* Wait until what is read now was counted after this call: the kernel keeps
 * counters of hw_counters/ for 10 ms, or as long as "lifespan" says. */
void rdma_counters_settle(const struct roots *r, const struct hca *h,
			  int number);

/* Which of them rose, most of all first, into shot->raised. */
void rdma_counters_raised(const struct rdma_counters *before,
			  const struct rdma_counters *after,
			  struct rdma_shot *shot);

#endif
