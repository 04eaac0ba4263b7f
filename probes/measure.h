/* SPDX-License-Identifier: Apache-2.0
 * measure - the probes themselves, one file each, run in a worker.
 *
 * Each fills *shot: end, figures (order in facts_probe.h) and conditions, and
 * leaves nothing allocated. n: 0 the first shot, 1 the repeat.
 */
#ifndef ASSAY_PROBES_MEASURE_H
#define ASSAY_PROBES_MEASURE_H

#include "probes/device.h"

/* On one GPU. g: that GPU's results, for what is more than a figure. */
typedef void (*measure_f)(struct probe_device *d, struct gpu_probes *g,
			  struct probe_shot *shot, int n);

void measure_pcie_bw(struct probe_device *d, struct gpu_probes *g,
		     struct probe_shot *shot, int n);
void measure_membw(struct probe_device *d, struct gpu_probes *g,
		   struct probe_shot *shot, int n);
void measure_gemm(struct probe_device *d, struct gpu_probes *g,
		  struct probe_shot *shot, int n);

/* On all GPUs of the group. ok[i] false: not opened. Results go into *out:
 * the table of pairs, and a shot for each GPU. */
struct probe_group {
	struct probe_libs *libs;
	const char *nccl_path;
	int count;			/* places of gpu[] in use */
	bool ok[PROBE_GPUS_MAX];
	struct probe_device gpu[PROBE_GPUS_MAX];
	const bool *again;		/* repeat: only these; NULL all */
};

typedef void (*measure_group_f)(struct probe_group *group,
				struct facts_probes *out, int n);

void measure_peer(struct probe_group *group, struct facts_probes *out, int n);

/* Start a shot: figures unknown, conditions that do not move noted. d may be
 * NULL. */
void measure_begin(struct probe_device *d, struct probe_shot *shot);

#endif
