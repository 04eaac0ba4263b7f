/* SPDX-License-Identifier: Apache-2.0
 * What RDMA ports measure on a random healthy node: a rate that the port or its
 * slot gives, times that spread, counters that congestion raises, and errors
 * that do not come back. */
#include "config.h"
#include "tests/fuzz/node_probes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "checks/places.h"
#include "lib/pci_distance.h"

#define LANE 3.94		/* GB/s, of the slots that nodes have here */

static const char *const harmless[] = { "port_xmit_discards", "out_of_sequence",
					"rcvd_rnr_err", "duplicate_request",
					"local_ack_timeout_err" };
static const char *const bad[] = { "symbol_error", "link_downed" };

static void raise(struct rdma_shot *s, const char *counter, struct rng *r)
{
	struct rdma_raised *c;

	if (s->raised_count == RDMA_RAISED_MAX)
		return;
	c = &s->raised[s->raised_count++];
	snprintf(c->counter, sizeof(c->counter), "%s", counter);
	c->by = 1 + rng_below(r, 1000);
}

/* A bad one in one of the shots at most. */
static void make_shots(struct rdma_shot *s, struct rng *r, bool calm)
{
	int i;

	memset(s, 0, PROBE_SHOTS * sizeof(*s));
	for (i = 0; i < PROBE_SHOTS; i++) {
		s[i].qps = s[i].depth = s[i].mtu = s[i].gid_index = -1;
		if (!calm && rng_chance(r, 5))
			raise(&s[i], harmless[rng_below(r, 5)], r);
	}
	if (!calm && rng_chance(r, 3))
		raise(&s[rng_below(r, 2)], bad[rng_below(r, 2)], r);
}

/* The port's, or its slot's; each piece of silicon its own. */
static double speed(const struct node *n, int k)
{
	double most = n->machine.rate / 8.0, slot = n->machine.slot * LANE;

	return fmin(most, slot) * (0.8 + 0.17 * node_fixed(n, 50, 1)) *
	       (1 + 0.02 * (node_fixed(n, 51, (uint32_t)k) - 0.5));
}

static void make_port(const struct node *n, struct rng *r, int k)
{
	double s = speed(n, k) * node_wobble(r, 0.5);
	double us = (1 + 3 * node_fixed(n, 52, 1)) * node_wobble(r, 4);
	double rate[PROBE_FIGURES] = { s, NAN, NAN };
	double time[PROBE_FIGURES] = { us, us * (1 + rng_below(r, 100) / 80.0),
				       NAN };
	struct port_probes *p = &n->probes->port[k];
	int place = PROBE_PLACE_PORT(k);

	memset(p, 0, sizeof(*p));
	p->chosen = place_port(&n->facts, place)->state == 4 &&
		    (n->whole || rng_chance(r, 95));
	node_measure(n, r, place, PROBE_loopback, rate);
	make_shots(p->loopback, r, n->whole);
	if (n->whole || rng_chance(r, 70))
		node_measure(n, r, place, PROBE_latency, time);
	make_shots(p->latency, r, n->whole);
}

/* Some are far from their port, for as long as the machine is. */
static void make_gdr(const struct node *n, struct rng *r, int gpu, int ports)
{
	struct gpu_probes *g = &n->probes->gpu[gpu];
	bool far = !n->whole && node_fixed(n, (uint32_t)gpu, 53) < 0.2;
	double s;

	g->port = ports ? gpu % ports : -1;
	g->port_near = far ? PCI_NEAR_SYS : PCI_NEAR_PIX;
	if (!ports)
		return;
	s = fmin(speed(n, g->port), 0.85 * node_link(n, gpu));
	node_measure(n, r, gpu, PROBE_gdr,
		     (const double[PROBE_FIGURES]){
			     s * (far ? 0.9 : 1) * node_wobble(r, 0.5), NAN,
			     NAN });
	make_shots(g->gdr, r, n->whole);
}

void node_make_ports(const struct node *n, struct rng *r)
{
	int i, ports = 0;

	PLACE_EACH(i, &n->facts, PROBE_loopback)
		make_port(n, r, ports++);
	n->probes->port_count = ports;
	PLACE_EACH(i, &n->facts, PROBE_gdr)
		make_gdr(n, r, i, ports);
}
