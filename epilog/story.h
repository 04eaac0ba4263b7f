/* SPDX-License-Identifier: Apache-2.0
 * story - all that is known of one job on one node: what the summary is made
 * of. Plain data; who gathers it is the sampler (while the job runs) and the
 * Epilog.
 */
#ifndef ASSAY_EPILOG_STORY_H
#define ASSAY_EPILOG_STORY_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/facts.h"
#include "lib/track.h"
#include "lib/xid.h"

#define STORY_EVENTS_MAX 256
#define STORY_PORTS_MAX 32

/* Why a number is not there; STORY_KNOWN: it is. */
enum story_why {
	STORY_KNOWN,
	STORY_RESET,	   /* the counter went back */
	STORY_SATURATED,   /* it stands at its highest */
	STORY_UNSUPPORTED, /* this device does not tell */
	STORY_MIG,
	STORY_SHARED, /* another job could have moved it */
	STORY_NO_WATCH,
	STORY_WATCH_ENDED, /* early */
	STORY_UNREADABLE,
	STORY_SHORT,
	STORY_NOT_TOLD /* nobody said */
};

struct story_number {
	double v;
	enum story_why why;
};

/* How much of the job the sampler saw. */
enum story_watch { WATCH_WHOLE, WATCH_LATE, WATCH_ENDED, WATCH_NONE };

enum story_state {
	STORY_RUNNING,
	STORY_COMPLETED,
	STORY_FAILED,
	STORY_CANCELLED,
	STORY_TIMEOUT,
	STORY_OOM,
	STORY_NODE_FAIL,
	STORY_UNKNOWN
};

struct story_job {
	uint32_t id, restart, uid;
	int64_t array_job, array_task; /* -1 none */
	char user[40], account[64], partition[64], node[64];
	int nodes;
	int64_t start_s, end_s; /* end: now, while it runs */
	int64_t limit_end_s;	/* 0 unknown */
	enum story_state state;
	int exit_code, signal; /* -1 unknown */
	bool owned;	       /* nobody else's job was on the node */
};

struct story_gpu {
	char uuid[64], bus_id[24], model[96];
	int index, minor;
	bool mig;
	double mem_total_bytes; /* NAN unknown */
	int sm_mhz_max;		/* 0 unknown */
	/* Over the job: from the snapshots or the track, whichever is exact. */
	struct story_number energy_j, held_power_s, held_thermal_s, held_hw_s,
		nvlink_bytes, pcie_bytes, ecc_corr, ecc_unc, pcie_replay,
		nvlink_errors;
	/* Why sm, tensor and dram of its samples are unknown. */
	enum story_why activity_why;
	const struct track_sample *sample; /* of the job's time only */
	int samples;
	int64_t epoch_s; /* from_s counts from here */
};

struct story_port {
	char name[48];
	int rate_gbit; /* at the start, -1 unknown */
	struct story_number rx_bytes, tx_bytes, errors, retries, congestion,
		downs;
	/* The error counters one by one, {"symbol_error": 3}; may be NULL. */
	json_t *counters;
	const struct track_traffic *sample;
	int samples;
	int64_t epoch_s;
};

enum story_event_kind {
	EVENT_XID,
	EVENT_SXID,
	EVENT_OFFBUS,
	EVENT_HW,
	EVENT_ECC,
	EVENT_LINK_DOWN,
	EVENT_LINK_UP,
	EVENT_RATE_DROP,
	EVENT_HELD,
	EVENT_OOM
};

struct story_event {
	int64_t time_s;
	enum story_event_kind kind;
	int number;	  /* of an XID; -1 none */
	int subcode;	  /* of an XID; -1 none */
	bool fatal;	  /* as the line says; ECC: not corrected */
	int64_t pid;	  /* named in the line, -1 unknown */
	bool pid_is_jobs; /* the job's own process */
	char device[48];  /* "GPU3", "mlx5_0" */
	char text[120];
};

/* Who counted: the job's cgroup; or, where there is none, the kernel for those
 * who wait for a process. */
enum story_source { STORY_CGROUP, STORY_PROCESSES };

/* What the cgroup and the SPANK plugin told of CPU, memory, I/O. */
struct story_host {
	struct story_number cpu_s, mem_peak_bytes, mem_limit_bytes, oom_kills,
		read_bytes, write_bytes;
	enum story_source cpu_of;
	enum story_source mem_of; /* STORY_PROCESSES: the peak is that of the
				   * largest one, the limit what is allocated
				   * or the node's */
	int cpus;	 /* allocated, 0 unknown */
	int steps;	 /* seen, -1 not told */
	json_t *clients; /* of network file systems: [{kind, mount,
				 * read_bytes, write_bytes}], may be NULL */
	/* CPU use by time, one for each GPU sample (0..1 of the cpus); NULL. */
	const float *cpu_busy;
	int cpu_samples;
};

struct story {
	struct story_job job;
	enum story_watch watch;
	int interval_s;
	int gpu_count, port_count, event_count;
	bool events_cut;
	struct story_gpu gpu[FACTS_GPUS_MAX];
	struct story_port port[STORY_PORTS_MAX];
	struct story_event event[STORY_EVENTS_MAX];
	struct story_host host;
	char nvlink_domain[64]; /* clique and fabric, "" unknown */
	char leaf[64];		/* the switch it hangs on, "" unknown */
	const json_t *gate;	/* the Prolog's record, may be NULL */
	const json_t *after;	/* the Epilog's, may be NULL */
	const struct xid_table *xids;	/* NULL: the built-in table */
};

#endif
