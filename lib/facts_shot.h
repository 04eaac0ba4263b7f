/* SPDX-License-Identifier: Apache-2.0
 * facts_shot - one measurement of an active probe, with the conditions it was
 * taken under, as plain data.
 */
#ifndef ASSAY_FACTS_SHOT_H
#define ASSAY_FACTS_SHOT_H

#include <stdbool.h>
#include <stdint.h>

/* X(member): the probes, in the order they run. */
#define PROBES_QUICK(X) \
	X(context) X(pcie_bw) X(membw) X(gemm) X(peer) X(loopback) X(gdr)
#define PROBES_DEEP(X) \
	X(nccl) X(gemm_peak) X(sdc) X(pattern) X(sustain) X(storage) \
	X(latency)

enum probe {
#define X(name) PROBE_##name,
	PROBES_QUICK(X) PROBES_DEEP(X)
#undef X
	PROBE_COUNT
};

enum probe_end {
	PROBE_NONE,		/* not run this time; why may say why */
	PROBE_DONE,
	PROBE_UNABLE,		/* does not apply or cannot run here: SKIP */
	PROBE_BROKEN,		/* our own trouble: ERROR */
	PROBE_FAULT,		/* the device failed under it (rc says how) */
	PROBE_TIMEOUT		/* no answer in time: SKIP and a suspicion */
};

/* What held the result down, or makes it no basis for a FAIL. Numbers are -1
 * where unknown. */
struct probe_conditions {
	int32_t sm_mhz, mem_mhz;		/* lowest while it ran */
	int32_t sm_mhz_max, mem_mhz_max;
	int32_t app_mhz, app_mhz_default;	/* application clock, SM */
	int64_t throttle;	/* event reasons, ORed over the samples */
	int32_t temp_c;		/* highest */
	int32_t power_w, power_limit_w, power_default_w;
	int32_t pcie_gen, pcie_width;	/* lowest, while copying */
	int32_t numa_node;	/* of the buffer, as the kernel tells */
	int32_t numa_wanted;	/* of the GPU */
	int32_t others;		/* foreign processes on the GPU */
	int32_t confidential;	/* 1: confidential computing is on */
	int32_t samples;	/* looks at the above while it ran */
};

#define PROBE_FIGURES 3

struct probe_shot {
	enum probe_end end;
	int32_t rc;		/* CUDA's or NCCL's, 0 none */
	char call[40];		/* that answered rc, or did not return */
	char why[120];
	int64_t elapsed_us;	/* whole probe, wall */
	bool corrupt;		/* the payload came back changed */
	bool partial;		/* the time was over before the work was */
	bool never;		/* UNABLE, and so it stays with this boot,
				 * driver and build of assay */
	double figure[PROBE_FIGURES];	/* NAN unknown; see the table below */
	struct probe_conditions cond;
};

/* figure[] of each probe:
 *   context    seconds: cuInit, context, module
 *   pcie_bw    GB/s: H2D, D2H
 *   membw      GB/s: read, triad (2 loads, 1 store; every byte counted)
 *   gemm       TFLOP/s
 *   peer       GB/s to each peer: in the table of pairs
 *   loopback   GB/s written by an RDMA port into the host's memory
 *   gdr        GB/s written by the GPU's nearest port within its memory
 *   nccl       busbw GB/s: the smaller size, the larger; seconds of init.
 *              One measurement of all GPUs: each of them has it
 *   gemm_peak  TFLOP/s (cuBLASLt)
 *   sdc        digests compared; those unlike the most of the same GPU
 *   pattern    GiB checked; words that were wrong twice; GB/s
 *   sustain    TFLOP/s at the start, at the end; seconds
 *   storage    GB/s; p99 ms; GiB
 *   latency    microseconds of a small write: median, p99
 *
 * loopback and latency are about a port (struct port_probes), storage about
 * none of both, all others about a GPU.
 */

#define PROBE_SMS_MAX 256

/* Digests of an SM kernel, by %smid. */
struct probe_digests {
	int32_t sms;		/* of the device */
	int32_t seen;		/* of them that ran a block */
	bool ran[PROBE_SMS_MAX];
	uint64_t digest[PROBE_SMS_MAX];
};

/* Kinds of instruction that sdc goes through: as enum kernel_path. */
#define PROBE_PATHS(X) X(int) X(fp32) X(fp64) X(bf16) X(fp8) X(shared) X(l2)
enum probe_path {
#define X(name) PROBE_PATH_##name,
	PROBE_PATHS(X)
#undef X
	PROBE_PATH_COUNT
};

/* What pattern found wrong, and where it stopped. */
struct probe_bad {
	uint64_t words;		/* at the first look; 32 bits each */
	uint64_t again;		/* when the same were read once more: 0 where the
				 * first of them was not wrong twice */
	uint64_t at;		/* the first: byte of what was allocated */
	uint32_t want, got;	/* there */
	double next;		/* share of the memory that the next run shall
				 * begin at; 0: all has been gone through */
};

/* A look at a GPU under load. Numbers are -1 where unknown. */
struct probe_sample {
	double at_s;		/* end of it, on the GPU's clock */
	double tflops;
	int32_t sm_mhz, temp_c, power_w;
	int64_t throttle;
};

#define PROBE_TRACE_MAX 128

struct probe_trace {
	int32_t count;
	struct probe_sample sample[PROBE_TRACE_MAX];
};

const char *probe_name(enum probe p);			/* "membw" */
const char *probe_path_name(enum probe_path p);		/* "fp64" */

/* Is it a port that it measures, and not a GPU? */
bool probe_is_of_ports(enum probe p);

/* Is rc of a shot an RDMA port's (facts_rdma.h), and not CUDA's? By the call
 * that failed: a GPU's worker makes both kinds. */
bool probe_rc_is_rdma(const struct probe_shot *s);

#endif
