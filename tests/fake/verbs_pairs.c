/* SPDX-License-Identifier: Apache-2.0
 * Queue pairs of the fake libibverbs and what they complete into. */
#include "config.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "tests/fake/verbs_queue.h"

static struct fake_hca *hca_of(struct ibv_context *c)
{
	return verbs_context_of(c)->hca;
}

/* ---- completions ------------------------------------------------------------ */

/* It has one queue: that is enough for us. */
struct fake_channel {
	struct ibv_comp_channel ib;
	struct fake_cq *cq;
};

static struct fake_channel *of_channel(struct ibv_comp_channel *c)
{
	return (struct fake_channel *)c;
}

EXPORT(struct ibv_comp_channel *, create_comp_channel,
	(struct ibv_context * ib))
{
	struct fake_channel *c = verbs_new(hca_of(ib), "create_comp_channel",
					   VERBS_channel, sizeof(*c));

	if (!c)
		return NULL;
	c->ib.context = ib;
	c->ib.fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	return &c->ib;
}

EXPORT(int, destroy_comp_channel, (struct ibv_comp_channel * c))
{
	if (c->refcnt)
		return verbs_rc(EBUSY);
	close(c->fd);
	verbs_drop(c, VERBS_channel);
	return 0;
}

EXPORT(struct ibv_cq *, create_cq, (struct ibv_context * ib, int cqe, void *arg,
				    struct ibv_comp_channel *channel, int vec))
{
	struct fake_cq *cq = verbs_new(hca_of(ib), "create_cq", VERBS_cq,
				    sizeof(*cq));

	(void)vec;
	if (!cq)
		return NULL;
	cq->ib.context = ib;
	cq->ib.channel = channel;
	cq->ib.cq_context = arg;
	cq->ib.cqe = cqe;
	cq->context = verbs_context_of(ib);
	if (!verbs_cq_begin(cq)) {
		verbs_drop(cq, VERBS_cq);
		return NULL;
	}
	if (channel) {
		channel->refcnt++;
		of_channel(channel)->cq = cq;
	}
	return &cq->ib;
}

/* The real one waits for ever until all its events are acknowledged. */
EXPORT(int, destroy_cq, (struct ibv_cq * ib))
{
	struct fake_cq *cq = (struct fake_cq *)ib;

	if (cq->qps || cq->unacked)
		return verbs_rc(EBUSY);
	if (ib->channel)
		ib->channel->refcnt--;
	free(cq->move);
	verbs_drop(cq, VERBS_cq);
	return 0;
}

EXPORT(int, get_cq_event, (struct ibv_comp_channel * channel,
			   struct ibv_cq **cq, void **arg))
{
	uint64_t n;

	if (read(channel->fd, &n, sizeof(n)) != sizeof(n))
		return -1;
	*cq = &of_channel(channel)->cq->ib;
	((struct fake_cq *)*cq)->unacked++;
	((struct fake_cq *)*cq)->armed = 0;
	*arg = (*cq)->cq_context;
	return 0;
}

EXPORT(void, ack_cq_events, (struct ibv_cq * cq, unsigned int n))
{
	((struct fake_cq *)cq)->unacked -= n;
}

EXPORT(struct ibv_qp *, create_qp, (struct ibv_pd * pd,
				    struct ibv_qp_init_attr *a))
{
	struct fake_qp *qp = verbs_new(hca_of(pd->context), "create_qp", VERBS_qp,
				    sizeof(*qp));

	if (!qp)
		return NULL;
	qp->ib.context = pd->context;
	qp->ib.pd = pd;
	qp->ib.send_cq = a->send_cq;
	qp->ib.qp_type = a->qp_type;
	qp->cq = (struct fake_cq *)a->send_cq;
	qp->depth = a->cap.max_send_wr;
	qp->cq->qps++;
	pd->handle++;
	verbs_qp_new(qp);
	return &qp->ib;
}

/* Each step needs the one before it, and what the manual asks for. */
static int check_step(const struct ibv_qp *qp, const struct ibv_qp_attr *a,
		      int mask)
{
	static const struct {
		enum ibv_qp_state from;
		int mask;
	} steps[] = {
		[IBV_QPS_INIT] = { IBV_QPS_RESET,
				   IBV_QP_PKEY_INDEX | IBV_QP_PORT |
					   IBV_QP_ACCESS_FLAGS },
		[IBV_QPS_RTR] = { IBV_QPS_INIT,
				  IBV_QP_AV | IBV_QP_PATH_MTU |
					  IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
					  IBV_QP_MAX_DEST_RD_ATOMIC |
					  IBV_QP_MIN_RNR_TIMER },
		[IBV_QPS_RTS] = { IBV_QPS_RTR,
				  IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
					  IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
					  IBV_QP_MAX_QP_RD_ATOMIC },
	};

	if (a->qp_state < IBV_QPS_INIT || a->qp_state > IBV_QPS_RTS ||
	    qp->state != steps[a->qp_state].from ||
	    mask != (steps[a->qp_state].mask | IBV_QP_STATE))
		return EINVAL;
	return 0;
}

/* Ethernet knows no LIDs. */
static int check_address(struct ibv_qp *qp, const struct ibv_qp_attr *a)
{
	struct ibv_port_attr port;
	int rc = verbs_query(qp->context, a->ah_attr.port_num, &port, sizeof(port));

	if (rc)
		return rc;
	if (a->ah_attr.is_global)
		return a->ah_attr.grh.sgid_index < port.gid_tbl_len ? 0 :
								       EINVAL;
	return port.link_layer == IBV_LINK_LAYER_ETHERNET ||
			       (port.flags & IBV_QPF_GRH_REQUIRED) ||
			       a->ah_attr.dlid != port.lid || !port.lid ?
		       EINVAL :
		       0;
}

EXPORT(int, modify_qp, (struct ibv_qp * ib, struct ibv_qp_attr *a, int mask))
{
	static const char *const names[] = { [IBV_QPS_INIT] = "INIT",
					     [IBV_QPS_RTR] = "RTR",
					     [IBV_QPS_RTS] = "RTS" };
	struct fake_qp *qp = (struct fake_qp *)ib;
	int rc = check_step(ib, a, mask);

	if (!rc)
		rc = verbs_begin(hca_of(ib->context), "modify_qp",
				 names[a->qp_state]);
	if (!rc && a->qp_state == IBV_QPS_RTR) {
		rc = check_address(ib, a);
		qp->other = a->dest_qp_num;
	}
	if (!rc)
		ib->state = a->qp_state;
	return verbs_rc(rc);
}

EXPORT(int, destroy_qp, (struct ibv_qp * ib))
{
	struct fake_qp *qp = (struct fake_qp *)ib;

	qp->cq->qps--;
	ib->pd->handle--;
	verbs_qp_gone(qp);
	verbs_drop(qp, VERBS_qp);
	return 0;
}
