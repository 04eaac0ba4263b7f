/* SPDX-License-Identifier: Apache-2.0
 * gpu_membw: does the GPU's memory deliver what it did, what its neighbours'
 * does, and what its bus could? */
#include "config.h"
#include "checks/check.h"

#include "checks/probe_rate.h"
#include "checks/probe_wrong.h"

extern const struct check check_gpu_membw;

static const struct cfg_key keys[] = {
	{ "expected_read_gbps", CFG_INT, "GB/s", "0", 0, 100000, NULL,
	  "reading rate that this site expects; 0: none" },
	{ "expected_triad_gbps", CFG_INT, "GB/s", "0", 0, 100000, NULL,
	  "rate of two reads and a write that this site expects; 0: none" },
	{ 0 },
};

/* Bus width times clock, as the device tells: no table of models. */
static double peak(const struct check_env *env, int gpu)
{
	return env->probes->gpu[gpu].hbm_peak_gbps;
}

static const struct rate_figure figures[] = {
	{ "read", "read_gbps", "expected_read_gbps",
	  RATE_PROFILE(own_membw_read_gbps), RATE_PROFILE(hbm_floor_gbps) },
	{ "triad", "triad_gbps", "expected_triad_gbps",
	  RATE_PROFILE(own_membw_triad_gbps), RATE_PROFILE(hbm_floor_gbps) },
};

static const struct rate_rule rule = {
	.check = &check_gpu_membw,
	.probe = PROBE_membw,
	.unit = "GB/s",
	.figure = figures,
	.figures = 2,
	.peers = 0.95,
	.history = 0.05,
	.peak = peak,
	.peak_floor = 0.70,
	.peak_achieved = 0.85,
};

static int run(const struct check_env *env, struct check_result *r)
{
	payload_judge(env, PROBE_membw, "what is read is not what was written",
		      r);
	return rates_run(&rule, env, r);
}

static bool doubts(const struct check_env *env, int gpu)
{
	return payload_doubt(env, PROBE_membw, gpu) ||
	       rates_doubts(&rule, env, gpu);
}

const struct check check_gpu_membw = {
	.name = "gpu_membw",
	.summary = "each GPU's memory is as fast as it should be, and holds "
		   "what was written",
	.reads = "a probe: a kernel that reads, and one that reads twice and "
		 "writes once, over at least eight times the L2 cache; some "
		 "tenths of a second on all GPUs at once",
	.fails = "two references agree that a rate is low, or one is missed by "
		 "far (0.7), and the repeat on the GPU alone is low too; what "
		 "is read is not what was written, twice. "
		 "References: the profile, the site's figure, bus width times "
		 "clock, the median of equal GPUs, the GPU's own history",
	.advice = "Look at gpu_throttle, gpu_temp and gpu_remap of that GPU; "
		  "if nothing explains it, have the board exchanged. If all "
		  "GPUs of a kind are slow alike, look at driver and ECC "
		  "settings first.",
	.domain = DOMAIN_GPU,
	.needs = NEED_GPU,
	.scope = SCOPE_NODE,
	.def = ACTION_DRAIN,
	.soft = true,
	.tier = TIER_QUICK,
	.probe = PROBE_membw,
	.keys = keys,
	.run = run,
	.doubts = doubts,
};
