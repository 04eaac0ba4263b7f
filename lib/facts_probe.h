/* SPDX-License-Identifier: Apache-2.0
 * facts_probe - what the active probes measured, as plain data.
 *
 * A shot is one measurement with the conditions it was taken under. The first
 * shot is taken in its place in the sequence, the second one (the repeat)
 * alone on its device, and only where the first one was low; where there was no
 * time for it, its end is PROBE_NONE and its why says so.
 */
#ifndef ASSAY_FACTS_PROBE_H
#define ASSAY_FACTS_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/facts_rdma.h"

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

#define PROBE_SHOTS 2		/* first, repeat */

struct probe_result {
	struct probe_shot shot[PROBE_SHOTS];
};

struct gpu_probes {
	char uuid[64];		/* "" no probes for this GPU */
	bool chosen;		/* the plan has it */
	bool mig;		/* in MIG mode: not probed */
	int32_t sms, cc;	/* multiprocessors; 90 for 9.0; 0 unknown */
	int32_t cuda_version;	/* of the driver: 13000 */
	double hbm_peak_gbps;	/* bus width x memory clock x 2, NAN */
	/* What the slowest link above the GPU can at most, MT/s; 0 unknown:
	 * a fast slot may hang on a slow switch. */
	int32_t pcie_path_mt;
	int64_t l2_bytes;
	bool jit;		/* the driver had to compile the kernels */
	int32_t left_mib;	/* what the probes could not free; -1: nobody
				 * lived to tell */
	struct probe_result probe[PROBE_COUNT];
	struct probe_digests gemm[PROBE_SHOTS];
	struct probe_digests sdc[PROBE_PATH_COUNT][PROBE_SHOTS];
	struct probe_bad bad[PROBE_SHOTS];	/* of pattern */
	struct probe_trace trace;		/* of sustain */
	int port;		/* place in ports of the one that gdr goes
				 * through, -1 none */
	int32_t port_near;	/* enum pci_near: how far it is to that one */
	struct rdma_shot gdr[PROBE_SHOTS];
};

/* A port of an RDMA device. */
struct port_probes {
	char name[48];		/* "mlx5_4", or "mlx5_4:2" of several */
	bool chosen;		/* the plan has it */
	int32_t hca, number;	/* index in facts.fabric.hca[]; of the port */
	struct probe_result probe[PROBE_COUNT];	/* loopback and latency */
	struct rdma_shot loopback[PROBE_SHOTS];
	struct rdma_shot latency[PROBE_SHOTS];
};

#define PROBE_GPUS_MAX 32
#define PROBE_PORTS_MAX 32

/* What is measured by itself has a place: GPUs first, as facts.gpus.gpu[],
 * then the ports: those of facts.fabric.hca[], device after device. */
#define PROBE_PLACES (PROBE_GPUS_MAX + PROBE_PORTS_MAX)
#define PROBE_PLACE_PORT(k) (PROBE_GPUS_MAX + (k))

/* From one GPU into another, GB/s, both directions loaded; NAN not measured.
 * By index in facts.gpus.gpu[]. */
struct probe_pairs {
	double gbps[PROBE_SHOTS][PROBE_GPUS_MAX][PROBE_GPUS_MAX];
	bool no_access[PROBE_GPUS_MAX][PROBE_GPUS_MAX];	/* the driver says */
	/* The payload came out changed. */
	bool corrupt[PROBE_SHOTS][PROBE_GPUS_MAX][PROBE_GPUS_MAX];
};

struct facts_probes {
	bool ran;		/* false: none of them; why says why */
	char why[160];
	char build_id[24];	/* of the kernels, "" none */
	int64_t elapsed_us;
	int64_t phase_us[PROBE_COUNT];
	struct gpu_probes gpu[PROBE_GPUS_MAX];	/* as facts.gpus.gpu[] */
	int32_t port_count;
	struct port_probes port[PROBE_PORTS_MAX];	/* by place */
	struct probe_pairs pairs;
	int32_t nccl_version;		/* 22807 for 2.28.7, 0 unknown */
	int32_t nccl_gpus;		/* that took part */
	int64_t nccl_bytes;		/* of the larger all-reduce */
	struct probe_result storage;
	bool storage_direct;		/* read past the page cache */
	int64_t storage_pid;		/* of a reader that hangs there, and */
	uint64_t storage_start;		/* when it was started; 0 none */
};

const char *probe_name(enum probe p);			/* "membw" */

/* Is it a port that it measures, and not a GPU? */
bool probe_is_of_ports(enum probe p);

/* The results of a place (of PROBE_context too), [PROBE_COUNT]. */
struct probe_result *probe_results(struct facts_probes *f, int place);

/* Is rc of a shot an RDMA port's (facts_rdma.h), and not CUDA's? By the call
 * that failed: a GPU's worker makes both kinds. */
bool probe_rc_is_rdma(const struct probe_shot *s);

const char *probe_path_name(enum probe_path p);		/* "fp64" */

#endif
