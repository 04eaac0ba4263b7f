/* SPDX-License-Identifier: Apache-2.0
 * gdr - a port writes within a GPU's memory, by way of itself and without the
 * host's: GPUDirect RDMA. The memory is made known to the port as a DMA-BUF;
 * where driver, kernel or device cannot, by its address, which takes the module
 * nvidia-peermem. */
#include "config.h"
#include "probes/rdma_flow.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "probes/pinned.h"

#define SEED 6200u

struct gdr {
	struct probe_device *d;
	struct rdma_flow flow;
	struct pinned host;	/* what the GPU's memory shall hold */
	cuda_ptr memory;
	char no_dmabuf[50], no_peermem[40];	/* why not, "" */
	int limit;		/* errno of a limit that one of them met, 0 */
};

/* ---- roads ----------------------------------------------------------------- */

/* A descriptor that stands for the memory, or -1 with the reason. */
static int export_memory(struct gdr *m)
{
	struct devlibs_cuda *c = &m->d->libs->cuda;
	const char *name = NULL;
	int can = 1, fd = -1, rc;

	if (!c->range_handle ||
	    (c->attribute(&can, CUDA_ATTR_DMA_BUF_SUPPORTED, m->d->ordinal) ==
		     CUDA_RC_OK && !can)) {
		snprintf(m->no_dmabuf, sizeof(m->no_dmabuf),
			 "not with this GPU driver");
		return -1;
	}
	device_enter(m->d->libs, devlibs_cuda_names.range_handle);
	rc = c->range_handle(&fd, m->memory, RDMA_FLOW_SIZE,
			     CUDA_RANGE_DMA_BUF_FD, 0);
	device_enter(m->d->libs, "");
	if (rc == CUDA_RC_OK)
		return fd;
	if (c->error_name)
		c->error_name(rc, &name);
	snprintf(m->no_dmabuf, sizeof(m->no_dmabuf), "%.36s (%d)",
		 name ? name : "no handle", rc);
	return -1;
}

/* dmabuf: -1, by its address. The road may be open, but not now: memory that may
 * be locked, or what the cgroup may have. (Before a module is asked at all, that
 * is looked at.) */
static bool make_known(struct gdr *m, int dmabuf)
{
	struct rdma_piece piece = { .address = m->memory,
				    .size = RDMA_FLOW_SIZE,
				    .dmabuf = dmabuf };
	bool known = rdma_link_register(&m->flow.link, &piece);

	if (!known && rdma_is_limit(errno))
		m->limit = errno;
	return known;
}

static bool by_dmabuf(struct gdr *m)
{
	int fd, code;

	if (!m->flow.link.port->verbs.reg_dmabuf_mr) {
		snprintf(m->no_dmabuf, sizeof(m->no_dmabuf),
			 "not with this libibverbs");
		return false;
	}
	fd = export_memory(m);
	if (fd < 0)
		return false;
	code = make_known(m, fd) ? 0 : errno;
	snprintf(m->no_dmabuf, sizeof(m->no_dmabuf), "%s", strerror(code));
	close(fd);
	return code == 0;
}

static bool by_peermem(struct gdr *m)
{
	if (make_known(m, -1))
		return true;
	snprintf(m->no_peermem, sizeof(m->no_peermem), "%s", strerror(errno));
	return false;
}

static int take_road(struct gdr *m)
{
	const char *road = by_dmabuf(m) ? "dmabuf" :
			   by_peermem(m) ? "peermem" : "none";

	if (!m->flow.link.mr && m->limit)
		return rdma_failed(m->flow.link.port, m->flow.link.shot,
				   devlibs_verbs_names.reg_mr, m->limit);
	snprintf(m->flow.how->road, sizeof(m->flow.how->road), "%s", road);
	if (!m->flow.link.mr)
		return device_unable(m->flow.link.shot,
				     "no GPUDirect path: DMA-BUF: %s; peermem: "
				     "%s", m->no_dmabuf, m->no_peermem);
	m->flow.base = m->memory;
	return 0;
}

/* ---- memory ---------------------------------------------------------------- */

static int open_memory(struct gdr *m, int n)
{
	struct probe_device *d = m->d;
	struct probe_shot *shot = m->flow.link.shot;

	if (device_room(d, shot, RDMA_FLOW_SIZE, RDMA_FLOW_SIZE) < 0 ||
	    device_alloc(d, shot, &m->memory, RDMA_FLOW_SIZE) < 0 ||
	    pinned_open(&m->host, d, shot, RDMA_FLOW_SIZE) < 0)
		return -1;
	pinned_fill(&m->host, SEED + (unsigned int)n);
	if (DEVICE_CALL(d->libs, shot, copy_h2d, m->memory, m->host.bytes,
			RDMA_FLOW_SIZE, d->stream) < 0)
		return -1;
	return device_wait(d, shot);
}

/* The sources are still on the host as they went there. */
static void check(struct gdr *m)
{
	struct probe_device *d = m->d;
	struct probe_shot *shot = m->flow.link.shot;

	if (DEVICE_CALL(d->libs, shot, copy_d2h,
			(char *)m->host.bytes + RDMA_SOURCE,
			m->memory + RDMA_SOURCE, RDMA_FLOW_SIZE - RDMA_SOURCE,
			d->stream) < 0 ||
	    device_wait(d, shot) < 0)
		return;
	shot->corrupt = !rdma_flow_is_intact(&m->flow, m->host.bytes);
}

/* ---- all of it ------------------------------------------------------------- */

static void measure(struct gdr *m, int n)
{
	struct rdma_flow *f = &m->flow;

	if (rdma_link_open(&f->link, f->how, RDMA_PAIRS, RDMA_DEPTH) == 0 &&
	    open_memory(m, n) == 0 && take_road(m) == 0 &&
	    rdma_flow_run(f) == 0)
		check(m);
	rdma_link_close(&f->link);
	pinned_close(&m->host, m->d);
	device_free(m->d, &m->memory, RDMA_FLOW_SIZE);
}

void measure_gdr(struct probe_device *d, struct gpu_probes *g,
		 struct probe_shot *shot, int n)
{
	struct rdma_port port = { .progress = d->libs->progress,
				  .until_ms = d->libs->until_ms };
	struct gdr m = { .d = d,
			 .flow = { .link = { .port = &port, .shot = shot },
				   .how = &g->gdr[n] } };

	rdma_shot_begin(m.flow.how);
	if (g->port < 0) {
		device_unable(shot, "no RDMA port is near it");
		return;
	}
	if (rdma_open(&port, d->libs->plan, g->port, shot) < 0)
		return;
	measure(&m, n);
	rdma_close(&port);
}
