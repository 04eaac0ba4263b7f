/* SPDX-License-Identifier: Apache-2.0
 * What came of a round, for the next one to know. */
#include "config.h"
#include "checks/probing_inside.h"

#include "checks/places.h"

struct passes probing_passes(const struct run *r, const struct probing *q,
			     int64_t now_s)
{
	return (struct passes){ q->passes, r->facts, now_s };
}

/* Is it about another port? */
static bool is_elsewhere(const struct run *r, int place, const struct finding *f)
{
	int i;

	PLACE_EACH(i, r->facts, PROBE_loopback)
		if (i != place && place_is_named(r->facts, i, f))
			return true;
	return false;
}

/* Is there something of that status or worse about that place, or about all?
 * What a check says of the node's state besides is nothing that a probe could
 * pass. */
static bool is_told(const struct run *r, const struct check_result *res,
		    int place, enum status least)
{
	const struct finding *f = res->finding;
	int k;

	for (k = 0; k < res->count; k++)
		if (f[k].status >= least &&
		    (place_is_named(r->facts, place, &f[k]) ||
		     (f[k].gpu < 0 && !res->check->also_state &&
		      !is_elsewhere(r, place, &f[k]))))
			return true;
	return false;
}

static bool tells(const struct run *r, const struct check *c, int place,
		  enum status least)
{
	int i;

	for (i = 0; i < r->count; i++)
		if (r->results[i].check == c &&
		    is_told(r, &r->results[i], place, least))
			return true;
	return false;
}

static bool is_suspect(const struct run *r, const struct check *c, int place)
{
	return tells(r, c, place, STATUS_WARN);
}

/* It was measured, and what came out could not be judged. */
static bool is_undecided(const struct run *r, const struct check *c, int place)
{
	return tells(r, c, place, STATUS_SKIP);
}

static bool is_broken(const struct probe_shot *s)
{
	return s->end == PROBE_FAULT || s->end == PROBE_BROKEN;
}

/* What was low once is settled by a repeat, for which there was no time. */
static bool lacks_repeat(const struct probe_shot *s)
{
	return s[0].end == PROBE_DONE && s[1].end == PROBE_NONE && s[1].why[0];
}

enum ending {
	ENDING_PASSED,	/* to its end, and nothing to say against it: not even
			 * a warning; or it has nothing to do with this node */
	ENDING_TRIED,	/* bad, undecided, or not to be measured: so it may be
			 * again, and the next job shall not wait for that */
	ENDING_LATER	/* no time, or no answer: the next run has to see */
};

/* How it could not be measured. */
static enum ending unable(const struct probe_shot *s)
{
	return s->never ? ENDING_PASSED : ENDING_TRIED;
}

static enum ending ending_of(const struct run *r, const struct check *c,
			     int place)
{
	const struct probe_result *of = probe_results(r->probes, place);
	const struct probe_shot *context = of[PROBE_context].shot;
	const struct probe_shot *shot = c->probe == PROBE_storage ?
						r->probes->storage.shot :
						of[c->probe].shot;

	if (context->end == PROBE_UNABLE)
		return unable(context);
	if (lacks_repeat(shot))
		return ENDING_LATER;
	if (is_broken(shot) || is_broken(context) || is_suspect(r, c, place))
		return ENDING_TRIED;
	if (shot->end == PROBE_UNABLE)
		return unable(shot);
	if (shot->end != PROBE_DONE || shot->partial)
		return ENDING_LATER;
	return is_undecided(r, c, place) ? ENDING_TRIED : ENDING_PASSED;
}

static void note_check(struct run *r, const struct passes *p,
		       const struct check *c, const bool *chosen)
{
	enum ending ending;
	int k;

	PLACE_EACH(k, r->facts, c->probe) {
		ending = chosen[k] ? ending_of(r, c, k) : ENDING_LATER;
		if (ending != ENDING_LATER)
			passes_note(p, k, c->probe, ending == ENDING_PASSED);
	}
}

void probing_note_passes(struct run *r, struct probing *q,
			 const struct crew_plan *plan, int64_t now_s)
{
	struct passes p = probing_passes(r, q, now_s);
	const struct check *c;
	int i;

	passes_begin(&p);
	for (i = 0; (c = checks_all[i]); i++)
		if (c->tier != TIER_PASSIVE && plan->probe[c->probe])
			note_check(r, &p, c, plan->chosen);
	q->changed = true;
}
