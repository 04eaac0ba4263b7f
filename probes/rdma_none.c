/* SPDX-License-Identifier: Apache-2.0
 * A build without libibverbs's header: the probes of RDMA ports say so. */
#include "config.h"
#include "probes/rdma.h"

#define WHY "assay was built without verbs (libibverbs)"

int rdma_open(struct rdma_port *p, const struct crew_plan *plan, int port,
	      struct probe_shot *shot)
{
	(void)p;
	(void)plan;
	(void)port;
	return device_never(shot, WHY);
}

void rdma_close(struct rdma_port *p)
{
	(void)p;
}

void measure_loopback(struct rdma_port *p, struct port_probes *out,
		      struct probe_shot *shot, int n)
{
	(void)p;
	(void)out;
	(void)n;
	device_never(shot, WHY);
}

void measure_latency(struct rdma_port *p, struct port_probes *out,
		     struct probe_shot *shot, int n)
{
	measure_loopback(p, out, shot, n);
}

void measure_gdr(struct probe_device *d, struct gpu_probes *g,
		 struct probe_shot *shot, int n)
{
	(void)d;
	(void)g;
	(void)n;
	device_never(shot, WHY);
}
