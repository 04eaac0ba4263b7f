/* SPDX-License-Identifier: Apache-2.0
 * verbs_queue - memory, queue pairs and completions of the fake libibverbs:
 * what is written when, and what comes back.
 */
#ifndef ASSAY_FAKE_VERBS_QUEUE_H
#define ASSAY_FAKE_VERBS_QUEUE_H

#include "tests/fake/verbs_device.h"

struct fake_mr {
	struct ibv_mr ib;
	uint64_t address;	/* where the device sees it */
	char *host;		/* where it is */
	bool mapped;		/* by us */
	bool relaxed;		/* may be written in any order */
};

/* One write on its way. */
struct fake_write {
	struct fake_qp *qp;
	uint64_t id;
	bool signaled;
	enum ibv_wc_status status;
	int64_t ready;		/* ns */
	int64_t number;		/* of the device's writes */
	bool strict;		/* into memory that is not relaxed */
	const char *from;
	char *to;
	size_t size;
};

/* What counters in files show of it: "traffic" of the scenario. */
struct fake_traffic {
	const char *file[2];	/* sent, received; NULL none */
	double unit;		/* bytes that count as one */
	double own, gbps[2];	/* share of our own, and what others move */
	double moved;		/* bytes of our own, since: */
	int64_t counted_ns;
};

#define QUEUE_MAX 4096		/* a power of two */

struct fake_cq {
	struct ibv_cq ib;
	struct fake_context *context;
	/* What the scenario says, asked when the queue is made. */
	double gbps, strict_gbps, latency_us, tail_us;
	int64_t tail_every;
	struct fake_write queue[QUEUE_MAX];
	unsigned int head, tail;
	struct fake_traffic traffic;
	int qps;
	/* Moves that have completed: made when the queue is empty. Of several
	 * to one place the last. */
	struct fake_write *move;
	int move_count;
	int64_t armed;		/* ns, 0 not */
	unsigned int unacked;
};

struct fake_qp {
	struct ibv_qp ib;
	struct fake_cq *cq;
	uint32_t other;		/* number of the one it talks to */
	uint32_t depth, used;
	bool failed;		/* a write did: all behind it are flushed */
};

/* They get their numbers and keys here. */
void verbs_qp_new(struct fake_qp *qp);
void verbs_qp_gone(struct fake_qp *qp); /* what it had posted, too */
void verbs_mr_new(struct fake_mr *mr);
void verbs_mr_gone(struct fake_mr *mr);

/* The operations of a context. */
int verbs_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
		    struct ibv_send_wr **bad);
int verbs_poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc);
int verbs_req_notify_cq(struct ibv_cq *cq, int solicited_only);

/* Ask for what a new queue needs; false: no memory. */
bool verbs_cq_begin(struct fake_cq *cq);

#endif
