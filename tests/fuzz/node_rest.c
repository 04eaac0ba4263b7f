/* SPDX-License-Identifier: Apache-2.0
 * HCAs, host and storage of a random healthy node. Host and storage only ever
 * warn, so their values may be anything at all. */
#include "config.h"
#include "tests/fuzz/node.h"

#include <stdio.h>
#include <string.h>
#include <sys/timex.h>

static void make_counters(struct ib_port *p, struct rng *r)
{
	static const int rcs[] = { VAL_NO_FILE, 22, 13, VAL_UNASKED };

#define X(m) \
	p->m = rng_chance(r, 80) ? (struct val){ .v = rng_counter(r) } \
				 : (struct val){ .rc = rcs[rng_below(r, 4)] };
	FACTS_PORT_COUNTERS(X)
#undef X
}

static void make_port(struct ib_port *p, bool ib, int rate, struct rng *r)
{
	p->number = 1;
	p->state = 4;
	p->phys_state = 5;
	p->rate_gbit = rate;
	snprintf(p->rate_text, sizeof(p->rate_text), "%d Gb/sec (4X NDR)", rate);
	snprintf(p->layer, sizeof(p->layer), ib ? "InfiniBand" : "Ethernet");
	if (ib)
		p->subnet = rng_chance(r, 80) ? 0xfe80000000000000u : 0;
	else
		snprintf(p->netdev, sizeof(p->netdev), "eth%d", rng_below(r, 9));
	make_counters(p, r);
}

/* A bond of two, both of them up. */
void node_bond_port(struct ib_port *p, int i)
{
	snprintf(p->layer, sizeof(p->layer), "Ethernet");
	snprintf(p->netdev, sizeof(p->netdev), "bond%d", i);
	p->leg_count = 2;
	for (int k = 0; k < 2; k++) {
		snprintf(p->leg[k].netdev, sizeof(p->leg[k].netdev), "ens%df%d",
			 i, k);
		snprintf(p->leg[k].bus_id, sizeof(p->leg[k].bus_id),
			 "0000:%02x:00.%d", 128 + i, k);
		p->leg[k].up = true;
	}
}

static void make_hca(struct hca *h, int i, int rate, int slot, bool ib,
		     struct rng *r)
{
	snprintf(h->name, sizeof(h->name), "mlx5_%d", i);
	snprintf(h->bus_id, sizeof(h->bus_id), "0000:%02x:00.0", 128 + i);
	snprintf(h->board, sizeof(h->board), "MT_%010d", rate);
	snprintf(h->driver, sizeof(h->driver), "mlx5_core");
	h->numa_node = rng_below(r, 3) - 1;
	h->width = (uint16_t)slot;
	h->width_max = 16;
	h->path_width = h->parent_width_max = (uint16_t)slot;
	h->speed_mt = h->speed_max_mt = 32000;
	h->path_speed_mt = h->parent_speed_max_mt = 32000;
	h->port_count = 1;
	make_port(&h->port[0], ib, rate, r);
}

/* Files that are not there or cannot be read. */
static void obscure_hca(struct hca *h, struct rng *r)
{
	if (rng_chance(r, 10))
		h->width = h->width_max = 0;
	if (rng_chance(r, 10))
		h->path_width = h->parent_width_max = 0;
	if (rng_chance(r, 5)) {
		h->speed_mt = h->speed_max_mt = 0;
		h->path_speed_mt = h->parent_speed_max_mt = 0;
	}
	if (rng_chance(r, 3))
		h->port[0].rate_gbit = -1;
	if (rng_chance(r, 3))
		h->port[0].state = h->port[0].phys_state = -1;
}

void node_new_machine(struct node *n, struct rng *r, bool whole)
{
	static const int rates[] = { 400, 200, 100, 800 };
	struct machine *m = &n->machine;
	int i;

	m->rate = rates[rng_below(r, 4)];
	m->slot = whole || rng_chance(r, 90) ? 16 : 8;
	m->ib = whole || rng_chance(r, 70);
	m->hcas = whole ? 8 : rng_below(r, 11);
	m->speeds = rng_next(r);
	for (i = 0; i < FACTS_HCAS_MAX; i++)
		m->virtual_hca[i] = !whole && rng_chance(r, 3);
}

static void make_fabric(struct facts_fabric *f, const struct machine *m,
			struct rng *r, bool whole)
{
	int i;

	f->gather.end = whole || rng_chance(r, 95) ? GATHER_DONE : GATHER_ERROR;
	f->hca_count = m->hcas;
	for (i = 0; i < f->hca_count; i++) {
		make_hca(&f->hca[i], i, m->rate, m->slot, m->ib, r);
		if (!m->ib && rng_chance(r, 30))
			node_bond_port(&f->hca[i].port[0], i);
		if (!whole)
			obscure_hca(&f->hca[i], r);
		if (m->virtual_hca[i]) {
			f->hca[i].no_device_link = true;
			f->hca[i].bus_id[0] = '\0';
		}
	}
	f->module_peermem = rng_chance(r, 80);
	f->dmabuf = rng_below(r, 3) - 1;
	f->acs_bridges = rng_below(r, 4) - 1;
	f->part_count = rng_below(r, 3);
}

static int64_t anything(struct rng *r)
{
	return rng_chance(r, 20) ? -1 : rng_counter(r);
}

/* Most clocks are right. */
static void make_clock(struct facts_host *h, struct rng *r)
{
	h->clock_rc = rng_chance(r, 50) ? TIME_OK : rng_below(r, 7) - 1;
	h->clock_status = rng_chance(r, 10) ? STA_UNSYNC : STA_PLL;
	h->clock_offset_us = rng_chance(r, 70) ? rng_below(r, 200000) - 100000 :
						 (int64_t)rng_next(r);
	h->clock_maxerror_us = anything(r);
}

/* Most have no process in D from one look to the next. */
static void make_tasks(struct facts_host *h, struct rng *r)
{
	int i;

	h->task_count = rng_chance(r, 95) ? 1 + rng_below(r, 5000) : 0;
	h->tasks_cut = rng_chance(r, 5);
	h->d_count = rng_chance(r, 70) ? 0 : rng_below(r, 20);
	h->z_count = rng_below(r, 200);
	h->stuck_count = h->d_count < FACTS_STUCK_MAX ? h->d_count :
							FACTS_STUCK_MAX;
	for (i = 0; i < h->stuck_count; i++)
		h->stuck[i] = (struct stuck_task){
			.pid = 1 + rng_below(r, 50),
			.start = (uint64_t)rng_below(r, 2),
			.runs = (uint64_t)rng_below(r, 2),
			.comm = "dd",
		};
}

static void make_host(struct facts_host *h, struct rng *r)
{
	h->gather.end = rng_chance(r, 95) ? GATHER_DONE : GATHER_CRASHED;
	h->mem_total_kb = anything(r);
	h->mem_available_kb = anything(r);
	h->swap_total_kb = anything(r);
	h->hugepages_kb = anything(r);
	h->mem_local_kb = anything(r);
	h->edac_ue = anything(r);
	h->edac_ce = anything(r);
	h->cpus_present = rng_below(r, 300) - 1;
	h->cpus_online = rng_below(r, 300) - 1;
	snprintf(h->governor, sizeof(h->governor), "powersave");
	h->governor_mixed = rng_below(r, 3);
	h->base_khz = rng_below(r, 4000000);
	h->limit_khz = rng_below(r, 4000000);
	h->cur_khz = rng_below(r, 4000000);
	h->shm_total.v = rng_counter(r);
	h->shm_avail.v = rng_counter(r);
	make_clock(h, r);
	make_tasks(h, r);
}

static void make_storage(struct facts_storage *s, struct rng *r)
{
	struct mount_fact *m;
	int i;

	s->gather.end = rng_chance(r, 95) ? GATHER_DONE : GATHER_TIMEOUT;
	s->count = rng_below(r, 4);
	for (i = 0; i < s->count; i++) {
		m = &s->mount[i];
		snprintf(m->path, sizeof(m->path), "/mnt/%d", i);
		m->mounted = rng_chance(r, 90);
		m->readonly = rng_chance(r, 10);
		m->answered = rng_chance(r, 90);
		m->hung = !m->answered;
		m->rc = rng_chance(r, 90) ? 0 : 5;
		m->bytes_total = anything(r);
		m->bytes_avail = anything(r);
		m->inodes_total = anything(r);
		m->inodes_free = anything(r);
	}
}

void node_make_rest(struct node *n, struct rng *r, bool whole)
{
	make_fabric(&n->facts.fabric, &n->machine, r, whole);
	make_host(&n->facts.host, r);
	make_storage(&n->facts.storage, r);
}
