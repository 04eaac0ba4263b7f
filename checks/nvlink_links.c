/* SPDX-License-Identifier: Apache-2.0
 * nvlink_links: are all NVLinks up? How many a GPU has depends on the board:
 * equal GPUs of the node are the measure, or the configured number. */
#include "config.h"
#include "checks/check.h"

#include <inttypes.h>
#include <stdio.h>

#include "checks/gpu_each.h"
#include "lib/profile.h"

extern const struct check check_nvlink_links;

static const struct cfg_key keys[] = {
	{ .name = "expected",
	  .type = CFG_INT,
	  .def = "0",
	  .min = 0,
	  .max = FACTS_LINKS_MAX,
	  .help = "active NVLinks that each GPU must have; 0: as its equals" },
	{ 0 },
};

/* Counts of all GPUs. hidden: links whose state this GPU does not tell, though
 * another of its model does; they may be up. */
struct counts {
	int64_t up[FACTS_GPUS_MAX]; /* or GPU_LEVEL_UNKNOWN */
	int down[FACTS_GPUS_MAX];
	int hidden[FACTS_GPUS_MAX];
};

/* Under MIG the links are off by design. */
static bool counts_here(const struct gpu *g)
{
	return g->answered && !(VAL_KNOWN(g->mig_mode) && g->mig_mode.v);
}

/* Does any GPU of i's model tell the state of this link? */
static bool offered(const struct facts_gpus *g, int i, int link)
{
	int j;

	for (j = 0; j < g->count; j++)
		if (counts_here(&g->gpu[j]) &&
		    VAL_KNOWN(g->gpu[j].link_state[link]) &&
		    gpu_equal(&g->gpu[i], &g->gpu[j]))
			return true;
	return false;
}

static void count(struct gpu_look *l, int i, struct counts *c)
{
	const struct facts_gpus *g = &l->env->facts->gpus;
	const struct val *state = g->gpu[i].link_state;
	int up = 0, j;

	c->up[i] = GPU_LEVEL_UNKNOWN;
	c->down[i] = c->hidden[i] = 0;
	if (!counts_here(&g->gpu[i]))
		return;
	for (j = 0; j < FACTS_LINKS_MAX; j++) {
		if (gpu_known(l, i, state[j], "NVLink state")) {
			up += state[j].v != 0;
			c->down[i] += state[j].v == 0;
		} else if (offered(g, i, j)) {
			c->hidden[i]++;
		}
	}
	if (up + c->down[i] > 0)
		c->up[i] = up;
}

static struct finding *finding(const struct check_env *env,
			       struct check_result *r, int i, enum status status,
			       const char *suffix, int64_t up, int64_t limit)
{
	struct finding *f;

	f = result_add_gpu(r, status, suffix, env, i,
			   "%" PRId64 "<%" PRId64 " links", up, limit);
	if (!f)
		return NULL;
	f->value = (double)up;
	f->limit = (double)limit;
	snprintf(f->unit, sizeof(f->unit), "links");
	f->remedy = REMEDY_SERVICE;
	gpu_evidence_boot(f, env, "links=%" PRId64, up);
	return f;
}

/* Boards with optional bridges: a GPU without any may never have had one. */
static bool bridge_missing(const struct check_env *env, int64_t up)
{
	return up == 0 && (!env->profile || env->profile->nvlink_bridge);
}

static void judge(const struct check_env *env, struct check_result *r,
		  const struct counts *c, int i)
{
	int64_t expected = check_cfg_int(env, &check_nvlink_links, "expected");
	int64_t common = gpu_common_level(env, c->up, i);

	if (c->up[i] == GPU_LEVEL_UNKNOWN)
		return;
	if (expected > 0) {
		/* What is not told may be up: only a link seen down fails. */
		if (c->up[i] < expected)
			finding(env, r, i, c->down[i] ? STATUS_FAIL : STATUS_WARN,
				"expected", c->up[i], expected);
		return;
	}
	if (c->up[i] + c->hidden[i] >= common)
		return;
	finding(env, r, i,
		bridge_missing(env, c->up[i]) ? STATUS_WARN : STATUS_FAIL,
		"minority", c->up[i], common);
}

/* All alike, and fewer than the model has: another board, or all is down. */
static void judge_board(const struct check_env *env, struct check_result *r,
			const struct counts *c)
{
	const struct profile *p = env->profile;
	struct finding *f;
	int64_t most = -1;
	int i;

	if (r->count || !p || p->nvlinks <= 0 || p->nvlink_bridge)
		return;
	for (i = 0; i < env->facts->gpus.count; i++) {
		if (c->up[i] == GPU_LEVEL_UNKNOWN)
			continue;
		if (!c->down[i])
			return;
		if (c->up[i] > most)
			most = c->up[i];
	}
	if (most < 0 || most >= p->nvlinks)
		return;
	f = result_add(r, STATUS_WARN, "board", "node",
		       "%" PRId64 "<%d links on all GPUs: board differs from "
		       "profile %s",
		       most, p->nvlinks, p->name);
	if (!f)
		return;
	f->value = (double)most;
	f->limit = p->nvlinks;
	f->grace = true;
	gpu_evidence_boot(f, env, "board=%" PRId64, most);
}

static int run(const struct check_env *env, struct check_result *r)
{
	const struct facts_gpus *g = &env->facts->gpus;
	struct gpu_look l = { .env = env, .r = r };
	struct counts c;
	int i;

	for (i = 0; i < g->count; i++)
		count(&l, i, &c);
	for (i = 0; i < g->count; i++)
		judge(env, r, &c, i);
	judge_board(env, r, &c);
	return gpu_done(&l, "no GPU here has NVLinks");
}

const struct check check_nvlink_links = {
	.name = "nvlink_links",
	.summary = "all NVLinks of a GPU are up",
	.reads = "NVML: the state of each link of each GPU",
	.fails = "a minority of equal GPUs has fewer links up than the rest, "
		 "or a GPU has fewer than [check nvlink_links] expected; warns "
		 "if all GPUs have fewer than their model",
	.advice = "Look for XID 74 or 144-150 and SXid lines; reset all GPUs "
		  "or reboot; a link that stays down is board, baseboard or "
		  "switch.",
	.domain = DOMAIN_NVLINK,
	.needs = NEED_GPU | NEED_NVML,
	.scope = SCOPE_NODE,
	.def = ACTION_DRAIN,
	.keys = keys,
	.run = run,
};
