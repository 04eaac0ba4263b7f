/* SPDX-License-Identifier: Apache-2.0
 * The ports and devices that are here, and the memory of them. */
#include "config.h"
#include "checks/ib_look.h"

#include <stdio.h>
#include <string.h>

#include "checks/node.h"

/* A place on the bus outlasts a name, which the kernel gives by counting and
 * udev changes; the board is there because another one may be plugged in. */
static const char *memory_key(const struct hca *h, const struct ib_port *p,
			      char buf[96])
{
	snprintf(buf, 96, "%s:%d %s", h->bus_id[0] ? h->bus_id : h->name,
		 p->number, h->board);
	return buf;
}

bool ib_look_up(const struct ib_seen *p)
{
	return p->p->state == IB_ACTIVE;
}

bool ib_look_waiting(const struct ib_seen *p)
{
	return p->p->state == IB_INIT || p->p->state == IB_ARMED;
}

bool ib_look_in_use(const struct ib_look *l, const struct ib_seen *p)
{
	return ib_look_up(p) || p->best >= 0 ||
	       (p->p->number == 1 &&
		!ib_is_second(&l->env->facts->fabric, p->h));
}

bool ib_look_same_kind(const struct ib_seen *a, const struct ib_seen *b)
{
	return ib_equal(a->h, b->h) && !strcmp(a->p->layer, b->p->layer);
}

/* A port that is down may show no subnet of its own. */
bool ib_look_same_fabric(const struct ib_seen *a, const struct ib_seen *b)
{
	return ib_look_same_kind(a, b) &&
	       (!ib_look_up(a) || !ib_look_up(b) || !a->p->subnet ||
		!b->p->subnet || a->p->subnet == b->p->subnet);
}

/* ---- collect -------------------------------------------------------------- */

static void add_port(struct ib_look *l, const struct hca *h,
		     const struct ib_port *p)
{
	struct ib_seen *port = &l->port[l->count];
	const json_t *best;
	char key[96];

	if (p->state < 0 || ib_excluded(l->env->cfg, h, p))
		return;
	l->count++;
	port->h = h;
	port->p = p;
	fabric_port_name(h, p, port->name);
	best = json_object_get(ib_recall(l->env, "ports"),
			       memory_key(h, p, key));
	port->best = json_is_integer(best) ? json_integer_value(best) : -1;
}

static bool reaches(const struct ib_look *l, const struct ib_seen *p)
{
	return p->best >= l->expected_gbit ||
	       (ib_look_up(p) && p->p->rate_gbit >= l->expected_gbit);
}

static bool kind_reaches(const struct ib_look *l, const struct ib_seen *p)
{
	for (int i = 0; i < l->count; i++)
		if (l->port[i].counts && reaches(l, &l->port[i]) &&
		    ib_look_same_fabric(&l->port[i], p))
			return true;
	return false;
}

/* Where a rate is expected and some have it, kinds that never had it are not
 * meant: a port of the main board, one for storage. */
static void drop_slower_kinds(struct ib_look *l)
{
	bool meant[IB_PORTS_MAX];
	int any = 0;

	if (!l->expected_gbit)
		return;
	for (int i = 0; i < l->count; i++) {
		meant[i] = kind_reaches(l, &l->port[i]);
		any += l->port[i].counts && meant[i];
	}
	for (int i = 0; any && i < l->count; i++)
		l->port[i].counts &= meant[i];
}

void ib_look_collect(struct ib_look *l)
{
	const struct facts_fabric *f = &l->env->facts->fabric;
	bool ib = false;

	for (int i = 0; i < f->hca_count; i++)
		for (int k = 0; k < f->hca[i].port_count; k++)
			add_port(l, &f->hca[i], &f->hca[i].port[k]);
	for (int i = 0; i < l->count; i++)
		ib |= !strcmp(l->port[i].p->layer, "InfiniBand");
	for (int i = 0; i < l->count; i++)
		l->port[i].counts = !ib || !strcmp(l->port[i].p->layer,
						   "InfiniBand");
	drop_slower_kinds(l);
	for (int i = 0; i < l->count; i++) {
		l->counting += l->port[i].counts;
		l->active += l->port[i].counts && ib_look_up(&l->port[i]);
	}
}

/* ---- devices -------------------------------------------------------------- */

static bool same_device(const json_t *a, const json_t *b)
{
	const char *at = json_string_value(json_object_get(a, "at"));
	const char *key = at && at[0] ? "at" : "name";
	const json_t *id = json_object_get(a, key);

	return id && json_equal(id, json_object_get(b, key)) &&
	       json_equal(json_object_get(a, "board"),
			  json_object_get(b, "board"));
}

const json_t *ib_look_find(const json_t *devices, const json_t *device)
{
	const json_t *v;
	size_t i;

	json_array_foreach(devices, i, v)
		if (same_device(device, v))
			return v;
	return NULL;
}

static json_t *device_at(const struct hca *h, const char *bus_id)
{
	return json_pack("{s:s s:s s:s}", "name", h->name, "at", bus_id,
			 "board", h->board);
}

static void add_device(const struct ib_look *l, json_t *devices,
		       const struct hca *h)
{
	json_t *d = device_at(h, h->bus_id);
	const json_t *old = ib_look_find(ib_recall(l->env, "devices"), d);
	bool used = json_is_true(json_object_get(old, "used"));
	bool counts = json_is_true(json_object_get(old, "counts"));

	for (int i = 0; i < l->count; i++)
		if (l->port[i].h == h) {
			used |= ib_look_up(&l->port[i]);
			counts |= l->port[i].counts;
		}
	json_object_set_new(d, "used", json_boolean(used));
	json_object_set_new(d, "counts", json_boolean(counts));
	json_array_append_new(devices, d);
}

/* What was a device of its own and is now a part of a bond is not gone. */
static void add_legs(const struct ib_look *l, json_t *devices,
		     const struct hca *h)
{
	const struct ib_port *p = &h->port[0];

	for (int i = 0; i < p->leg_count; i++) {
		json_t *d = device_at(h, p->leg[i].bus_id);
		const json_t *old = ib_look_find(ib_recall(l->env, "devices"),
						 d);

		if (p->leg[i].bus_id[0] && old &&
		    !ib_at(&l->env->facts->fabric, p->leg[i].bus_id))
			json_array_append(devices, (json_t *)(uintptr_t)old);
		json_decref(d);
	}
}

json_t *ib_look_devices(const struct ib_look *l)
{
	const struct facts_fabric *f = &l->env->facts->fabric;
	json_t *devices = json_array();

	for (int i = 0; i < f->hca_count; i++) {
		if (f->hca[i].no_device_link)
			continue;
		add_device(l, devices, &f->hca[i]);
		add_legs(l, devices, &f->hca[i]);
	}
	return devices;
}

/* ---- memory ---------------------------------------------------------------- */

/* {"devices": [{"name", "at": PCI address, "board", "used": was it ever up,
 * "counts": towards what is expected}], "ports": {KEY: best rate}} */

static json_t *best_rates(const struct ib_look *l)
{
	json_t *ports = json_object();
	const json_t *old = ib_recall(l->env, "ports");

	if (json_is_object(old) && json_object_size(old) < IB_PORTS_MAX)
		json_object_update(ports, (json_t *)(uintptr_t)old);
	for (int i = 0; i < l->count; i++) {
		const struct ib_seen *p = &l->port[i];
		int64_t best = p->best;
		char key[96];

		if (ib_look_up(p) && p->p->rate_gbit > best)
			best = p->p->rate_gbit;
		if (ib_look_up(p) && best < 0)
			best = 0;
		if (best >= 0)
			json_object_set_new(ports, memory_key(p->h, p->p, key),
					    json_integer(best));
	}
	return ports;
}

void ib_look_remember(struct ib_look *l, json_t *now)
{
	const json_t *before = ib_recall(l->env, "devices");
	const json_t *keep = json_array_size(now) < json_array_size(before) ?
		before : now;
	json_t *m = json_pack("{s:O s:o}", "devices", keep, "ports",
			      best_rates(l));

	if (json_equal(m, l->env->memory))
		json_decref(m);
	else
		l->r->memory = m;
}

