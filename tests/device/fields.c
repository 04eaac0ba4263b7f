/* SPDX-License-Identifier: Apache-2.0
 * fields - how long NVML takes for all fields of a GPU that assay asks for. */
#include "config.h"
#include "tests/device/rig.h"

#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/facts.h"

static const unsigned int once[] = {
	NVML_FIELD_RECOVERY_ACTION,    NVML_FIELD_RETIRED_SBE,
	NVML_FIELD_RETIRED_DBE,	       NVML_FIELD_RETIRED_PENDING,
	NVML_FIELD_ECC_CORR_VOLATILE,  NVML_FIELD_ECC_UNC_VOLATILE,
	NVML_FIELD_ECC_CORR_AGGREGATE, NVML_FIELD_ECC_UNC_AGGREGATE,
	NVML_FIELD_PCIE_REPLAY,	       NVML_FIELD_MEMORY_TEMP,
	NVML_FIELD_LINK_COUNT,	       NVML_FIELD_REMAP_CORR,
	NVML_FIELD_REMAP_UNC,	       NVML_FIELD_REMAP_PENDING,
	NVML_FIELD_REMAP_FAILURE,
};

static const unsigned int by_link[] = {
	NVML_FIELD_LINK_STATE, NVML_FIELD_LINK_REPLAY,
	NVML_FIELD_LINK_RECOVERY, NVML_FIELD_LINK_CRC
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define BATCH_MAX (COUNT(once) + COUNT(by_link) * FACTS_LINKS_MAX)

static int links_of(struct rig *r, struct nvml_device *g)
{
	struct nvml_field_value f = { .field = NVML_FIELD_LINK_COUNT };

	if (r->libs.nvml.field_values(g, 1, &f) || f.rc)
		return 0;
	return f.value.u < FACTS_LINKS_MAX ? (int)f.value.u : FACTS_LINKS_MAX;
}

static int make_batch(struct nvml_field_value *f, int links)
{
	size_t i;
	int n = 0, l;

	memset(f, 0, BATCH_MAX * sizeof(*f));
	for (i = 0; i < COUNT(once); i++)
		f[n++].field = once[i];
	for (i = 0; i < COUNT(by_link); i++)
		for (l = 0; l < links; l++, n++) {
			f[n].field = by_link[i];
			f[n].scope = (unsigned int)l;
		}
	return n;
}

static int answered(const struct nvml_field_value *f, int n)
{
	int i, known = 0;

	for (i = 0; i < n; i++)
		known += f[i].rc == NVML_RC_OK;
	return known;
}

static int time_calls(struct rig *r, struct nvml_device *g, double *us)
{
	struct nvml_field_value f[BATCH_MAX];
	int n = make_batch(f, links_of(r, g));
	int64_t began;
	int i, rc;

	for (i = 0; i < r->n; i++) {
		began = clock_mono_us();
		rc = r->libs.nvml.field_values(g, n, f);
		us[i] = (double)(clock_mono_us() - began);
		if (rc != NVML_RC_OK)
			return rig_none("nvmlDeviceGetFieldValues: code %d",
					rc);
		if (r->pause_ms)
			clock_sleep_ms(r->pause_ms);
	}
	rig_put(r, "fields", json_integer(n));
	rig_put(r, "answered", json_integer(answered(f, n)));
	return RIG_OK;
}

static void tell(struct rig *r, double *us)
{
	rig_sort(us, r->n);
	rig_put(r, "count", json_integer(r->n));
	rig_put(r, "pause_ms", json_integer(r->pause_ms));
	rig_put(r, "p50_us", rig_number(rig_at(us, r->n, 0.5), 0));
	rig_put(r, "p99_us", rig_number(rig_at(us, r->n, 0.99), 0));
	rig_put(r, "p999_us", rig_number(rig_at(us, r->n, 0.999), 0));
	rig_put(r, "max_us", rig_number(us[r->n - 1], 0));
}

int rig_fields(struct rig *r)
{
	double *us = calloc((size_t)r->n, sizeof(*us));
	int rc = us ? rig_open_nvml(r) : rig_none("out of memory");
	struct nvml_device *g;

	if (rc == RIG_OK && !r->libs.nvml.field_values)
		rc = rig_none("NVML lacks %s", devlibs_nvml_names.field_values);
	if (rc == RIG_OK && r->libs.nvml.by_index(0, &g) != NVML_RC_OK)
		rc = rig_none("NVML shows no GPU");
	if (rc == RIG_OK)
		rc = time_calls(r, g, us);
	if (rc == RIG_OK)
		tell(r, us);
	free(us);
	return rc;
}
