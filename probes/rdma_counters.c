/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "probes/rdma_counters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/clock.h"
#include "lib/facts_fabric.h"

#define PORT "sys/class/infiniband/%s/ports/%d/%scounters/%s"
#define LIFESPAN_MS 10
#define LIFESPAN_MAX_MS 200

/* The standard ones of a port, in counters/. */
#define STANDARD(X) \
	X("symbol_error") \
	X("link_error_recovery") \
	X("link_downed") \
	X("port_rcv_errors") \
	X("port_rcv_remote_physical_errors") \
	X("port_rcv_constraint_errors") \
	X("port_xmit_constraint_errors") \
	X("port_xmit_discards") \
	X("local_link_integrity_errors") \
	X("excessive_buffer_overrun_errors")

/* The drivers' own, in hw_counters/. */
#define MLX5(X) \
	X("local_ack_timeout_err") \
	X("packet_seq_err") \
	X("implied_nak_seq_err") \
	X("out_of_sequence") \
	X("duplicate_request") \
	X("rnr_nak_retry_err") \
	X("req_cqe_error") \
	X("resp_cqe_error") \
	X("req_remote_access_errors") \
	X("resp_remote_access_errors") \
	X("resp_local_length_error") \
	X("rx_icrc_encapsulated")
#define RXE(X) \
	X("completer_retry_err") \
	X("retry_exceeded_err") \
	X("retry_rnr_exceeded_err") \
	X("rcvd_rnr_err") \
	X("send_rnr_err") \
	X("rcvd_seq_err") \
	X("out_of_seq_request") \
	X("send_err") \
	X("link_downed")
#define BNXT(X) \
	X("to_retransmits") \
	X("seq_err_naks_rcvd") \
	X("max_retry_exceeded") \
	X("rnr_naks_rcvd") \
	X("missing_resp") \
	X("unrecoverable_err") \
	X("bad_resp_err")

static const struct counter {
	const char *file;
	bool hw;
} counters[] = {
#define X(file) { file, false },
	STANDARD(X)
#undef X
#define X(file) { file, true },
	MLX5(X) RXE(X) BNXT(X)
#undef X
};

#define COUNTERS (int)(sizeof(counters) / sizeof(*counters))
_Static_assert(sizeof(counters) / sizeof(*counters) <= RDMA_COUNTERS_MAX,
	       "RDMA_COUNTERS_MAX is too small");

/* ---- reading --------------------------------------------------------------- */

bool rdma_counters_refused(const struct hca *h, int number, bool hw)
{
	const struct val *v;
	int i, k;

	for (i = 0; i < h->port_count; i++)
		for (k = 0; h->port[i].number == number && k < FABRIC_COUNTERS;
		     k++) {
			v = fabric_counter_of(&h->port[i], k);
			if (fabric_counters[k].hw == hw && !VAL_KNOWN(*v) &&
			    v->rc != VAL_NO_FILE)
				return true;
		}
	return false;
}

/* The number in a file, or -1; *refused: there is a file, and no number. */
static int64_t read_one(const struct roots *r, const struct hca *h, int number,
			const struct counter *c, bool *refused)
{
	unsigned long long n;
	char text[64], *end;

	*refused = false;
	if (roots_readf(r, text, sizeof(text), PORT, h->name, number,
			c->hw ? "hw_" : "", c->file) < 0) {
		*refused = errno != ENOENT && errno != ENOTDIR;
		return -1;
	}
	errno = 0;
	n = strtoull(text, &end, 10);
	*refused = end == text || *end || errno || n > INT64_MAX;
	return *refused ? -1 : (int64_t)n;
}

void rdma_counters_read(const struct roots *r, const struct hca *h, int number,
			struct rdma_counters *c)
{
	bool stop[2] = { rdma_counters_refused(h, number, false),
			 rdma_counters_refused(h, number, true) };
	int i;

	for (i = 0; i < COUNTERS; i++) {
		bool hw = counters[i].hw;

		c->value[i] = -1;
		if (!stop[hw])
			c->value[i] = read_one(r, h, number, &counters[i],
					       &stop[hw]);
	}
}

void rdma_counters_settle(const struct roots *r, const struct hca *h,
			  int number)
{
	uint64_t ms;

	if (roots_read_u64(r, &ms, PORT, h->name, number, "hw_", "lifespan") <
		    0 ||
	    ms < LIFESPAN_MS)
		ms = LIFESPAN_MS;
	if (ms > LIFESPAN_MAX_MS)
		ms = LIFESPAN_MAX_MS;
	clock_sleep_ms((int)ms + 1);
}

/* ---- comparing ------------------------------------------------------------- */

/* What it rose by; a counter that was reset meanwhile tells nothing. */
static int64_t rise(const struct rdma_counters *before,
		    const struct rdma_counters *after, int i)
{
	if (before->value[i] < 0 || after->value[i] <= before->value[i])
		return 0;
	return after->value[i] - before->value[i];
}

static void add(struct rdma_shot *shot, const char *file, int64_t by)
{
	int at = shot->raised_count;

	if (at == RDMA_RAISED_MAX && by <= shot->raised[at - 1].by)
		return;
	if (at < RDMA_RAISED_MAX)
		shot->raised_count++;
	else
		at--;
	for (; at > 0 && shot->raised[at - 1].by < by; at--)
		shot->raised[at] = shot->raised[at - 1];
	snprintf(shot->raised[at].counter, sizeof(shot->raised[at].counter),
		 "%s", file);
	shot->raised[at].by = by;
}

void rdma_counters_raised(const struct rdma_counters *before,
			  const struct rdma_counters *after,
			  struct rdma_shot *shot)
{
	int64_t by;
	int i;

	shot->raised_count = 0;
	for (i = 0; i < COUNTERS; i++) {
		by = rise(before, after, i);
		if (by > 0)
			add(shot, counters[i].file, by);
	}
}
