/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "probes/rdma_link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "lib/clock.h"
#include "probes/crew.h"
#include "probes/gid.h"

/* Until an acknowledgement is asked for again, as a power of two of 4.096 us:
 * 67 ms, or up to four times that. A device in software answers when it gets
 * the CPU, and its clock runs on while answers come: a second, more than the
 * whole measurement. */
#define ACK_TIMEOUT 14
#define ACK_TIMEOUT_SOFT 18
#define RETRIES 2	/* 7 is for ever with some drivers */
#define MIN_RNR_TIMER 12	/* 0.64 ms */
#define HOP_LIMIT 64
#define PSN 0x1234
#define SPIN_US 3000
#define ALONE_US 50	/* after that others may have the CPU: a device in
			 * software needs it to answer */
#define PKEY_FULL 0x8000	/* a member that may talk to any other */
#define PKEY_DEFAULT 0xffff

#define NAME(member) devlibs_verbs_names.member

/* ---- how the port is addressed --------------------------------------------- */

static int use_gid(struct rdma_link *l, struct rdma_shot *how, bool ethernet)
{
	static struct gid gids[GIDS_MAX];
	struct rdma_port *p = l->port;
	int n = gid_read(p->plan->roots, p->hca->name, p->number, gids);
	const struct gid *g = ethernet ? gid_choose(gids, n) : gids;

	if (n == 0)
		return device_unable(l->shot, "port %d has no GID", p->number);
	l->path.global = true;
	l->path.gid_index = (uint8_t)g->index;
	memcpy(l->path.gid.raw, g->raw, sizeof(g->raw));
	how->gid_index = g->index;
	snprintf(how->gid_type, sizeof(how->gid_type), "%s", g->type);
	snprintf(how->gid, sizeof(how->gid), "%s",
		 gid_text(g, (char[GID_TEXT_SIZE]){ "" }));
	return 0;
}

/* Two limited members of a partition do not hear each other: a port that talks
 * to itself has to be a full one. The default partition first. */
static int use_pkey(struct rdma_link *l, int places)
{
	struct rdma_port *p = l->port;
	uint16_t pkey;
	int i, best = -1;

	RDMA_ENTER(p, query_pkey);
	for (i = 0; i < places; i++) {
		if (p->verbs.query_pkey(p->context, (uint8_t)p->number, i,
					&pkey) != 0)
			continue;
		pkey = ntohs(pkey);
		if (pkey == PKEY_DEFAULT || (best < 0 && (pkey & PKEY_FULL)))
			best = i;
		if (pkey == PKEY_DEFAULT)
			break;
	}
	rdma_leave(p);
	if (best < 0)
		return device_unable(l->shot, "port %d is no full member of any "
					      "partition (PKey)", p->number);
	l->path.pkey_index = (uint16_t)best;
	return 0;
}

static int find_path(struct rdma_link *l, struct rdma_shot *how)
{
	struct ibv_port_attr a;
	bool ethernet;

	if (rdma_query(l->port, l->shot, &a) < 0)
		return -1;
	if (a.state != IBV_PORT_ACTIVE)
		return device_unable(l->shot, "port %d is %s, not ACTIVE",
				     l->port->number,
				     rdma_state_name(a.state));
	ethernet = a.link_layer == IBV_LINK_LAYER_ETHERNET;
	l->path.mtu = a.active_mtu;
	l->path.lid = a.lid;
	how->mtu = 128 << a.active_mtu;
	if ((ethernet || a.lid == 0 || (a.flags & IBV_QPF_GRH_REQUIRED)) &&
	    use_gid(l, how, ethernet) < 0)
		return -1;
	return use_pkey(l, a.pkey_tbl_len);
}

/* ---- queue pairs ----------------------------------------------------------- */

static struct ibv_ah_attr address(const struct rdma_link *l)
{
	struct ibv_ah_attr a = { .dlid = l->path.lid,
				 .port_num = (uint8_t)l->port->number,
				 .is_global = l->path.global };

	if (l->path.global)
		a.grh = (struct ibv_global_route){
			.dgid = l->path.gid,
			.sgid_index = l->path.gid_index,
			.hop_limit = HOP_LIMIT,
		};
	return a;
}

/* The kernel looks for a way to the address, by what the network's settings
 * are: it says so where there is none. */
static bool is_no_way(int rc)
{
	return rc == ENETUNREACH || rc == EHOSTUNREACH || rc == ETIMEDOUT ||
	       rc == EADDRNOTAVAIL;
}

static int modify(struct rdma_link *l, struct ibv_qp *qp, int state,
		  struct ibv_qp_attr *a, int mask)
{
	static const char *const names[] = { [IBV_QPS_INIT] = "INIT",
					     [IBV_QPS_RTR] = "RTR",
					     [IBV_QPS_RTS] = "RTS" };
	struct rdma_port *p = l->port;
	char call[40];
	int rc;

	snprintf(call, sizeof(call), "%s to %s", NAME(modify_qp), names[state]);
	a->qp_state = (enum ibv_qp_state)state;
	rdma_enter(p, call);
	errno = 0;
	rc = p->verbs.modify_qp(qp, a, mask | IBV_QP_STATE);
	rdma_leave(p);
	if (rc == 0)
		return 0;
	rc = rc > 0 ? rc : errno;
	if (state == IBV_QPS_RTR && l->path.global && is_no_way(rc))
		return device_unable(l->shot, "no way from the port's GID (index "
					      "%d) to itself: %s",
				     l->path.gid_index, strerror(rc));
	return rdma_failed(p, l->shot, call, rc);
}

static int to_init(struct rdma_link *l, struct ibv_qp *qp)
{
	struct ibv_qp_attr a = { .pkey_index = l->path.pkey_index,
				 .port_num = (uint8_t)l->port->number,
				 .qp_access_flags = IBV_ACCESS_REMOTE_WRITE };

	return modify(l, qp, IBV_QPS_INIT, &a, IBV_QP_PKEY_INDEX | IBV_QP_PORT |
						       IBV_QP_ACCESS_FLAGS);
}

static int to_rtr(struct rdma_link *l, struct ibv_qp *qp,
		  const struct ibv_qp *other)
{
	struct ibv_qp_attr a = { .path_mtu = l->path.mtu,
				 .dest_qp_num = other->qp_num,
				 .rq_psn = PSN,
				 .max_dest_rd_atomic = 1,
				 .min_rnr_timer = MIN_RNR_TIMER,
				 .ah_attr = address(l) };

	return modify(l, qp, IBV_QPS_RTR, &a,
		      IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			      IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			      IBV_QP_MIN_RNR_TIMER);
}

static int to_rts(struct rdma_link *l, struct ibv_qp *qp)
{
	bool soft = l->port->hca->no_device_link;
	struct ibv_qp_attr a = { .timeout = soft ? ACK_TIMEOUT_SOFT :
						   ACK_TIMEOUT,
				 .retry_cnt = RETRIES,
				 .rnr_retry = RETRIES,
				 .sq_psn = PSN,
				 .max_rd_atomic = 1 };

	return modify(l, qp, IBV_QPS_RTS, &a,
		      IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			      IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

static int create(struct rdma_link *l, int depth, struct ibv_qp **qp)
{
	struct ibv_qp_init_attr a = {
		.send_cq = l->cq,
		.recv_cq = l->cq,
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = (uint32_t)depth, .max_recv_wr = 1,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct rdma_port *p = l->port;

	RDMA_ENTER(p, create_qp);
	errno = 0;
	*qp = p->verbs.create_qp(l->pd, &a);
	if (!*qp && errno == EOPNOTSUPP) {
		rdma_leave(p);
		return device_never(l->shot, "%s has no reliable connections",
				    p->hca->name);
	}
	if (!*qp)
		return rdma_failed(p, l->shot, NAME(create_qp), errno);
	rdma_leave(p);
	return to_init(l, *qp);
}

static int open_pair(struct rdma_link *l, int i, int depth)
{
	return create(l, depth, &l->from[i]) < 0 ||
			       create(l, 1, &l->to[i]) < 0 ||
			       to_rtr(l, l->from[i], l->to[i]) < 0 ||
			       to_rtr(l, l->to[i], l->from[i]) < 0 ||
			       to_rts(l, l->from[i]) < 0 ||
			       to_rts(l, l->to[i]) < 0 ?
		       -1 :
		       0;
}

/* ---- all of it ------------------------------------------------------------- */

/* Without a completion a write of a queue pair that fails has one all the
 * same: the queue takes one for each. */
static int open_queue(struct rdma_link *l, int cqes)
{
	struct rdma_port *p = l->port;

	RDMA_ENTER(p, alloc_pd);
	l->pd = p->verbs.alloc_pd(p->context);
	if (!l->pd)
		return rdma_failed(p, l->shot, NAME(alloc_pd), errno);
	RDMA_ENTER(p, create_comp_channel);
	l->channel = p->verbs.create_comp_channel(p->context);
	if (!l->channel)
		return rdma_failed(p, l->shot, NAME(create_comp_channel),
				   errno);
	RDMA_ENTER(p, create_cq);
	l->cq = p->verbs.create_cq(p->context, cqes, NULL, l->channel, 0);
	if (!l->cq)
		return rdma_failed(p, l->shot, NAME(create_cq), errno);
	rdma_leave(p);
	return 0;
}

int rdma_link_open(struct rdma_link *l, struct rdma_shot *how, int pairs,
		   int depth)
{
	int i;

	l->how = how;
	l->pairs = pairs;
	how->qps = pairs;
	if (find_path(l, how) < 0 || open_queue(l, pairs * (depth + 1)) < 0)
		return -1;
	for (i = 0; i < pairs; i++)
		if (open_pair(l, i, depth) < 0)
			return -1;
	return 0;
}

#define GIVE_BACK(l, call, thing) \
	do { \
		if (thing) { \
			RDMA_ENTER((l)->port, call); \
			(l)->port->verbs.call(thing); \
			(thing) = NULL; \
		} \
	} while (0)

void rdma_link_close(struct rdma_link *l)
{
	int i;

	for (i = 0; i < l->pairs; i++) {
		GIVE_BACK(l, destroy_qp, l->from[i]);
		GIVE_BACK(l, destroy_qp, l->to[i]);
	}
	GIVE_BACK(l, dereg_mr, l->mr);
	GIVE_BACK(l, destroy_cq, l->cq);
	GIVE_BACK(l, destroy_comp_channel, l->channel);
	GIVE_BACK(l, dealloc_pd, l->pd);
	rdma_leave(l->port);
}

/* ---- what comes back ------------------------------------------------------- */

static int tell_event(struct rdma_link *l, const struct ibv_async_event *e)
{
	struct rdma_port *p = l->port;

	switch (e->event_type) {
	case IBV_EVENT_DEVICE_FATAL:
		if (!roots_exists(p->plan->roots, "sys/class/infiniband/%s",
				  p->hca->name))
			return rdma_failed(p, l->shot, RDMA_WRITE, ENODEV);
		return rdma_fault(l->shot, RDMA_RC_FATAL, RDMA_WRITE,
				  "%s reported a fatal error", p->hca->name);
	case IBV_EVENT_PORT_ERR:
		if (e->element.port_num != p->number)
			return 0;
		return rdma_fault(l->shot, RDMA_RC_PORT_DOWN, RDMA_WRITE,
				  "port %d went down while it was measured",
				  p->number);
	case IBV_EVENT_CQ_ERR:
	case IBV_EVENT_QP_FATAL:
		return rdma_fault(l->shot, RDMA_RC_QUEUE, RDMA_WRITE,
				  "%s reported that a queue failed",
				  p->hca->name);
	default:
		return 0;	/* the subnet manager's doings and the like */
	}
}

int rdma_link_events(struct rdma_link *l)
{
	struct rdma_port *p = l->port;
	struct pollfd fd = { .fd = p->context->async_fd, .events = POLLIN };
	struct ibv_async_event e;
	int rc = 0;

	while (rc == 0 && poll(&fd, 1, 0) > 0) {
		/* A device that was taken away leaves nothing to read. */
		if (!(fd.revents & POLLIN) ||
		    p->verbs.get_async_event(p->context, &e) != 0)
			return rdma_failed(p, l->shot, NAME(get_async_event),
					   EIO);
		rc = tell_event(l, &e);
		p->verbs.ack_async_event(&e);
	}
	return rc;
}

/* One completion: 1; none: 0; -1: that is a bad one. */
static int take(struct rdma_link *l, struct ibv_wc *wc)
{
	int n = ibv_poll_cq(l->cq, 1, wc);

	if (n < 0)
		return rdma_failed(l->port, l->shot, "ibv_poll_cq", EIO);
	if (n > 0 && wc->status != IBV_WC_SUCCESS)
		return rdma_write_failed(l, wc);
	return n;
}

/* Sleep until the next completion is there, something is reported, or the time
 * has come. */
static int doze(struct rdma_link *l, int64_t left_us)
{
	struct pollfd fds[2] = {
		{ .fd = l->channel->fd, .events = POLLIN },
		{ .fd = l->port->context->async_fd, .events = POLLIN },
	};
	struct ibv_cq *cq;
	void *unused;

	if (poll(fds, 2, (int)(left_us / 1000) + 1) <= 0)
		return 0;
	if (fds[1].revents && rdma_link_events(l) < 0)
		return -1;
	if (!fds[0].revents)
		return 0;
	if (l->port->verbs.get_cq_event(l->channel, &cq, &unused) != 0)
		return rdma_failed(l->port, l->shot, NAME(get_cq_event), EIO);
	l->port->verbs.ack_cq_events(cq, 1);
	return 0;
}

int rdma_link_wait(struct rdma_link *l, int64_t until_us, struct ibv_wc *wc)
{
	int64_t left;
	int n;

	for (l->waited = false;; l->waited = true) {
		n = take(l, wc);
		left = until_us - clock_mono_us();
		if (n || left <= 0)
			return n;
		/* What comes between the look and the arming wakes nobody. */
		if (ibv_req_notify_cq(l->cq, 0) != 0)
			return rdma_failed(l->port, l->shot,
					   "ibv_req_notify_cq", EIO);
		n = take(l, wc);
		if (n)
			return n;
		if (doze(l, left) < 0)
			return -1;
	}
}

int rdma_link_spin(struct rdma_link *l, int64_t until_us, struct ibv_wc *wc)
{
	int64_t began = clock_mono_us(), took;
	int n;

	do {
		n = take(l, wc);
		if (n)
			return n;
		took = clock_mono_us() - began;
		if (took > ALONE_US)
			sched_yield();
	} while (took < SPIN_US);
	return rdma_link_wait(l, until_us, wc);
}
