/* SPDX-License-Identifier: Apache-2.0
 * device - one GPU as a probe's worker sees it: the libraries, a context, a
 * stream, the kernels, and calls whose failure tells itself.
 *
 * Everything here happens in a worker and may hang; the parent reads in the
 * shared page which call did.
 */
#ifndef ASSAY_PROBES_DEVICE_H
#define ASSAY_PROBES_DEVICE_H

#include <sys/types.h>

#include "lib/devlibs.h"
#include "lib/facts_probe.h"
#include "probes/kernels.h"

/* In the page that the parent can see. Written before a call that may hang. */
struct probe_progress {
	char call[40];			/* "" between calls */
};

struct crew_plan;

/* What all devices of a worker share. */
struct probe_libs {
	const struct crew_plan *plan;	/* what was asked for */
	int64_t until_ms;	/* clock_mono_ms() at which nobody waits for
				 * this measurement any more */
	struct devlibs_cuda cuda;
	struct devlibs_nvml nvml;
	bool have_nvml;
	struct probe_progress *progress;	/* never NULL */
	const pid_t *crew;	/* [PROBE_GPUS_MAX] no foreign processes, as this
				 * one; 0 none. NULL: it is alone */
};

struct probe_device {
	struct probe_libs *libs;
	struct nvml_device *nvml;	/* NULL: conditions are unknown */
	int place;			/* in the plan's gpus */
	cuda_device ordinal;
	struct cuda_context *context;	/* NULL: not opened */
	struct cuda_stream *stream;
	struct cuda_event *begin, *end;
	struct cuda_module *module;
	struct cuda_function *function[KERNEL_COUNT];
	char no_kernels[100];	/* why kernel probes cannot run, "" they can */
	int sms, cc;
	int64_t l2_bytes;
	int numa_wanted;	/* node of the GPU, -1 unknown or not placed */
	int64_t held_bytes;	/* allocated by device_alloc(), not freed */
};

/* Load the driver's library, initialise it, load NVML if it is there. paths:
 * as of [libraries]. shot->end is set if it fails: 0 or -1. */
int device_libs_open(struct probe_libs *l, const char *cuda_path,
		     const char *nvml_path, struct probe_shot *shot);

/* Context, stream and kernels of device ordinal (in the driver's order of what
 * CUDA_VISIBLE_DEVICES lets it see) into *d; tells about it in *g. uuid finds
 * the GPU in NVML. */
int device_open(struct probe_device *d, struct probe_libs *l, int ordinal,
		struct gpu_probes *g, struct probe_shot *shot);

/* Give everything back. What the driver does not take stays in held_bytes. */
void device_close(struct probe_device *d);

/* A call of the driver: 0, or -1 with the call and its code in *shot. */
#define DEVICE_CALL(l, shot, member, ...) \
	(device_enter(l, devlibs_cuda_names.member), \
	 device_leave(l, shot, devlibs_cuda_names.member, \
		      (l)->cuda.member(__VA_ARGS__)))
void device_enter(struct probe_libs *l, const char *call);
int device_leave(struct probe_libs *l, struct probe_shot *shot,
		 const char *call, int rc);

/* End the shot for a reason that is no device error. Returns -1. */
int device_unable(struct probe_shot *shot, const char *why, ...)
	__attribute__((format(printf, 2, 3)));
/* The same for what this driver, or this build of assay, does not have: it is
 * not to be tried again. */
int device_never(struct probe_shot *shot, const char *why, ...)
	__attribute__((format(printf, 2, 3)));
/* The same for a reason that may be gone next time. */
int device_not_now(struct probe_shot *shot, const char *why, ...)
	__attribute__((format(printf, 2, 3)));

int device_alloc(struct probe_device *d, struct probe_shot *shot,
		 cuda_ptr *ptr, int64_t bytes);
/* *ptr is 0 afterwards. */
void device_free(struct probe_device *d, cuda_ptr *ptr, int64_t bytes);

/* Bytes that may be allocated now, at most wanted: a quarter of what is free.
 * -1 if that is less than least. */
int64_t device_room(struct probe_device *d, struct probe_shot *shot,
		    int64_t wanted, int64_t least);

/* What is left of the time to measure, but for what it takes to end. */
int64_t device_left_ms(const struct probe_device *d);

/* Numbers that seed decides into so many bytes; without kernels the number
 * seed itself, over and over. Enqueued, not waited for. */
int device_fill(struct probe_device *d, struct probe_shot *shot, cuda_ptr dst,
		int64_t bytes, uint32_t seed);

/* A kernel, and how many blocks of KERNEL_THREADS each. */
struct kernel_run {
	enum kernel kernel;
	unsigned int blocks, shared_bytes;
	void *args;		/* the kernel's struct */
};

int device_launch(struct probe_device *d, struct probe_shot *shot,
		  const struct kernel_run *run);

/* Time what is enqueued between the two, waiting by looking now and then and
 * noting the conditions meanwhile. seconds: of the GPU's own clock. */
int device_begin(struct probe_device *d, struct probe_shot *shot);
int device_finish(struct probe_device *d, struct probe_shot *shot,
		  double *seconds);
/* The same without a time. */
int device_wait(struct probe_device *d, struct probe_shot *shot);
/* Wait until an event that was recorded has been reached. */
int device_reach(struct probe_device *d, struct probe_shot *shot,
		 struct cuda_event *event);

#endif
