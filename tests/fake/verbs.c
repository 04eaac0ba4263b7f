/* SPDX-License-Identifier: Apache-2.0
 * A stand-in for libibverbs.so.1: devices that write to themselves, by pairs of
 * reliable connections in one process. Bytes really move, completions come at
 * the rate of the scenario, and what is not given back is counted.
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fake/verbs_queue.h"

#undef ibv_query_port
#undef ibv_reg_mr

#define DEVICE_BIT (1ULL << 62) /* of addresses of the fake CUDA */

static struct fake_hca *hca_of(struct ibv_context *c)
{
	return verbs_context_of(c)->hca;
}

/* ---- devices ----------------------------------------------------------- */

static int begin_library(const char *func)
{
	struct scn_device library = scn_library(FAKE_SECTION);
	struct scn_path p = { { func, NULL } };

	scn_begin();
	return scn_at(&library, &p).rc;
}

EXPORT(struct ibv_device **, get_device_list, (int *count))
{
	int rc = begin_library("get_device_list");
	struct ibv_device **list;
	struct fake_hca *all;
	int i, n = 0;

	if (!rc)
		rc = verbs_devices(&all, &n);
	verbs_rc(rc);
	list = rc ? NULL : calloc((size_t)n + 1, sizeof(*list));
	for (i = 0; list && i < n; i++)
		list[i] = &all[i].ib;
	if (count)
		*count = n;
	return list;
}

EXPORT(void, free_device_list, (struct ibv_device * *list))
{
	free(list);
}

EXPORT(const char *, get_device_name, (struct ibv_device * d))
{
	return d->name;
}

/* Negative where it is not listed. */
static int port_number(const struct scn_node *port, const char *key, int other)
{
	struct scn_node n = scn_step(port, key);

	return scn_json(&n) ? (int)scn_int(&n) : other;
}

static enum ibv_mtu mtu_code(int bytes)
{
	int code = IBV_MTU_256;

	while (code < IBV_MTU_4096 && 128 << code < bytes)
		code++;
	return (enum ibv_mtu)code;
}

static void describe(const struct fake_context *c, const struct scn_node *port,
		     struct ibv_port_attr *a)
{
	struct scn_node layer = scn_step(port, "link_layer");
	struct scn_node pkeys = scn_step(port, "pkeys");
	bool ib = scn_text(&layer) && !strcmp(scn_text(&layer), "InfiniBand");

	a->state = (enum ibv_port_state)port_number(port, "state",
						    IBV_PORT_ACTIVE);
	if (c->is_down)
		a->state = IBV_PORT_DOWN;
	a->link_layer = ib ? IBV_LINK_LAYER_INFINIBAND :
			     IBV_LINK_LAYER_ETHERNET;
	a->active_mtu = a->max_mtu = mtu_code(port_number(port, "mtu", 4096));
	a->lid = (uint16_t)port_number(port, "lid", 0);
	a->flags = port_number(port, "grh", 0) ? IBV_QPF_GRH_REQUIRED : 0;
	a->gid_tbl_len = 16;
	a->pkey_tbl_len = scn_json(&pkeys) ?
				  (uint16_t)json_array_size(scn_json(&pkeys)) :
				  1;
}

int verbs_query(struct ibv_context *ib, uint8_t number,
		 struct ibv_port_attr *attr, size_t size)
{
	struct fake_context *c = verbs_context_of(ib);
	int rc = verbs_begin(c->hca, "query_port", NULL);
	struct ibv_port_attr a = { .state = IBV_PORT_NOP };
	struct scn_node port;

	if (!rc && !verbs_port(c->hca, number, &port))
		rc = EINVAL;
	if (rc)
		return verbs_rc(rc);
	describe(c, &port, &a);
	memcpy(attr, &a, size < sizeof(a) ? size : sizeof(a));
	return 0;
}

/* For who was built with an older header: less of it. */
EXPORT(int, query_port, (struct ibv_context * ib, uint8_t number,
			 struct _compat_ibv_port_attr *attr))
{
	return verbs_query(ib, number, (struct ibv_port_attr *)attr,
		     offsetof(struct ibv_port_attr, port_cap_flags2));
}

EXPORT(int, query_pkey, (struct ibv_context * ib, uint8_t number, int index,
			 __be16 *pkey))
{
	struct fake_hca *h = hca_of(ib);
	int rc = verbs_begin(h, "query_pkey", NULL);
	struct scn_node port, pkeys, item;

	if (rc || !verbs_port(h, number, &port))
		return verbs_rc(rc ? rc : EINVAL);
	pkeys = scn_step(&port, "pkeys");
	item = scn_item(&pkeys, (size_t)index);
	*pkey = htons(scn_json(&pkeys) ? (uint16_t)scn_int(&item) : 0xffff);
	return 0;
}

EXPORT(struct ibv_context *, open_device, (struct ibv_device * d))
{
	struct fake_hca *h = (struct fake_hca *)d;
	struct fake_context *c = verbs_new(h, "open_device", VERBS_context,
					sizeof(*c));

	if (!c)
		return NULL;
	c->hca = h;
	if (pipe(c->events) < 0) {
		verbs_drop(c, VERBS_context);
		return NULL;
	}
	c->v.sz = sizeof(c->v);
	c->v.query_port = verbs_query;
	c->v.context.device = d;
	c->v.context.async_fd = c->events[0];
	c->v.context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	c->v.context.ops.poll_cq = verbs_poll_cq;
	c->v.context.ops.post_send = verbs_post_send;
	c->v.context.ops.req_notify_cq = verbs_req_notify_cq;
	return &c->v.context;
}

EXPORT(int, close_device, (struct ibv_context * ib))
{
	struct fake_context *c = verbs_context_of(ib);
	int rc = verbs_begin(c->hca, "close_device", NULL);

	close(c->events[0]);
	close(c->events[1]);
	verbs_drop(c, VERBS_context);
	return verbs_rc(rc);
}

EXPORT(int, get_async_event, (struct ibv_context * ib,
			      struct ibv_async_event *e))
{
	return read(ib->async_fd, e, sizeof(*e)) == sizeof(*e) ? 0 : -1;
}

EXPORT(void, ack_async_event, (struct ibv_async_event * e))
{
	(void)e;
}

/* ---- memory ------------------------------------------------------------ */

EXPORT(struct ibv_pd *, alloc_pd, (struct ibv_context * ib))
{
	struct ibv_pd *pd = verbs_new(hca_of(ib), "alloc_pd", VERBS_pd,
				   sizeof(*pd));

	if (pd)
		pd->context = ib;
	return pd;
}

/* handle counts what was made in it. */
EXPORT(int, dealloc_pd, (struct ibv_pd * pd))
{
	if (pd->handle)
		return verbs_rc(EBUSY);
	verbs_drop(pd, VERBS_pd);
	return 0;
}

/* What the memory is to be, beside its place. */
struct wish {
	uint64_t address;
	size_t size;
	unsigned int access;
};

static struct ibv_mr *make_mr(struct ibv_pd *pd, const char *func,
			      const struct wish *w)
{
	const struct fake_hca *h = hca_of(pd->context);
	bool relaxed = w->access & IBV_ACCESS_RELAXED_ORDERING;
	int rc = relaxed ? verbs_begin(h, "relaxed_ordering", NULL) : 0;
	struct fake_mr *m;

	if (rc) {
		verbs_rc(rc);
		return NULL;
	}
	m = verbs_new(h, func, VERBS_mr, sizeof(*m));
	if (!m)
		return NULL;
	m->ib.context = pd->context;
	m->ib.pd = pd;
	m->ib.length = w->size;
	m->address = w->address;
	m->host = (char *)(uintptr_t)w->address;
	m->relaxed = relaxed;
	pd->handle++;
	verbs_mr_new(m);
	return &m->ib;
}

EXPORT(int, dereg_mr, (struct ibv_mr * ib))
{
	struct fake_mr *m = (struct fake_mr *)ib;

	if (m->mapped)
		munmap(m->host, ib->length);
	ib->pd->handle--;
	verbs_mr_gone(m);
	verbs_drop(m, VERBS_mr);
	return 0;
}

/* Addresses of the fake CUDA are known where the scenario has peermem. */
static struct ibv_mr *register_memory(struct ibv_pd *pd, const struct wish *w)
{
	struct ibv_mr *mr;

	if ((w->address & DEVICE_BIT) &&
	    !(verbs_number(hca_of(pd->context), "peermem", NULL, 0) > 0)) {
		errno = EFAULT;
		return NULL;
	}
	mr = make_mr(pd, "reg_mr", w);
	if (mr)
		((struct fake_mr *)mr)->host =
			(char *)(uintptr_t)(w->address & ~DEVICE_BIT);
	return mr;
}

EXPORT(struct ibv_mr *, reg_mr, (struct ibv_pd * pd, void *p, size_t size,
				 int access))
{
	struct wish w = { (uintptr_t)p, size, (unsigned int)access };

	/* Optional flags are the other call's; this one's the kernel has to
	 * know. */
	if (w.access & IBV_ACCESS_OPTIONAL_RANGE) {
		errno = EINVAL;
		return NULL;
	}
	return register_memory(pd, &w);
}

EXPORT(struct ibv_mr *, reg_mr_iova2, (struct ibv_pd * pd, void *p, size_t size,
				       uint64_t iova, unsigned int access))
{
	struct wish w = { (uintptr_t)p, size, access };

	if (iova != w.address) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	return register_memory(pd, &w);
}

EXPORT(struct ibv_mr *, reg_dmabuf_mr, (struct ibv_pd * pd, uint64_t offset,
					size_t size, uint64_t iova, int fd,
					int access))
{
	struct wish w = { iova, size, (unsigned int)access };
	struct fake_mr *m;
	void *p;

	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		 (off_t)offset);
	if (p == MAP_FAILED)
		return NULL;
	m = (struct fake_mr *)make_mr(pd, "reg_dmabuf_mr", &w);
	if (!m) {
		munmap(p, size);
		return NULL;
	}
	m->host = p;
	m->mapped = true;
	return &m->ib;
}
