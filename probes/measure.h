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
void measure_gemm_peak(struct probe_device *d, struct gpu_probes *g,
		       struct probe_shot *shot, int n);
void measure_sdc(struct probe_device *d, struct gpu_probes *g,
		 struct probe_shot *shot, int n);
void measure_pattern(struct probe_device *d, struct gpu_probes *g,
		     struct probe_shot *shot, int n);
void measure_sustain(struct probe_device *d, struct gpu_probes *g,
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
void measure_nccl(struct probe_group *group, struct facts_probes *out, int n);

/* On a file of the plan's, until until_ms (clock_mono_ms()) at most. */
void measure_storage(const struct crew_plan *plan, struct facts_probes *out,
		     int n, int64_t until_ms);

/* Libraries that call CUDA's by themselves, which finds the system's. Not where
 * the configuration names another one, unless it names (path) this one too: 0,
 * or -1 with the shot ended. */
int measure_may_load(const struct crew_plan *plan, const char *path,
		     struct probe_shot *shot);
/* Such a library could not be loaded: what that means. Returns -1. Call with
 * errno as it was left. */
int measure_no_library(const char *path, const struct err *e,
		       struct probe_shot *shot);

/* Start a shot: figures unknown, conditions that do not move noted. d may be
 * NULL. */
void measure_begin(struct probe_device *d, struct probe_shot *shot);

#endif
