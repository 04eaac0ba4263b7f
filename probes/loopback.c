/* SPDX-License-Identifier: Apache-2.0
 * loopback - a port writes into the host's memory, by way of itself: out of
 * memory and back into it over the device's PCIe link, at the rate of the port.
 * Cables and switches have no part in it. */
#include "config.h"
#include "probes/rdma_flow.h"

#include "probes/pinned.h"

#define SEED 4200u

static void check(struct rdma_flow *f, const struct pinned *memory)
{
	f->link.shot->corrupt = !rdma_flow_is_intact(f, memory->bytes);
}

void measure_loopback(struct rdma_port *p, struct port_probes *out,
		      struct probe_shot *shot, int n)
{
	struct rdma_flow f = { .link = { .port = p, .shot = shot },
			       .how = &out->loopback[n] };
	struct pinned memory = { .bytes = NULL };

	rdma_shot_begin(f.how);
	if (rdma_link_open(&f.link, f.how, RDMA_PAIRS, RDMA_DEPTH) < 0 ||
	    pinned_map(&memory, rdma_numa(p), shot, RDMA_FLOW_SIZE) < 0)
		goto out;
	pinned_fill(&memory, SEED + (unsigned int)n);
	f.base = (uintptr_t)memory.bytes;
	if (rdma_link_memory(&f.link, memory.bytes, memory.size) == 0 &&
	    rdma_flow_run(&f) == 0)
		check(&f, &memory);
out:
	rdma_link_close(&f.link);
	pinned_unmap(&memory);
}
