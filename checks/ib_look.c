/* SPDX-License-Identifier: Apache-2.0
 * The ports and devices that are here, and the memory of them. */
#include "config.h"
#include "checks/ib_look.h"

#include <stdio.h>
#include <string.h>

#include "checks/node.h"

/* Names alone move from board to board when one is added. */
static const char *memory_key(const struct hca *h, const char *name,
			      char buf[96])
{
	snprintf(buf, 96, "%s %s", name, h->board);
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

bool ib_look_same_kind(const struct ib_seen *a, const struct ib_seen *b)
{
	return ib_equal(a->h, b->h) && !strcmp(a->p->layer, b->p->layer);
}

/* ---- collect -------------------------------------------------------------- */

static void add_port(struct ib_look *l, const struct hca *h,
		     const struct ib_port *p)
{
	struct ib_seen *port = &l->port[l->count];
	const json_t *best;
	char key[96];

	if (p->state < 0 || ib_excluded(l->env, h, p))
		return;
	l->count++;
	port->h = h;
	port->p = p;
	ib_name(h, p, port->name);
	best = json_object_get(ib_recall(l->env, "ports"),
			       memory_key(h, port->name, key));
	port->best = json_is_integer(best) ? json_integer_value(best) : -1;
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
	for (int i = 0; i < l->count; i++) {
		struct ib_seen *p = &l->port[i];

		p->counts = !ib || !strcmp(p->p->layer, "InfiniBand");
		l->active += p->counts && ib_look_up(p);
	}
}

/* ---- devices -------------------------------------------------------------- */

json_t *ib_look_devices(const struct ib_look *l)
{
	const struct facts_fabric *f = &l->env->facts->fabric;
	json_t *names = json_array();
	char key[96];

	for (int i = 0; i < f->hca_count; i++)
		if (!f->hca[i].no_device_link)
			json_array_append_new(names, json_string(
				memory_key(&f->hca[i], f->hca[i].name, key)));
	return names;
}

/* ---- memory: {"devices": [KEY], "ports": {KEY: best rate}} ----------------- */

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
		if (best >= 0)
			json_object_set_new(ports, memory_key(p->h, p->name,
							      key),
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

