/* SPDX-License-Identifier: Apache-2.0
 * fabric - healthy facts of a node with RDMA devices. */
#ifndef ASSAY_TESTS_FABRIC_H
#define ASSAY_TESTS_FABRIC_H

#include "lib/facts_fabric.h"
#include "tests/unit/nodes.h"

static inline struct val *fabric_val(struct ib_port *p, int i)
{
	return (struct val *)((char *)p + fabric_counters[i].offset);
}

/* One more device: an adapter for 400 Gb/s with one port, in use. */
static inline struct hca *fabric_add(struct nodes *n, const char *name,
				     const char *board, const char *bus_id)
{
	struct facts_fabric *f = &n->facts.fabric;
	struct hca *h = &f->hca[f->hca_count++];
	struct ib_port *p = &h->port[0];

	snprintf(h->name, sizeof(h->name), "%s", name);
	snprintf(h->board, sizeof(h->board), "%s", board);
	snprintf(h->bus_id, sizeof(h->bus_id), "%s", bus_id);
	strcpy(h->driver, "mlx5_core");
	h->numa_node = -1;
	h->width = h->width_max = h->path_width = h->parent_width_max = 16;
	h->speed_mt = h->speed_max_mt = 32000;
	h->path_speed_mt = h->parent_speed_max_mt = 32000;
	h->port_count = 1;
	p->number = 1;
	p->state = 4;
	p->phys_state = 5;
	p->rate_gbit = 400;
	strcpy(p->layer, "InfiniBand");
	for (int i = 0; i < FABRIC_COUNTERS; i++)
		*fabric_val(p, i) = (struct val){ 0, 0 };
	return h;
}

/* Eight adapters for the GPUs. */
static inline struct nodes *fabric_of_eight(const struct check *c)
{
	struct nodes *n = nodes_new(c);

	n->facts.fabric.gather.end = GATHER_DONE;
	n->facts.fabric.dmabuf = -1;
	for (int i = 0; i < 8; i++) {
		char name[16], bus_id[24];

		snprintf(name, sizeof(name), "mlx5_%d", i);
		snprintf(bus_id, sizeof(bus_id), "0000:%02x:00.0", 16 + i);
		fabric_add(n, name, "MT_0000000838", bus_id);
	}
	return n;
}

static inline void port_down(struct hca *h)
{
	h->port[0].state = 1;
	h->port[0].phys_state = 2;
	h->port[0].rate_gbit = 10;
}

static inline void fabric_remove(struct nodes *n, int i)
{
	struct facts_fabric *f = &n->facts.fabric;

	memmove(&f->hca[i], &f->hca[i + 1],
		(size_t)(--f->hca_count - i) * sizeof(f->hca[0]));
}

#endif
