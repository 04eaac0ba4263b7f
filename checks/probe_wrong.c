/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/probe_wrong.h"

#include <stdio.h>
#include <string.h>

#include "checks/places.h"
#include "checks/probe_past.h"
#include "lib/scrub.h"

/* SMs that never ran a block were not tested: more than this share is worth
 * a word. */
#define UNSEEN_SHARE 0.05

static bool is_repeated(const struct wrong *w)
{
	return probe_shot(w->env, w->probe, w->place, 1)->end != PROBE_NONE;
}

bool wrong_doubt(const struct wrong *w)
{
	return w->first && !is_repeated(w);
}

static struct finding *add(const struct wrong *w, struct check_result *r,
			   enum status status, const char *more)
{
	struct finding *f;

	f = place_finding(r, status, w->key, w->env, w->place, "%s%s", w->text,
			  more);
	if (!f)
		return NULL;
	if (w->subject[0])
		scrub_copy(f->subject, sizeof(f->subject), w->subject);
	snprintf(f->evidence, sizeof(f->evidence), "%s", w->evidence);
	return f;
}

void wrong_judge(const struct wrong *w, struct check_result *r)
{
	struct finding *f;

	if (!w->first) {
		past_set_open(r, w->env, w->place, w->key, NULL);
	} else if (!is_repeated(w)) {
		add(w, r, STATUS_WARN, ", to be repeated");
	} else if (!w->again) {
		add(w, r, STATUS_WARN, ", unconfirmed");
	} else if (w->warn) {
		past_set_open(r, w->env, w->place, w->key, NULL);
		add(w, r, STATUS_WARN, ", of all connections");
	} else {
		past_set_open(r, w->env, w->place, w->key, w->evidence);
		f = add(w, r, STATUS_FAIL, "");
		if (!f)
			return;
		f->remedy = w->remedy ? w->remedy : REMEDY_SERVICE;
		f->hard = !w->soft;
		if (w->soft)
			f->at_most = ACTION_DRAIN_AFTER;
	}
}

static struct wrong payload(const struct check_env *env, enum probe probe, int place)
{
	const struct probe_shot *s = probe_shot(env, probe, place, 0);

	return (struct wrong){
		.env = env,
		.probe = probe,
		.place = place,
		.key = "corrupt",
		.first = s[0].end == PROBE_DONE && s[0].corrupt,
		.again = s[1].end == PROBE_DONE && s[1].corrupt,
		.evidence = "payload",
	};
}

void payload_judge(const struct check_env *env, enum probe probe,
		   const char *text, struct check_result *r)
{
	struct wrong w;
	int i;

	PROBE_EACH(i, env, probe) {
		if (!probe_done(env, probe, i, 0))
			continue;
		w = payload(env, probe, i);
		snprintf(w.text, sizeof(w.text), "%s", text);
		wrong_judge(&w, r);
	}
}

bool payload_doubt(const struct check_env *env, enum probe probe, int place)
{
	struct wrong w = payload(env, probe, place);

	return probe_done(env, probe, place, 0) && wrong_doubt(&w);
}

/* ---- digests ----------------------------------------------------------------- */

struct vote {
	const struct digest_rule *rule;
	const struct check_env *env;
	int gpu;	 /* whose group votes */
	uint64_t digest; /* of the majority */
};

static const struct probe_digests *digests(const struct vote *v, int gpu, int shot)
{
	const struct gpu_probes *g = &v->env->probes->gpu[gpu];

	return (const struct probe_digests *)((const char *)g + v->rule->digests) +
	       shot;
}

/* The place behind i of a GPU that votes with v->gpu; -1. */
static int next_voter(const struct vote *v, int i)
{
	const struct gpu_probes *g = v->env->probes->gpu;

	for (i = probe_next(v->env, v->rule->probe, i); i >= 0;
	     i = probe_next(v->env, v->rule->probe, i))
		if (probe_done(v->env, v->rule->probe, i, 0) &&
		    g[i].cc == g[v->gpu].cc && g[i].sms == g[v->gpu].sms)
			return i;
	return -1;
}

/* The only one that may have more than half: pairs of different votes cancel
 * each other out (Boyer and Moore). */
static uint64_t candidate(const struct vote *v)
{
	const struct probe_digests *d;
	uint64_t digest = 0;
	int i, sm, lead = 0;

	for (i = next_voter(v, -1); i >= 0; i = next_voter(v, i)) {
		d = digests(v, i, 0);
		for (sm = 0; sm < PROBE_SMS_MAX; sm++) {
			if (!d->ran[sm])
				continue;
			if (!lead)
				digest = d->digest[sm];
			lead += d->digest[sm] == digest ? 1 : -1;
		}
	}
	return digest;
}

/* Fills v->digest; false: none has more than half. */
static bool has_majority(struct vote *v)
{
	const struct probe_digests *d;
	int i, sm, votes = 0, all = 0;

	v->digest = candidate(v);
	for (i = next_voter(v, -1); i >= 0; i = next_voter(v, i)) {
		d = digests(v, i, 0);
		for (sm = 0; sm < PROBE_SMS_MAX; sm++) {
			all += d->ran[sm];
			votes += d->ran[sm] && d->digest[sm] == v->digest;
		}
	}
	return 2 * votes > all;
}

/* 1: as the majority, -1: otherwise, 0: it ran no block. */
static int answer(const struct vote *v, int shot, int sm)
{
	const struct probe_digests *d = digests(v, v->gpu, shot);

	if (!d->ran[sm])
		return 0;
	return d->digest[sm] == v->digest ? 1 : -1;
}

/* The SMs of v->gpu that are wrong in a shot; in shot 1: in both. */
struct minority {
	int count, first;
	bool whole; /* none is right */
};

static struct minority minority(const struct vote *v, int shot)
{
	struct minority m = { .first = -1 };
	bool right = false;
	int sm;

	if (!probe_done(v->env, v->rule->probe, v->gpu, shot))
		return m;
	for (sm = 0; sm < PROBE_SMS_MAX; sm++) {
		right |= answer(v, shot, sm) > 0;
		if (answer(v, 0, sm) >= 0 || answer(v, shot, sm) >= 0)
			continue;
		if (!m.count++)
			m.first = sm;
	}
	m.whole = m.count > 1 && !right;
	return m;
}

static void describe(struct wrong *w, const struct minority *m,
		     const char *kind)
{
	int index = w->env->facts->gpus.gpu[w->place].index;
	const char *blank = *kind ? " " : "";

	if (m->whole) {
		snprintf(w->text, sizeof(w->text),
			 "%s%sall SMs give another result", kind, blank);
		snprintf(w->evidence, sizeof(w->evidence), "%s%ssm=all", kind,
			 blank);
		return;
	}
	snprintf(w->subject, sizeof(w->subject), "GPU%d SM %d", index, m->first);
	snprintf(w->evidence, sizeof(w->evidence), "%s%ssm=%d", kind, blank,
		 m->first);
	snprintf(w->text, sizeof(w->text), "%s%swrong result", kind, blank);
	if (m->count > 1)
		snprintf(w->text, sizeof(w->text),
			 "%s%swrong result, as on %d more", kind, blank,
			 m->count - 1);
}

static struct wrong look(const struct vote *v)
{
	const char *kind = v->rule->kind ? v->rule->kind : "";
	struct minority first = minority(v, 0), again = minority(v, 1);
	struct wrong w = { .env = v->env,
			   .probe = v->rule->probe,
			   .place = v->gpu,
			   .key = *kind ? kind : "digest",
			   .first = first.count > 0,
			   .again = again.count > 0 };

	if (w.first)
		describe(&w, w.again ? &again : &first, kind);
	return w;
}

static void judge_unseen(const struct vote *v, struct check_result *r)
{
	const struct probe_digests *d = digests(v, v->gpu, 0);
	int unseen = d->sms - d->seen;
	struct finding *f;

	if (v->rule->unseen_elsewhere || unseen <= UNSEEN_SHARE * d->sms)
		return;
	f = result_add_gpu(r, STATUS_WARN, "unseen", v->env, v->gpu,
			   "%d of %d SMs were not tested", unseen, d->sms);
	if (!f)
		return;
	f->value = d->seen;
	f->limit = d->sms;
}

void digests_judge(const struct digest_rule *rule, const struct check_env *env,
		   struct check_result *r)
{
	struct vote v = { .rule = rule, .env = env };
	struct wrong w;
	int i;

	PROBE_EACH(i, env, rule->probe) {
		v.gpu = i;
		if (!probe_done(env, rule->probe, i, 0) ||
		    !digests(&v, i, 0)->seen)
			continue;
		if (has_majority(&v)) {
			w = look(&v);
			wrong_judge(&w, r);
		} else if (next_voter(&v, -1) == i) {
			result_add_gpu(r, STATUS_WARN, "digests", env, i,
				       "%s%sresults differ, and none has the "
				       "majority",
				       rule->kind ? rule->kind : "",
				       rule->kind ? " " : "");
		}
		judge_unseen(&v, r);
	}
}

bool digests_doubt(const struct digest_rule *rule, const struct check_env *env,
		   int gpu)
{
	struct vote v = { .rule = rule, .env = env, .gpu = gpu };
	struct wrong w;

	if (!probe_done(env, rule->probe, gpu, 0) || !has_majority(&v))
		return false;
	w = look(&v);
	return wrong_doubt(&w);
}
