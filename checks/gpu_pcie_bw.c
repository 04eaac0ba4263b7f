/* SPDX-License-Identifier: Apache-2.0
 * gpu_pcie_bw: do copies between host and GPU run as fast as the link allows,
 * and does what is copied arrive unchanged? */
#include "config.h"
#include "checks/check.h"

#include <stdio.h>

#include "checks/gpu_each.h"
#include "checks/gpu_link.h"
#include "checks/probe_rate.h"
#include "checks/probe_wrong.h"

extern const struct check check_gpu_pcie_bw;

static const struct cfg_key keys[] = {
	{ "expected_h2d_gbps", CFG_INT, "GB/s", "0", 0, 1000, NULL,
	  "rate into the GPU that this site expects; 0: none" },
	{ "expected_d2h_gbps", CFG_INT, "GB/s", "0", 0, 1000, NULL,
	  "rate out of the GPU that this site expects; 0: none" },
	{ 0 },
};

/* A link that has trained low, as it was while it copied. */
static void detail(const struct rates *l, int gpu, int figure, char *buf,
		   size_t size)
{
	const struct gpu *g = &l->env->facts->gpus.gpu[gpu];
	const struct probe_conditions *c;
	int64_t width = gpu_lanes_max(g);

	(void)figure;
	c = &probe_shot(l->env, PROBE_pcie_bw, gpu, 0)->cond;
	if (c->pcie_gen < 1 || c->pcie_width < 1 || gpu_is_c2c(g))
		return;
	if (c->pcie_gen < gpu_link_generation(l->env, gpu) || c->pcie_width < width)
		snprintf(buf, size, ", link at Gen%d x%d", c->pcie_gen,
			 c->pcie_width);
}

static const struct rate_figure figures[] = {
	{ "h2d", "h2d_gbps", "expected_h2d_gbps", RATE_PROFILE(own_h2d_gbps),
	  RATE_PROFILE(h2d_floor_gbps) },
	{ "d2h", "d2h_gbps", "expected_d2h_gbps", RATE_PROFILE(own_d2h_gbps),
	  RATE_PROFILE(d2h_floor_gbps) },
};

static const struct rate_rule rule = {
	.check = &check_gpu_pcie_bw,
	.probe = PROBE_pcie_bw,
	.unit = "GB/s",
	.figure = figures,
	.figures = 2,
	.peers = 0.95,
	.history = 0.05,
	.host = true,
	.peak = gpu_link_gbps,
	.peak_floor = 0.70,
	.peak_achieved = 0.80,
	.detail = detail,
};

static int run(const struct check_env *env, struct check_result *r)
{
	payload_judge(env, PROBE_pcie_bw, "a copied payload came back changed",
		      r);
	return rates_run(&rule, env, r);
}

static bool doubts(const struct check_env *env, int gpu)
{
	return payload_doubt(env, PROBE_pcie_bw, gpu) ||
	       rates_doubts(&rule, env, gpu);
}

const struct check check_gpu_pcie_bw = {
	.name = "gpu_pcie_bw",
	.summary = "copies between host and GPU are as fast as the link allows, "
		   "and arrive unchanged",
	.reads = "a probe: the copy engine moves a pinned buffer on the GPU's "
		 "NUMA node in and out, one GPU at a time, about 20 ms each; "
		 "generation and width of the link meanwhile",
	.fails = "two references agree that a direction is slow, or one is "
		 "missed by far (0.7), and the repeat is slow too; a payload "
		 "came back changed, twice. References: the profile, the "
		 "site's figure, what GPU, slot and bridges allow, the median "
		 "of equal GPUs, the GPU's own history. No failure with the "
		 "buffer on another NUMA node",
	.advice = "A link at a lower generation or width: reseat the board or "
		  "riser. Else look at PCIe settings of the BIOS, at IOMMU and "
		  "ACS, and at what shares the switch. A changed payload: take "
		  "the node out of service.",
	.domain = DOMAIN_GPU,
	.needs = NEED_GPU,
	.scope = SCOPE_NODE,
	.def = ACTION_DRAIN,
	.soft = true,
	.tier = TIER_QUICK,
	.probe = PROBE_pcie_bw,
	.keys = keys,
	.run = run,
	.doubts = doubts,
};
