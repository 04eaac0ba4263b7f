/* SPDX-License-Identifier: Apache-2.0
 * info - which card, driver and kernels a figure is of, and the settings that
 * nobody may find changed afterwards. */
#include "config.h"
#include "tests/device/rig.h"

#include <string.h>

#include "probes/conditions.h"

static json_t *known(int64_t v)
{
	return v < 0 ? json_null() : json_integer(v);
}

static void put_name(struct rig *r)
{
	const struct devlibs_nvml *n = &r->libs.nvml;
	char text[96];

	if (r->gpu.nvml && n->name &&
	    n->name(r->gpu.nvml, text, sizeof(text)) == NVML_RC_OK)
		rig_put(r, "name", json_string(text));
	if (r->libs.have_nvml && n->driver_version &&
	    n->driver_version(text, sizeof(text)) == NVML_RC_OK)
		rig_put(r, "driver", json_string(text));
}

static json_t *ask(struct rig *r, int (*fn)(struct nvml_device *,
					    unsigned int *))
{
	unsigned int v;

	return r->gpu.nvml && fn && fn(r->gpu.nvml, &v) == NVML_RC_OK ?
		       json_integer(v) : json_null();
}

/* The first of a pair: what holds now. */
static json_t *ask_current(struct rig *r, int (*fn)(struct nvml_device *,
						    unsigned int *,
						    unsigned int *))
{
	unsigned int v, pending;

	return r->gpu.nvml && fn && fn(r->gpu.nvml, &v, &pending) == NVML_RC_OK ?
		       json_integer(v) : json_null();
}

static json_t *settings(struct rig *r)
{
	const struct devlibs_nvml *n = &r->libs.nvml;
	struct probe_conditions c;

	conditions_init(&c);
	conditions_fixed(&r->gpu, &c);
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "persistence",
			 ask(r, n->persistence), "compute_mode",
			 ask(r, n->compute_mode), "mig",
			 ask_current(r, n->mig_mode), "ecc",
			 ask_current(r, n->ecc_mode), "power_limit_mw",
			 ask(r, n->power_limit), "app_sm_mhz",
			 known(c.app_mhz));
}

static void put_conditions(struct rig *r)
{
	struct probe_conditions c;

	conditions_init(&c);
	conditions_fixed(&r->gpu, &c);
	conditions_look(&r->gpu, &c);
	rig_put(r, "sm_mhz_max", known(c.sm_mhz_max));
	rig_put(r, "mem_mhz_max", known(c.mem_mhz_max));
	rig_put(r, "temp_c", known(c.temp_c));
	rig_put(r, "power_default_w", known(c.power_default_w));
	rig_put(r, "others", known(c.others));
}

int rig_info(struct rig *r)
{
	const struct gpu_probes *g = &r->facts;
	int rc = rig_open_gpu(r);
	char bus_id[32] = "";
	int gpus = 0;

	if (rc != RIG_OK)
		return rc;
	r->libs.cuda.device_count(&gpus);
	if (r->libs.cuda.bus_id)
		r->libs.cuda.bus_id(bus_id, sizeof(bus_id), r->gpu.ordinal);
	put_name(r);
	rig_put(r, "gpus", json_integer(gpus));
	rig_put(r, "bus_id", json_string(bus_id));
	rig_put(r, "cuda", json_integer(g->cuda_version));
	rig_put(r, "sms", json_integer(g->sms));
	rig_put(r, "cc", json_integer(g->cc));
	rig_put(r, "l2_bytes", json_integer(g->l2_bytes));
	rig_put(r, "hbm_peak_gbps", rig_number(g->hbm_peak_gbps, 1));
	rig_put(r, "kernels", json_string(kernels_build_id));
	rig_put(r, "no_kernels", json_string(r->gpu.no_kernels));
	rig_put(r, "jit", json_boolean(g->jit));
	put_conditions(r);
	rig_put(r, "settings", settings(r));
	return RIG_OK;
}
