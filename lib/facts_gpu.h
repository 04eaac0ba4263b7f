/* SPDX-License-Identifier: Apache-2.0
 * facts_gpu - gather what files and NVML tell about the node's GPUs.
 *
 * Two steps. The inventory reads files only (PCI, /proc/driver/nvidia) and is
 * safe anywhere. Asking calls the driver and may hang: it happens in a worker
 * that is watched from outside through *progress.
 */
#ifndef ASSAY_FACTS_GPU_H
#define ASSAY_FACTS_GPU_H

#include "lib/facts.h"
#include "lib/roots.h"

/* In a page that is shared with the parent. Written before each driver call
 * (call, gpu) and after it (calls). gpu: index in facts_gpus.gpu[], or -1. */
struct facts_gpu_progress {
	volatile uint64_t calls;	/* calls that returned so far */
	volatile int gpu;
	char call[64];			/* "" between calls */
};

struct facts_gpu_request {
	const struct roots *roots;
	const char *nvml_path;	/* NULL or "": the loader's libnvidia-ml.so.1 */
	const bool *skip;	/* [FACTS_GPUS_MAX] by index in gpu[]; NULL */
	int second_look_ms;	/* 200; only waited when something is odd */
	struct facts_gpu_progress *progress;	/* never NULL */
	/* gpu[i] is complete (called once each, again after a second look). */
	void (*emit)(const struct facts_gpus *g, int i, void *arg);
	void *arg;
};

/* Fill *out from files: GPUs in PCI order with bus_id, uuid, minor, in_pci,
 * in_proc, pci_*; versions; counts; everything of NVML unasked. Always 0. */
int facts_gpu_inventory(const struct roots *r, struct facts_gpus *out);

/* Ask NVML about the GPUs of *io (from facts_gpu_inventory), except those to
 * skip; GPUs that only NVML knows are appended. Sets init_rc, library_error,
 * driver, nvml_count. Returns 0 also when the driver refuses (that is a fact);
 * -1 only for our own trouble (io->gather.why). */
int facts_gpu_ask(const struct facts_gpu_request *q, struct facts_gpus *io);

#endif
