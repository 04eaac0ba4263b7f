/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "probes/rdma_traffic.h"

#include <math.h>

#include "lib/clock.h"
#include "probes/rdma_counters.h"

#define PORT "sys/class/infiniband/%s/ports/%d/%scounters/%s"

/* Less than that of our own payload, and it is not among it: the device counts
 * only what leaves it. The rest is for counters that come late. */
#define AMONG 0.9
/* Of each packet, with its share of the acknowledgements: RoCE v2 has most. */
#define HEADER_BYTES 90
#define MTU_LEAST 256

/* Those of IBTA count words. An adapter of old stops at the end of 32 bits. */
static const struct source {
	const char *file[2];
	bool hw;
	int unit;
	uint64_t end;
} sources[] = {
	{ { "port_xmit_data", "port_rcv_data" }, false, 4, UINT32_MAX },
	{ { "tx_bytes", "rx_bytes" }, true, 1, UINT64_MAX },
	{ { "hw_tx_bytes_cnt", "hw_rx_bytes_cnt" }, true, 1, UINT64_MAX },
};

#define SOURCES ((int)(sizeof(sources) / sizeof(sources[0])))

static bool read_both(const struct roots *r, const struct hca *h, int number,
		      const struct source *s, int64_t bytes[2])
{
	uint64_t n;
	int i;

	for (i = 0; i < 2; i++) {
		if (roots_read_u64(r, &n, PORT, h->name, number,
				   s->hw ? "hw_" : "", s->file[i]) < 0 ||
		    n == s->end || n > INT64_MAX / (uint64_t)s->unit)
			return false;
		bytes[i] = (int64_t)n * s->unit;
	}
	return true;
}

void rdma_traffic_read(const struct roots *r, const struct hca *h, int number,
		       struct rdma_traffic *t)
{
	int i;

	*t = (struct rdma_traffic){ .source = -1, .us = clock_mono_us() };
	for (i = 0; i < SOURCES && t->source < 0; i++)
		if (!rdma_counters_refused(h, number, sources[i].hw) &&
		    read_both(r, h, number, &sources[i], t->bytes))
			t->source = i;
}

/* At most what our own traffic counts for. */
static double own_bytes(const struct rdma_shot *how)
{
	int mtu = how->mtu > MTU_LEAST ? how->mtu : MTU_LEAST;

	return (double)how->payload * (1 + (double)HEADER_BYTES / mtu);
}

double rdma_traffic_others(const struct rdma_traffic *before,
			   const struct rdma_traffic *after,
			   const struct rdma_shot *how)
{
	double sent = (double)(after->bytes[0] - before->bytes[0]);
	double received = (double)(after->bytes[1] - before->bytes[1]);
	double least = fmin(sent, received), most = fmax(sent, received);

	if (before->source < 0 || before->source != after->source ||
	    after->us <= before->us || least < 0)
		return NAN;	/* reset meanwhile, too */
	/* Ours goes both ways. */
	if (least >= AMONG * (double)how->payload)
		most = fmax(most - own_bytes(how), 0);
	return most / (double)(after->us - before->us) / 1e3;
}
