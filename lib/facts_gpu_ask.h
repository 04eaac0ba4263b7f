/* SPDX-License-Identifier: Apache-2.0
 * facts_gpu_ask - inside of facts_gpu: the questions about one GPU.
 */
#ifndef ASSAY_FACTS_GPU_ASK_H
#define ASSAY_FACTS_GPU_ASK_H

#include "lib/devlibs.h"
#include "lib/facts_gpu.h"

struct gpu_ask {
	const struct facts_gpu_request *q;
	struct facts_gpus *io;
	struct devlibs_nvml n;
	struct nvml_device *handle[FACTS_GPUS_MAX];	/* by place in gpu[] */
	int slot;		/* of the GPU that calls are about, -1 */
};

/* Tell the parent what is about to be called, and that it came back. */
void gpu_ask_enter(const struct gpu_ask *a, const char *call);
int gpu_ask_leave(const struct gpu_ask *a, int rc);

/* rc of a call by its member in struct devlibs_nvml. */
#define GPU_CALL(a, member, ...) \
	((a)->n.member ? \
		 (gpu_ask_enter(a, devlibs_nvml_names.member), \
		  gpu_ask_leave(a, (a)->n.member(__VA_ARGS__))) : \
		 VAL_NO_SYMBOL)

/* Everything about gpu[slot], whose handle is there. */
void facts_gpu_ask_one(struct gpu_ask *a, int slot);

/* Only what moves while a job runs: counters, power, clocks, temperature,
 * memory, reasons, how busy it is. */
void facts_gpu_ask_counters(struct gpu_ask *a, int slot);

/* Load and initialise the library: 0, or -1 (a->io says why). */
int facts_gpu_ask_open(struct gpu_ask *a);
/* The handle of gpu[slot], by its bus id, into a->handle[]; its handle_rc. */
int facts_gpu_ask_handle(struct gpu_ask *a, int slot);

/* Does the first look call for a second, and that second look. */
bool facts_gpu_is_odd(const struct gpu *g);
void facts_gpu_ask_again(struct gpu_ask *a, int slot);

#endif
