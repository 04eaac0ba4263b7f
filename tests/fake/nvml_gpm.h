/* SPDX-License-Identifier: Apache-2.0
 * nvml_gpm - NVML's GPU performance monitoring as the fake answers it and
 * tests/device asks for it; assay itself does not use it.
 *
 * Read off nvml.h of NVML 12.2 and 13.3 (NVIDIA/go-nvml, gen/nvml/nvml.h).
 */
#ifndef ASSAY_FAKE_NVML_GPM_H
#define ASSAY_FAKE_NVML_GPM_H

#include <stddef.h>

#ifdef HAVE_NVML_H
#include <nvml.h>
#endif

#define GPM_VERSION 1	/* of both structs: a plain number, not their size */
#define GPM_IDS 512	/* behind the last metric; NVML 13.3 ends at 332 */

struct gpm_sample;	/* known to the library only */

struct gpm_metric {				/* 40 bytes */
	unsigned int id;			/*  0 */
	int rc;					/*  4 */
	double value;				/*  8 */
	const char *short_name;			/* 16 */
	const char *long_name;			/* 24 */
	const char *unit;			/* 32 */
};

/* Releases differ in the length of the list at its end; the library goes by
 * count. */
struct gpm_get {
	unsigned int version;			/*  0 */
	unsigned int count;			/*  4 */
	struct gpm_sample *first, *second;	/*  8, 16 */
	struct gpm_metric metric[GPM_IDS];	/* 24 */
};

struct gpm_support {				/* 8 bytes */
	unsigned int version;			/*  0 */
	unsigned int supported;			/*  4 */
};

_Static_assert(sizeof(struct gpm_metric) == 40 &&
		       offsetof(struct gpm_metric, value) == 8 &&
		       offsetof(struct gpm_metric, unit) == 32,
	       "a metric as NVML lays it out");
_Static_assert(offsetof(struct gpm_get, first) == 8 &&
		       offsetof(struct gpm_get, metric) == 24 &&
		       sizeof(struct gpm_support) == 8,
	       "a question as NVML lays it out");
#ifdef HAVE_NVML_H
_Static_assert(sizeof(nvmlGpmMetric_t) == sizeof(struct gpm_metric) &&
		       offsetof(nvmlGpmMetricsGet_t, metrics) == 24 &&
		       sizeof(nvmlGpmMetricsGet_t) <= sizeof(struct gpm_get),
	       "the same as nvml.h");
#endif

#endif
