/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "probes/rdma_flow.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "lib/clock.h"

#define EVERY 16
/* For a port that takes a millisecond for a small message. */
#define SLOW_MSG (64 << 10)
#define SLOW_DEPTH 4
#define SLOW_EVERY 1
#define TRIAL_WRITES 16		/* of SLOW_MSG: 1 MiB */
#define TRIALS 5
#define TRIALS_LEAST 2
#define TRIAL_FAST_US 4000	/* 0.26 GB/s */
#define TRIAL_SLOW_US 50000	/* no need to ask again */
#define WARM_US 30000
#define SPAN_US 250000
#define LATE_US 200000
#define SPAN_LEAST_US 20000
#define DRAIN_MS 200
#define STALL_US 3500000	/* a lost write is given up earlier */

/* ---- posting --------------------------------------------------------------- */

/* Write i of a pair goes into a sink out of a source. */
static int sink_of(int64_t i)
{
	return (int)(i % RDMA_SLOTS);
}

static int source_of(int64_t i)
{
	return (int)((i + i / RDMA_SLOTS) % RDMA_SLOTS);
}

static size_t offset(int pair, int slot)
{
	return (size_t)(pair + 1) * RDMA_SOURCE + (size_t)slot * RDMA_MSG;
}

static void make_write(const struct rdma_flow *f, int pair, int64_t i,
		       struct ibv_send_wr *wr, struct ibv_sge *sge)
{
	*sge = (struct ibv_sge){
		.addr = f->base + (size_t)source_of(i) * RDMA_MSG,
		.length = (uint32_t)f->msg,
		.lkey = f->link.mr->lkey,
	};
	*wr = (struct ibv_send_wr){
		.wr_id = (uint64_t)pair,
		.sg_list = sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.wr.rdma = { .remote_addr = f->base + offset(pair, sink_of(i)),
			     .rkey = f->link.mr->rkey },
	};
}

/* So many writes of a pair by one ring of the bell; the last one tells. */
static int post(struct rdma_flow *f, int pair, int n)
{
	struct ibv_send_wr wr[TRIAL_WRITES], *bad;
	struct ibv_sge sge[TRIAL_WRITES];
	int i, rc;

	for (i = 0; i < n; i++) {
		make_write(f, pair, f->posted[pair] + i, &wr[i], &sge[i]);
		wr[i].next = i + 1 < n ? &wr[i + 1] : NULL;
	}
	wr[n - 1].send_flags = IBV_SEND_SIGNALED;
	rdma_enter(f->link.port, RDMA_WRITE);
	rc = ibv_post_send(f->link.from[pair], wr, &bad);
	if (rc)
		return rdma_failed(f->link.port, f->link.shot, "ibv_post_send",
				   rc > 0 ? rc : errno);
	f->posted[pair] += n;
	f->how->payload += (int64_t)n * f->msg;
	f->flying[pair] += n;
	return 0;
}

/* The next writes that are done: how many, -1 the shot is ended. *pair: whose
 * they were. */
static int reap(struct rdma_flow *f, int *pair, int n)
{
	int64_t until = clock_mono_us() + STALL_US;
	int64_t last = (f->link.port->until_ms - RDMA_END_MS) * 1000;
	struct ibv_wc wc;
	int rc;

	rc = rdma_link_wait(&f->link, until < last ? until : last, &wc);
	if (rc < 0)
		return -1;
	if (rc == 0) {
		rdma_leave(f->link.port);
		rdma_fault(f->link.shot, 0, RDMA_WRITE,
			   "a write did not end in time");
		f->link.shot->end = PROBE_TIMEOUT;
		return -1;
	}
	*pair = (int)wc.wr_id;
	f->flying[*pair] -= n;
	return n;
}

static bool flies(const struct rdma_flow *f)
{
	int i, n = 0;

	for (i = 0; i < f->link.pairs; i++)
		n += f->flying[i];
	return n > 0;
}

/* ---- how large, how many --------------------------------------------------- */

static int trial(struct rdma_flow *f, int64_t *took_us)
{
	int64_t began = clock_mono_us();
	int pair;

	f->msg = SLOW_MSG;
	if (post(f, 0, TRIAL_WRITES) < 0 ||
	    reap(f, &pair, TRIAL_WRITES) < 0)
		return -1;
	*took_us = clock_mono_us() - began;
	return 0;
}

/* A port that needs a second for what a sound one writes at once is measured
 * with less. One that is fast is not taken for slow because we had to wait for
 * the CPU. */
static int choose_shape(struct rdma_flow *f)
{
	int64_t us, best = INT64_MAX;
	bool fast = false;
	int i;

	for (i = 0; i < TRIALS && !fast &&
		    (i < TRIALS_LEAST || best < TRIAL_SLOW_US); i++) {
		if (trial(f, &us) < 0)
			return -1;
		best = us < best ? us : best;
		fast = best < TRIAL_FAST_US;
	}
	f->msg = fast ? RDMA_MSG : SLOW_MSG;
	f->depth = fast ? RDMA_DEPTH : SLOW_DEPTH;
	f->every = fast ? EVERY : SLOW_EVERY;
	memset(f->posted, 0, sizeof(f->posted));
	f->how->msg_bytes = f->msg;
	f->how->depth = f->depth;
	return 0;
}

/* ---- the clock ------------------------------------------------------------- */

/* When so many bytes had come. */
struct mark {
	int64_t us;		/* clock_mono_us(), 0 none */
	int64_t bytes, cpu_us;
};

struct lap {
	int64_t began, latest;	/* nothing is posted after latest */
	int64_t bytes;		/* since it began */
	struct mark here;	/* the last completion that we waited for */
	int behind;		/* those since that were there at once */
	struct mark first, last;	/* what is measured is in between */
	bool over;
};

static struct mark mark(const struct lap *l)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (struct mark){
		.us = clock_mono_us(),
		.bytes = l->bytes,
		.cpu_us = (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000LL +
			  u.ru_utime.tv_usec + u.ru_stime.tv_usec,
	};
}

/* The clock starts when the queues have been full for a while, and stops before
 * they are drained. */
static void set_clock(struct lap *l, const struct mark *m, int64_t late_us)
{
	if (!l->first.us) {
		if (m->us - l->began >= WARM_US + late_us)
			l->first = *m;
		return;
	}
	l->last = *m;
	l->over |= m->us - l->first.us >= SPAN_US + late_us;
}

/* Some writes came back; shall more be posted? The clock goes by those of which
 * we know when they came: we waited, and did not oversleep, or others would
 * have been there at once afterwards (one of each pair may be). Who is kept
 * from the CPU again and again has to take what comes. */
static bool count(struct lap *l, int64_t bytes, bool waited)
{
	struct mark now;

	if (l->over)
		return false;
	l->bytes += bytes;
	now = mark(l);
	if (waited && l->here.us && l->behind < RDMA_PAIRS)
		set_clock(l, &l->here, 0);
	if (!l->over)
		set_clock(l, &now, LATE_US);
	l->over |= now.us >= l->latest;
	l->behind = waited ? 0 : l->behind + 1;
	if (waited)
		l->here = now;
	return !l->over;
}

static void sum_up(struct rdma_flow *f, struct lap *l)
{
	struct probe_shot *shot = f->link.shot;
	int64_t us = l->last.us - l->first.us;
	int64_t bytes = l->last.bytes - l->first.bytes;

	f->how->cpu_us = l->last.cpu_us - l->first.cpu_us;
	/* Too slow for that, or no time for it: then from the beginning. */
	if (us < SPAN_LEAST_US) {
		us = clock_mono_us() - l->began;
		bytes = l->bytes;
		f->how->cpu_us = -1;
	}
	shot->partial = us < SPAN_US / 2;
	shot->figure[0] = (double)bytes / (double)us / 1e3;
	f->how->bytes = bytes;
	shot->end = PROBE_DONE;
}

/* ---- all of it ------------------------------------------------------------- */

static int fill_queues(struct rdma_flow *f)
{
	int i;

	for (i = 0; i < f->link.pairs; i++)
		while (f->flying[i] + f->every <= f->depth)
			if (post(f, i, f->every) < 0)
				return -1;
	return 0;
}

static int keep_full(struct rdma_flow *f, struct lap *l)
{
	int pair;

	if (fill_queues(f) < 0)
		return -1;
	while (flies(f)) {
		if (reap(f, &pair, f->every) < 0)
			return -1;
		if (count(l, (int64_t)f->every * f->msg, f->link.waited) &&
		    post(f, pair, f->every) < 0)
			return -1;
	}
	rdma_leave(f->link.port);
	return rdma_link_events(&f->link);
}

static int measure(void *arg)
{
	struct rdma_flow *f = arg;
	struct lap l = { .latest = (f->link.port->until_ms - RDMA_END_MS -
				    DRAIN_MS) * 1000 };

	if (clock_mono_us() + WARM_US > l.latest)
		return device_not_now(f->link.shot, "no time was left for it");
	if (choose_shape(f) < 0)
		return -1;
	l.began = clock_mono_us();
	if (keep_full(f, &l) < 0)
		return -1;
	sum_up(f, &l);
	return 0;
}

int rdma_flow_run(struct rdma_flow *f)
{
	return rdma_counted(f->link.port, f->how, measure, f);
}

bool rdma_flow_is_intact(const struct rdma_flow *f, const void *bytes)
{
	const char *all = bytes;
	int64_t i;
	int pair, k;

	for (pair = 0; pair < f->link.pairs; pair++)
		for (k = 1; k <= RDMA_SLOTS && k <= f->posted[pair]; k++) {
			i = f->posted[pair] - k;
			if (memcmp(all + offset(pair, sink_of(i)),
				   all + (size_t)source_of(i) * RDMA_MSG,
				   (size_t)f->msg))
				return false;
		}
	return true;
}
