/* SPDX-License-Identifier: Apache-2.0
 * ib_latency: how long does a small write through each RDMA port take? */
#include "config.h"
#include "checks/check.h"

#include "checks/probe_wrong.h"
#include "checks/rdma_each.h"

extern const struct check check_ib_latency;

static const struct cfg_key keys[] = {
	{ "expected_median_ns", CFG_INT, "ns", "0", 0, 1000000000, NULL,
	  "time of a small write that this site expects; 0: none" },
	{ "expected_p99_ns", CFG_INT, "ns", "0", 0, 1000000000, NULL,
	  "time that 99 of 100 of them stay below; 0: none" },
	{ 0 },
};

static const struct rate_figure figures[] = {
	{ "median", "median_us", "expected_median_ns", 0, 0 },
	{ "p99", "p99_us", "expected_p99_ns", 0, 0 },
};

/* One in a hundred is what the host did meanwhile, too. */
static const struct rate_share shares[] = { { 0.80, 0.20 }, { 0.33, 0.67 } };

static const struct rate_rule rule = {
	.check = &check_ib_latency,
	.probe = PROBE_latency,
	.unit = "us",
	.times = true,
	.figure = figures,
	.figures = 2,
	.share = shares,
	.host = true,
	.report = rdma_report,
};

static int run(const struct check_env *env, struct check_result *r)
{
	payload_judge(env, PROBE_latency, "what arrives is not what was written",
		      r);
	rdma_raised_judge(env, PROBE_latency, r);
	return rates_run(&rule, env, r);
}

static bool doubts(const struct check_env *env, int place)
{
	return payload_doubt(env, PROBE_latency, place) ||
	       rdma_raised_doubt(env, PROBE_latency, place) ||
	       rates_doubts(&rule, env, place);
}

const struct check check_ib_latency = {
	.name = "ib_latency",
	.summary = "a small write through each RDMA port takes no longer than "
		   "through its equals",
	.reads = "a probe of the deep tier: each active port in turn writes a "
		 "few bytes into this host's memory, thousands of times, one "
		 "after the other; its error counters before and after",
	.fails = "two references agree that the median takes a quarter longer "
		 "than it should, or the slowest of a hundred three times as "
		 "long, or one is missed by far (1.4 times), and so does the "
		 "repeat; what arrives differs, twice; a count of link errors "
		 "goes up by it, twice (one of retries is a warning). "
		 "References: the site's figures, the median of equal boards "
		 "at the same rate, the port's own history. No failure with the buffer on "
		 "another NUMA node",
	.advice = "Look at the CPUs' idle states and clocks (host_cpu), at "
		  "IOMMU settings and at the slot's; compare firmware releases.",
	.domain = DOMAIN_FABRIC,
	.needs = NEED_HCA,
	.scope = SCOPE_NODE,
	.def = ACTION_DRAIN_AFTER,
	.soft = true,
	.tier = TIER_DEEP,
	.probe = PROBE_latency,
	.keys = keys,
	.run = run,
	.doubts = doubts,
};
