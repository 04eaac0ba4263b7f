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
	const char *nvml_path;	/* NULL or "": the system's libnvidia-ml.so.1 */
	const bool *skip;	/* [FACTS_GPUS_MAX] by index in gpu[]; NULL */
	int second_look_ms;	/* 200; only waited when something is odd */
	/* After a job: look again this long, every second_look_ms, as long as
	 * processes are left (contexts are still being torn down). */
	int procs_patience_ms;
	struct facts_gpu_progress *progress;	/* never NULL */
	/* gpu[i] is complete (called once each, again after a second look). */
	void (*emit)(const struct facts_gpus *g, int i, void *arg);
	void *arg;
};

/* Fill *out from files: GPUs in PCI order with bus_id, uuid, minor, in_pci,
 * in_proc, pci_*; versions; counts; everything of NVML unasked. Always 0. */
int facts_gpu_inventory(const struct roots *r, struct facts_gpus *out);

/* Nothing is known of it yet. */
void facts_gpu_unasked(struct gpu *g);

/* Add a GPU to the list, and give each its index in PCI order again. Its
 * place in gpu[], or -1 if the list is full. */
int facts_gpu_add(struct facts_gpus *g, const char *bus_id);

/* Write any form of a bus id ("00000000:1B:00.0") as "0000:1b:00.0". -1 if it
 * is none. */
int facts_gpu_bus_id(const char *text, char *out, size_t size);

/* Ask NVML about the GPUs of *io (from facts_gpu_inventory), except those to
 * skip; GPUs that only NVML knows are appended. Sets init_rc, library_error,
 * driver, nvml_count. Where the first look at a GPU raised no doubt, its
 * *_again values repeat the first. Returns 0 also when the driver refuses or
 * the library is missing (those are facts); -1 only for our own trouble
 * (io->gather.why). */
int facts_gpu_ask(const struct facts_gpu_request *q, struct facts_gpus *io);

#endif
