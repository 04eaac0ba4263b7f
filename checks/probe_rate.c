/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/probe_rate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "checks/node.h"
#include "checks/places.h"
#include "checks/probe_low.h"
#include "checks/probe_past.h"

#define SAME_PEAK 0.01
/* When others took so much of what is missing, that is why it is; when so much
 * of what was measured, it is no basis for anything. */
#define OTHERS_EXPLAIN 0.5
#define OTHERS_COUNT 0.05

/* A time as how often it goes into a second, and that as a time. */
static double in_a_second(const struct rate_rule *rule, double v)
{
	return rule->times ? 1e6 / v : v;
}

static void take_shot(struct rates *l, int place, int shot)
{
	const struct probe_shot *s;
	int f;

	if (!probe_done(l->env, l->rule->probe, place, shot))
		return;
	s = probe_shot(l->env, l->rule->probe, place, shot);
	for (f = 0; f < l->rule->figures; f++)
		l->value[shot][place][f] = in_a_second(l->rule, s->figure[f]);
}

void rates_open(struct rates *l, const struct rate_rule *rule,
		const struct check_env *env)
{
	int i, s, f;

	*l = (struct rates){ .rule = rule, .env = env };
	for (f = 0; f < PROBE_FIGURES; f++)
		l->peers_by[f] = f;
	for (s = 0; s < PROBE_SHOTS; s++)
		for (i = 0; i < PROBE_PLACES; i++)
			for (f = 0; f < PROBE_FIGURES; f++)
				l->value[s][i][f] = NAN;
	PROBE_EACH(i, env, rule->probe)
		for (s = 0; s < PROBE_SHOTS; s++)
			take_shot(l, i, s);
}

/* ---- others ------------------------------------------------------------------ */

static double of_others(const struct rates *l, int place, int shot)
{
	double v = l->rule->others ? l->rule->others(l, place, shot) : NAN;

	return isfinite(v) ? v : 0;
}

/* May others be held against it? */
static bool is_fair(const struct rates *l, int place, double value)
{
	return probe_is_fair(probe_shot(l->env, l->rule->probe, place, 0),
			     l->rule->host) &&
	       of_others(l, place, 0) <= OTHERS_COUNT * value;
}

/* ---- the references -------------------------------------------------------- */

static bool is_known_value(double v)
{
	return isfinite(v) && v > 0;
}

/* Could a and b at most do the same? One may sit in a narrower slot. */
static bool is_comparable(const struct rates *l, int a, int b)
{
	const struct rate_rule *rule = l->rule;
	double x, y;

	if (a == b)
		return true;
	if (!place_equal(l->env->facts, a, b) ||
	    (rule->alike && !rule->alike(l->env, a, b)))
		return false;
	if (!rule->peak || l->relative_only)
		return true;
	x = rule->peak(l->env, a);
	y = rule->peak(l->env, b);
	return isfinite(x) && isfinite(y) ? fabs(x - y) <= SAME_PEAK * x
					  : isfinite(x) == isfinite(y);
}

static struct rate_share share_of(const struct rate_rule *rule, int figure)
{
	if (rule->share)
		return rule->share[figure];
	return (struct rate_share){ rule->peers, rule->history };
}

static void add_peers(struct yardstick *y, const struct rates *l, int place,
		      int figure)
{
	const struct rate_rule *rule = l->rule;
	int by = l->peers_by[figure];
	double v[PROBE_PLACES];
	int i, n = 0;

	if (l->no_peers)
		return;
	PROBE_EACH(i, l->env, rule->probe)
		if (is_known_value(l->value[0][i][by]) &&
		    is_comparable(l, place, i) &&
		    is_fair(l, i, l->value[0][i][by]))
			v[n++] = l->value[0][i][by];
	yardstick_peers(y, v, n, share_of(rule, figure).peers);
}

static void add_history(struct yardstick *y, const struct rates *l, int place,
			int figure)
{
	const struct rate_rule *rule = l->rule;
	double v[PAST_SAMPLES];
	int n = past_samples(l->env, place, rule->figure[figure].name, v);

	yardstick_history(y, v, n, share_of(rule, figure).history);
}

static double of_profile(const struct profile *p, size_t offset)
{
	return offset ? *(const double *)((const char *)p + offset) : NAN;
}

/* The profile is about the model of the node's first GPU. */
static const struct profile *profile_of(const struct check_env *env, int place)
{
	return !place_is_port(place) && place_equal(env->facts, 0, place) ?
		       env->profile :
		       NULL;
}

/* Is enough known of it to call it broken? Of a port that is its rate. */
static bool is_known_model(const struct check_env *env, int place)
{
	return place_is_port(place) ?
		       place_port(env->facts, place)->rate_gbit > 0 :
		       profile_of(env, place) != NULL;
}

static void add_site(struct yardstick *y, const struct rates *l, int place,
		     const struct rate_figure *f)
{
	double expected;

	if (!f->site_key || !place_is_sites(l->env, place))
		return;
	expected = (double)check_cfg_int(l->env, l->rule->check, f->site_key);
	if (expected > 0)
		yardstick_site(y, l->rule->times ? 1e9 / expected : expected);
}

static void add_absolute(struct yardstick *y, const struct rates *l, int place,
			 const struct rate_figure *f)
{
	const struct profile *p = profile_of(l->env, place);
	const struct rate_rule *rule = l->rule;

	add_site(y, l, place, f);
	if (!is_known_model(l->env, place) || l->relative_only)
		return;
	if (rule->peak)
		yardstick_physical(y, rule->peak(l->env, place),
				   rule->peak_floor, rule->peak_achieved);
	yardstick_profile(y, of_profile(p, f->own));
	yardstick_estimate(y, of_profile(p, f->estimate));
}

struct yard_sight rates_hold(const struct rates *l, int place, int figure, int shot)
{
	struct yardstick y;

	yardstick_init(&y);
	add_absolute(&y, l, place, &l->rule->figure[figure]);
	add_peers(&y, l, place, figure);
	add_history(&y, l, place, figure);
	return yardstick_hold(&y, l->value[shot][place][figure]);
}

/* Is much of what is missing in a low figure what others took? */
static bool is_disturbed(const struct rates *l, int place, int figure, int shot)
{
	double missing = rates_hold(l, place, figure, shot).expected -
			 l->value[shot][place][figure];

	return isfinite(missing) &&
	       of_others(l, place, shot) >= OTHERS_EXPLAIN * missing;
}

/* ---- one figure of one place -------------------------------------------------- */

struct opinion {
	const struct rates *l;
	int place, figure;
	enum status status; /* PASS, SKIP: disturbed, WARN, FAIL */
	double value;
	struct yard_sight sight;
	char text[128]; /* "" PASS */
};

static const struct probe_shot *shot_of(const struct opinion *o, int shot)
{
	return probe_shot(o->l->env, o->l->rule->probe, o->place, shot);
}

/* "1710<2520 GB/s" or "3.9>2.6 us", and what there is to add. */
static void say(struct opinion *o, enum status status, const char *more)
{
	const struct rate_rule *rule = o->l->rule;
	char cmp[64], detail[64] = "";

	o->status = status;
	if (rule->detail)
		rule->detail(o->l, o->place, o->figure, detail, sizeof(detail));
	if (rule->times)
		yardstick_more(in_a_second(rule, o->value),
			       in_a_second(rule, o->sight.limit), cmp,
			       sizeof(cmp));
	else
		yardstick_less(o->value, o->sight.limit, cmp, sizeof(cmp));
	snprintf(o->text, sizeof(o->text), "%s %s%s%s", cmp, rule->unit, detail,
		 more);
}

static void say_excused(struct opinion *o, const char *why)
{
	char more[96];

	snprintf(more, sizeof(more), ", %s", why);
	say(o, STATUS_WARN, more);
}

static void say_disturbed(struct opinion *o, int shot)
{
	char more[96], others[32];

	yardstick_number(of_others(o->l, o->place, shot), others,
			 sizeof(others));
	snprintf(more, sizeof(more), ", not judged: %s %s of other traffic",
		 others, o->l->rule->unit);
	say(o, STATUS_SKIP, more);
}

static void say_doubtful(struct opinion *o)
{
	char more[64];

	snprintf(more, sizeof(more), ", by %s alone",
		 yardstick_name(o->sight.by));
	say(o, STATUS_WARN, more);
}

static void say_unconfirmed(struct opinion *o, double again)
{
	const struct rate_rule *rule = o->l->rule;
	char a[32], b[32];

	yardstick_number(in_a_second(rule, o->value), a, sizeof(a));
	yardstick_number(in_a_second(rule, again), b, sizeof(b));
	o->status = STATUS_WARN;
	snprintf(o->text, sizeof(o->text), "unconfirmed: %s, then %s %s", a, b,
		 rule->unit);
}

/* Low twice: the better of the two is what counts. */
static void say_confirmed(struct opinion *o, const struct yard_sight *again)
{
	double v = o->l->value[1][o->place][o->figure];
	const char *slow = probe_slowdown(shot_of(o, 1));
	char more[64] = "";

	if (v > o->value) {
		o->value = v;
		o->sight = *again;
	}
	if (slow)
		snprintf(more, sizeof(more), ", %s", slow);
	say(o, STATUS_FAIL, more);
}

static struct low_rate low_rate(const struct rates *l, int place)
{
	const struct probe_shot *s = probe_shot(l->env, l->rule->probe, place, 0);
	struct low_rate low = { .known_model = is_known_model(l->env, place),
				.repeated = s[1].end != PROBE_NONE };
	int i;

	for (i = 0; i < PROBE_SHOTS; i++)
		probe_excuse(&s[i], l->rule->host, low.excuse[i],
			     sizeof(low.excuse[i]));
	return low;
}

static void judge_low(struct opinion *o)
{
	double again = o->l->value[1][o->place][o->figure];
	struct yard_sight sight = rates_hold(o->l, o->place, o->figure, 1);
	struct low_rate low = low_rate(o->l, o->place);
	const char *why;

	low.measured_again = is_known_value(again);
	low.again = sight.sense;
	why = low_warns(&low);
	if (!why && is_disturbed(o->l, o->place, o->figure, 1))
		say_disturbed(o, 1);
	else if (!why)
		say_confirmed(o, &sight);
	else if (!strcmp(why, LOW_UNCONFIRMED))
		say_unconfirmed(o, again);
	else
		say_excused(o, why);
}

static void judge(struct opinion *o)
{
	o->value = o->l->value[0][o->place][o->figure];
	o->sight = rates_hold(o->l, o->place, o->figure, 0);
	if (is_disturbed(o->l, o->place, o->figure, 0))
		say_disturbed(o, 0);
	else if (o->sight.sense == YARD_LOW)
		judge_low(o);
	else if (o->sight.sense == YARD_DOUBTFUL)
		say_doubtful(o);
}

static double share(const struct opinion *o)
{
	return o->value / o->sight.expected;
}

static bool is_worse(const struct opinion *a, const struct opinion *b)
{
	if (a->status != b->status)
		return a->status > b->status;
	return a->status != STATUS_PASS && share(a) < share(b);
}

/* ---- what comes of it ----------------------------------------------------------- */

/* One for all figures of the place: which of them is the worst may change. */
#define OPEN "low"

static void name_evidence(const struct opinion *o, char *buf, size_t size)
{
	const char *open = past_open(o->l->env, o->place, OPEN);
	int step;

	if (!open || sscanf(open, OPEN ":%d", &step) != 1)
		step = -1;
	snprintf(buf, size, OPEN ":%d", past_step(share(o), step));
}

/* What is open stays so, as where nothing was measured. */
static void add_disturbed(const struct opinion *o, struct check_result *r)
{
	const char *open = past_open(o->l->env, o->place, OPEN);
	struct finding *f;

	f = place_finding(r, STATUS_SKIP, "disturbed", o->l->env, o->place,
			  "%s", o->text);
	if (f && open)
		snprintf(f->evidence, sizeof(f->evidence), "%s", open);
}

static void add_finding(const struct opinion *o, struct check_result *r)
{
	const char *name = o->l->rule->figure[o->figure].name;
	struct finding *f;

	f = place_finding(r, o->status, name, o->l->env, o->place, "%s", o->text);
	if (!f)
		return;
	node_numbers(f, in_a_second(o->l->rule, o->value),
		     in_a_second(o->l->rule, o->sight.limit), o->l->rule->unit);
	name_evidence(o, f->evidence, sizeof(f->evidence));
	if (o->status != STATUS_FAIL)
		return;
	f->remedy = REMEDY_SERVICE;
	f->at_most = o->sight.gross ? ACTION_DRAIN : ACTION_DRAIN_AFTER;
	past_set_open(r, o->l->env, o->place, OPEN, f->evidence);
}

static void remember(const struct opinion *o, struct check_result *r)
{
	const char *name = o->l->rule->figure[o->figure].name;

	if (is_known_value(o->value) && low_is_basis(o->sight.sense) &&
	    is_fair(o->l, o->place, o->value))
		past_add(r, o->l->env, o->place, name, o->value);
}

static void judge_place(const struct rates *l, struct check_result *r, int place)
{
	struct opinion one, worst = { .status = STATUS_PASS };
	int f, known = 0;

	for (f = 0; f < l->rule->figures; f++) {
		one = (struct opinion){
			.l = l, .place = place, .figure = f, .status = STATUS_PASS
		};
		judge(&one);
		remember(&one, r);
		known += is_known_value(one.value);
		if (is_worse(&one, &worst))
			worst = one;
	}
	if (worst.status == STATUS_SKIP)
		add_disturbed(&worst, r);
	else if (worst.status != STATUS_PASS)
		add_finding(&worst, r);
	else if (known)
		past_set_open(r, l->env, place, OPEN, NULL);
	else
		past_remind(r, l->env, place);
}

static json_t *report_shot(const struct rates *l, int place, int shot)
{
	json_t *obj = probe_report(l->env, l->rule->probe, place, shot);
	int f;

	for (f = 0; f < l->rule->figures; f++)
		probe_figure(obj, l->rule->figure[f].json,
			     in_a_second(l->rule, l->value[shot][place][f]));
	if (l->rule->report)
		l->rule->report(l, place, shot, obj);
	return obj;
}

static void report(const struct rates *l, struct check_result *r, int place)
{
	const struct probe_shot *s = probe_shot(l->env, l->rule->probe, place, 0);
	json_t *obj;

	if (s[0].end == PROBE_NONE)
		return;
	obj = report_shot(l, place, 0);
	if (s[1].end != PROBE_NONE)
		json_object_set_new(obj, "repeat", report_shot(l, place, 1));
	probe_record(r, obj);
}

int rates_judge(const struct rates *l, struct check_result *r)
{
	struct probe_look look = { .env = l->env, .r = r, .probe = l->rule->probe };
	int i;

	PLACE_EACH(i, l->env->facts, l->rule->probe) {
		if (!probe_done(l->env, l->rule->probe, i, 0))
			past_remind(r, l->env, i);
		if (!probe_chosen(l->env, i)) {
			probe_left_out(&look, i);
			continue;
		}
		if (probe_measured(&look, i))
			judge_place(l, r, i);
		report(l, r, i);
	}
	return probe_end(&look);
}

bool rates_doubt(const struct rates *l, int place)
{
	struct low_rate low = low_rate(l, place);
	int f;

	if (!probe_done(l->env, l->rule->probe, place, 0) ||
	    !low_is_doubted(&low))
		return false;
	for (f = 0; f < l->rule->figures; f++)
		if (rates_hold(l, place, f, 0).sense == YARD_LOW &&
		    !is_disturbed(l, place, f, 0))
			return true;
	return false;
}

int rates_run(const struct rate_rule *rule, const struct check_env *env,
	      struct check_result *r)
{
	struct rates l;

	rates_open(&l, rule, env);
	return rates_judge(&l, r);
}

bool rates_doubts(const struct rate_rule *rule, const struct check_env *env,
		  int place)
{
	struct rates l;

	rates_open(&l, rule, env);
	return rates_doubt(&l, place);
}
