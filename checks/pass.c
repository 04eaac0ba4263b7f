/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/pass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks/evidence.h"
#include "checks/fuse.h"
#include "checks/memo.h"
#include "checks/metrics.h"
#include "checks/tally.h"
#include "lib/clock.h"
#include "lib/log.h"

#define LOCK_MS 1000	/* wait for another gate on this node, then read only */
#define RELOCK_MS 500
#define UNTOLD_S 900	/* as long as lib/slurm retries to tell */
#define LONG_AGO_S 60	/* no Prolog that ran beside the drain runs now */

static const char *const doc_name[DOC_COUNT] = {
	"evidence", "fuse", "memo", "tally", "metrics", "promoted", "drain",
	"probes"
};

static bool exempt(const struct session *s)
{
	const struct job *j = s->job;

	return (j->reservation[0] && cfg_list_has(s->cfg, "policy",
						  "exempt_reservations",
						  j->reservation)) ||
	       (j->account[0] && cfg_list_has(s->cfg, "policy",
					      "exempt_accounts", j->account)) ||
	       (j->user[0] &&
		cfg_list_has(s->cfg, "policy", "exempt_users", j->user));
}

void pass_open(struct pass *p, struct session *s, enum context context)
{
	struct instant now = clock_now();
	int i;

	memset(p, 0, sizeof(*p));
	p->s = s;
	p->context = context;
	p->now_s = now.wall_s;
	p->up_s = now.up_s;
	p->opened_ms = clock_mono_ms();
	p->exempt = exempt(s);
	p->verdict.result = -1;
	if (state_lock(&s->state, LOCK_MS) < 0)
		log_info("the state is not to be had: read only");
	for (i = 0; i < DOC_COUNT; i++)
		p->doc[i] = state_get(&s->state, doc_name[i]);
	p->run.s = s;
	p->run.context = context;
	p->run.tier = TIER_QUICK;
	p->run.evidence = p->doc[DOC_EVIDENCE];
	p->run.passive_ms = (int)cfg_int(s->cfg, "budget", "passive_ms");
}

void pass_close(struct pass *p)
{
	int i;

	run_fini(&p->run);
	for (i = 0; i < DOC_COUNT; i++)
		json_decref(p->doc[i]);
	state_unlock(&p->s->state);
}

static void put(struct pass *p, const char *name, json_t *doc)
{
	struct err e;

	if (!doc || p->s->state.readonly)
		return;
	if (state_put(&p->s->state, name, doc, &e) < 0)
		log_warn("%s", e.text);
}

/* What the judges of probes remember came while the state was let go. */
static void keep_probes_memory(struct run *r)
{
	const struct check_result *res;
	int i;

	for (i = 0; i < r->count; i++) {
		res = &r->results[i];
		if (!res->check || res->check->tier == TIER_PASSIVE ||
		    !res->memory)
			continue;
		json_object_set(r->memory, res->name, res->memory);
		r->memory_changed = true;
	}
}

void pass_reload(struct pass *p)
{
	int i;

	if (state_lock(&p->s->state, LOCK_MS) < 0)
		log_info("the state is not to be had: read only");
	for (i = 0; i < DOC_COUNT; i++) {
		if (i == DOC_PROBES)
			continue;
		json_decref(p->doc[i]);
		p->doc[i] = state_get(&p->s->state, doc_name[i]);
	}
	json_decref(p->run.memory);
	p->run.memory = state_get(&p->s->state, "memory");
	p->run.evidence = p->doc[DOC_EVIDENCE];
	keep_probes_memory(&p->run);
}

void pass_put_run(struct pass *p)
{
	if (p->run.kmsg_state)
		put(p, "kmsg", p->run.kmsg_state);
	if (p->run.memory_changed)
		put(p, "memory", p->run.memory);
	p->run.memory_changed = false;
}

void pass_put(struct pass *p, enum pass_doc which)
{
	put(p, doc_name[which], p->doc[which]);
}

static enum evidence_state look_up(const struct check_result *res,
				   const struct finding *f, void *arg)
{
	const struct pass *p = arg;
	char key[EVIDENCE_KEY_MAX];

	return evidence_state(p->doc[DOC_EVIDENCE],
			      evidence_key(p->run.facts, res, f, key,
					   sizeof(key)));
}

static void fill_policy(struct pass *p, struct policy *policy)
{
	*policy = (struct policy){
		.exempt = p->exempt,
		.has_job = p->s->job->id != 0,
		.devices_sure = p->run.devices.sure,
		.gpu_is_jobs = p->run.devices.gpu,
		.young_boot = run_boot_is_young(&p->run),
		.evidence = look_up,
		.evidence_arg = p,
	};
}

void pass_decide(struct pass *p)
{
	struct run *r = &p->run;
	struct policy policy;
	const char *name;
	int i;

	fill_policy(p, &policy);
	for (i = 0; i < r->count; i++) {
		name = r->results[i].name;
		r->rules[i].untested = fuse_untested(p->doc[DOC_FUSE], name);
		if (json_object_get(p->doc[DOC_PROMOTED], name))
			r->rules[i].enforce = true;
		policy_weigh(&policy, &r->rules[i], &r->results[i]);
	}
	policy_decide(&policy, r->rules, r->results, r->count, &p->verdict);
	/* A complaint about the config blinds as much as an ERROR does. */
	p->verdict.blind |= p->s->complaint[0] != '\0';
	policy_reason(&p->verdict, r->results, p->s->job->id, p->reason,
		      sizeof(p->reason));
}

static void blow_fuse(struct pass *p)
{
	char kernel[128];
	char what[32];

	if (roots_read(&p->s->roots, "proc/sys/kernel/osrelease", kernel,
		       sizeof(kernel)) < 0)
		kernel[0] = '\0';
	if (!fuse_update(p->doc[DOC_FUSE], p->run.facts, kernel, p->s->cfg,
			 what, sizeof(what)))
		return;
	log_info("%s changed: soft rules observe until they pass", what);
	pass_put(p, DOC_FUSE);
}

int pass_judge(struct pass *p)
{
	struct err e;

	if (run_gather(&p->run, &e) < 0 || run_judge(&p->run, &e) < 0) {
		log_error("%s", e.text);
		return -1;
	}
	blow_fuse(p);
	pass_decide(p);
	return 0;
}

static json_t *drain_keys(struct pass *p)
{
	json_t *keys = json_object_get(p->doc[DOC_DRAIN], "keys");

	if (!keys) {
		json_object_set_new(p->doc[DOC_DRAIN], "keys", json_object());
		keys = json_object_get(p->doc[DOC_DRAIN], "keys");
	}
	return keys;
}

static void consume_one(struct pass *p, const struct check_result *res,
			const struct finding *f)
{
	char key[EVIDENCE_KEY_MAX];

	evidence_key(p->run.facts, res, f, key, sizeof(key));
	evidence_consume(p->doc[DOC_EVIDENCE], key, p->reason, p->now_s);
	json_object_set_new(drain_keys(p), key,
			    json_string(remedy_name(f->remedy)));
}

/* Every finding that wants this drain is consumed with it, and the drain is
 * noted as ours for the health check to re-test. */
static void consume(struct pass *p)
{
	const struct run *r = &p->run;
	json_t *d = p->doc[DOC_DRAIN];
	int i, k;

	for (i = 0; i < r->count; i++)
		for (k = 0; k < r->results[i].count; k++)
			if (r->results[i].finding[k].action > ACTION_WARN)
				consume_one(p, &r->results[i],
					    &r->results[i].finding[k]);
	json_object_set_new(d, "reason", json_string(p->reason));
	json_object_set_new(d, "drained_s", json_integer(p->now_s));
	json_object_set_new(d, "boot_id",
			    json_string(r->facts->kmsg.boot_id));
	json_object_set_new(d, "passes", json_integer(0));
	json_object_set_new(d, "untold", json_boolean(!p->outcome.told));
	pass_put(p, DOC_EVIDENCE);
	pass_put(p, DOC_DRAIN);
}

/* How the headline's evidence stands with Slurm. A drain by exit code is on
 * its way for a while: a node that is free then has not been resumed. */
static void look_back(const struct pass *p, const struct check_result *res,
		      struct act_request *a)
{
	const struct finding *f = &res->finding[p->verdict.finding];
	const json_t *untold = json_object_get(p->doc[DOC_DRAIN], "untold");
	char key[EVIDENCE_KEY_MAX];
	int64_t age;

	if (look_up(res, f, (void *)p) != EVIDENCE_CONSUMED)
		return;
	evidence_key(p->run.facts, res, f, key, sizeof(key));
	age = p->now_s - evidence_drained_s(p->doc[DOC_EVIDENCE], key);
	a->consumed = !json_is_true(untold) || age < 0 || age > UNTOLD_S;
	a->long_ago = age < 0 || age > LONG_AGO_S;
}

static void act_once(struct pass *p)
{
	const struct check_result *res = &p->run.results[p->verdict.result];
	struct act_request a = {
		.s = p->s,
		.context = p->context,
		.action = p->verdict.act,
		.soft = p->verdict.soft,
		.rule = res->name,
		.reason = p->reason,
		.noted = json_string_value(
			json_object_get(p->doc[DOC_DRAIN], "reason")),
	};

	look_back(p, res, &a);
	act(&a, &p->outcome);
	if (p->outcome.acted == ACTED_DRAIN ||
	    p->outcome.acted == ACTED_DRAIN_AFTER)
		consume(p);
}

/* A drain that is not noted would drain twice: who had to go on read-only
 * tries for the state again, and looks at it afresh. */
static void relock(struct pass *p)
{
	static const enum pass_doc again[] = { DOC_EVIDENCE, DOC_DRAIN };
	struct state *s = &p->s->state;
	size_t i;

	if (!s->readonly || s->dir < 0)
		return;
	if (state_lock(s, RELOCK_MS) < 0) {
		log_warn("what drains this node now cannot be noted");
		return;
	}
	for (i = 0; i < sizeof(again) / sizeof(again[0]); i++) {
		json_decref(p->doc[again[i]]);
		p->doc[again[i]] = state_get(s, doc_name[again[i]]);
	}
	pass_decide(p);
}

void pass_act(struct pass *p)
{
	if (p->verdict.act <= ACTION_WARN)
		return;
	relock(p);
	if (p->verdict.act <= ACTION_WARN)
		return;
	act_once(p);
	if (p->outcome.acted != ACTED_RESUMED)
		return;
	/* Somebody resumed the node although this evidence had drained it:
	 * known from now on. New evidence beside it still counts. */
	evidence_resumed(p->doc[DOC_EVIDENCE], p->now_s);
	pass_put(p, DOC_EVIDENCE);
	json_object_clear(p->doc[DOC_DRAIN]);
	pass_put(p, DOC_DRAIN);
	pass_decide(p);
	if (p->verdict.act > ACTION_WARN)
		act_once(p);
}

void pass_record(const struct pass *p, struct record *rec)
{
	*rec = (struct record){
		.node = p->s->job->node,
		.job = p->s->job->id,
		.restart = p->s->job->restart,
		.mode = session_enforces(p->s) ? "enforce" : "observe",
		.time_s = p->now_s,
		.elapsed_us = clock_mono_us() - p->run.started_us,
		.verdict = &p->verdict,
		.action = acted_name(p->outcome.acted),
		.reason = p->reason,
		.note = p->from_memory ? "answered from memory" :
					 p->outcome.note,
		.results = p->run.results,
		.count = p->run.count,
		.probes = p->run.probes,
	};
}

static void keep_judgement(struct pass *p)
{
	struct run *r = &p->run;

	if (fuse_note_passes(p->doc[DOC_FUSE], r->results, r->count))
		pass_put(p, DOC_FUSE);
	tally_add(p->doc[DOC_TALLY], r->results, r->count, &p->verdict,
		  p->outcome.acted == ACTED_DRAIN ||
			  p->outcome.acted == ACTED_DRAIN_AFTER,
		  p->now_s);
	pass_put(p, DOC_TALLY);
	if (evidence_expire(p->doc[DOC_EVIDENCE], r->facts, r->results,
			    r->count, p->now_s,
			    (int)cfg_int(p->s->cfg, "policy",
					 "resume_min_s")))
		pass_put(p, DOC_EVIDENCE);
	if (!memo_is_clean(r->results, r->count))
		return;
	memo_store(p->doc[DOC_MEMO], &r->facts->kmsg, run_wants_gpus(r),
		   memo_pci_digest(&p->s->roots), cfg_digest(p->s->cfg),
		   p->now_s);
	pass_put(p, DOC_MEMO);
}

void pass_keep(struct pass *p)
{
	struct record rec;
	struct err e;

	pass_put_run(p);
	pass_record(p, &rec);
	if (metrics_write(p->doc[DOC_METRICS],
			  cfg_text(p->s->cfg, "report", "metrics_dir"), &rec,
			  &e) < 0)
		log_warn("%s", e.text);
	pass_put(p, DOC_METRICS);
	if (!p->from_memory)
		keep_judgement(p);
}

void pass_say(const struct pass *p)
{
	const struct check_result *res;
	int i;

	if (p->reason[0])
		log_warn("%s: %s%s%s", acted_name(p->outcome.acted), p->reason,
			 p->outcome.note[0] ? "; " : "", p->outcome.note);
	for (i = 0; i < p->run.count; i++) {
		res = &p->run.results[i];
		if (res->status == STATUS_ERROR)
			log_error("%s could not judge: %s", res->name,
				  res->note);
	}
	if (p->s->complaint[0])
		log_error("%s", p->s->complaint);
}
