/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "tests/device/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "lib/clock.h"
#include "probes/measure.h"

#define ATTRIBUTES 160	/* CUDA 13 knows 147 */

static json_t *attributes(struct probe_device *d)
{
	json_t *out = json_object();
	char key[16];
	int i, v;

	for (i = 1; i < ATTRIBUTES; i++) {
		if (d->libs->cuda.attribute(&v, i, d->ordinal) != CUDA_RC_OK)
			continue;
		snprintf(key, sizeof(key), "%d", i);
		json_object_set_new(out, key, json_integer(v));
	}
	return out;
}

static const struct {
	measure_f measure;
	const char *key[PROBE_FIGURES];
} rates[] = {
	{ measure_pcie_bw, { "h2d_gbps", "d2h_gbps" } },
	{ measure_membw, { "read_gbps", "triad_gbps" } },
	{ measure_gemm, { "gemm_tflops" } },
};

/* What could not be measured is not listed, and so not played. */
static void add_rates(struct probe_device *d, struct gpu_probes *g, json_t *out)
{
	struct probe_shot shot;
	size_t i;
	int f;

	for (i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
		measure_begin(d, &shot);
		rates[i].measure(d, g, &shot, 0);
		for (f = 0; f < PROBE_FIGURES && rates[i].key[f]; f++)
			if (shot.end == PROBE_DONE && isfinite(shot.figure[f]))
				json_object_set_new(out, rates[i].key[f],
						    rig_number(shot.figure[f],
							       1));
	}
	if (json_object_get(out, "triad_gbps"))
		json_object_set(out, "hbm_gbps",
				json_object_get(out, "triad_gbps"));
}

/* NULL: that ordinal cannot be opened. */
static json_t *record_device(struct rig *r, int ordinal, char bus_id[32])
{
	static struct gpu_probes g;
	struct probe_device d;
	int64_t began = clock_mono_us();
	json_t *out = NULL;

	if (device_open(&d, &r->libs, ordinal, &g, &r->shot) == 0 &&
	    r->libs.cuda.bus_id &&
	    r->libs.cuda.bus_id(bus_id, 32, d.ordinal) == CUDA_RC_OK) {
		out = json_pack("{s:I}", "context_ms",
				(json_int_t)(clock_mono_us() - began) / 1000);
		json_object_set_new(out, "DeviceGetAttribute", attributes(&d));
		add_rates(&d, &g, out);
		if (g.jit)
			json_object_set_new(out, "jit", json_true());
	}
	device_close(&d);
	return out;
}

/* "0000:1B:00.0" of one and "00000000:1B:00.0" of the other. */
static bool same_bus(const char *a, const char *b)
{
	unsigned int x[3], y[3];

	return sscanf(a, "%x:%x:%x", &x[0], &x[1], &x[2]) == 3 &&
	       sscanf(b, "%x:%x:%x", &y[0], &y[1], &y[2]) == 3 &&
	       x[0] == y[0] && x[1] == y[1] && x[2] == y[2];
}

static void put_where(json_t *gpus, const json_t *nvml, const char *bus_id,
		      json_t *device)
{
	const char *id;
	json_t *g;
	size_t i;

	json_array_foreach(json_object_get(nvml, "gpus"), i, g) {
		id = json_string_value(json_object_get(
			json_object_get(g, "GetPciInfo_v3"), "busId"));
		if (id && same_bus(id, bus_id)) {
			json_array_set_new(gpus, i, device);
			return;
		}
	}
	json_decref(device);
}

json_t *record_cuda(struct rig *r, const json_t *nvml)
{
	json_t *gpus = json_array(), *device;
	int i, count = 0, version = 0;
	char bus_id[32];

	for (i = 0; i < (int)json_array_size(json_object_get(nvml, "gpus")); i++)
		json_array_append_new(gpus, json_null());
	r->libs.cuda.device_count(&count);
	for (i = 0; i < count; i++) {
		device = record_device(r, i, bus_id);
		if (device)
			put_where(gpus, nvml, bus_id, device);
	}
	if (r->libs.cuda.driver_version)
		r->libs.cuda.driver_version(&version);
	return json_pack("{s:i, s:o}", "DriverGetVersion", version, "gpus",
			 gpus);
}

int rig_record(struct rig *r)
{
	int rc = rig_open_nvml(r);
	json_t *nvml;

	if (rc != RIG_OK)
		return rc;
	nvml = record_nvml(r);
	rig_put(r, "nvml", nvml);
	if (device_libs_open(&r->libs, r->cuda_path, r->nvml_path,
			     &r->shot) < 0)
		return rig_none("%s", r->shot.why);
	rig_put(r, "cuda", record_cuda(r, nvml));
	return RIG_OK;
}
