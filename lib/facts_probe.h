/* SPDX-License-Identifier: Apache-2.0
 * facts_probe - what the active probes measured, as plain data: of each GPU, of
 * each RDMA port, and of the node.
 *
 * The first shot is taken in its place in the sequence, the second one (the
 * repeat) alone on its device, and only where the first one was low; where there
 * was no time for it, its end is PROBE_NONE and its why says so.
 */
#ifndef ASSAY_FACTS_PROBE_H
#define ASSAY_FACTS_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/facts_rdma.h"
#include "lib/facts_shot.h"

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

/* The results of a place (of PROBE_context too), [PROBE_COUNT]. */
struct probe_result *probe_results(struct facts_probes *f, int place);

#endif
