/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/facts_fabric.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/facts_port.h"
#include "lib/pci.h"
#include "lib/scrub.h"

#define CLASS FABRIC_CLASS

/* ---- counters and names ---------------------------------------------------- */

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

struct look {
	const struct roots *roots;
	const json_t *unreadable;	/* groups not to ask for, may be NULL */
	struct facts_fabric *out;
	struct hca *hca;		/* the one being looked at */
	int broken;		/* errno of a device that could not be listed */
};

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

/* "14e4:1760 14e4:d125": maker, chip, and the same of the board. */
static bool read_ids(const struct look *l, char *buf, size_t size)
{
	static const char *const files[] = { "vendor", "device",
					     "subsystem_vendor",
					     "subsystem_device" };
	char path[40], id[4][16] = { "" };

	for (int i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "device/%s", files[i]);
		if (!read_attr(l, path, id[i], sizeof(id[i])) && i < 2)
			return false;
	}
	snprintf(buf, size, "%.4s:%.4s %.4s:%.4s", id[0] + 2, id[1] + 2,
		 id[2][0] ? id[2] + 2 : "", id[3][0] ? id[3] + 2 : "");
	return true;
}

/* What hca_type says is a family's name with some makers: it is no board. */
static void read_board(const struct look *l)
{
	struct hca *h = l->hca;

	if (!read_attr(l, "board_id", h->board, sizeof(h->board)) &&
	    (h->no_device_link ||
	     !read_ids(l, h->board, sizeof(h->board))))
		read_attr(l, "hca_type", h->board, sizeof(h->board));
}

/* A share of a device that is listed itself: an SR-IOV function, or a
 * subfunction. They come and go, and are up when somebody uses them. */
static bool is_part(const struct roots *r, const char *name)
{
	return roots_exists(r, CLASS "/%s/device/physfn", name) ||
	       roots_exists(r, CLASS "/%s/device/sfnum", name);
}

/* Nothing but software? Some kernels let rxe point to the adapter below, but
 * it tells that interface as its parent. */
static bool is_soft(const struct roots *r, const char *name)
{
	return !roots_exists(r, CLASS "/%s/device", name) ||
	       roots_exists(r, CLASS "/%s/parent", name);
}

static int each_hca(const char *name, void *arg)
{
	struct look *l = arg;
	struct facts_fabric *f = l->out;
	struct hca *h = &f->hca[f->hca_count];

	/* What cannot be told is our trouble, not a device less. */
	if (strlen(name) >= sizeof(h->name)) {
		l->broken = ENAMETOOLONG;
		return 0;
	}
	if (is_part(l->roots, name)) {
		f->part_count++;
		return 0;
	}
	if (f->hca_count >= FACTS_HCAS_MAX)
		return 1;
	f->hca_count++;
	l->hca = h;
	scrub_copy(h->name, sizeof(h->name), name);
	h->numa_node = -1;
	h->no_device_link = is_soft(l->roots, name);
	read_board(l);
	read_attr(l, "fw_ver", h->fw, sizeof(h->fw));
	if (!h->no_device_link)
		read_pci(l);
	/* Neither is one whose ports cannot be listed one without ports. */
	if (facts_port_gather(l->roots, l->unreadable, h) < 0)
		l->broken = errno;
	return 0;
}

/* A port of several planes can have a second device, made for its subnet
 * management, on the same PCI function: with a port for each plane. */
static bool is_planes(const struct facts_fabric *f, const struct hca *h)
{
	if (!h->bus_id[0] || strcmp(h->port[0].layer, "InfiniBand"))
		return false;
	for (int i = 0; i < f->hca_count; i++)
		if (!strcmp(f->hca[i].bus_id, h->bus_id) &&
		    !strcmp(f->hca[i].board, h->board) &&
		    f->hca[i].port_count < h->port_count)
			return true;
	return false;
}

static void drop_planes(struct facts_fabric *f)
{
	for (int i = f->hca_count - 1; i >= 0; i--) {
		if (!is_planes(f, &f->hca[i]))
			continue;
		memmove(&f->hca[i], &f->hca[i + 1],
			(size_t)(--f->hca_count - i) * sizeof(f->hca[0]));
		memset(&f->hca[f->hca_count], 0, sizeof(f->hca[0]));
		f->part_count++;
	}
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

/* ---- what is between a GPU and an HCA ---------------------------------------- */

#define BRIDGES_MAX 64

struct bridges {
	const struct roots *roots;
	int iommu;
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

/* One whose DMA is translated is enough. A device that is in no group is behind
 * no IOMMU that is on. */
static void look_at_iommu(struct bridges *b, const char *device)
{
	char type[32];

	if (!pci_is_address(device) ||
	    !roots_exists(b->roots, "sys/bus/pci/devices/%s", device))
		return;
	if (b->iommu < 0)
		b->iommu = 0;
	if (roots_readf(b->roots, type, sizeof(type),
			"sys/bus/pci/devices/%s/iommu_group/type", device) > 0)
		b->iommu |= !strncmp(type, "DMA", 3);
}

static int each_device(const char *name, void *arg)
{
	add_bridges(arg, name);
	look_at_iommu(arg, name);
	return 0;
}

static void gather_between(const struct roots *r, struct facts_fabric *out)
{
	struct bridges b = { .roots = r, .iommu = -1 };

	roots_each(r, "proc/driver/nvidia/gpus", each_device, &b);
	for (int i = 0; i < out->hca_count; i++)
		each_device(out->hca[i].bus_id, &b);
	out->iommu = b.iommu;
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
	drop_planes(out);
	out->module_peermem = peermem(r);
	out->dmabuf = dmabuf(r);
	gather_between(r, out);
	out->gather.end = GATHER_DONE;
	out->gather.elapsed_us = clock_mono_us() - started;
	return 0;
}
