/* SPDX-License-Identifier: Apache-2.0
 * nvml_gpm - NVML's GPU performance monitoring, from Hopper on: what happened
 * on a GPU between two samples of its counters.
 *
 * Read off nvml.h of NVML 12.2 and 13.3 (NVIDIA/go-nvml, gen/nvml/nvml.h);
 * asserted by tests/unit/test_nvml_abi.c.
 */
#ifndef ASSAY_NVML_GPM_H
#define ASSAY_NVML_GPM_H

#define NVML_GPM_VERSION 1	/* of both structs: a plain number, no size */
#define NVML_GPM_IDS 512	/* behind the last; NVML 13.3 ends at 332 */

struct nvml_gpm_sample;	/* known to the library only */

struct nvml_gpm_metric {			/* 40 bytes */
	unsigned int id;			/*  0 */
	int rc;					/*  4 */
	double value;				/*  8 */
	const char *short_name;			/* 16 */
	const char *long_name;			/* 24 */
	const char *unit;			/* 32 */
};

/* Releases differ in the length of the list at its end; the library goes by
 * count. */
struct nvml_gpm_get {
	unsigned int version;			/*  0 */
	unsigned int count;			/*  4 */
	struct nvml_gpm_sample *first, *second;	/*  8, 16 */
	struct nvml_gpm_metric metric[NVML_GPM_IDS];	/* 24 */
};

struct nvml_gpm_support {			/* 8 bytes */
	unsigned int version;			/*  0 */
	unsigned int supported;			/*  4 */
};

/* Metrics: percent of the time between the samples, */
enum nvml_gpm_id {
	NVML_GPM_BUSY = 1,	/* some kernel was resident */
	NVML_GPM_SM = 2,	/* SMs had work */
	NVML_GPM_TENSOR = 5,	/* any tensor pipe was active */
	NVML_GPM_DRAM = 10,
	/* and counts since boot, which newer drivers tell too. */
	NVML_GPM_SM_CYCLES = 248,
	NVML_GPM_SM_ACTIVE_CYCLES = 249,
	NVML_GPM_TENSOR_CYCLES = 250
};

#endif
