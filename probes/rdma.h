/* SPDX-License-Identifier: Apache-2.0
 * rdma - one port of an RDMA device as a probe's worker sees it.
 *
 * Everything here happens in a worker and may hang; the parent reads in the
 * shared page which call did. Nothing is linked: libibverbs is loaded when a
 * port is opened. A build without its header has the same functions, which
 * say that they can do nothing.
 */
#ifndef ASSAY_PROBES_RDMA_H
#define ASSAY_PROBES_RDMA_H

#include "probes/device.h"
#include "probes/measure.h"

struct rdma_port {
	/* Set before rdma_open(). */
	struct probe_progress *progress; /* never NULL */
	/* Set before each measurement: clock_mono_ms() at which nobody waits
	 * for it any more. */
	int64_t until_ms;
	/* Set by rdma_open(). */
	const struct crew_plan *plan;
	const struct hca *hca;	/* what the facts say of the device */
	int number;		/* of the port */
	struct devlibs_verbs verbs;
	struct ibv_context *context;
};

/* Load libibverbs and open the device of a port of the plan. 0, or -1 with the
 * shot ended; then there is nothing to close. */
int rdma_open(struct rdma_port *p, const struct crew_plan *plan, int port,
	      struct probe_shot *shot);
void rdma_close(struct rdma_port *p);

/* On one port that is open. out: its results, for what is more than a
 * figure; n: 0 the first shot, 1 the repeat. shot is begun with
 * measure_begin(NULL, shot). */
typedef void (*measure_port_f)(struct rdma_port *p, struct port_probes *out,
			       struct probe_shot *shot, int n);

void measure_loopback(struct rdma_port *p, struct port_probes *out,
		      struct probe_shot *shot, int n);
void measure_latency(struct rdma_port *p, struct port_probes *out,
		     struct probe_shot *shot, int n);

/* On one GPU, through the port g->port of the plan, which it opens itself. */
void measure_gdr(struct probe_device *d, struct gpu_probes *g,
		 struct probe_shot *shot, int n);

#endif
