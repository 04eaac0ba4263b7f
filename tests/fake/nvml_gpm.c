/* SPDX-License-Identifier: Apache-2.0
 * Performance monitoring in the fake: "GpmMetricsGet" lists what the metrics
 * are between any two samples of the device. */
#include "config.h"
#include "lib/nvml_gpm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fake/export.h"
#include "tests/fake/nvml_answer.h"

#define FAKE_SECTION "nvml"
#define EXPORT(ret, name, params) EXPORT_AS(nvml, ret, name, params)

struct nvml_gpm_sample {
	struct nvml_device *gpu;	/* NULL: not taken yet */
};

EXPORT(int, GpmQueryDeviceSupport,
	(struct nvml_device *g, struct nvml_gpm_support *out))
{
	if (out && out->version != NVML_GPM_VERSION)
		return NVML_RC_ARGUMENT_VERSION;
	return answer_u32(g, "GpmQueryDeviceSupport", NULL,
			  out ? &out->supported : NULL);
}

EXPORT(int, GpmSampleAlloc, (struct nvml_gpm_sample **out))
{
	if (!answer_ready())
		return NVML_RC_UNINITIALIZED;
	if (!out)
		return NVML_RC_INVALID_ARGUMENT;
	*out = calloc(1, sizeof(**out));
	return *out ? NVML_RC_OK : NVML_RC_UNKNOWN;
}

EXPORT(int, GpmSampleFree, (struct nvml_gpm_sample *s))
{
	free(s);
	return NVML_RC_OK;
}

EXPORT(int, GpmSampleGet, (struct nvml_device *g, struct nvml_gpm_sample *s))
{
	int rc = answer_begin(g, s);

	if (!rc)
		s->gpu = g;
	return rc;
}

static void answer_metric(struct nvml_device *g, struct nvml_gpm_metric *m)
{
	char id[16];
	struct scn_path p = { { "GpmMetricsGet", id, NULL, NULL } };
	struct scn_node n;

	snprintf(id, sizeof(id), "%u", m->id);
	n = scn_at(&g->scn, &p);
	m->rc = answer_rc(&n);
	m->value = m->rc ? 0 : scn_real(&n);
	m->short_name = m->long_name = m->unit = NULL;
}

EXPORT(int, GpmMetricsGet, (struct nvml_gpm_get *q))
{
	struct nvml_device *g = q && q->first ? q->first->gpu : NULL;
	int rc = answer_begin(g, q);
	unsigned int i;

	if (rc)
		return rc;
	if (q->version != NVML_GPM_VERSION)
		return NVML_RC_ARGUMENT_VERSION;
	if (!q->second || q->second->gpu != g || q->count > NVML_GPM_IDS)
		return NVML_RC_INVALID_ARGUMENT;
	for (i = 0; i < q->count; i++)
		answer_metric(g, &q->metric[i]);
	return NVML_RC_OK;
}
