/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/facts_fabric.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/pci.h"
#include "lib/scrub.h"

#define CLASS "sys/class/infiniband"

#define X(m) { #m, #m, false, offsetof(struct ib_port, m) },
const struct fabric_counter fabric_counters[FABRIC_COUNTERS] = {
	X(symbol_error)
	X(link_error_recovery)
	X(link_downed)
	X(port_rcv_errors)
	X(port_rcv_remote_physical_errors)
	X(port_xmit_discards)
	X(local_link_integrity_errors)
	X(excessive_buffer_overrun_errors)
	{ "hw_local_ack_timeout_err", "local_ack_timeout_err", true,
	  offsetof(struct ib_port, hw_local_ack_timeout_err) },
	{ "hw_rx_icrc_encapsulated", "rx_icrc_encapsulated", true,
	  offsetof(struct ib_port, hw_rx_icrc_encapsulated) },
};
#undef X

struct look {
	const struct roots *roots;
	const json_t *unreadable;	/* groups not to ask for, may be NULL */
	struct facts_fabric *out;
	struct hca *hca;		/* the one being looked at */
	int broken;		/* errno of a device that could not be listed */
};

static struct val *counter(struct ib_port *p, int i)
{
	return (struct val *)((char *)p + fabric_counters[i].offset);
}

const struct val *fabric_counter_of(const struct ib_port *p, int i)
{
	return (const struct val *)((const char *)p +
				    fabric_counters[i].offset);
}

char *fabric_port_name(const struct hca *h, const struct ib_port *p,
		       char buf[FABRIC_PORT_SIZE])
{
	if (h->port_count > 1)
		snprintf(buf, FABRIC_PORT_SIZE, "%s:%d", h->name, p->number);
	else
		snprintf(buf, FABRIC_PORT_SIZE, "%s", h->name);
	return buf;
}

char *fabric_group(const struct hca *h, const struct ib_port *p, bool hw,
		   char buf[FABRIC_GROUP_SIZE])
{
	snprintf(buf, FABRIC_GROUP_SIZE, "%s:%d:%scounters", h->name,
		 p->number, hw ? "hw_" : "");
	return buf;
}

/* ---- ports ----------------------------------------------------------------- */

static ssize_t read_port(const struct look *l, int port, const char *file,
			 char *buf, size_t size)
{
	return roots_readf(l->roots, buf, size, CLASS "/%s/ports/%d/%s",
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

static int first_name(const char *name, void *arg)
{
	scrub_copy(arg, sizeof(((struct ib_port *)0)->netdev), name);
	return 1;
}

static void read_netdev(const struct look *l, struct ib_port *p)
{
	char path[128], text[64];

	if (read_port(l, p->number, "gid_attrs/ndevs/0", text,
		      sizeof(text)) > 0) {
		scrub_copy(p->netdev, sizeof(p->netdev), text);
		return;
	}
	snprintf(path, sizeof(path), CLASS "/%s/device/net", l->hca->name);
	roots_each(l->roots, path, first_name, p->netdev);
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

static int each_port(const char *name, void *arg)
{
	struct look *l = arg;
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
	if (!strcmp(p->layer, "Ethernet"))
		read_netdev(l, p);
	read_counters(l, p);
	return 0;
}

/* ---- devices --------------------------------------------------------------- */

static bool read_attr(const struct look *l, const char *file, char *buf,
		      size_t size)
{
	char text[128];

	if (roots_readf(l->roots, text, sizeof(text), CLASS "/%s/%s",
			l->hca->name, file) <= 0)
		return false;
	scrub_copy(buf, size, text);
	return true;
}

/* Last part of a link, if it is one. */
static bool read_target(const struct look *l, const char *file, char *buf,
			size_t size)
{
	char path[160], target[512];
	const char *last;

	snprintf(path, sizeof(path), CLASS "/%s/%s", l->hca->name, file);
	if (roots_readlink(l->roots, path, target, sizeof(target)) < 0)
		return false;
	last = strrchr(target, '/');
	scrub_copy(buf, size, last ? last + 1 : target);
	return true;
}

static void read_pci(const struct look *l)
{
	struct hca *h = l->hca;
	struct pci_link own, path;
	char dir[128];
	uint64_t node;

	snprintf(dir, sizeof(dir), CLASS "/%s/device", h->name);
	pci_link_read(l->roots, dir, &own);
	h->width = own.width;
	h->width_max = own.width_max;
	h->speed_mt = own.speed_mt;
	h->speed_max_mt = own.speed_max_mt;
	if (roots_read_u64(l->roots, &node, "%s/numa_node", dir) == 0 &&
	    node < 4096)
		h->numa_node = (int)node;
	read_target(l, "device/driver", h->driver, sizeof(h->driver));
	if (!read_target(l, "device", h->bus_id, sizeof(h->bus_id)))
		return;
	if (!pci_is_address(h->bus_id)) {
		h->bus_id[0] = '\0';
		return;
	}
	pci_path_read(l->roots, h->bus_id, &path);
	h->path_width = path.width;
	h->path_speed_mt = path.speed_mt;
	h->parent_width_max = path.width_max;
	h->parent_speed_max_mt = path.speed_max_mt;
}

static int each_hca(const char *name, void *arg)
{
	struct look *l = arg;
	struct facts_fabric *f = l->out;
	char path[128];

	if (strlen(name) >= sizeof(l->hca->name))
		return 0;
	if (roots_exists(l->roots, CLASS "/%s/device/physfn", name)) {
		f->vf_count++;
		return 0;
	}
	if (f->hca_count >= FACTS_HCAS_MAX)
		return 1;
	l->hca = &f->hca[f->hca_count++];
	scrub_copy(l->hca->name, sizeof(l->hca->name), name);
	l->hca->numa_node = -1;
	if (!read_attr(l, "board_id", l->hca->board, sizeof(l->hca->board)))
		read_attr(l, "hca_type", l->hca->board, sizeof(l->hca->board));
	read_attr(l, "fw_ver", l->hca->fw, sizeof(l->hca->fw));
	l->hca->no_device_link = !roots_exists(l->roots, CLASS "/%s/device",
					       name);
	if (!l->hca->no_device_link)
		read_pci(l);
	snprintf(path, sizeof(path), CLASS "/%s/ports", name);
	/* A device whose ports cannot be told is not one without ports: it would
	 * count as gone. */
	if (roots_each(l->roots, path, each_port, l) < 0 && errno != ENOENT &&
	    errno != ENOTDIR)
		l->broken = errno;
	return 0;
}

/* ---- GPUDirect --------------------------------------------------------------- */

static bool peermem(const struct roots *r)
{
	return roots_exists(r, "sys/module/nvidia_peermem") ||
	       roots_exists(r, "sys/module/nv_peer_mem") ||
	       roots_exists(r, "sys/kernel/mm/memory_peers/nv_mem/version") ||
	       roots_exists(r, "sys/kernel/mm/memory_peers/nv_mem_nc/version");
}

/* The kernel's RDMA core takes DMA-BUFs from 5.12 on, and only the open
 * flavour of the GPU driver hands them out. Distributions carried the former
 * back to older kernels, so there nothing can be said. */
static int dmabuf(const struct roots *r)
{
	char text[512];
	int major, minor;

	if (roots_read(r, "proc/driver/nvidia/version", text,
		       sizeof(text)) <= 0)
		return -1;
	if (!strstr(text, "Open Kernel Module"))
		return 0;
	if (roots_read(r, "proc/sys/kernel/osrelease", text,
		       sizeof(text)) <= 0 ||
	    sscanf(text, "%d.%d", &major, &minor) != 2)
		return -1;
	return major > 5 || (major == 5 && minor >= 12) ? 1 : -1;
}

/* ---- ACS ------------------------------------------------------------------- */

#define BRIDGES_MAX 64

struct bridges {
	const struct roots *roots;
	int count;
	char addr[BRIDGES_MAX][PCI_ADDR_SIZE];
};

static void add_bridges(struct bridges *b, const char *device)
{
	char parents[PCI_PARENTS_MAX][PCI_ADDR_SIZE];
	int n = pci_parents(b->roots, device, parents);

	for (int i = 0; i < n; i++) {
		int k = 0;

		while (k < b->count && strcmp(b->addr[k], parents[i]))
			k++;
		if (k < b->count || k == BRIDGES_MAX)
			continue;
		memcpy(b->addr[b->count++], parents[i], PCI_ADDR_SIZE);
	}
}

static int each_gpu(const char *name, void *arg)
{
	add_bridges(arg, name);
	return 0;
}

static void gather_acs(const struct roots *r, struct facts_fabric *out)
{
	struct bridges b = { .roots = r };

	roots_each(r, "proc/driver/nvidia/gpus", each_gpu, &b);
	for (int i = 0; i < out->hca_count; i++)
		add_bridges(&b, out->hca[i].bus_id);
	for (int i = 0; i < b.count; i++) {
		int on = pci_acs_redirects(r, b.addr[i]);

		if (on < 0) {
			out->acs_bridges = -1;
			return;
		}
		if (on && !out->acs_bridges++)
			scrub_copy(out->acs_bridge, sizeof(out->acs_bridge),
				   b.addr[i]);
	}
}

/* ---- all of it ---------------------------------------------------------------- */

static const json_t *unreadable_of(const struct roots *r, const json_t *memory)
{
	const char *boot = json_string_value(json_object_get(memory, "boot"));
	char now[64];

	if (!boot || roots_read(r, "proc/sys/kernel/random/boot_id", now,
				sizeof(now)) < 0 || strcmp(boot, now))
		return NULL;
	return json_object_get(memory, "unreadable");
}

static int gather_hcas(struct look *l)
{
	struct gather *g = &l->out->gather;

	if (roots_each(l->roots, CLASS, each_hca, l) < 0 && errno != ENOENT &&
	    errno != ENOTDIR)
		l->broken = errno;
	if (!l->broken)
		return 0;
	errno = l->broken;
	g->end = GATHER_ERROR;
	snprintf(g->why, sizeof(g->why), "read /" CLASS ": %s",
		 strerror(errno));
	return -1;
}

int facts_fabric_gather(const struct roots *r, const json_t *memory,
			struct facts_fabric *out)
{
	struct look l = { .roots = r, .out = out };
	int64_t started = clock_mono_us();

	memset(out, 0, sizeof(*out));
	l.unreadable = unreadable_of(r, memory);
	if (gather_hcas(&l) < 0)
		return -1;
	out->module_peermem = peermem(r);
	out->dmabuf = dmabuf(r);
	gather_acs(r, out);
	out->gather.end = GATHER_DONE;
	out->gather.elapsed_us = clock_mono_us() - started;
	return 0;
}
