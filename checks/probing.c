/* SPDX-License-Identifier: Apache-2.0
 * A round of probes: what is due, in which order, and doing it. */
#include "config.h"
#include "checks/probing_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "checks/gather.h"
#include "checks/places.h"
#include "checks/probing_deep.h"
#include "checks/probing_ports.h"
#include "lib/clock.h"
#include "lib/pci.h"

/* ---- what is to be done --------------------------------------------------- */

static bool is_meant(const struct run *r, const struct probing *q, int place)
{
	const struct gpu *g;

	if (place_is_port(place))
		return !probing_port_unfit(r, place);
	g = &r->facts->gpus.gpu[place];
	return probing_can_gpu(g) && (!q->gpus || q->gpus[g->index]);
}

/* Is there something to do for that probe? A person who asks gets the reason,
 * if not. */
static bool can(const struct run *r, const struct probing *q, enum probe probe)
{
	return probing_ports_can(r, probe) &&
	       (!q->passes || probing_deep_can(r, probe));
}

/* Is the probe of this check wanted: its tier, not passed lately by all, and
 * it can be? */
static bool is_wanted(const struct run *r, const struct probing *q,
		      const struct check *c, int64_t now_s)
{
	struct passes p = probing_passes(r, q, now_s);
	int ttl_s = c->tier == TIER_DEEP ? q->deep_ttl_s : q->ttl_s;
	int i;

	if (c->tier == TIER_PASSIVE || c->tier > q->tier ||
	    !run_selected(r, c) || !can(r, q, c->probe))
		return false;
	PLACE_EACH(i, r->facts, c->probe)
		if (is_meant(r, q, i) && passes_want(&p, i, c->probe, ttl_s))
			return true;
	return false;
}

bool probing_is_due(const struct run *r, const struct probing *q,
		    int64_t now_s)
{
	int i;

	for (i = 0; checks_all[i]; i++)
		if (is_wanted(r, q, checks_all[i], now_s))
			return true;
	return false;
}

/* ---- the round ----------------------------------------------------------- */

static bool warned_about(const struct run *r, int place)
{
	int i, k;

	for (i = 0; i < r->count; i++)
		for (k = 0; k < r->results[i].count; k++)
			if (r->results[i].finding[k].status == STATUS_WARN &&
			    place_is_named(r->facts, place,
					   &r->results[i].finding[k]))
				return true;
	return false;
}

/* When the probe that had to wait longest was last measured or tried: by passes
 * alone, what cannot pass would go first for ever. A fresh warning goes before
 * all. */
static int64_t precedence(const struct run *r, const struct probing *q,
			  int place)
{
	struct passes p = probing_passes(r, q, 0);
	int64_t oldest = INT64_MAX;
	const struct check *c;
	int64_t t;
	int i;

	if (warned_about(r, place))
		return -1;
	for (i = 0; (c = checks_all[i]); i++) {
		if (c->tier != TIER_QUICK ||
		    probe_is_of_ports(c->probe) != place_is_port(place))
			continue;
		t = passes_seen(&p, place, c->probe);
		oldest = t < oldest ? t : oldest;
	}
	return oldest;
}

/* Insertion sort: a few dozen, and equal ones keep their order. */
static void sort_places(const struct run *r, const struct probing *q,
			struct crew_plan *plan)
{
	int gpus = r->facts->gpus.count;
	int64_t key[PROBE_PLACES], mine;
	int i, k, place;

	for (i = 0; i < gpus + plan->port_count; i++) {
		place = i < gpus ? i : PROBE_PLACE_PORT(i - gpus);
		mine = precedence(r, q, place);
		for (k = i; k > 0 && key[k - 1] > mine; k--) {
			plan->order[k] = plan->order[k - 1];
			key[k] = key[k - 1];
		}
		plan->order[k] = place;
		key[k] = mine;
	}
}

static bool doubts(enum probe p, int place, void *arg)
{
	struct run *r = arg;
	struct check_env env;
	int i;

	run_env(r, &env);
	for (i = 0; checks_all[i]; i++) {
		if (checks_all[i]->tier == TIER_PASSIVE ||
		    checks_all[i]->probe != p || !checks_all[i]->doubts)
			continue;
		env.memory = json_object_get(r->memory, checks_all[i]->name);
		return checks_all[i]->doubts(&env, place);
	}
	return false;
}

/* crew's callbacks have one argument: this. */
struct callbacks {
	struct run *r;
	struct session_watch watch;
};

/* Has a job come, to the node that had none or beside the one that owned it? */
static bool call_cancelled(void *arg)
{
	struct callbacks *c = arg;

	return session_job_came(c->r->s, &c->watch, clock_mono_ms());
}

static bool call_doubts(enum probe p, int place, void *arg)
{
	const struct callbacks *c = arg;

	return doubts(p, place, c->r);
}

/* A directory of ours that nobody's MPS server listens in. */
static const char *empty_dir(const struct run *r, char *buf, size_t size)
{
	snprintf(buf, size, "%s/empty", cfg_text(r->s->cfg, "paths", "run"));
	mkdir(buf, 0700);
	return buf;
}

static void plan_libraries(const struct run *r, struct crew_plan *plan)
{
	const struct cfg *cfg = r->s->cfg;

	plan->roots = &r->s->roots;
	plan->cuda_path = cfg_text(cfg, "libraries", "cuda");
	plan->nccl_path = cfg_text(cfg, "libraries", "nccl");
	plan->nvml_path = cfg_text(cfg, "libraries", "nvml");
	plan->verbs_path = cfg_text(cfg, "libraries", "verbs");
}

/* Who has nothing to measure is left alone. */
static void plan_places(const struct run *r, const struct probing *q,
			struct crew_plan *plan)
{
	bool wanted[2] = { false, false };
	int p, i;

	for (p = 0; p < PROBE_COUNT; p++)
		wanted[probe_is_of_ports(p)] |= plan->probe[p];
	PLACE_EACH(i, r->facts, PROBE_context)
		plan->chosen[i] = wanted[false] && is_meant(r, q, i);
	PLACE_EACH(i, r->facts, PROBE_loopback)
		plan->chosen[i] = wanted[true] && is_meant(r, q, i);
}

static void make_plan(struct run *r, struct probing *q,
		      struct crew_plan *plan, int64_t now_s)
{
	struct pci_link path;
	int i;

	plan->gpus = &r->facts->gpus;
	plan->budget_ms = q->budget_ms;
	plan_libraries(r, plan);
	for (i = 0; i < r->facts->gpus.count; i++) {
		pci_path_read(&r->s->roots, r->facts->gpus.gpu[i].bus_id,
			      &path);
		plan->pcie_path_mt[i] = path.speed_max_mt;
	}
	for (i = 0; checks_all[i]; i++)
		plan->probe[checks_all[i]->probe] |=
			is_wanted(r, q, checks_all[i], now_s);
	probing_deep_plan(r, plan);
	plan_places(r, q, plan);
	probing_ports_list(r, plan);
	sort_places(r, q, plan);
	probing_ports_plan(r, plan);
}

static void note_stuck(const struct run *r, const struct crew_plan *plan)
{
	struct gather_stuck note;
	int i, place;

	for (i = 0; i < plan->stuck_count; i++) {
		place = plan->stuck[i].place;
		note = (struct gather_stuck){ .pid = plan->stuck[i].pid };
		snprintf(note.call, sizeof(note.call), "%s",
			 plan->stuck[i].call);
		if (place >= 0 && place_is_port(place))
			snprintf(note.hca, sizeof(note.hca), "%s",
				 place_hca(r->facts, place)->name);
		else if (place >= 0)
			snprintf(note.bus_id, sizeof(note.bus_id), "%s",
				 r->facts->gpus.gpu[place].bus_id);
		gather_stuck_note(r->s, &note);
	}
}

int probing_round(struct run *r, struct probing *q, int64_t now_s)
{
	static struct crew_plan plan;
	struct callbacks call = { .r = r };
	char empty[4200];

	memset(&plan, 0, sizeof(plan));
	free(r->probes);
	r->probes = calloc(1, sizeof(*r->probes));
	if (!r->probes) {
		probing_skip(r, "out of memory");
		return 0;
	}
	make_plan(r, q, &plan, now_s);
	plan.empty_dir = empty_dir(r, empty, sizeof(empty));
	plan.doubts = call_doubts;
	plan.cancelled = call_cancelled;
	plan.arg = &call;
	if (crew_run(&plan, r->probes) < 0) {
		note_stuck(r, &plan);
		probing_skip(r, "a job came: the probes made way");
		return -1;
	}
	note_stuck(r, &plan);
	probing_deep_finish(r, &plan);
	probing_ports_finish(r, &plan);
	if (r->probes->ran && probing_no_gpus(r))
		snprintf(r->probes->why, sizeof(r->probes->why), "%s",
			 probing_no_gpus(r));
	run_rejudge(r, q->tier);
	if (q->passes)
		probing_note_passes(r, q, &plan, now_s);
	return 0;
}

void probing_skip(struct run *r, const char *why)
{
	free(r->probes);
	r->probes = NULL;
	snprintf(r->probe_why, sizeof(r->probe_why), "%s", why);
	if (!probing_ports_none(r, r->port_why, sizeof(r->port_why)))
		r->port_why[0] = '\0';
	run_rejudge(r, TIER_DEEP);
}
