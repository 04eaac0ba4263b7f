/* SPDX-License-Identifier: Apache-2.0
 * The active probes' place in a pass: after the passive verdict, and only
 * where that does not say it all already. */
#include "config.h"
#include "checks/pass.h"

#include <stdio.h>

#include "checks/probing.h"
#include "lib/clock.h"
#include "lib/log.h"
#include "lib/slurm.h"

#define VERDICT_MS 6000		/* a gate with probes decides within this */
#define LEAST_MS 1500		/* with less no context would be there in time */
#define SPREAD_MS 2000		/* starts of the nodes of one large job */
#define LARGE_JOB 64		/* nodes */

/* Time that the gate has for probes. */
static int gate_budget_ms(const struct pass *p)
{
	const struct cfg *cfg = p->s->cfg;
	/* With the wait for the state, and a look that memory did not answer. */
	int spent = (int)(clock_mono_ms() - p->opened_ms);
	int left = VERDICT_MS - PROBING_LEAVE_MS - spent;
	int total = (int)(cfg_int(cfg, "budget", "total_ms") -
			  cfg_int(cfg, "budget", "slurm_ms")) -
		    PROBING_LEAVE_MS - 300 - spent;
	int quick = (int)cfg_int(cfg, "budget", "quick_ms");

	left = total < left ? total : left;
	return quick < left ? quick : left;
}

/* Little is enough where the site says so. */
static bool is_too_little(struct pass *p, const struct probing *q)
{
	if (q->budget_ms >= LEAST_MS ||
	    q->budget_ms >= cfg_int(p->s->cfg, "budget", "quick_ms"))
		return false;
	probing_skip(&p->run, "no time left for probes");
	return true;
}

static void keep(struct pass *p, const struct probing *q)
{
	if (q->changed)
		pass_put(p, DOC_PROBES);
}

static void in_the_gate(struct pass *p, struct probing *q)
{
	int nodes = p->s->job->num_nodes;

	if (nodes > LARGE_JOB)
		clock_sleep_ms(slurm_jitter_ms(p->s->job->node, nodes,
					       SPREAD_MS));
	q->budget_ms = gate_budget_ms(p);
	if (is_too_little(p, q))
		return;
	probing_round(&p->run, q, p->now_s);
	keep(p, q);
}

/* It is their turn in the next run. */
static void say_missed(const struct run *r)
{
	const struct check_result *res;
	int i;

	for (i = 0; i < r->count; i++) {
		res = &r->results[i];
		if (res->check && res->check->tier != TIER_PASSIVE &&
		    !res->skipped && res->note[0])
			log_info("%s: %s", res->name, res->note);
	}
}

/* Has assay drained this node, so that it wants to be tested as a whole? */
static bool is_ours_to_return(const struct pass *p)
{
	return json_object_size(json_object_get(p->doc[DOC_DRAIN], "keys")) > 0;
}

int pass_probe_ms(const struct pass *p, enum tier tier)
{
	return probing_budget_ms(p->s->cfg,
				 is_ours_to_return(p) ? TIER_DEEP : tier);
}

/* Without the lock: a Prolog that comes now must not wait for us. */
static void on_the_idle_node(struct pass *p, struct probing *q)
{
	bool locked = !p->s->state.readonly;

	q->budget_ms = pass_probe_ms(p, q->tier);
	if (p->until_ms)
		q->budget_ms = probing_within_ms(p->s->cfg, q->budget_ms,
						 p->until_ms -
							 clock_mono_ms());
	if (is_too_little(p, q))
		return;
	if (locked) {
		pass_put_run(p);
		state_unlock(&p->s->state);
	}
	probing_round(&p->run, q, p->now_s);
	if (locked)
		pass_reload(p);
	keep(p, q);
	say_missed(&p->run);
}

void pass_probe(struct pass *p, enum tier tier)
{
	struct run *r = &p->run;
	struct probing q = { .tier = tier, .passes = p->doc[DOC_PROBES],
			     .ttl_s = (int)cfg_int(p->s->cfg, "budget",
						   "quick_ttl"),
			     .deep_ttl_s = (int)cfg_int(p->s->cfg, "budget",
							"deep_ttl") };
	char why[160];

	if (p->context == CONTEXT_HEALTH && is_ours_to_return(p))
		q.ttl_s = q.deep_ttl_s = 0;
	if (p->context == CONTEXT_EPILOG)
		return;
	if (p->verdict.would > ACTION_WARN) {
		probing_skip(r, "the passive checks have decided");
	} else if ((p->context == CONTEXT_PROLOG &&
		    probing_job_allows(r, why, sizeof(why)) < 0) ||
		   probing_node_allows(r, why, sizeof(why)) < 0) {
		probing_skip(r, why);
	} else if (!probing_is_due(r, &q, p->now_s)) {
		probing_skip(r, "measured or tried lately");
	} else if (p->context == CONTEXT_PROLOG) {
		in_the_gate(p, &q);
	} else {
		on_the_idle_node(p, &q);
	}
	pass_decide(p);
}
