/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/probing_ports.h"

#include <stdio.h>
#include <string.h>

#include "checks/gather.h"
#include "checks/ib.h"
#include "checks/places.h"
#include "lib/pci_distance.h"

/* ---- which ----------------------------------------------------------------- */

const char *probing_port_unfit(const struct run *r, int place)
{
	const struct hca *h = place_hca(r->facts, place);
	const struct ib_port *p = place_port(r->facts, place);

	if (ib_excluded(r->s->cfg, h, p))
		return "excluded by [check ib_ports]";
	if (!strcmp(h->driver, "efa"))
		return "EFA has no RC queue pairs";
	if (p->state != IB_ACTIVE)
		return "the port is not active";
	if (gather_stuck_at_hca(r->s, h->name))
		return "an earlier worker is stuck in its driver";
	return NULL;
}

const char *probing_ports_none(const struct run *r, char *buf, size_t size)
{
	const char *why;
	char name[PLACE_SIZE];
	int i;

	snprintf(buf, size, "no RDMA device here");
	PLACE_EACH(i, r->facts, PROBE_loopback) {
		why = probing_port_unfit(r, i);
		if (!why)
			return NULL;
		if (i == PROBE_PLACE_PORT(0))
			snprintf(buf, size, "%s: %s",
				 place_name(r->facts, i, name), why);
	}
	return buf;
}

/* Devices that are the kernel's own work have no way to a GPU. */
static bool reaches_gpus(const struct run *r, int place)
{
	return !place_hca(r->facts, place)->no_device_link &&
	       !probing_port_unfit(r, place);
}

bool probing_ports_can(const struct run *r, enum probe probe)
{
	int i;

	if (probe != PROBE_gdr)
		return true;
	PLACE_EACH(i, r->facts, PROBE_loopback)
		if (reaches_gpus(r, i))
			return true;
	return false;
}

/* ---- at once ----------------------------------------------------------------- */

struct layout {
	const struct facts *facts;
	struct crew_plan *plan;
	struct pci_place at[PROBE_PLACES];
};

/* Two devices that have to share a link. Of one without a bridge above it, as
 * in a virtual machine, nothing is known: every other one waits. */
static bool share(const struct layout *l, int a, int b, bool every_other)
{
	const struct pci_place *x = &l->at[a], *y = &l->at[b];

	if (pci_same_slot(x, y))
		return true;
	return x->bridges && y->bridges ? pci_share_link(x, y) : every_other;
}

/* May a and b not be measured at once? */
typedef bool (*collide_f)(const struct layout *l, int a, int b);

/* What the kernel emulates shares the CPUs. */
static bool ports_collide(const struct layout *l, int a, int b)
{
	const struct hca *x = place_hca(l->facts, a);
	const struct hca *y = place_hca(l->facts, b);

	if (x == y || (x->no_device_link && y->no_device_link))
		return true;
	return share(l, a, b, (a ^ b) & 1);
}

static bool gpus_collide(const struct layout *l, int a, int b)
{
	int p = l->plan->gpu_port[a], q = l->plan->gpu_port[b];
	bool every_other = (a ^ b) & 1;

	if (p < 0 || q < 0)
		return false;
	p = PROBE_PLACE_PORT(p);
	q = PROBE_PLACE_PORT(q);
	return place_hca(l->facts, p) == place_hca(l->facts, q) ||
	       share(l, a, b, every_other) || share(l, a, q, every_other) ||
	       share(l, p, b, every_other) || share(l, p, q, every_other);
}

/* By one that goes before the nth. */
static bool is_taken(const struct layout *l, enum probe probe,
		     collide_f collide, int n)
{
	const struct crew_plan *plan = l->plan;
	int place = plan->order[n];
	int i, k;

	for (i = 0; i < n; i++) {
		k = plan->order[i];
		if (place_is_port(k) == probe_is_of_ports(probe) &&
		    plan->chosen[k] && plan->wave[k] == plan->wave[place] &&
		    collide(l, k, place))
			return true;
	}
	return false;
}

/* The first wave that is free for it. Who goes first is in the first one: the
 * time may not be enough for all, and then it is the others' turn the next
 * time. */
static void plan_waves(struct layout *l, enum probe probe, collide_f collide)
{
	struct crew_plan *plan = l->plan;
	int n = l->facts->gpus.count + plan->port_count;
	int i, place;

	for (i = 0; i < n; i++) {
		place = plan->order[i];
		if (place_is_port(place) != probe_is_of_ports(probe))
			continue;
		plan->wave[place] = 0;
		while (plan->chosen[place] && is_taken(l, probe, collide, i))
			plan->wave[place]++;
	}
}

/* ---- through which ------------------------------------------------------------ */

/* Is port a better for a GPU than b: nearer, faster, less used by others? */
static bool is_better(const struct layout *l, int gpu, int a, int b,
		      const int *used)
{
	enum pci_near x = pci_distance(&l->at[gpu], &l->at[a]);
	enum pci_near y = pci_distance(&l->at[gpu], &l->at[b]);
	int fast = place_port(l->facts, a)->rate_gbit;
	int slow = place_port(l->facts, b)->rate_gbit;

	if (x != y)
		return x < y;
	if (fast != slow)
		return fast > slow;
	return used[a - PROBE_GPUS_MAX] < used[b - PROBE_GPUS_MAX];
}

static void plan_gpu_ports(const struct run *r, struct layout *l)
{
	struct crew_plan *plan = l->plan;
	int used[PROBE_PORTS_MAX] = { 0 };
	int i, k, best;

	PLACE_EACH(i, l->facts, PROBE_gdr) {
		best = -1;
		PLACE_EACH(k, l->facts, PROBE_loopback)
			if (reaches_gpus(r, k) &&
			    (best < 0 || is_better(l, i, k, best, used)))
				best = k;
		plan->gpu_port[i] = best < 0 ? -1 : best - PROBE_GPUS_MAX;
		if (best < 0)
			continue;
		plan->gpu_port_near[i] = pci_distance(&l->at[i], &l->at[best]);
		used[best - PROBE_GPUS_MAX]++;
	}
}

void probing_ports_list(const struct run *r, struct crew_plan *plan)
{
	const struct facts *f = r->facts;
	int i;

	plan->fabric = &f->fabric;
	PLACE_EACH(i, f, PROBE_loopback)
		plan->port[plan->port_count++] = (struct crew_port){
			.hca = (int)(place_hca(f, i) - f->fabric.hca),
			.number = place_port(f, i)->number,
		};
}

void probing_ports_plan(const struct run *r, struct crew_plan *plan)
{
	static struct layout l;
	const struct facts *f = r->facts;
	int i;

	memset(&l, 0, sizeof(l));
	l.facts = f;
	l.plan = plan;
	PLACE_EACH(i, f, PROBE_loopback)
		pci_place_read(&r->s->roots, place_hca(f, i)->bus_id,
			       &l.at[i]);
	PLACE_EACH(i, f, PROBE_gdr)
		pci_place_read(&r->s->roots, f->gpus.gpu[i].bus_id, &l.at[i]);
	plan_gpu_ports(r, &l);
	plan_waves(&l, PROBE_loopback, ports_collide);
	plan_waves(&l, PROBE_gdr, gpus_collide);
}

void probing_ports_finish(struct run *r, const struct crew_plan *plan)
{
	struct probe_result *of;
	const char *why;
	int i, p;

	PLACE_EACH(i, r->facts, PROBE_loopback) {
		why = plan->chosen[i] ? NULL : probing_port_unfit(r, i);
		of = probe_results(r->probes, i);
		for (p = 0; why && p < PROBE_COUNT; p++)
			if (probe_is_of_ports((enum probe)p))
				snprintf(of[p].shot[0].why,
					 sizeof(of[p].shot[0].why), "%s", why);
	}
}
