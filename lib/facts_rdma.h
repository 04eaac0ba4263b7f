/* SPDX-License-Identifier: Apache-2.0
 * facts_rdma - what the probes of RDMA ports tell beside their figures.
 */
#ifndef ASSAY_FACTS_RDMA_H
#define ASSAY_FACTS_RDMA_H

#include <stdbool.h>
#include <stdint.h>

/* rc of a shot that a port failed: the ibv_wc_status of the write, or: */
enum rdma_rc {
	RDMA_RC_GONE = -1,	 /* the device is there no more */
	RDMA_RC_FATAL = -2,	 /* it reported a fatal error */
	RDMA_RC_PORT_DOWN = -3,	 /* the port went down meanwhile */
	RDMA_RC_QUEUE = -4,	 /* it reported that a queue failed */
	RDMA_RC_CALL = -5	 /* a call failed for the device's sake */
};

#define RDMA_RAISED_MAX 8

/* An error counter of the port that its own probe raised. */
struct rdma_raised {
	char counter[36]; /* the file's name: "symbol_error" */
	int64_t by;
};

/* How one shot was measured. Numbers are -1 where unknown. */
struct rdma_shot {
	int32_t qps, msg_bytes, depth;
	int32_t mtu;	   /* of the path, bytes */
	int32_t gid_index; /* -1: addressed by LID */
	char gid_type[12]; /* "RoCE v2", "IB/RoCE v1", "" by LID */
	char gid[40];	   /* "fe80::5054:ff:fe00:1", "" */
	/* Of GPU memory: "dmabuf", "peermem", "" not tried; "none": neither is
	 * open, the shot is PROBE_UNABLE and its why says how both refused. */
	char road[12];
	int32_t relaxed;   /* relaxed ordering: 1 asked for and not refused,
			    * 0 not with this library, or refused */
	int64_t bytes;	   /* that were moved while the clock ran */
	int64_t cpu_us;	   /* of the worker, meanwhile */
	int64_t payload;   /* all that was written, with trials */
	double other_gbps; /* moved by others, by the port's counters, in the
			    * direction where it is more; NAN unknown */
	int32_t raised_count;
	struct rdma_raised raised[RDMA_RAISED_MAX];
};

#endif
