/* SPDX-License-Identifier: Apache-2.0
 * look - what files tell in a round: ports, the jobs' cgroups, network file
 * systems. Any of them may block (a counter is a question to an adapter's
 * firmware), so a worker reads them, one for each round.
 */
#ifndef ASSAY_WATCH_LOOK_H
#define ASSAY_WATCH_LOOK_H

#include "checks/session.h"
#include "lib/cgroup.h"
#include "lib/facts.h"
#include "lib/spawn.h"
#include "watch/mark.h"
#include "watch/netfs.h"

/* What a sampler asks of a port beyond what the gate does. */
#define LOOK_COUNTERS(X) \
	X(tx_words, "counters/port_xmit_data") \
	X(rx_words, "counters/port_rcv_data") \
	X(packet_seq, "hw_counters/packet_seq_err") \
	X(out_of_sequence, "hw_counters/out_of_sequence") \
	X(implied_nak, "hw_counters/implied_nak_seq_err") \
	X(rnr_nak, "hw_counters/rnr_nak_retry_err") \
	X(ecn_marked, "hw_counters/np_ecn_marked_roce_packets") \
	X(cnp_handled, "hw_counters/rp_cnp_handled")

struct port_reading {
	int64_t at_us;		/* 0 never */
	struct ib_port port;	/* facts_fabric.h */
#define X(member, file) struct val member;
	LOOK_COUNTERS(X)
#undef X
};

struct host_reading {
	int64_t at_us;
	bool found;		/* the job has a cgroup */
	int cpus;		/* it may use, 0 unknown */
	struct cgroup_usage usage;
};

#define LOOK_PORTS_MAX 32

struct look_page {
	int64_t at_us;
	int port_count;
	char port_name[LOOK_PORTS_MAX][48];	/* "mlx5_0:1" */
	char port_subject[LOOK_PORTS_MAX][48];	/* "mlx5_0" of one port */
	struct port_reading port[LOOK_PORTS_MAX];
	struct host_reading host[MARK_JOBS_MAX];
	struct netfs net;
};

struct look {
	const struct session *s;
	const json_t *memory;	/* of ib_errors: groups not to ask */
	struct worker worker;
	struct look_page *page;
	bool asked;
	bool stuck;		/* one did not come back */
	bool fresh;		/* the page holds the last round */
	int64_t until_ms;
	int job_count;
	struct cgroup_job job[MARK_JOBS_MAX];	/* whose cgroups */
};

#define LOOK_MS 5000

void look_init(struct look *l, const struct session *s, const json_t *memory);

/* Begin a round over the jobs in job[]. False: not now. */
bool look_ask(struct look *l);
int look_fd(const struct look *l);	/* -1: nothing to wait for */
/* True: the round is over; page is good if fresh. */
bool look_hear(struct look *l, int64_t now_ms);
void look_end(struct look *l, int patience_ms);

/* Of the child, for tests: fill page. */
void look_fill(const struct look *l, struct look_page *page);

#endif
