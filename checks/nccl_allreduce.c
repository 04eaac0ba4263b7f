/* SPDX-License-Identifier: Apache-2.0
 * nccl_allreduce: do all GPUs of the node together reduce as fast as the site
 * expects, or as they did, and is the sum right? One figure for the node: the
 * first GPU's shot stands for it. */
#include "config.h"
#include "checks/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "checks/nccl_ring.h"
#include "checks/node.h"
#include "checks/probe_fault.h"
#include "checks/probe_low.h"
#include "checks/probe_past.h"
#include "lib/nccl.h"

extern const struct check check_nccl_allreduce;

/* What may be open: suffix of the code, and the evidence, which stays the same
 * whatever is measured. */
#define RATE "rate"
#define SUM "sum"

static const struct cfg_key keys[] = {
	{ "expected_gbps", CFG_INT, "GB/s", "0", 0, 100000, NULL,
	  "bus bandwidth of the larger all-reduce that this site expects; "
	  "0: none" },
	{ 0 },
};

static struct nccl_ring open_ring(const struct check_env *env,
				  struct check_result *r)
{
	return nccl_ring_open(env, r,
			      (double)check_cfg_int(env, &check_nccl_allreduce,
						    "expected_gbps"));
}

/* ---- the set-up ------------------------------------------------------------- */

static void judge_cuda(const struct nccl_ring *g, const struct probe_shot *s)
{
	/* Whose context it was is not told: the kernel log knows more. */
	result_add(g->r, STATUS_WARN, "cuda", "node", "%s (CUDA %d of %s)",
		   probe_fault(s->rc)->text, s->rc, s->call);
}

static void judge_fault(const struct nccl_ring *g, const struct probe_shot *s)
{
	struct finding *f;

	if (strncmp(s->call, "nccl", 4) != 0) {
		judge_cuda(g, s);
		return;
	}
	f = result_add(g->r, STATUS_WARN,
		       s->rc == NCCL_RC_UNHANDLED_CUDA ? "cuda" : "setup",
		       "node", "%s: %.80s",
		       s->rc == NCCL_RC_UNHANDLED_CUDA ?
			       "CUDA error below NCCL" :
			       "NCCL set-up",
		       s->why);
	node_numbers(f, s->rc, NAN, "rc");
	if (s->rc != NCCL_RC_UNHANDLED_CUDA)
		node_remedy(f, REMEDY_CONFIG);
}

/* True: there is a figure. */
static bool judge_end(const struct nccl_ring *g)
{
	const struct probe_shot *s = g->shot;

	switch (s->end) {
	case PROBE_DONE:
		return true;
	case PROBE_FAULT:
		judge_fault(g, s);
		break;
	case PROBE_TIMEOUT:
		result_add(g->r, STATUS_SKIP, "timeout", "node",
			   "no answer in time, in %s", s->call);
		break;
	case PROBE_BROKEN:
		result_add(g->r, STATUS_ERROR, "broken", "node", "%s", s->why);
		break;
	default:
		result_skip(g->r, "%s",
			    s->why[0] ? s->why : "not measured this time");
	}
	return false;
}

/* ---- the sum ---------------------------------------------------------------- */

static void judge_sum(const struct nccl_ring *g)
{
	bool twice = g->shot[1].end == PROBE_DONE && g->shot[1].corrupt;
	struct finding *f;

	if (!g->shot[0].corrupt) {
		past_set_open(g->r, g->env, g->gpu, SUM, NULL);
		return;
	}
	if (twice)
		past_set_open(g->r, g->env, g->gpu, SUM, SUM);
	f = result_add(g->r, twice ? STATUS_FAIL : STATUS_WARN, SUM, "node",
		       "the sum over all GPUs is wrong%s",
		       twice	       ? "" :
		       nccl_ring_repeated(g) ? ", unconfirmed" :
					", to be repeated");
	if (!f)
		return;
	snprintf(f->evidence, sizeof(f->evidence), SUM);
	f->hard = true;
	f->remedy = twice ? REMEDY_SERVICE : REMEDY_NONE;
}

/* ---- the rate --------------------------------------------------------------- */

static void say(const struct nccl_ring *g, enum status status,
		const struct yard_sight *sight, const char *more)
{
	double v = g->shot[0].figure[NCCL_RING_LARGE];
	struct finding *f;
	char less[64];

	if (status == STATUS_FAIL && g->shot[1].figure[NCCL_RING_LARGE] > v)
		v = g->shot[1].figure[NCCL_RING_LARGE];
	yardstick_less(v, sight->limit, less, sizeof(less));
	f = result_add(g->r, status, RATE, "node", "%s GB/s busbw%s%s", less,
		       *more ? ", " : "", more);
	node_numbers(f, v, sight->limit, "GB/s");
	if (f)
		snprintf(f->evidence, sizeof(f->evidence), RATE);
	if (status != STATUS_FAIL)
		return;
	past_set_open(g->r, g->env, g->gpu, RATE, RATE);
	node_remedy(f, REMEDY_SERVICE);
}

static struct low_rate low_rate(const struct nccl_ring *g)
{
	struct low_rate low = { .known_model = g->env->profile,
				.repeated = nccl_ring_repeated(g),
				.measured_again = g->shot[1].end == PROBE_DONE };
	int i;

	for (i = 0; i < PROBE_SHOTS; i++)
		nccl_ring_excuse(g, i, low.excuse[i], sizeof(low.excuse[i]));
	return low;
}

static void judge_low(const struct nccl_ring *g, const struct yard_sight *first)
{
	struct low_rate low = low_rate(g);
	const char *why;

	low.again = nccl_ring_hold(g, 1).sense;
	why = low_warns(&low);
	say(g, why ? STATUS_WARN : STATUS_FAIL, first, why ? why : "");
}

static void judge_rate(const struct nccl_ring *g)
{
	struct yard_sight sight = nccl_ring_hold(g, 0);
	char more[64];

	if (sight.sense == YARD_LOW) {
		judge_low(g, &sight);
		return;
	}
	if (sight.sense == YARD_DOUBTFUL) {
		snprintf(more, sizeof(more), "by %s alone",
			 yardstick_name(sight.by));
		say(g, STATUS_WARN, &sight, more);
	} else {
		past_set_open(g->r, g->env, g->gpu, RATE, NULL);
	}
	if (low_is_basis(sight.sense) &&
	    !nccl_ring_excuse(g, 0, more, sizeof(more)))
		past_add(g->r, g->env, g->gpu, g->past,
			 g->shot[0].figure[NCCL_RING_LARGE]);
}

/* What is open and was not measured this time has not passed. */
static void remind(const struct nccl_ring *g, const char *what)
{
	struct finding *f;

	if (!past_open(g->env, g->gpu, what))
		return;
	f = result_add(g->r, STATUS_SKIP, what, "node",
		       "was bad, not measured this time");
	if (f)
		snprintf(f->evidence, sizeof(f->evidence), "%s", what);
}

static int run(const struct check_env *env, struct check_result *r)
{
	struct nccl_ring g;

	g = open_ring(env, r);
	if (g.gpu < 0)
		return result_skip(r, "no GPU was to be measured");
	if (judge_end(&g)) {
		judge_sum(&g);
		judge_rate(&g);
	} else {
		remind(&g, RATE);
		remind(&g, SUM);
	}
	nccl_ring_report(&g);
	return 0;
}

static bool doubts(const struct check_env *env, int gpu)
{
	struct nccl_ring g;
	struct low_rate low;

	g = open_ring(env, NULL);
	if (gpu != g.gpu || g.shot[0].end != PROBE_DONE || nccl_ring_repeated(&g))
		return false;
	low = low_rate(&g);
	return g.shot[0].corrupt || (nccl_ring_hold(&g, 0).sense == YARD_LOW &&
				     low_is_doubted(&low));
}

const struct check check_nccl_allreduce = {
	.name = "nccl_allreduce",
	.summary = "all GPUs of the node together reduce as fast as expected, "
		   "and sum rightly",
	.reads = "a probe of the deep tier: NCCL, if it is installed, reduces "
		 "256 MiB and 1 GiB in place over all GPUs (less on small "
		 "ones), and the sum of known numbers is compared; a few "
		 "seconds, most of them to set up",
	.fails = "the bus bandwidth is below 0.90 of what the site expects "
		 "and low by the node's own history as well, or misses one of "
		 "them by far (0.7), twice; the sum is wrong, twice (hard). "
		 "Warns when NCCL cannot be set up, with its own words",
	.advice = "NCCL set-up: look at /etc/nccl.conf, network interfaces, "
		  "/dev/shm and the fabric manager. Slow: look at nvlink_bw, "
		  "nvlink_links and nvlink_fabric first, then at NCCL_ settings "
		  "of the site.",
	.domain = DOMAIN_GPU,
	.needs = NEED_GPU,
	.scope = SCOPE_NODE,
	.def = ACTION_DRAIN_AFTER,
	.soft = true,
	.tier = TIER_DEEP,
	.probe = PROBE_nccl,
	.keys = keys,
	.run = run,
	.doubts = doubts,
};
