/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/facts_netdev.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "lib/facts_port.h"
#include "lib/pci.h"
#include "lib/scrub.h"

#define NET "sys/class/net"

static bool read_net(const struct roots *r, const char *netdev,
		     const char *file, char buf[64])
{
	return roots_readf(r, buf, 64, NET "/%s/%s", netdev, file) > 0;
}

static void device_net(const struct hca *h, char path[128])
{
	snprintf(path, 128, FABRIC_CLASS "/%s/device/net", h->name);
}

/* ---- the interface of a port ----------------------------------------------- */

struct search {
	const struct roots *roots;
	int port;
	char found[20];
};

/* A device with two ports has an interface for each, counted from 0 in
 * dev_port. Natural order brings "ib0" before its child "ib0.8001". */
static int each_netdev(const char *name, void *arg)
{
	struct search *s = arg;
	uint64_t n;

	if (roots_read_u64(s->roots, &n, NET "/%s/dev_port", name) == 0 &&
	    n + 1 != (uint64_t)s->port)
		return 0;
	scrub_copy(s->found, sizeof(s->found), name);
	return 1;
}

/* ---- bonds ------------------------------------------------------------------ */

static void add_leg(const struct roots *r, struct ib_port *p,
		    const char *netdev)
{
	struct ib_leg *leg = &p->leg[p->leg_count++];
	char path[128], target[512], state[64];
	const char *last;

	scrub_copy(leg->netdev, sizeof(leg->netdev), netdev);
	/* "unknown" is what drivers say that do not keep it. */
	leg->up = !read_net(r, netdev, "operstate", state) ||
		  !strcmp(state, "up") || !strcmp(state, "unknown");
	snprintf(path, sizeof(path), NET "/%s/device", netdev);
	if (roots_readlink(r, path, target, sizeof(target)) < 0)
		return;
	last = strrchr(target, '/');
	if (last && pci_is_address(last + 1))
		scrub_copy(leg->bus_id, sizeof(leg->bus_id), last + 1);
}

/* "ens1f0np0 ens1f1np1" */
static void read_legs(const struct roots *r, struct ib_port *p)
{
	char text[256], *save = NULL;

	if (roots_readf(r, text, sizeof(text), NET "/%s/bonding/slaves",
			p->netdev) <= 0)
		return;
	for (char *w = strtok_r(text, " ", &save);
	     w && p->leg_count < FACTS_LEGS_MAX; w = strtok_r(NULL, " ", &save))
		if (strlen(w) < sizeof(p->leg[0].netdev) && !strchr(w, '/'))
			add_leg(r, p, w);
}

void facts_netdev_of(const struct roots *r, const struct hca *h,
		     struct ib_port *p)
{
	struct search s = { .roots = r, .port = p->number };
	bool roce = !strcmp(p->layer, "Ethernet");
	char path[128], text[64];

	if (roce && roots_readf(r, text, sizeof(text), FABRIC_CLASS
				"/%s/ports/%d/gid_attrs/ndevs/0", h->name,
				p->number) > 0) {
		scrub_copy(p->netdev, sizeof(p->netdev), text);
	} else {
		device_net(h, path);
		roots_each(r, path, each_netdev, &s);
		memcpy(p->netdev, s.found, sizeof(p->netdev));
	}
	if (roce && p->netdev[0] && !strchr(p->netdev, '/'))
		read_legs(r, p);
}

/* ---- switchdev --------------------------------------------------------------- */

struct wires {
	const struct roots *roots;
	int functions;		/* interfaces that stand for one */
	char wire[20];
};

/* "pf0vf3", "c1pf0vf3", "pf0sf88" for a function, "p0" for the wire. */
static int each_wire(const char *name, void *arg)
{
	struct wires *w = arg;
	char text[64];
	const char *s = text;

	if (!read_net(w->roots, name, "phys_port_name", text))
		return 0;
	if (*s == 'c')
		for (s++; isdigit((unsigned char)*s); s++)
			;
	if (!strncmp(s, "pf", 2))
		w->functions++;
	else if (*s == 'p' && isdigit((unsigned char)s[1]))
		scrub_copy(w->wire, sizeof(w->wire), name);
	return 0;
}

static void read_wire(const struct roots *r, struct ib_port *p)
{
	char state[64];
	uint64_t mbit;

	p->state = p->phys_state = p->rate_gbit = -1;
	p->rate_text[0] = '\0';
	if (!read_net(r, p->netdev, "operstate", state))
		return;
	if (!strcmp(state, "up")) {
		p->state = 4;
		p->phys_state = 5;
	} else if (!strcmp(state, "down")) {
		p->state = 1;
		p->phys_state = 3;
	}
	if (roots_read_u64(r, &mbit, NET "/%s/speed", p->netdev) == 0 &&
	    mbit >= 1000 && mbit < 1000000000)
		p->rate_gbit = (int)(mbit / 1000);
}

void facts_netdev_switchdev(const struct roots *r, struct hca *h)
{
	struct wires w = { .roots = r };
	struct ib_port *p = &h->port[0];
	char path[128];

	if (h->port_count < 2 || strcmp(p->layer, "Ethernet"))
		return;
	device_net(h, path);
	roots_each(r, path, each_wire, &w);
	if (!w.functions || !w.wire[0])
		return;
	memset(p + 1, 0, (FACTS_PORTS_MAX - 1) * sizeof(*p));
	h->port_count = 1;
	memcpy(p->netdev, w.wire, sizeof(p->netdev));
	read_wire(r, p);
}
