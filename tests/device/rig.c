/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "tests/device/rig.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int rig_none(const char *why, ...)
{
	va_list ap;

	va_start(ap, why);
	vfprintf(stderr, why, ap);
	va_end(ap);
	fputc('\n', stderr);
	return RIG_NONE;
}

int rig_ended(const struct rig *r)
{
	if (r->shot.end == PROBE_DONE)
		return RIG_OK;
	rig_none("%s", r->shot.why[0] ? r->shot.why : "it came to no end");
	return r->shot.end == PROBE_FAULT ? RIG_WRONG : RIG_NONE;
}

int rig_open_nvml(struct rig *r)
{
	struct err e;
	int rc;

	if (r->libs.have_nvml)
		return RIG_OK;
	if (devlibs_nvml_load(&r->libs.nvml, r->nvml_path, &e) < 0)
		return rig_none("%s", e.text);
	rc = r->libs.nvml.init();
	if (rc != NVML_RC_OK)
		return rig_none("nvmlInit_v2: code %d", rc);
	r->libs.have_nvml = true;
	return RIG_OK;
}

/* Whatever is in the way of a context, there is nothing to measure. */
int rig_open_gpu(struct rig *r)
{
	if (r->gpu.context)
		return RIG_OK;
	if (device_libs_open(&r->libs, r->cuda_path, r->nvml_path,
			     &r->shot) < 0 ||
	    device_open(&r->gpu, &r->libs, 0, &r->facts, &r->shot) < 0)
		return rig_none("%s", r->shot.why);
	return RIG_OK;
}

void rig_close(struct rig *r)
{
	if (r->gpu.libs)
		device_close(&r->gpu);
	json_decref(r->out);
}

void rig_put(struct rig *r, const char *key, json_t *value)
{
	json_object_set_new(r->out, key, value);
}

json_t *rig_number(double v, int digits)
{
	double unit = pow(10, digits);

	return isfinite(v) ? json_real(round(v * unit) / unit) : json_null();
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void rig_sort(double *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), by_size);
}

double rig_at(const double *sorted, int n, double share)
{
	int i = (int)ceil(share * n) - 1;

	return sorted[i > 0 ? i : 0];
}
