/* SPDX-License-Identifier: Apache-2.0
 * ib_loopback: does each RDMA port write as fast as it and its slot can, and
 * does what it writes arrive unchanged? What is slow here makes every
 * collective slow, and no link state tells. */
#include "config.h"
#include "checks/check.h"

#include "checks/probe_wrong.h"
#include "checks/rdma_each.h"

extern const struct check check_ib_loopback;

static const struct cfg_key keys[] = {
	{ "expected_gbps", CFG_INT, "GB/s", "0", 0, 1000, NULL,
	  "rate of a port, in GB/s and not in Gb/s, that this site expects of"
	  " its InfiniBand ports if it has any, else of all; 0: none" },
	{ 0 },
};

static const struct rate_figure figure = { "rate", "gbps", "expected_gbps", 0,
					   0 };

static void report(const struct rates *l, int place, int shot, json_t *obj)
{
	probe_figure(obj, "gbit_s", 8 * l->value[shot][place][0]);
	rdma_report(l, place, shot, obj);
}

/* NVIDIA's adapters loop at the rate of their port, if the slot gives as much;
 * the packets' headers on PCIe take up to a fifth of what that could. */
static const struct rate_rule rule = {
	.check = &check_ib_loopback,
	.probe = PROBE_loopback,
	.unit = "GB/s",
	.figure = &figure,
	.figures = 1,
	.peers = 0.90,
	.history = 0.08,
	.host = true,
	.peak = rdma_port_gbps,
	.peak_floor = 0.70,
	.peak_achieved = 0.80,
	.others = rdma_others_gbps,
	.report = report,
};

static int run(const struct check_env *env, struct check_result *r)
{
	payload_judge(env, PROBE_loopback,
		      "what arrives is not what was written", r);
	rdma_raised_judge(env, PROBE_loopback, r);
	return rates_run(&rule, env, r);
}

static bool doubts(const struct check_env *env, int place)
{
	return payload_doubt(env, PROBE_loopback, place) ||
	       rdma_raised_doubt(env, PROBE_loopback, place) ||
	       rates_doubts(&rule, env, place);
}

const struct check check_ib_loopback = {
	.name = "ib_loopback",
	.summary = "each RDMA port writes as fast as it and its slot can, and "
		   "what it writes arrives unchanged",
	.reads = "a probe: each active port writes into this host's memory "
		 "through itself, some tenths of a second, not at once with "
		 "ports that share a PCIe switch with it; its error counters "
		 "before and after. No cable and no switch takes part",
	.fails = "two references agree that a port is slow, or one is missed by "
		 "far (0.7), and the repeat is slow too; what arrives differs, "
		 "twice; a count of link errors goes up by it, twice (one of "
		 "retries is of all connections, and a warning). "
		 "References: the port's rate or the slot's, whichever is less, "
		 "the site's figure, the median of equal boards at the same "
		 "rate, the port's own history. No failure with the buffer on "
		 "another NUMA node, and no judgement where other traffic took "
		 "half of what is missing",
	.advice = "Look at ib_pcie, at the slot's BIOS settings (payload and "
		  "read request size, relaxed ordering), at IOMMU and ACS, and "
		  "at what shares the switch; compare firmware releases. If one "
		  "of equal boards stays slow, have it exchanged. What differs: "
		  "take the node out of service.",
	.domain = DOMAIN_FABRIC,
	.needs = NEED_HCA,
	.scope = SCOPE_NODE,
	.def = ACTION_DRAIN,
	.soft = true,
	.tier = TIER_QUICK,
	.probe = PROBE_loopback,
	.keys = keys,
	.run = run,
	.doubts = doubts,
};
