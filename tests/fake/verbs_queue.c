/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "tests/fake/verbs_queue.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "tests/fake/verbs_fault.h"
#include "tests/fake/verbs_traffic.h"

#define THINGS_MAX 64
#define MOVES_MAX 256
#define FAKE_VENDOR_ERR 0x81
#define NEVER INT64_MAX
#define BEHIND_NS 1000000000LL

static struct fake_qp *qps[THINGS_MAX];
static struct fake_mr *mrs[THINGS_MAX];

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* ---- what there is ----------------------------------------------------- */

static struct fake_qp *qp_of(uint32_t number)
{
	int i;

	for (i = 0; i < THINGS_MAX; i++)
		if (qps[i] && qps[i]->ib.qp_num == number)
			return qps[i];
	return NULL;
}

void verbs_qp_new(struct fake_qp *qp)
{
	static uint32_t number = 0x100;
	int i;

	qp->ib.qp_num = ++number;
	for (i = 0; i < THINGS_MAX && qps[i]; i++)
		;
	qps[i] = qp;
}

/* Its writes will not be heard of. */
static void forget(struct fake_cq *cq, const struct fake_qp *qp)
{
	unsigned int from, to = cq->head;

	for (from = cq->head; from != cq->tail; from++)
		if (cq->queue[from % QUEUE_MAX].qp != qp)
			cq->queue[to++ % QUEUE_MAX] =
				cq->queue[from % QUEUE_MAX];
	cq->tail = to;
}

void verbs_qp_gone(struct fake_qp *qp)
{
	int i;

	forget(qp->cq, qp);
	for (i = 0; i < THINGS_MAX; i++)
		if (qps[i] == qp)
			qps[i] = NULL;
}

void verbs_mr_new(struct fake_mr *mr)
{
	static uint32_t key = 0x1000;
	int i;

	mr->ib.lkey = ++key;
	mr->ib.rkey = ++key;
	for (i = 0; i < THINGS_MAX && mrs[i]; i++)
		;
	mrs[i] = mr;
}

void verbs_mr_gone(struct fake_mr *mr)
{
	int i;

	for (i = 0; i < THINGS_MAX; i++)
		if (mrs[i] == mr)
			mrs[i] = NULL;
}

/* The memory that one of these keys is of, or NULL. */
static const struct fake_mr *mr_of(uint32_t key, bool remote)
{
	int i;

	for (i = 0; i < THINGS_MAX; i++)
		if (mrs[i] && key == (remote ? mrs[i]->ib.rkey :
					       mrs[i]->ib.lkey))
			return mrs[i];
	return NULL;
}

/* The host's address of it, or NULL. */
static char *place(const struct fake_mr *m, uint64_t address, size_t size)
{
	if (m && address >= m->address && size <= m->ib.length &&
	    address - m->address <= m->ib.length - size)
		return m->host + (address - m->address);
	return NULL;
}

/* ---- posting ----------------------------------------------------------- */

static int64_t ns_of(const struct fake_cq *cq, const struct fake_write *w)
{
	double gbps = w->strict && cq->strict_gbps > 0 ? cq->strict_gbps :
							 cq->gbps;

	return gbps > 0 ? (int64_t)((double)w->size / gbps) : 0;
}

/* The device works off what it has been given one after the other. It does not
 * lose time because we did not get the CPU to give it more: as long as there
 * are completions that nobody has taken, it is not idle. */
static int64_t ready_at(struct fake_cq *cq, const struct fake_write *w)
{
	struct fake_context *c = cq->context;
	int64_t now = now_ns();
	bool is_busy = cq->head != cq->tail;
	double us = cq->latency_us;

	if (!is_busy || c->busy_until < now - BEHIND_NS)
		c->busy_until = c->busy_until > now ? c->busy_until : now;
	c->busy_until += ns_of(cq, w);
	if (cq->tail_every && w->number % cq->tail_every == 0)
		us = cq->tail_us;
	return c->busy_until + (int64_t)(us * 1e3);
}

static bool is_connected(const struct fake_qp *qp)
{
	const struct fake_qp *other = qp_of(qp->other);

	return other && other->other == qp->ib.qp_num &&
	       other->ib.state >= IBV_QPS_RTR;
}

static void look_up(struct fake_write *w, const struct ibv_send_wr *wr)
{
	const struct ibv_sge *s = wr->sg_list;
	const struct fake_mr *to = mr_of(wr->wr.rdma.rkey, true);

	w->size = s->length;
	w->from = place(mr_of(s->lkey, false), s->addr, s->length);
	w->to = place(to, wr->wr.rdma.remote_addr, s->length);
	w->strict = to && !to->relaxed;
	if (!w->from)
		w->status = IBV_WC_LOC_PROT_ERR;
	else if (!is_connected(w->qp))
		w->status = IBV_WC_RETRY_EXC_ERR;
	else if (!w->to)
		w->status = IBV_WC_REM_ACCESS_ERR;
}

static int post_one(struct fake_qp *qp, const struct ibv_send_wr *wr)
{
	struct fake_cq *cq = qp->cq;
	struct fake_write *w = &cq->queue[cq->tail % QUEUE_MAX];

	if (qp->used >= qp->depth || cq->tail - cq->head == QUEUE_MAX)
		return ENOMEM;
	if (wr->opcode != IBV_WR_RDMA_WRITE || wr->num_sge != 1)
		return EINVAL;
	*w = (struct fake_write){
		.qp = qp,
		.id = wr->wr_id,
		.signaled = wr->send_flags & IBV_SEND_SIGNALED,
		.number = cq->context->writes++,
	};
	if (w->number == 0)
		verbs_traffic_begin(cq, now_ns());
	look_up(w, wr);
	w->ready = ready_at(cq, w);
	verbs_fault_write(cq->context, w);
	if (cq->context->is_down)
		w->ready = NEVER;
	cq->tail++;
	qp->used++;
	return 0;
}

/* ---- completing -------------------------------------------------------- */

static bool tells(const struct fake_write *w)
{
	return w->signaled || w->status || w->qp->failed;
}

/* Wake who sleeps when the next completion comes that is not there yet. */
static void set_alarm(struct fake_cq *cq)
{
	struct itimerspec t = { .it_value = { 0, 0 } };
	const struct fake_write *w;
	unsigned int i;

	for (i = cq->head; cq->armed && i != cq->tail; i++) {
		w = &cq->queue[i % QUEUE_MAX];
		if (w->ready == NEVER || w->ready <= cq->armed || !tells(w))
			continue;
		t.it_value.tv_sec = (time_t)(w->ready / 1000000000);
		t.it_value.tv_nsec = (long)(w->ready % 1000000000);
		break;
	}
	timerfd_settime(cq->ib.channel->fd, TFD_TIMER_ABSTIME, &t, NULL);
}

int verbs_req_notify_cq(struct ibv_cq *ib, int solicited_only)
{
	struct fake_cq *cq = (struct fake_cq *)ib;

	(void)solicited_only;
	if (!ib->channel)
		return EINVAL;
	cq->armed = now_ns();
	set_alarm(cq);
	return 0;
}

int verbs_post_send(struct ibv_qp *ib, struct ibv_send_wr *wr,
		    struct ibv_send_wr **bad)
{
	struct fake_qp *qp = (struct fake_qp *)ib;
	struct fake_cq *cq = qp->cq;
	int rc = verbs_begin(cq->context->hca, "post_send", NULL);

	if (!rc && ib->state != IBV_QPS_RTS && ib->state != IBV_QPS_ERR)
		rc = EINVAL;
	for (; !rc && wr; wr = wr->next) {
		*bad = wr;
		rc = post_one(qp, wr);
	}
	if (cq->armed)
		set_alarm(cq);
	return rc;
}

static void keep(struct fake_cq *cq, const struct fake_write *w)
{
	int i;

	for (i = 0; i < cq->move_count && cq->move[i].to != w->to; i++)
		;
	if (i == MOVES_MAX || verbs_fault_loses(cq->context, w))
		return;
	cq->move[i] = *w;
	cq->move_count += i == cq->move_count;
}

static void make_moves(struct fake_cq *cq)
{
	int i;

	for (i = 0; i < cq->move_count; i++)
		verbs_fault_move(cq->context, &cq->move[i]);
	cq->move_count = 0;
}

/* The write at the head is done: true, if that is told. */
static bool retire(struct fake_cq *cq, struct ibv_wc *wc)
{
	struct fake_write *w = &cq->queue[cq->head++ % QUEUE_MAX];
	struct fake_qp *qp = w->qp;
	bool told = tells(w);

	if (qp->failed)
		w->status = IBV_WC_WR_FLUSH_ERR;
	else if (w->status == IBV_WC_SUCCESS)
		keep(cq, w);
	cq->traffic.moved += w->status ? 0 : (double)w->size;
	if (w->status && !qp->failed) {
		qp->failed = true;
		qp->ib.state = IBV_QPS_ERR;
	}
	qp->used--;
	memset(wc, 0, sizeof(*wc));
	wc->wr_id = w->id;
	wc->status = w->status;
	wc->vendor_err = w->status ? FAKE_VENDOR_ERR : 0;
	wc->qp_num = qp->ib.qp_num;
	return told;
}

/* A real one loses completions then, and breaks. */
static void check_room(const struct fake_cq *cq)
{
	const struct fake_write *w;
	int64_t now = now_ns();
	unsigned int i;
	int n = 0;

	for (i = cq->head; i != cq->tail; i++) {
		w = &cq->queue[i % QUEUE_MAX];
		n += w->ready <= now && tells(w);
	}
	if (n > cq->ib.cqe) {
		fprintf(stderr, "fake libibverbs: completion queue overrun\n");
		abort();
	}
}

int verbs_poll_cq(struct ibv_cq *ib, int n, struct ibv_wc *wc)
{
	struct fake_cq *cq = (struct fake_cq *)ib;
	int told = 0;

	check_room(cq);

	while (told < n && cq->head != cq->tail &&
	       cq->queue[cq->head % QUEUE_MAX].ready <= now_ns())
		told += retire(cq, &wc[told]);
	if (cq->head == cq->tail)
		make_moves(cq);
	verbs_traffic_count(cq, now_ns(), told && cq->head == cq->tail);
	return told;
}

bool verbs_cq_begin(struct fake_cq *cq)
{
	const struct fake_hca *h = cq->context->hca;

	cq->gbps = verbs_number(h, "write_gbps", NULL, 0);
	cq->strict_gbps = verbs_number(h, "strict_gbps", NULL, 0);
	cq->latency_us = verbs_number(h, "latency_us", NULL, 0);
	cq->tail_us = verbs_number(h, "tail", "us", 0);
	cq->tail_every = (int64_t)verbs_number(h, "tail", "every", 0);
	verbs_fault_begin(cq->context);
	cq->move = calloc(MOVES_MAX, sizeof(*cq->move));
	return cq->move;
}
