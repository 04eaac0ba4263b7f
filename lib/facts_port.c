/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/facts_port.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/facts_fabric.h"
#include "lib/facts_netdev.h"
#include "lib/scrub.h"

struct look {
	const struct roots *roots;
	const json_t *unreadable;
	struct hca *hca;
};

static ssize_t read_port(const struct look *l, int port, const char *file,
			 char *buf, size_t size)
{
	return roots_readf(l->roots, buf, size, FABRIC_CLASS "/%s/ports/%d/%s",
			   l->hca->name, port, file);
}

/* "4: ACTIVE" */
static int read_state(const struct look *l, int port, const char *file)
{
	char text[64];
	int n;

	if (read_port(l, port, file, text, sizeof(text)) < 0 ||
	    sscanf(text, "%d:", &n) != 1 || n < 0)
		return -1;
	return n;
}

/* "400 Gb/sec (4X NDR)" */
static void read_rate(const struct look *l, struct ib_port *p)
{
	char text[64];
	char *end;
	double gbit;

	p->rate_gbit = -1;
	if (read_port(l, p->number, "rate", text, sizeof(text)) < 0)
		return;
	scrub_copy(p->rate_text, sizeof(p->rate_text), text);
	gbit = strtod(text, &end);
	if (end > text && !strncmp(end, " Gb/sec", 7) && gbit > 0 &&
	    gbit < 1000000)
		p->rate_gbit = (int)gbit;
}

/* "fe80:0000:0000:0000:b859:9f03:00d4:0000": its upper half */
static void read_subnet(const struct look *l, struct ib_port *p)
{
	unsigned int g[4];
	char text[64];

	if (read_port(l, p->number, "gids/0", text, sizeof(text)) < 0 ||
	    sscanf(text, "%4x:%4x:%4x:%4x:", &g[0], &g[1], &g[2], &g[3]) != 4)
		return;
	p->subnet = (uint64_t)g[0] << 48 | (uint64_t)g[1] << 32 |
		    (uint64_t)g[2] << 16 | g[3];
}

/* ---- counters -------------------------------------------------------------- */

static struct val *counter(struct ib_port *p, int i)
{
	return (struct val *)((char *)p + fabric_counters[i].offset);
}

static struct val read_counter(const struct look *l, const struct ib_port *p,
			       int i)
{
	const struct fabric_counter *c = &fabric_counters[i];
	unsigned long long n;
	char path[80], text[64], *end;

	snprintf(path, sizeof(path), "%scounters/%s", c->hw ? "hw_" : "",
		 c->file);
	if (read_port(l, p->number, path, text, sizeof(text)) < 0)
		return (struct val){ .rc = errno == ENOENT || errno == ENOTDIR ?
					   VAL_NO_FILE : errno };
	/* "N/A (no PMA)" */
	errno = 0;
	n = strtoull(text, &end, 10);
	if (end == text || *end || errno || n > INT64_MAX)
		return (struct val){ .rc = EINVAL };
	return (struct val){ .v = (int64_t)n };
}

static bool is_unreadable(const struct look *l, const struct ib_port *p,
			  bool hw)
{
	char group[FABRIC_GROUP_SIZE];
	size_t i;
	json_t *v;

	fabric_group(l->hca, p, hw, group);
	json_array_foreach(l->unreadable, i, v)
		if (json_is_string(v) && !strcmp(json_string_value(v), group))
			return true;
	return false;
}

/* The first counter of a group that is refused speaks for the others. */
static void read_counters(const struct look *l, struct ib_port *p)
{
	bool stop[2] = { is_unreadable(l, p, false),
			 is_unreadable(l, p, true) };

	for (int i = 0; i < FABRIC_COUNTERS; i++) {
		struct val *v = counter(p, i);
		bool hw = fabric_counters[i].hw;

		v->rc = VAL_UNASKED;
		if (stop[hw])
			continue;
		*v = read_counter(l, p, i);
		stop[hw] = v->rc > 0;
	}
}

/* ---- all of a port --------------------------------------------------------- */

static int each_port(const char *name, void *arg)
{
	const struct look *l = arg;
	struct hca *h = l->hca;
	struct ib_port *p = &h->port[h->port_count];
	char text[64];

	if (h->port_count >= FACTS_PORTS_MAX)
		return 1;
	p->number = atoi(name);
	if (p->number <= 0)
		return 0;
	h->port_count++;
	p->state = read_state(l, p->number, "state");
	p->phys_state = read_state(l, p->number, "phys_state");
	read_rate(l, p);
	if (read_port(l, p->number, "link_layer", text, sizeof(text)) > 0)
		scrub_copy(p->layer, sizeof(p->layer), text);
	if (!strcmp(p->layer, "InfiniBand"))
		read_subnet(l, p);
	facts_netdev_of(l->roots, h, p);
	read_counters(l, p);
	return 0;
}

int facts_port_gather(const struct roots *r, const json_t *unreadable,
		      struct hca *h)
{
	struct look l = { r, unreadable, h };
	char path[128];

	snprintf(path, sizeof(path), FABRIC_CLASS "/%s/ports", h->name);
	if (roots_each(r, path, each_port, &l) < 0 && errno != ENOENT &&
	    errno != ENOTDIR)
		return -1;
	facts_netdev_switchdev(r, h);
	return 0;
}
