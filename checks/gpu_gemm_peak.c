/* SPDX-License-Identifier: Apache-2.0
 * gpu_gemm_peak: what NVIDIA's own library makes of each GPU, the figure that
 * datasheets and other tools speak of; judged among neighbours, and by the
 * GPU's own past. */
#include "config.h"
#include "checks/check.h"

#include "checks/probe_rate.h"

extern const struct check check_gpu_gemm_peak;

static const struct rate_figure figure = { "rate", "tflops", NULL, 0, 0 };

/* As for gpu_gemm: healthy GPUs of one node spread by 5%. */
static const struct rate_rule rule = {
	.check = &check_gpu_gemm_peak,
	.probe = PROBE_gemm_peak,
	.unit = "TFLOP/s",
	.figure = &figure,
	.figures = 1,
	.peers = 0.90,
	.history = 0.08,
};

static int run(const struct check_env *env, struct check_result *r)
{
	return rates_run(&rule, env, r);
}

static bool doubts(const struct check_env *env, int gpu)
{
	return rates_doubts(&rule, env, gpu);
}

const struct check check_gpu_gemm_peak = {
	.name = "gpu_gemm_peak",
	.summary = "each GPU multiplies large matrices as fast as its equals, "
		   "by NVIDIA's own library",
	.reads = "a probe of the deep tier: cuBLASLt, if it is installed, "
		 "multiplies two matrices of 8192 x 8192 numbers (bf16; fp16 "
		 "before Ampere), on all GPUs at once; a second, most of it "
		 "to load the library",
	.fails = "the rate is below 0.90 of the median of equal GPUs and low "
		 "by the GPU's own history as well, or misses one of them by "
		 "far (0.7), twice",
	.advice = "Look at gpu_throttle, gpu_power and gpu_temp, at cooling "
		  "and power supplies.",
	.domain = DOMAIN_GPU,
	.needs = NEED_GPU,
	.scope = SCOPE_NODE,
	.def = ACTION_DRAIN_AFTER,
	.soft = true,
	.tier = TIER_DEEP,
	.probe = PROBE_gemm_peak,
	.run = run,
	.doubts = doubts,
};
