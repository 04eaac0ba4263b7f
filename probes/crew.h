/* SPDX-License-Identifier: Apache-2.0
 * crew - the workers of a round of probes, and the parent's hand on them.
 *
 * One worker per place: a GPU, which sees that GPU only, or a port of an RDMA
 * device, which sees no GPU; one for what takes several GPUs (peer copies,
 * NCCL), and one for the file system, all started at once. The
 * parent tells each of them when to measure what, and takes the results over
 * when a worker says that it is done. A worker that does not answer in time
 * costs its own probes only; it is asked to go and, if it is stuck in the
 * driver, left behind.
 */
#ifndef ASSAY_PROBES_CREW_H
#define ASSAY_PROBES_CREW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/facts.h"
#include "lib/facts_probe.h"
#include "lib/roots.h"

/* A worker that could not be ended. */
struct crew_stuck {
	pid_t pid;
	int place;		/* -1 the group's */
	char call[40];
};

struct crew_plan {
	const struct facts_gpus *gpus;
	const struct roots *roots;
	const char *cuda_path, *nccl_path, *nvml_path;	/* [libraries] */
	const char *cublaslt_path, *verbs_path;		/* likewise */
	const char *empty_dir;	/* for CUDA_MPS_PIPE_DIRECTORY */
	const char *storage_path;	/* "" or NULL none */
	int storage_mb;		/* to be read at most */
	int sustain_s;		/* of load */
	/* Where pattern begins, as a share of the memory: an earlier run came
	 * so far. */
	double pattern_from[PROBE_GPUS_MAX];
	int32_t pcie_path_mt[PROBE_GPUS_MAX];	/* 0 unknown */
	/* The RDMA ports, as in facts_probes.port[]: the device's place in
	 * fabric->hca[], and the port's number. */
	const struct facts_fabric *fabric;
	int port_count;
	struct crew_port {
		int hca, number;
	} port[PROBE_PORTS_MAX];
	/* The port that each GPU's memory is written through, -1 none, and how
	 * far it is to it (enum pci_near). */
	int gpu_port[PROBE_GPUS_MAX], gpu_port_near[PROBE_GPUS_MAX];
	bool chosen[PROBE_PLACES];
	int order[PROBE_PLACES];	/* who goes first; all places once */
	/* What shares a link with another one is measured in another wave;
	 * 0 the first. */
	int wave[PROBE_PLACES];
	bool probe[PROBE_COUNT];
	int budget_ms;
	/* Is the node wanted for something else? Asked every few ms; then all
	 * is dropped. NULL: never. */
	bool (*cancelled)(void *arg);
	/* Should this be measured once more, alone? NULL: never. */
	bool (*doubts)(enum probe p, int place, void *arg);
	void *arg;
	struct crew_stuck stuck[PROBE_PLACES + 1];	/* out */
	int stuck_count;
};

/* Measure. *out is zeroed first. 0, or -1 if it was cancelled: then nothing
 * of *out counts. */
int crew_run(struct crew_plan *plan, struct facts_probes *out);

#endif
