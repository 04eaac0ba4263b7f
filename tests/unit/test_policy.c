/* SPDX-License-Identifier: Apache-2.0
 * The truth table of the policy. */
#include "config.h"
#include "checks/policy.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/unit.h"

/* One finding of one check, everything that matters about it, and what must
 * come of it. Left out means the plain case: enforce, a hard node rule that
 * drains, the job's own GPU, new evidence. */
struct row {
	const char *about;
	/* the world */
	bool observe, exempt, soft, untested, young_boot, unsure, no_job;
	enum scope scope;
	enum action rule;	/* 0 = the plain case: drain */
	bool rule_ignore;
	enum evidence_state evidence;
	/* the finding */
	enum status status;	/* 0 = the plain case: FAIL */
	bool other_gpu, node_wide, everybodys, grace, witness, hard;
	enum action at_most;	/* 0 = no wish */
	/* the outcome */
	enum status became;
	enum action would, act;
	enum cause cause;
};

#define RUN ACTION_RUN
#define AFTER ACTION_DRAIN_AFTER
#define DRAIN ACTION_DRAIN

static const struct row table[] = {
	{ .about = "a failure drains", .became = STATUS_FAIL, .would = DRAIN,
	  .act = DRAIN, .cause = CAUSE_FAIL },
	{ .about = "observe only says so", .observe = true,
	  .became = STATUS_FAIL, .would = DRAIN, .cause = CAUSE_FAIL },
	{ .about = "an exempt job is only observed", .exempt = true,
	  .became = STATUS_FAIL, .would = DRAIN, .cause = CAUSE_FAIL },
	{ .about = "a rule may drain behind the job", .rule = AFTER,
	  .became = STATUS_FAIL, .would = AFTER, .act = AFTER,
	  .cause = CAUSE_FAIL },
	{ .about = "a rule may only warn", .rule = ACTION_WARN,
	  .became = STATUS_WARN },
	{ .about = "a rule may be ignored", .rule_ignore = true,
	  .became = STATUS_PASS },
	{ .about = "a finding may ask for less than its rule",
	  .at_most = AFTER, .became = STATUS_FAIL, .would = AFTER,
	  .act = AFTER, .cause = CAUSE_FAIL },
	{ .about = "but not for more", .rule = ACTION_WARN, .at_most = DRAIN,
	  .became = STATUS_WARN },
	{ .about = "a warning never drains", .status = STATUS_WARN,
	  .became = STATUS_WARN },
	{ .about = "an error of ours never drains", .status = STATUS_ERROR,
	  .became = STATUS_ERROR },
	{ .about = "a time-out alone never drains", .status = STATUS_TIMEOUT,
	  .became = STATUS_TIMEOUT },
	{ .about = "a time-out with a witness drains",
	  .status = STATUS_TIMEOUT, .witness = true, .became = STATUS_TIMEOUT,
	  .would = DRAIN, .act = DRAIN, .cause = CAUSE_TIMEOUT },
	{ .about = "not in observe", .observe = true,
	  .status = STATUS_TIMEOUT, .witness = true, .became = STATUS_TIMEOUT,
	  .would = DRAIN, .cause = CAUSE_TIMEOUT },
	{ .about = "another job's GPU warns", .other_gpu = true,
	  .became = STATUS_WARN },
	{ .about = "unless it is everybody's", .other_gpu = true,
	  .everybodys = true, .became = STATUS_FAIL, .would = DRAIN,
	  .act = DRAIN, .cause = CAUSE_FAIL },
	{ .about = "without a job every GPU counts", .other_gpu = true,
	  .no_job = true, .became = STATUS_FAIL, .would = DRAIN, .act = DRAIN,
	  .cause = CAUSE_FAIL },
	{ .about = "unsure of the devices: a GPU only warns", .unsure = true,
	  .became = STATUS_WARN },
	{ .about = "but the node still drains", .unsure = true,
	  .node_wide = true, .became = STATUS_FAIL, .would = DRAIN,
	  .act = DRAIN, .cause = CAUSE_FAIL },
	{ .about = "a domain's fault warns", .scope = SCOPE_DOMAIN,
	  .became = STATUS_WARN },
	{ .about = "a site's fault warns", .scope = SCOPE_SITE,
	  .became = STATUS_WARN },
	{ .about = "grace on a young node", .grace = true, .young_boot = true,
	  .became = STATUS_WARN },
	{ .about = "no grace later", .grace = true, .became = STATUS_FAIL,
	  .would = DRAIN, .act = DRAIN, .cause = CAUSE_FAIL },
	{ .about = "no grace for other faults", .young_boot = true,
	  .became = STATUS_FAIL, .would = DRAIN, .act = DRAIN,
	  .cause = CAUSE_FAIL },
	{ .about = "a soft rule after a change observes", .soft = true,
	  .untested = true, .became = STATUS_FAIL, .would = DRAIN,
	  .cause = CAUSE_FAIL },
	{ .about = "a hard rule does not care", .untested = true,
	  .became = STATUS_FAIL, .would = DRAIN, .act = DRAIN,
	  .cause = CAUSE_FAIL },
	{ .about = "a tested soft rule drains", .soft = true,
	  .became = STATUS_FAIL, .would = DRAIN, .act = DRAIN,
	  .cause = CAUSE_FAIL },
	{ .about = "a hard finding of a soft rule does not care", .soft = true,
	  .untested = true, .hard = true, .became = STATUS_FAIL,
	  .would = DRAIN, .act = DRAIN, .cause = CAUSE_FAIL },
	{ .about = "known and resumed: a warning",
	  .evidence = EVIDENCE_RESUMED, .became = STATUS_WARN },
	{ .about = "acknowledged: a warning", .evidence = EVIDENCE_ACKED,
	  .became = STATUS_WARN },
	{ .about = "consumed, nobody resumed it yet: still a failure",
	  .evidence = EVIDENCE_CONSUMED, .became = STATUS_FAIL,
	  .would = DRAIN, .act = DRAIN, .cause = CAUSE_FAIL },
	{ .about = "a known time-out as well", .status = STATUS_TIMEOUT,
	  .witness = true, .evidence = EVIDENCE_ACKED,
	  .became = STATUS_WARN },
};

static enum evidence_state given(const struct check_result *r,
				 const struct finding *f, void *arg)
{
	(void)r;
	(void)f;
	return ((const struct row *)arg)->evidence;
}

static void play(const struct row *row)
{
	static bool mine[FACTS_GPUS_MAX] = { true };
	struct row copy = *row;
	struct policy p = { .exempt = row->exempt, .has_job = !row->no_job,
			    .devices_sure = !row->unsure, .gpu_is_jobs = mine,
			    .young_boot = row->young_boot, .evidence = given,
			    .evidence_arg = &copy };
	struct rule rule = { .action = row->rule ? row->rule : DRAIN,
			     .scope = row->scope, .soft = row->soft,
			     .enforce = !row->observe,
			     .untested = row->untested };
	struct check_result r = { .name = "gpu_x" };
	struct verdict v;
	struct finding *f;

	if (row->rule_ignore)
		rule.action = ACTION_IGNORE;
	f = result_add(&r, row->status ? row->status : STATUS_FAIL, "s", "GPU0",
		       "fact");
	f->gpu = row->node_wide ? -1 : row->other_gpu ? 1 : 0;
	f->everybodys = row->everybodys;
	f->grace = row->grace;
	f->witness = row->witness;
	f->hard = row->hard;
	if (row->at_most)
		f->at_most = row->at_most;
	policy_weigh(&p, &rule, &r);
	policy_decide(&p, &rule, &r, 1, &v);
	if (r.status != row->became || v.would != row->would ||
	    v.act != row->act || v.cause != row->cause)
		fail_msg("%s: status %s would %s act %s cause %s", row->about,
			 status_name(r.status), verdict_name(v.would),
			 verdict_name(v.act), cause_name(v.cause));
	result_fini(&r);
}

static void the_truth_table(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		play(&table[i]);
}

/* Three checks: who makes the headline? */
struct three {
	struct check_result r[3];
	struct rule rule[3];
	struct policy p;
	struct verdict v;
};

static void three_init(struct three *t)
{
	static const char *const name[] = { "kmsg_a", "gpu_b", "gpu_c" };
	int i;

	memset(t, 0, sizeof(*t));
	t->p.devices_sure = true;
	for (i = 0; i < 3; i++) {
		t->r[i].name = name[i];
		t->rule[i] = (struct rule){ .action = DRAIN, .enforce = true };
	}
}

static void three_decide(struct three *t)
{
	int i;

	for (i = 0; i < 3; i++)
		policy_weigh(&t->p, &t->rule[i], &t->r[i]);
	policy_decide(&t->p, t->rule, t->r, 3, &t->v);
}

static void three_fini(struct three *t)
{
	int i;

	for (i = 0; i < 3; i++)
		result_fini(&t->r[i]);
}

static void headline_is_the_first_with_the_verdicts_action(void **state)
{
	struct three t;
	char reason[128];

	(void)state;
	three_init(&t);
	t.rule[0].action = AFTER;
	result_add(&t.r[0], STATUS_FAIL, "s", "GPU1", "old");
	result_add(&t.r[1], STATUS_FAIL, "s", "GPU2", "bad")->remedy =
		REMEDY_SERVICE;
	result_add(&t.r[2], STATUS_FAIL, "s", "GPU3", "worse");
	three_decide(&t);
	assert_int_equal(t.v.act, DRAIN);
	assert_int_equal(t.v.result, 1);
	assert_int_equal(t.v.more, 2);
	policy_reason(&t.v, t.r, 1234, reason, sizeof(reason));
	assert_string_equal(reason, "assay:gpu_b GPU2 bad [service] job 1234 +2");
	three_fini(&t);
}

static void fail_goes_before_timeout(void **state)
{
	struct three t;

	(void)state;
	three_init(&t);
	result_add(&t.r[0], STATUS_TIMEOUT, "s", "node", "hangs")->witness =
		true;
	result_add(&t.r[2], STATUS_FAIL, "s", "GPU3", "bad");
	three_decide(&t);
	assert_int_equal(t.v.result, 2);
	assert_int_equal(t.v.cause, CAUSE_FAIL);
	three_fini(&t);
}

static void a_promoted_rule_acts_in_observe_mode(void **state)
{
	struct three t;

	(void)state;
	three_init(&t);
	t.rule[0].enforce = t.rule[1].enforce = t.rule[2].enforce = false;
	t.rule[2].enforce = true;
	t.rule[2].action = AFTER;
	result_add(&t.r[1], STATUS_FAIL, "s", "GPU2", "bad");
	result_add(&t.r[2], STATUS_FAIL, "s", "GPU3", "slow");
	three_decide(&t);
	assert_int_equal(t.v.would, DRAIN);
	assert_int_equal(t.v.act, AFTER);
	assert_int_equal(t.v.result, 2);
	three_fini(&t);
}

static void soft_only_if_every_reason_is_soft(void **state)
{
	struct three t;

	(void)state;
	three_init(&t);
	t.rule[1].soft = true;
	result_add(&t.r[1], STATUS_FAIL, "s", "GPU2", "slow");
	three_decide(&t);
	assert_true(t.v.soft);
	t.r[1].finding[0].hard = true;
	three_decide(&t);
	assert_false(t.v.soft);
	t.r[1].finding[0].hard = false;
	result_add(&t.r[2], STATUS_FAIL, "s", "GPU3", "dead");
	three_decide(&t);
	assert_false(t.v.soft);
	three_fini(&t);
}

static void errors_make_it_blind(void **state)
{
	struct three t;

	(void)state;
	three_init(&t);
	result_error(&t.r[1], "library missing");
	three_decide(&t);
	assert_true(t.v.blind);
	assert_int_equal(t.v.act, RUN);
	assert_int_equal(t.v.result, -1);
	three_fini(&t);
}

static void a_reason_is_cut_at_the_fact(void **state)
{
	struct three t;
	char reason[128];
	char longer[127];

	(void)state;
	three_init(&t);
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	result_add(&t.r[0], STATUS_FAIL, "s", "GPU1", "%s", longer)->remedy =
		REMEDY_CHECK_CABLE;
	three_decide(&t);
	policy_reason(&t.v, t.r, 4294967295u, reason, sizeof(reason));
	assert_int_equal(strlen(reason), 120);
	assert_non_null(strstr(reason, "x [check_cable] job 4294967295"));
	policy_reason(&t.v, t.r, 0, reason, sizeof(reason));
	assert_null(strstr(reason, "job"));
	three_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_truth_table),
		cmocka_unit_test(headline_is_the_first_with_the_verdicts_action),
		cmocka_unit_test(fail_goes_before_timeout),
		cmocka_unit_test(a_promoted_rule_acts_in_observe_mode),
		cmocka_unit_test(soft_only_if_every_reason_is_soft),
		cmocka_unit_test(errors_make_it_blind),
		cmocka_unit_test(a_reason_is_cut_at_the_fact),
	};

	return cmocka_run_group_tests_name("policy", tests, NULL, NULL);
}
