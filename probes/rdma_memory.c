/* SPDX-License-Identifier: Apache-2.0
 * rdma_memory - how memory is made known to a device. */
#include "config.h"
#include "probes/rdma_link.h"

#include <errno.h>

#define ACCESS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)

static bool takes_flags(const struct rdma_link *l, const struct rdma_piece *m)
{
	return m->dmabuf >= 0 || l->port->verbs.reg_mr_iova2;
}

/* The oldest of the three would have the kernel refuse a flag that is new to
 * it. */
static struct ibv_mr *ask(const struct rdma_link *l, const struct rdma_piece *m,
			  unsigned int access)
{
	struct devlibs_verbs *v = &l->port->verbs;
	void *at = (void *)(uintptr_t)m->address;

	errno = 0;
	if (m->dmabuf >= 0)
		return v->reg_dmabuf_mr(l->pd, 0, m->size, m->address,
					m->dmabuf, (int)access);
	if (v->reg_mr_iova2)
		return v->reg_mr_iova2(l->pd, at, m->size, m->address, access);
	return v->reg_mr(l->pd, at, m->size, (int)access);
}

bool rdma_is_limit(int code)
{
	return code == ENOMEM || code == EAGAIN;
}

/* Users' libraries ask for relaxed ordering, and some hosts need it to be
 * fast. Who does not know it may pass over it, or refuse the memory for it. */
bool rdma_link_register(struct rdma_link *l, const struct rdma_piece *m)
{
	bool relaxed = takes_flags(l, m);
	int code;

	if (m->dmabuf >= 0)
		RDMA_ENTER(l->port, reg_dmabuf_mr);
	else
		RDMA_ENTER(l->port, reg_mr);
	if (relaxed)
		l->mr = ask(l, m, ACCESS | IBV_ACCESS_RELAXED_ORDERING);
	if (!l->mr && !(relaxed && rdma_is_limit(errno))) {
		relaxed = false;
		l->mr = ask(l, m, ACCESS);
	}
	code = errno;
	if (l->mr)
		l->how->relaxed = relaxed;
	rdma_leave(l->port);
	errno = code;
	return l->mr;
}

int rdma_link_memory(struct rdma_link *l, void *bytes, size_t size)
{
	struct rdma_piece m = { .address = (uintptr_t)bytes, .size = size,
				.dmabuf = -1 };

	if (!rdma_link_register(l, &m))
		return rdma_failed(l->port, l->shot, devlibs_verbs_names.reg_mr,
				   errno);
	return 0;
}
