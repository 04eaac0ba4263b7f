/* SPDX-License-Identifier: Apache-2.0
 * gpu_power: did somebody lower the power limit? A lowered limit costs speed
 * without any error. */
#include "config.h"
#include "checks/check.h"

#include <inttypes.h>
#include <stdio.h>

#include "checks/gpu_each.h"

extern const struct check check_gpu_power;

static const struct cfg_key keys[] = {
	{ .name = "expected_w",
	  .type = CFG_INT,
	  .unit = "W",
	  .def = "0",
	  .min = 0,
	  .max = 5000,
	  .help = "power limit that this site wants; 0: the board's default" },
	{ 0 },
};

static void finding(const struct check_env *env, struct check_result *r, int i,
		    enum status status, const char *suffix, const char *what,
		    int64_t have_mw, int64_t want_mw)
{
	struct finding *f;

	f = result_add_gpu(r, status, suffix, env, i,
			   "%s %" PRId64 "<%" PRId64 " W", what, have_mw / 1000,
			   want_mw / 1000);
	if (!f)
		return;
	f->value = (double)have_mw / 1000;
	f->limit = (double)want_mw / 1000;
	snprintf(f->unit, sizeof(f->unit), "W");
	f->remedy = REMEDY_CONFIG;
	gpu_evidence_boot(f, env, "%s=%" PRId64, suffix, have_mw);
}

static int run(const struct check_env *env, struct check_result *r)
{
	struct gpu_look l = { .env = env, .r = r };
	int64_t site_mw, want_mw;
	const struct gpu *g;
	int i;

	site_mw = check_cfg_int(env, &check_gpu_power, "expected_w") * 1000;
	for (i = gpu_next(env, -1); i >= 0; i = gpu_next(env, i)) {
		g = &env->facts->gpus.gpu[i];
		if (!gpu_known(&l, i, g->power_limit_mw, "power limit"))
			continue;
		want_mw = site_mw;
		if (!want_mw) {
			if (!gpu_known(&l, i, g->power_default_mw,
				       "default power limit"))
				continue;
			want_mw = g->power_default_mw.v;
		}
		if (g->power_limit_mw.v < want_mw)
			finding(env, r, i, STATUS_FAIL, "lowered",
				"power limit", g->power_limit_mw.v, want_mw);
		else if (VAL_KNOWN(g->power_enforced_mw) &&
			 g->power_enforced_mw.v < want_mw)
			finding(env, r, i, STATUS_WARN, "enforced",
				"enforced power limit", g->power_enforced_mw.v,
				want_mw);
	}
	return gpu_done(&l, "no GPU tells its power limit");
}

const struct check check_gpu_power = {
	.name = "gpu_power",
	.summary = "GPU power limits are not lowered",
	.reads = "NVML: power limit, default and enforced limit of each GPU",
	.fails = "the limit is below the board's default, or below "
		 "[check gpu_power] expected_w; warns if only the enforced "
		 "limit is",
	.advice = "nvidia-smi -pl sets the limit; look for the service that "
		  "lowered it. A site that caps on purpose sets expected_w.",
	.domain = DOMAIN_GPU,
	.needs = NEED_GPU | NEED_NVML,
	.scope = SCOPE_NODE,
	.def = ACTION_WARN,
	.soft = true,
	.keys = keys,
	.run = run,
};
