/* SPDX-License-Identifier: Apache-2.0
 * latency - how long a port takes for a small write into the host's memory, by
 * way of itself: one at a time, from the post to the completion. */
#include "config.h"
#include "probes/rdma_link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/clock.h"
#include "probes/pinned.h"

#define WRITES 4000
#define WRITES_LEAST 200
#define WARM 200		/* or a fifth of the time */
#define SPAN_US 500000
#define WARM_US (SPAN_US / 5)
#define STALL_US 3500000
#define SINK 4096		/* on a page of its own */
#define SIZE 8192

struct latency {
	struct rdma_link link;
	struct rdma_shot *how;
	volatile uint64_t *source, *sink;
	int count;
	double us[WRITES];
};

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int post(struct latency *m)
{
	struct ibv_sge sge = { .addr = (uintptr_t)m->source,
			       .length = sizeof(*m->source),
			       .lkey = m->link.mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = (uintptr_t)m->sink,
			     .rkey = m->link.mr->rkey },
	};
	struct ibv_send_wr *bad;
	int rc = ibv_post_send(m->link.from[0], &wr, &bad);

	return rc == 0 ? 0 : rdma_failed(m->link.port, m->link.shot,
					 "ibv_post_send", rc > 0 ? rc : errno);
}

static int no_answer(struct latency *m)
{
	rdma_fault(m->link.shot, 0, RDMA_WRITE,
		   "a write did not end in time");
	m->link.shot->end = PROBE_TIMEOUT;
	return -1;
}

/* One write, and whether it came. */
static int write_one(struct latency *m, uint64_t word, double *us)
{
	int64_t until = clock_mono_us() + STALL_US;
	int64_t last = (m->link.port->until_ms - RDMA_END_MS) * 1000;
	double began = now_us();
	struct ibv_wc wc;
	int n;

	*m->source = word;
	m->how->payload += sizeof(*m->source);
	if (post(m) < 0)
		return -1;
	n = rdma_link_spin(&m->link, until < last ? until : last, &wc);
	*us = now_us() - began;
	if (n == 0)
		return no_answer(m);
	m->link.shot->corrupt |= n > 0 && *m->sink != word;
	return n < 0 ? -1 : 0;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void sum_up(struct latency *m)
{
	struct probe_shot *shot = m->link.shot;

	qsort(m->us, (size_t)m->count, sizeof(*m->us), by_size);
	shot->figure[0] = m->us[m->count / 2];
	shot->figure[1] = m->us[m->count * 99 / 100];
	shot->partial = m->count < WRITES_LEAST;
	m->how->bytes = m->count * (int64_t)sizeof(*m->source);
	shot->end = PROBE_DONE;
}

static int measure(void *arg)
{
	struct latency *m = arg;
	int64_t began = clock_mono_us();
	int64_t until = began + SPAN_US;
	int64_t last = (m->link.port->until_ms - 2 * RDMA_END_MS) * 1000;
	int i;

	until = until < last ? until : last;
	rdma_enter(m->link.port, RDMA_WRITE);
	for (i = 0; i == 0 || (i < WARM && clock_mono_us() < began + WARM_US);
	     i++)
		if (write_one(m, (uint64_t)i + 1, &m->us[0]) < 0)
			return -1;
	do {
		if (write_one(m, (uint64_t)++i, &m->us[m->count++]) < 0)
			return -1;
	} while (m->count < WRITES && clock_mono_us() < until);
	rdma_leave(m->link.port);
	if (rdma_link_events(&m->link) < 0)
		return -1;
	sum_up(m);
	return 0;
}

void measure_latency(struct rdma_port *p, struct port_probes *out,
		     struct probe_shot *shot, int n)
{
	static struct latency m;
	struct pinned memory = { .bytes = NULL };

	m = (struct latency){ .link = { .port = p, .shot = shot },
			      .how = &out->latency[n] };
	rdma_shot_begin(m.how);
	m.how->msg_bytes = sizeof(*m.source);
	m.how->depth = 1;
	if (rdma_link_open(&m.link, m.how, 1, 1) < 0 ||
	    pinned_map(&memory, rdma_numa(p), shot, SIZE) < 0)
		goto out;
	m.source = memory.bytes;
	m.sink = (volatile uint64_t *)((char *)memory.bytes + SINK);
	if (rdma_link_memory(&m.link, memory.bytes, memory.size) == 0)
		rdma_counted(p, m.how, measure, &m);
out:
	rdma_link_close(&m.link);
	pinned_unmap(&memory);
}
