/* SPDX-License-Identifier: Apache-2.0
 * cuda_device - the devices of the fake CUDA, and what every call does first.
 */
#ifndef ASSAY_FAKE_CUDA_DEVICE_H
#define ASSAY_FAKE_CUDA_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/cuda.h"
#include "tests/fake/scenario.h"

#define FAKE_SECTION "cuda"
#define EXPORT(ret, name, params) EXPORT_AS(cu, ret, name, params)

#define CUDA_DEVICES_MAX 64

/* Codes that only the fake needs a name for. */
enum {
	FAKE_RC_INVALID_CONTEXT = 201,
	FAKE_RC_INVALID_HANDLE = 400,
	FAKE_RC_ALREADY_REGISTERED = 712,
	FAKE_RC_NOT_REGISTERED = 713
};

struct cuda_context {
	struct fake_device *dev;
};

struct fake_device {
	struct scn_device scn;		/* cuda.gpus[index] */
	struct scn_device nvml;		/* nvml.gpus[index] */
	int index;			/* in the scenario */
	struct cuda_context context;
	int refs;			/* of the primary context */
	int sticky;			/* what broke the context, or 0 */
	uint64_t allocated;		/* bytes, of this process */
	uint64_t peers;			/* bit per index: access enabled */
	struct cuda_stream *stream;	/* the default one, made by need */
};

/* Ask the environment and the scenario which devices there are; 0 or the rc
 * of cuInit. A second call does nothing. */
int cudev_init(void);

/* The i-th visible device, and the device of a context; NULL: none. */
struct fake_device *cudev_at(cuda_device i);
struct fake_device *cudev_of(const struct cuda_context *c);
int cudev_count(void);

/* The calling thread's context. */
struct fake_device *cudev_current(void);
void cudev_set_current(struct fake_device *d);

/* A call of func ("MemAlloc", without _v2) on a device begins: what the
 * scenario has it answer, or 0, and then the library's lock is held until
 * cudev_end(), which hands rc through. */
int cudev_begin(const char *func, struct fake_device *d);
/* The same on the device of the thread's context, told in *d. */
int cudev_begin_here(const char *func, struct fake_device **d);
/* A call for the work of d: twin speaks for it, unless it is listed. */
int cudev_begin_twin(const char *func, const char *twin, struct fake_device *d);
/* The context of d is broken from here on; the lock is held. */
void cudev_break(struct fake_device *d, int rc);
int cudev_end(int rc);
void cudev_lock(void);
/* The same without a device: "Init" and other calls on the library. */
int cudev_begin_library(const char *func);

/* What the device lists for key, by a number: {"1": 380}, or one value for
 * all of them. */
struct scn_node cudev_keyed(struct fake_device *d, const char *key, int arg);
/* A number that the device lists ("context_ms"), or otherwise. */
double cudev_number(struct fake_device *d, const char *key, double otherwise);

/* What NVML's entry says, as it stands there: no control is obeyed, no
 * sequence moved. NULL: nothing. */
json_t *cudev_nvml(const struct fake_device *d, const char *func,
		   const char *member);

/* A device attribute: 0 and *out, or an rc. */
int cudev_attribute(struct fake_device *d, int attribute, int *out);

#endif
