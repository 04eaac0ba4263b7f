/* SPDX-License-Identifier: Apache-2.0
 * Whether GPUs and RDMA ports may be loaded now. */
#include "config.h"
#include "checks/probing_inside.h"

#include <stdio.h>
#include <string.h>

#include "checks/gather.h"
#include "checks/probing_ports.h"
#include "lib/headroom.h"

#define HEADROOM_MIN (4LL << 30)	/* eight contexts and their buffers */
#define HEADROOM_EACH (512LL << 20)	/* of more */
#define HEADROOM_PORTS (512LL << 20)	/* where only ports are measured */
#define KEEP_MS 2500	/* to lock the state again, and to write it */

static int refuse(char *buf, size_t size, const char *why)
{
	snprintf(buf, size, "%s", why);
	return -1;
}

/* Long enough for the seconds to be worth it. */
static bool limit_allows(const struct run *r)
{
	const struct job *j = r->s->job;

	return j->start_s > 0 && j->end_s > j->start_s &&
	       j->end_s - j->start_s >=
		       cfg_int(r->s->cfg, "budget", "quick_min_job");
}

int probing_job_allows(const struct run *r, char *why, size_t size)
{
	const char *quick = cfg_text(r->s->cfg, "budget", "quick");

	if (!strcmp(quick, "never"))
		return refuse(why, size, "[budget] quick = never");
	if (!r->owned.owned)
		return refuse(why, size, "the job does not own the node");
	if (strcmp(quick, "always") && !limit_allows(r))
		return refuse(why, size,
			      r->s->job->end_s > 0 ?
				      "the job is shorter than quick_min_job" :
				      "the job's limit is not known (quick = "
				      "always probes all the same)");
	return 0;
}

bool probing_can_gpu(const struct gpu *g)
{
	return g->answered && !g->hung && !g->dead_by_log && g->uuid[0] &&
	       !(VAL_KNOWN(g->mig_mode) && g->mig_mode.v);
}

/* Is anybody at work here? Where no Prolog of ours runs, jobs do not announce
 * themselves. NULL: nobody. */
static const char *who_is_here(const struct run *r)
{
	const struct facts_gpus *g = &r->facts->gpus;
	int jobs = session_other_jobs(r->s);
	int i;

	if (jobs > 0 || session_steps(r->s) > 0)
		return "jobs run on this node";
	/* A person who asks for a check can tell, a health check cannot. */
	if (jobs < 0 && r->context == CONTEXT_HEALTH)
		return "whether jobs run here cannot be told";
	for (i = 0; i < g->count; i++)
		if (g->gpu[i].proc_count > 0)
			return "a process is on a GPU";
	return NULL;
}

/* Does a check that is asked for measure GPUs; or ports? */
static bool wants(const struct run *r, bool ports)
{
	const struct check *c;
	int i;

	for (i = 0; (c = checks_all[i]); i++)
		if (c->tier != TIER_PASSIVE && run_selected(r, c) &&
		    probe_is_of_ports(c->probe) == ports)
			return true;
	return false;
}

const char *probing_no_gpus(const struct run *r)
{
	const struct facts_gpus *g = &r->facts->gpus;
	int i;

	for (i = 0; i < g->count; i++)
		if (probing_can_gpu(&g->gpu[i]))
			return NULL;
	return g->count ? "no GPU that answers and is whole" : "no GPUs here";
}

static bool has_room(const struct run *r)
{
	const struct facts_gpus *g = &r->facts->gpus;
	int64_t room = headroom_bytes(&r->s->roots);
	int n = 0;
	int i;

	for (i = 0; i < g->count; i++)
		n += probing_can_gpu(&g->gpu[i]);
	if (room < 0)
		return true;
	return n ? room >= HEADROOM_MIN && room >= n * HEADROOM_EACH :
		   room >= HEADROOM_PORTS;
}

int probing_node_allows(const struct run *r, char *why, size_t size)
{
	bool gpus = wants(r, false) && !probing_no_gpus(r);
	struct gather_stuck stuck;
	const char *here;
	char none[160];

	if (!gpus && (!wants(r, true) ||
		      probing_ports_none(r, none, sizeof(none))))
		return refuse(why, size, wants(r, false) ? probing_no_gpus(r) : none);
	if (!has_room(r))
		return refuse(why, size, "too little memory is left for it");
	if (gather_stuck_before(r->s, &stuck))
		return refuse(why, size,
			      "an earlier worker is stuck in the driver");
	here = r->s->job->id ? NULL : who_is_here(r);
	return here ? refuse(why, size, here) : 0;
}

int probing_budget_ms(const struct cfg *cfg, enum tier tier)
{
	return (int)cfg_int(cfg, "budget",
			    tier == TIER_DEEP ? "deep_ms" : "quick_ms");
}

int probing_within_ms(const struct cfg *cfg, int budget_ms, int64_t left_ms)
{
	left_ms -= PROBING_LEAVE_MS + KEEP_MS +
		   cfg_int(cfg, "budget", "slurm_ms");
	return left_ms < budget_ms ? (int)left_ms : budget_ms;
}

enum tier probing_tier(const struct run *r, enum tier tier)
{
	enum tier highest = TIER_PASSIVE;
	const struct check *c;
	int i;

	for (i = 0; (c = checks_all[i]); i++)
		if (c->tier <= tier && c->tier > highest && run_selected(r, c))
			highest = c->tier;
	return highest;
}
