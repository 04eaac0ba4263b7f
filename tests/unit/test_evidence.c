/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/evidence.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/unit.h"

static struct facts facts;

static struct finding *one(struct check_result *r, const char *evidence)
{
	struct check_env env = { .facts = &facts };
	struct finding *f;

	strcpy(facts.gpus.gpu[3].uuid, "GPU-aaaa");
	facts.gpus.gpu[3].index = 3;
	facts.gpus.count = 4;
	r->name = "gpu_remap";
	f = result_add_gpu(r, STATUS_FAIL, "failure", &env, 3, "failed");
	strcpy(f->evidence, evidence);
	return f;
}

static void the_key_names_the_gpu_by_uuid(void **state)
{
	struct check_result r = { 0 };
	struct finding *f = one(&r, "failure=1");
	char key[EVIDENCE_KEY_MAX];

	(void)state;
	assert_string_equal(evidence_key(&facts, &r, f, key, sizeof(key)),
			    "gpu_remap|GPU-aaaa|failure=1");
	f->evidence[0] = '\0';
	assert_string_equal(evidence_key(&facts, &r, f, key, sizeof(key)),
			    "gpu_remap|GPU-aaaa|gpu_remap.failure");
	f->value = 12;
	assert_string_equal(evidence_key(&facts, &r, f, key, sizeof(key)),
			    "gpu_remap|GPU-aaaa|gpu_remap.failure=12");
	f->gpu = -1;
	strcpy(f->subject, "node");
	assert_string_equal(evidence_key(&facts, &r, f, key, sizeof(key)),
			    "gpu_remap|node|gpu_remap.failure=12");
	result_fini(&r);
}

static void drained_then_resumed_is_known(void **state)
{
	json_t *doc = json_object();

	(void)state;
	assert_int_equal(evidence_state(doc, "a|b|1"), EVIDENCE_NEW);
	evidence_consume(doc, "a|b|1", "assay:a b", 100);
	assert_int_equal(evidence_state(doc, "a|b|1"), EVIDENCE_CONSUMED);
	assert_int_equal(evidence_state(doc, "a|b|2"), EVIDENCE_NEW);
	assert_int_equal(evidence_resumed(doc, 200), 1);
	assert_int_equal(evidence_resumed(doc, 201), 0);
	assert_int_equal(evidence_state(doc, "a|b|1"), EVIDENCE_RESUMED);
	evidence_forget(doc, "a|b|1");
	assert_int_equal(evidence_state(doc, "a|b|1"), EVIDENCE_NEW);
	json_decref(doc);
}

static void an_admin_acknowledges_one_check_or_all(void **state)
{
	json_t *doc = json_object();

	(void)state;
	assert_int_equal(evidence_ack(doc, "", "root", 1), 0);
	evidence_consume(doc, "gpu_ecc|x|1", "r", 1);
	evidence_consume(doc, "gpu_ecc2|x|1", "r", 1);
	assert_int_equal(evidence_ack(doc, "gpu_ecc", "root", 5), 1);
	/* Once is enough, and the first name stays. */
	assert_int_equal(evidence_ack(doc, "gpu_ecc", "alice", 6), 0);
	assert_int_equal(evidence_state(doc, "gpu_ecc|x|1"), EVIDENCE_ACKED);
	assert_int_equal(evidence_state(doc, "gpu_ecc2|x|1"),
			 EVIDENCE_CONSUMED);
	assert_int_equal(evidence_ack(doc, "", "root", 5), 1);
	json_decref(doc);
}

static void the_table_is_bounded_and_forgets_the_oldest(void **state)
{
	json_t *doc = json_object();
	char key[32];
	int i;

	(void)state;
	for (i = 0; i < 300; i++) {
		snprintf(key, sizeof(key), "a|b|%d", i);
		evidence_consume(doc, key, "r", i);
	}
	assert_int_equal(json_object_size(json_object_get(doc, "entries")),
			 256);
	assert_int_equal(evidence_state(doc, "a|b|0"), EVIDENCE_NEW);
	assert_int_equal(evidence_state(doc, "a|b|299"), EVIDENCE_CONSUMED);
	json_decref(doc);
}

static void a_foreign_document_is_new(void **state)
{
	json_t *doc = json_pack("{s:[i], s:i}", "entries", 1, "x", 2);

	(void)state;
	assert_int_equal(evidence_state(doc, "a|b|1"), EVIDENCE_NEW);
	assert_int_equal(evidence_consume(doc, "a|b|1", "r", 1), 0);
	assert_int_equal(evidence_state(doc, "a|b|1"), EVIDENCE_CONSUMED);
	json_decref(doc);
}

/* A fault that an admin accepted, went away for good and comes back is new;
 * one that is only not looked at is not. */
static void known_evidence_expires_when_it_is_gone(void **state)
{
	struct check_result r = { 0 };
	json_t *doc = json_object();
	char key[EVIDENCE_KEY_MAX];

	(void)state;
	evidence_key(&facts, &r, one(&r, "links=17"), key, sizeof(key));
	facts.gpus.gpu[3].answered = true;
	evidence_consume(doc, key, "r", 0);
	r.status = STATUS_PASS;
	r.count = 0;
	/* Not resumed yet: nothing expires. */
	assert_false(evidence_expire(doc, &facts, &r, 1, 5000, 600));
	evidence_resumed(doc, 100);
	/* Met again: stays. */
	r.count = 1;
	r.status = STATUS_WARN;
	assert_false(evidence_expire(doc, &facts, &r, 1, 5000, 600));
	/* Gone, but not for long enough, and met in between. */
	r.count = 0;
	r.status = STATUS_PASS;
	assert_true(evidence_expire(doc, &facts, &r, 1, 5000, 600));
	assert_false(evidence_expire(doc, &facts, &r, 1, 5599, 600));
	r.count = 1;
	assert_true(evidence_expire(doc, &facts, &r, 1, 5599, 600));
	r.count = 0;
	assert_true(evidence_expire(doc, &facts, &r, 1, 6000, 600));
	assert_false(evidence_expire(doc, &facts, &r, 1, 6500, 600));
	/* A GPU that was not asked, a check that broke: unknown. */
	facts.gpus.gpu[3].answered = false;
	assert_true(evidence_expire(doc, &facts, &r, 1, 6700, 600));
	facts.gpus.gpu[3].answered = true;
	r.status = STATUS_ERROR;
	assert_false(evidence_expire(doc, &facts, &r, 1, 9000, 600));
	assert_int_equal(evidence_state(doc, key), EVIDENCE_RESUMED);
	/* Gone for good; a run without its probe in between says nothing. */
	r.status = STATUS_PASS;
	assert_true(evidence_expire(doc, &facts, &r, 1, 9000, 600));
	r.status = STATUS_SKIP;
	assert_false(evidence_expire(doc, &facts, &r, 1, 9300, 600));
	assert_false(evidence_expire(doc, &facts, &r, 1, 9600, 600));
	assert_int_equal(evidence_state(doc, key), EVIDENCE_RESUMED);
	r.status = STATUS_PASS;
	assert_true(evidence_expire(doc, &facts, &r, 1, 9600, 600));
	assert_int_equal(evidence_state(doc, key), EVIDENCE_NEW);
	r.count = 1;
	result_fini(&r);
	json_decref(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_key_names_the_gpu_by_uuid),
		cmocka_unit_test(drained_then_resumed_is_known),
		cmocka_unit_test(an_admin_acknowledges_one_check_or_all),
		cmocka_unit_test(the_table_is_bounded_and_forgets_the_oldest),
		cmocka_unit_test(a_foreign_document_is_new),
		cmocka_unit_test(known_evidence_expires_when_it_is_gone),
	};

	return cmocka_run_group_tests_name("evidence", tests, NULL, NULL);
}
