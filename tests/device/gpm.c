/* SPDX-License-Identifier: Apache-2.0
 * gpm - which metrics of NVML's GPU performance monitoring this card answers,
 * measured over a load. */
#include "config.h"
#include "tests/device/rig.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/nvml_gpm.h"
#include "probes/measure.h"

#define APART_MS 200	/* two samples; NVML asks for more than 100 */

static struct {
	int (*support)(struct nvml_device *, struct nvml_gpm_support *);
	int (*alloc)(struct nvml_gpm_sample **);
	int (*free)(struct nvml_gpm_sample *);
	int (*sample)(struct nvml_device *, struct nvml_gpm_sample *);
	int (*get)(struct nvml_gpm_get *);
} gpm;

static int find(void *so)
{
	const struct {
		const char *name;
		void *slot;
	} symbols[] = {
		{ "nvmlGpmQueryDeviceSupport", &gpm.support },
		{ "nvmlGpmSampleAlloc", &gpm.alloc },
		{ "nvmlGpmSampleFree", &gpm.free },
		{ "nvmlGpmSampleGet", &gpm.sample },
		{ "nvmlGpmMetricsGet", &gpm.get },
	};
	size_t i;
	void *p;

	for (i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
		p = dlsym(so, symbols[i].name);
		if (!p)
			return rig_none("NVML lacks %s", symbols[i].name);
		memcpy(symbols[i].slot, &p, sizeof(p));
	}
	return RIG_OK;
}

static int is_supported(struct rig *r)
{
	struct nvml_gpm_support s = { .version = NVML_GPM_VERSION };
	int rc;

	if (!r->gpu.nvml)
		return rig_none("NVML does not show the GPU that CUDA does");
	rc = gpm.support(r->gpu.nvml, &s);
	if (rc != NVML_RC_OK)
		return rig_none("nvmlGpmQueryDeviceSupport: code %d", rc);
	return s.supported ? RIG_OK : rig_none("this card has no GPM");
}

/* Something for the metrics to tell of; without kernels they tell of rest. */
static void load(struct rig *r)
{
	int64_t until = clock_mono_ms() + APART_MS;

	measure_begin(&r->gpu, &r->shot);
	measure_gemm(&r->gpu, &r->facts, &r->shot, 0);
	rig_put(r, "loaded", json_boolean(r->shot.end == PROBE_DONE));
	while (clock_mono_ms() < until)
		clock_sleep_ms(10);
}

static json_t *text(const char *s)
{
	return s ? json_string(s) : json_null();
}

/* One at a time: how long the list is differs by release. */
static int ask(struct nvml_gpm_metric *m, struct nvml_gpm_sample *first,
	       struct nvml_gpm_sample *second)
{
	static struct nvml_gpm_get q;
	int rc;

	q = (struct nvml_gpm_get){ NVML_GPM_VERSION, 1, first, second, { { 0 } } };
	q.metric[0].id = m->id;
	rc = gpm.get(&q);
	*m = q.metric[0];
	return rc ? rc : m->rc;
}

static void count(json_t *codes, int rc)
{
	char key[16];

	snprintf(key, sizeof(key), "%d", rc);
	json_object_set_new(
		codes, key,
		json_integer(1 + json_integer_value(
					 json_object_get(codes, key))));
}

static void ask_all(struct rig *r, struct nvml_gpm_sample *first,
		    struct nvml_gpm_sample *second)
{
	json_t *known = json_object(), *codes = json_object();
	struct nvml_gpm_metric m;
	unsigned int id;
	char key[16];
	int rc;

	rig_put(r, "answered", known);
	rig_put(r, "refused", codes);
	for (id = 1; id < NVML_GPM_IDS; id++) {
		m.id = id;
		rc = ask(&m, first, second);
		if (rc) {
			count(codes, rc);
			continue;
		}
		snprintf(key, sizeof(key), "%u", id);
		json_object_set_new(
			known, key,
			json_pack("{s:o, s:o, s:o}", "value",
				  rig_number(m.value, 3), "name",
				  text(m.short_name), "unit", text(m.unit)));
	}
}

static int measure(struct rig *r)
{
	struct nvml_gpm_sample *first = NULL, *second = NULL;
	int rc = gpm.alloc(&first);

	if (!rc)
		rc = gpm.alloc(&second);
	if (!rc)
		rc = gpm.sample(r->gpu.nvml, first);
	if (!rc) {
		load(r);
		rc = gpm.sample(r->gpu.nvml, second);
	}
	if (!rc)
		ask_all(r, first, second);
	if (first)
		gpm.free(first);
	if (second)
		gpm.free(second);
	return rc ? rig_none("a GPM sample: code %d", rc) : RIG_OK;
}

int rig_gpm(struct rig *r)
{
	int rc = rig_open_nvml(r);

	if (rc == RIG_OK)
		rc = find(r->libs.nvml.so);
	if (rc == RIG_OK)
		rc = rig_open_gpu(r);
	if (rc == RIG_OK)
		rc = is_supported(r);
	return rc == RIG_OK ? measure(r) : rc;
}
