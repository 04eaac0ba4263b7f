/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/policy.h"

#include <stdio.h>
#include <string.h>

#include "lib/scrub.h"
#include "lib/slurm.h"

static void lower(struct finding *f, enum status to, const char *note)
{
	f->status = to;
	f->action = ACTION_WARN;
	scrub_copy(f->note, sizeof(f->note), note);
}

static bool may_drain(const struct finding *f)
{
	return f->status == STATUS_FAIL ||
	       (f->status == STATUS_TIMEOUT && f->witness);
}

/* Reasons, in order, not to act on a finding; NULL: none. */
static const char *excuse(const struct policy *p, const struct rule *rule,
			  const struct finding *f)
{
	bool one_gpu = p->has_job && f->gpu >= 0 && !f->everybodys;

	if (one_gpu && p->gpu_is_jobs && !p->gpu_is_jobs[f->gpu])
		return "not this job's GPU";
	if (one_gpu && !p->devices_sure)
		return "the job's GPUs are not known for sure";
	if (rule->scope == SCOPE_DOMAIN)
		return "concerns a domain, not this node";
	if (rule->scope == SCOPE_SITE)
		return "concerns the site, not this node";
	if (f->grace && p->young_boot)
		return "the node has just booted";
	return NULL;
}

static const char *consumed(const struct policy *p,
			    const struct check_result *r,
			    const struct finding *f)
{
	switch (p->evidence ? p->evidence(r, f, p->evidence_arg) :
			      EVIDENCE_NEW) {
	case EVIDENCE_RESUMED:
		return "known, resumed";
	case EVIDENCE_ACKED:
		return "known, acknowledged";
	default:
		return NULL;
	}
}

static bool soft(const struct rule *rule, const struct finding *f)
{
	return rule->soft && !f->hard;
}

static void weigh_one(const struct policy *p, const struct rule *rule,
		      const struct check_result *r, struct finding *f)
{
	const char *why;
	enum action action = rule->action;

	f->action = f->status == STATUS_WARN ? ACTION_WARN : ACTION_IGNORE;
	if (f->status == STATUS_TIMEOUT && !f->witness)
		scrub_copy(f->note, sizeof(f->note), "no second witness");
	if (!may_drain(f))
		return;
	if (action > f->at_most)
		action = f->at_most;
	why = excuse(p, rule, f);
	if (!why)
		why = consumed(p, r, f);
	if (why) {
		lower(f, STATUS_WARN, why);
	} else if (action == ACTION_IGNORE) {
		f->status = STATUS_PASS;
		scrub_copy(f->note, sizeof(f->note), "ignored by config");
	} else if (action == ACTION_WARN && f->status == STATUS_FAIL) {
		f->status = STATUS_WARN;
		f->action = ACTION_WARN;
	} else {
		f->action = action;
		f->held = soft(rule, f) && rule->untested;
		if (f->held)
			scrub_copy(f->note, sizeof(f->note),
				   "not passed since the last change");
	}
}

void policy_weigh(const struct policy *p, const struct rule *rule,
		  struct check_result *r)
{
	int i;

	for (i = 0; i < r->count; i++)
		weigh_one(p, rule, r, &r->finding[i]);
	if (r->status != STATUS_ERROR)
		r->status = result_status(r);
}

/* What is done about a finding now: nothing unless it is enforced. */
static enum action acts(const struct policy *p, const struct rule *rule,
			const struct finding *f)
{
	if (p->exempt || !rule->enforce || f->held || f->action <= ACTION_WARN)
		return ACTION_RUN;
	return f->action;
}

static enum action wants(const struct policy *p, const struct rule *rule,
			 const struct finding *f)
{
	(void)p;
	(void)rule;
	return f->action <= ACTION_WARN ? ACTION_RUN : f->action;
}

/* What a verdict is made of; rules and results are parallel. */
struct weighed {
	const struct policy *p;
	const struct rule *rules;
	const struct check_result *results;
	int count;
};

typedef enum action (*measure_f)(const struct policy *p,
				 const struct rule *rule,
				 const struct finding *f);

/* First finding with that action, FAIL before TIMEOUT. */
static bool headline(const struct weighed *w, enum action action,
		     measure_f measure, struct verdict *out)
{
	static const enum status order[] = { STATUS_FAIL, STATUS_TIMEOUT };
	const struct finding *f;
	int s, i, k;

	for (s = 0; s < 2; s++)
		for (i = 0; i < w->count; i++)
			for (k = 0; k < w->results[i].count; k++) {
				f = &w->results[i].finding[k];
				if (f->status != order[s] ||
				    measure(w->p, &w->rules[i], f) != action)
					continue;
				out->result = i;
				out->finding = k;
				out->cause = s ? CAUSE_TIMEOUT : CAUSE_FAIL;
				return true;
			}
	return false;
}

static void tally(const struct weighed *w, struct verdict *out)
{
	enum action act, would;
	const struct check_result *r;
	int i, k;

	for (i = 0; i < w->count; i++) {
		r = &w->results[i];
		out->blind |= r->status == STATUS_ERROR;
		for (k = 0; k < r->count; k++) {
			act = acts(w->p, &w->rules[i], &r->finding[k]);
			would = wants(w->p, &w->rules[i], &r->finding[k]);
			if (act > out->act)
				out->act = act;
			if (would > out->would)
				out->would = would;
			if (act > ACTION_RUN &&
			    !soft(&w->rules[i], &r->finding[k]))
				out->soft = false;
		}
	}
}

void policy_decide(const struct policy *p, const struct rule *rules,
		   const struct check_result *results, int count,
		   struct verdict *out)
{
	const struct weighed w = { p, rules, results, count };
	int i;

	*out = (struct verdict){ .would = ACTION_RUN, .act = ACTION_RUN,
				 .result = -1, .finding = -1, .soft = true };
	tally(&w, out);
	if (out->act > ACTION_RUN)
		headline(&w, out->act, acts, out);
	else if (out->would > ACTION_RUN)
		headline(&w, out->would, wants, out);
	for (i = 0; i < count; i++)
		if (i != out->result && result_wants_drain(&results[i]))
			out->more++;
}

char *policy_reason(const struct verdict *v, const struct check_result *results,
		    uint32_t job, char *buf, size_t size)
{
	const struct check_result *r;
	const struct finding *f;
	char tail[64] = "";
	char fact[128];
	int used = 0;
	int room;

	buf[0] = '\0';
	if (v->result < 0)
		return buf;
	r = &results[v->result];
	f = &r->finding[v->finding];
	if (f->remedy != REMEDY_NONE)
		used += snprintf(tail, sizeof(tail), " [%s]",
				 remedy_name(f->remedy));
	if (job)
		used += snprintf(tail + used, sizeof(tail) - (size_t)used,
				 " job %u", job);
	if (v->more)
		used += snprintf(tail + used, sizeof(tail) - (size_t)used,
				 " +%d", v->more);
	snprintf(fact, sizeof(fact), "%s %s", f->subject, f->text);
	if (size > SLURM_REASON_MAX + 1)
		size = SLURM_REASON_MAX + 1;
	room = (int)size - 1 - used - (int)strlen("assay: ") -
	       (int)strlen(r->name);
	if (room < 0)
		room = 0;
	snprintf(buf, size, "assay:%s %.*s%s", r->name, room, fact, tail);
	return scrub(buf);
}

const char *cause_name(enum cause c)
{
	static const char *const name[] = { "none", "fail", "timeout" };

	return name[c];
}

const char *verdict_name(enum action a)
{
	return a <= ACTION_WARN ? "run" : action_name(a);
}
