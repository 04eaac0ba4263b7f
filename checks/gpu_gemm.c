/* SPDX-License-Identifier: Apache-2.0
 * gpu_gemm: does every SM of every GPU compute the same, bit by bit, and as
 * fast as its equals? */
#include "config.h"
#include "checks/check.h"

#include <stddef.h>

#include "checks/probe_rate.h"
#include "checks/probe_wrong.h"

extern const struct check check_gpu_gemm;

static const struct cfg_key keys[] = {
	{ "expected_tflops", CFG_INT, "TFLOP/s", "0", 0, 100000, NULL,
	  "rate of the probe's multiplication that this site expects; 0: none" },
	{ 0 },
};

static const struct rate_figure figure = { "rate", "tflops", "expected_tflops",
					   RATE_PROFILE(own_gemm_tflops), 0 };

/* Healthy GPUs of one node spread by 5%: silicon, and place in the air flow. */
static const struct rate_rule rule = {
	.check = &check_gpu_gemm,
	.probe = PROBE_gemm,
	.unit = "TFLOP/s",
	.figure = &figure,
	.figures = 1,
	.peers = 0.90,
	.history = 0.08,
};

static const struct digest_rule digests = {
	.probe = PROBE_gemm,
	.digests = offsetof(struct gpu_probes, gemm),
};

static int run(const struct check_env *env, struct check_result *r)
{
	digests_judge(&digests, env, r);
	return rates_run(&rule, env, r);
}

static bool doubts(const struct check_env *env, int gpu)
{
	return digests_doubt(&digests, env, gpu) || rates_doubts(&rule, env, gpu);
}

const struct check check_gpu_gemm = {
	.name = "gpu_gemm",
	.summary = "each SM computes what the others do, bit by bit, and each "
		   "GPU as fast as its equals",
	.reads = "a probe: tensor cores multiply fixed random data, the same "
		 "tile on every SM, a digest from each; some tenths of a second "
		 "on all GPUs at once",
	.fails = "an SM's digest differs from that of more than half of all "
		 "SMs of equal GPUs, twice; or two references agree that the "
		 "rate is low, or one is missed by far (0.7), and the repeat "
		 "is low too. References: the profile, the site's figure, the "
		 "median of equal GPUs, the GPU's own history",
	.advice = "A wrong result is silent data corruption: take the GPU out "
		  "of service and have the board exchanged. A low rate: look "
		  "at gpu_throttle, gpu_power and gpu_temp, at cooling and "
		  "power supplies.",
	.domain = DOMAIN_GPU,
	.needs = NEED_GPU,
	.scope = SCOPE_NODE,
	.def = ACTION_DRAIN,
	.soft = true,
	.tier = TIER_QUICK,
	.probe = PROBE_gemm,
	.keys = keys,
	.run = run,
	.doubts = doubts,
};
