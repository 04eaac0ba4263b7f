/* SPDX-License-Identifier: Apache-2.0
 * fake_nvml - what tests of the fake NVML ask it. */
#ifndef ASSAY_TESTS_FAKE_NVML_H
#define ASSAY_TESTS_FAKE_NVML_H

#include "lib/nvml.h"

#define FAKE_LIBRARY "libnvidia-ml.so.1"
#include "tests/unit/fake.h"

#define GPU0 "\"GetPciInfo_v3\": {\"busId\": \"00000000:1B:00.0\"}"

#define U32(name) CALL(name, (struct nvml_device *, unsigned int *))

static inline struct nvml_device *gpu(unsigned int i)
{
	struct nvml_device *g = NULL;
	int rc = CALL("nvmlDeviceGetHandleByIndex_v2",
		      (unsigned int, struct nvml_device **))(i, &g);

	return rc ? NULL : g;
}

static inline int u32(const char *name)
{
	unsigned int v = 4711;
	int rc = U32(name)(gpu(0), &v);

	return rc ? -rc : (int)v;
}

static inline int keyed(const char *name, unsigned int key)
{
	unsigned int v = 4711;
	int rc = CALL(name, (struct nvml_device *, unsigned int,
			     unsigned int *))(gpu(0), key, &v);

	return rc ? -rc : (int)v;
}

static inline struct nvml_field_value field(unsigned int id, unsigned int scope)
{
	struct nvml_field_value f = { .field = id, .scope = scope };
	int rc = CALL("nvmlDeviceGetFieldValues",
		      (struct nvml_device *, int, struct nvml_field_value *))(
		gpu(0), 1, &f);

	if (rc)
		f.rc = rc;
	return f;
}

static inline long long field_number(unsigned int id, unsigned int scope)
{
	struct nvml_field_value f = field(id, scope);

	if (f.rc)
		return -f.rc;
	return f.type == NVML_TYPE_UINT	 ? (long long)f.value.u
	       : f.type == NVML_TYPE_INT ? f.value.i
					 : (long long)f.value.ull;
}

static inline int by_bus_id(const char *id)
{
	struct nvml_device *g = NULL;
	int rc = CALL("nvmlDeviceGetHandleByPciBusId_v2",
		      (const char *, struct nvml_device **))(id, &g);

	return rc ? -rc : g == gpu(0) ? 0 : 1;
}

static inline int rows(unsigned int out[4])
{
	return CALL("nvmlDeviceGetRemappedRows",
		    (struct nvml_device *, unsigned int *, unsigned int *,
		     unsigned int *, unsigned int *))(gpu(0), &out[0], &out[1],
						      &out[2], &out[3]);
}

static inline int init(void)
{
	return CALL("nvmlInit_v2", (void))();
}

#endif
