/* SPDX-License-Identifier: Apache-2.0
 * What the judges of fabric facts share. */
#include "config.h"
#include "checks/ib.h"

#include <stdio.h>
#include <string.h>

#include "lib/facts_fabric.h"

static bool listed(const struct cfg *cfg, const char *word)
{
	return word[0] && cfg_list_has(cfg, "check ib_ports", "exclude", word);
}

bool ib_excluded(const struct cfg *cfg, const struct hca *h,
		 const struct ib_port *port)
{
	char name[FABRIC_PORT_SIZE];

	if (listed(cfg, h->name))
		return true;
	if (!port)
		return false;
	snprintf(name, sizeof(name), "%s:%d", h->name, port->number);
	return listed(cfg, name) || listed(cfg, port->netdev);
}

bool ib_equal(const struct hca *a, const struct hca *b)
{
	return !strcmp(a->board, b->board) &&
	       a->no_device_link == b->no_device_link;
}

const struct hca *ib_at(const struct facts_fabric *f, const char *bus_id)
{
	for (int i = 0; i < f->hca_count; i++)
		if (!strcmp(f->hca[i].bus_id, bus_id))
			return &f->hca[i];
	return NULL;
}

bool ib_is_second(const struct facts_fabric *f, const struct hca *h)
{
	const char *dot = strrchr(h->bus_id, '.');
	char first[sizeof(h->bus_id) + 2];

	if (!dot || !strcmp(dot, ".0"))
		return false;
	snprintf(first, sizeof(first), "%.*s.0", (int)(dot - h->bus_id),
		 h->bus_id);
	return ib_at(f, first);
}

const json_t *ib_recall(const struct check_env *env, const char *key)
{
	return json_object_get(env->memory, key);
}
