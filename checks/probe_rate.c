/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/probe_rate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "checks/gpu_each.h"
#include "checks/node.h"
#include "checks/probe_low.h"
#include "checks/probe_past.h"

#define SAME_PEAK 0.01

void rates_open(struct rates *l, const struct rate_rule *rule,
		const struct check_env *env)
{
	const struct probe_shot *shot;
	int i, s, f;

	*l = (struct rates){ .rule = rule, .env = env };
	for (f = 0; f < PROBE_FIGURES; f++)
		l->peers_by[f] = f;
	for (s = 0; s < PROBE_SHOTS; s++)
		for (i = 0; i < PROBE_GPUS_MAX; i++)
			for (f = 0; f < PROBE_FIGURES; f++)
				l->value[s][i][f] = NAN;
	for (i = probe_next(env, -1); i >= 0; i = probe_next(env, i))
		for (s = 0; s < PROBE_SHOTS; s++) {
			if (!probe_done(env, rule->probe, i, s))
				continue;
			shot = probe_shot(env, rule->probe, i, s);
			for (f = 0; f < rule->figures; f++)
				l->value[s][i][f] = shot->figure[f];
		}
}

/* ---- the references -------------------------------------------------------- */

static bool is_equal(const struct check_env *env, int a, int b)
{
	const struct gpu *g = env->facts->gpus.gpu;

	return a == b || gpu_equal(&g[a], &g[b]);
}

static bool is_known_value(double v)
{
	return isfinite(v) && v > 0;
}

/* Could GPUs a and b at most do the same? One may sit in a narrower slot. */
static bool is_comparable(const struct rates *l, int a, int b)
{
	double x, y;

	if (a == b)
		return true;
	if (!is_equal(l->env, a, b))
		return false;
	if (!l->rule->peak || l->relative_only)
		return true;
	x = l->rule->peak(l->env, a);
	y = l->rule->peak(l->env, b);
	return isfinite(x) && isfinite(y) ? fabs(x - y) <= SAME_PEAK * x
					  : isfinite(x) == isfinite(y);
}

static void add_peers(struct yardstick *y, const struct rates *l, int gpu,
		      int figure)
{
	double v[PROBE_GPUS_MAX];
	int by = l->peers_by[figure];
	int i, n = 0;

	if (l->no_peers)
		return;
	for (i = probe_next(l->env, -1); i >= 0; i = probe_next(l->env, i))
		if (is_known_value(l->value[0][i][by]) &&
		    is_comparable(l, gpu, i) &&
		    probe_is_fair(probe_shot(l->env, l->rule->probe, i, 0),
				  l->rule->host))
			v[n++] = l->value[0][i][by];
	yardstick_peers(y, v, n, l->rule->peers);
}

static void add_history(struct yardstick *y, const struct rates *l, int gpu,
			const char *key)
{
	double v[PAST_SAMPLES];
	int n = past_samples(l->env, gpu, key, v);

	yardstick_history(y, v, n, l->rule->history);
}

static double of_profile(const struct profile *p, size_t offset)
{
	return offset ? *(const double *)((const char *)p + offset) : NAN;
}

/* The profile, and what the site expects, are about the model of the node's
 * first GPU. */
static const struct profile *profile_of(const struct check_env *env, int gpu)
{
	return is_equal(env, 0, gpu) ? env->profile : NULL;
}

static void add_absolute(struct yardstick *y, const struct rates *l, int gpu,
			 const struct rate_figure *f)
{
	const struct profile *p = profile_of(l->env, gpu);
	const struct rate_rule *rule = l->rule;

	if (f->site_key && is_equal(l->env, 0, gpu))
		yardstick_site(y, (double)check_cfg_int(l->env, rule->check,
							f->site_key));
	if (!p || l->relative_only)
		return;
	if (rule->peak)
		yardstick_physical(y, rule->peak(l->env, gpu), rule->peak_floor,
				   rule->peak_achieved);
	yardstick_profile(y, of_profile(p, f->own));
	yardstick_estimate(y, of_profile(p, f->estimate));
}

struct yard_sight rates_hold(const struct rates *l, int gpu, int figure, int shot)
{
	const struct rate_figure *f = &l->rule->figure[figure];
	struct yardstick y;

	yardstick_init(&y);
	add_absolute(&y, l, gpu, f);
	add_peers(&y, l, gpu, figure);
	add_history(&y, l, gpu, f->name);
	return yardstick_hold(&y, l->value[shot][gpu][figure]);
}

/* ---- one figure of one GPU ---------------------------------------------------- */

struct opinion {
	const struct rates *l;
	int gpu, figure;
	enum status status; /* PASS, WARN, FAIL */
	double value;
	struct yard_sight sight;
	char text[128]; /* "" PASS */
};

static const struct probe_shot *shot_of(const struct opinion *o, int shot)
{
	return probe_shot(o->l->env, o->l->rule->probe, o->gpu, shot);
}

/* "1710<2520 GB/s" and what there is to add. */
static void say(struct opinion *o, enum status status, const char *more)
{
	char less[64], detail[64] = "";

	o->status = status;
	if (o->l->rule->detail)
		o->l->rule->detail(o->l, o->gpu, o->figure, detail,
				   sizeof(detail));
	yardstick_less(o->value, o->sight.limit, less, sizeof(less));
	snprintf(o->text, sizeof(o->text), "%s %s%s%s", less, o->l->rule->unit,
		 detail, more);
}

static void say_excused(struct opinion *o, const char *why)
{
	char more[96];

	snprintf(more, sizeof(more), ", %s", why);
	say(o, STATUS_WARN, more);
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
	char a[32], b[32];

	o->status = STATUS_WARN;
	snprintf(o->text, sizeof(o->text), "unconfirmed: %s, then %s %s",
		 yardstick_number(o->value, a, sizeof(a)),
		 yardstick_number(again, b, sizeof(b)), o->l->rule->unit);
}

/* Low twice: the better of the two is what counts. */
static void say_confirmed(struct opinion *o, const struct yard_sight *again)
{
	double v = o->l->value[1][o->gpu][o->figure];
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

static struct low_rate low_rate(const struct rates *l, int gpu)
{
	const struct probe_shot *s = probe_shot(l->env, l->rule->probe, gpu, 0);
	struct low_rate low = { .known_model = profile_of(l->env, gpu),
				.repeated = s[1].end != PROBE_NONE };
	int i;

	for (i = 0; i < PROBE_SHOTS; i++)
		probe_excuse(&s[i], l->rule->host, low.excuse[i],
			     sizeof(low.excuse[i]));
	return low;
}

static void judge_low(struct opinion *o)
{
	double again = o->l->value[1][o->gpu][o->figure];
	struct yard_sight sight = rates_hold(o->l, o->gpu, o->figure, 1);
	struct low_rate low = low_rate(o->l, o->gpu);
	const char *why;

	low.measured_again = is_known_value(again);
	low.again = sight.sense;
	why = low_warns(&low);
	if (!why)
		say_confirmed(o, &sight);
	else if (!strcmp(why, LOW_UNCONFIRMED))
		say_unconfirmed(o, again);
	else
		say_excused(o, why);
}

static void judge(struct opinion *o)
{
	o->value = o->l->value[0][o->gpu][o->figure];
	o->sight = rates_hold(o->l, o->gpu, o->figure, 0);
	if (o->sight.sense == YARD_LOW)
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

/* One for all figures of the GPU: which of them is the worst may change. */
#define OPEN "low"

static void name_evidence(const struct opinion *o, char *buf, size_t size)
{
	const char *open = past_open(o->l->env, o->gpu, OPEN);
	int step;

	if (!open || sscanf(open, OPEN ":%d", &step) != 1)
		step = -1;
	snprintf(buf, size, OPEN ":%d", past_step(share(o), step));
}

static void add_finding(const struct opinion *o, struct check_result *r)
{
	const char *name = o->l->rule->figure[o->figure].name;
	struct finding *f;

	f = result_add_gpu(r, o->status, name, o->l->env, o->gpu, "%s", o->text);
	if (!f)
		return;
	node_numbers(f, o->value, o->sight.limit, o->l->rule->unit);
	name_evidence(o, f->evidence, sizeof(f->evidence));
	if (o->status != STATUS_FAIL)
		return;
	f->remedy = REMEDY_SERVICE;
	f->at_most = o->sight.gross ? ACTION_DRAIN : ACTION_DRAIN_AFTER;
	past_set_open(r, o->l->env, o->gpu, OPEN, f->evidence);
}

static void remember(const struct opinion *o, struct check_result *r)
{
	const char *name = o->l->rule->figure[o->figure].name;

	if (is_known_value(o->value) && low_is_basis(o->sight.sense) &&
	    probe_is_fair(shot_of(o, 0), o->l->rule->host))
		past_add(r, o->l->env, o->gpu, name, o->value);
}

static void judge_gpu(const struct rates *l, struct check_result *r, int gpu)
{
	struct opinion one, worst = { .status = STATUS_PASS };
	int f, known = 0;

	for (f = 0; f < l->rule->figures; f++) {
		one = (struct opinion){
			.l = l, .gpu = gpu, .figure = f, .status = STATUS_PASS
		};
		judge(&one);
		remember(&one, r);
		known += is_known_value(one.value);
		if (is_worse(&one, &worst))
			worst = one;
	}
	if (worst.status != STATUS_PASS)
		add_finding(&worst, r);
	else if (known)
		past_set_open(r, l->env, gpu, OPEN, NULL);
	else
		past_remind(r, l->env, gpu);
}

static json_t *report_shot(const struct rates *l, int gpu, int shot)
{
	json_t *obj = probe_report(l->env, l->rule->probe, gpu, shot);
	int f;

	for (f = 0; f < l->rule->figures; f++)
		probe_figure(obj, l->rule->figure[f].json,
			     l->value[shot][gpu][f]);
	if (l->rule->report)
		l->rule->report(l, gpu, shot, obj);
	return obj;
}

static void report(const struct rates *l, struct check_result *r, int gpu)
{
	const struct probe_shot *s = probe_shot(l->env, l->rule->probe, gpu, 0);
	json_t *obj;

	if (s[0].end == PROBE_NONE)
		return;
	obj = report_shot(l, gpu, 0);
	if (s[1].end != PROBE_NONE)
		json_object_set_new(obj, "repeat", report_shot(l, gpu, 1));
	probe_record(r, obj);
}

int rates_judge(const struct rates *l, struct check_result *r)
{
	struct probe_look look = { .env = l->env, .r = r, .probe = l->rule->probe };
	int count = l->env->facts->gpus.count;
	int i;

	for (i = 0; i < count && i < PROBE_GPUS_MAX; i++) {
		if (!probe_done(l->env, l->rule->probe, i, 0))
			past_remind(r, l->env, i);
		if (!l->env->probes->gpu[i].chosen)
			continue;
		if (probe_measured(&look, i))
			judge_gpu(l, r, i);
		report(l, r, i);
	}
	return probe_end(&look);
}

bool rates_doubt(const struct rates *l, int gpu)
{
	struct low_rate low = low_rate(l, gpu);
	int f;

	if (!probe_done(l->env, l->rule->probe, gpu, 0) ||
	    !low_is_doubted(&low))
		return false;
	for (f = 0; f < l->rule->figures; f++)
		if (rates_hold(l, gpu, f, 0).sense == YARD_LOW)
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
		  int gpu)
{
	struct rates l;

	rates_open(&l, rule, env);
	return rates_doubt(&l, gpu);
}
