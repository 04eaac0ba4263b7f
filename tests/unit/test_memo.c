/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/memo.h"

#include <string.h>

#include "tests/unit/unit.h"

static struct facts_kmsg kmsg;
static json_t *doc;

static int fresh_pass(void **state)
{
	(void)state;
	memset(&kmsg, 0, sizeof(kmsg));
	kmsg.gather.end = GATHER_DONE;
	strcpy(kmsg.boot_id, "boot-1");
	doc = json_object();
	memo_store(doc, &kmsg, true, 11, 22, 1000);
	return 0;
}

static int free_doc(void **state)
{
	(void)state;
	json_decref(doc);
	return 0;
}

static void it_holds_for_its_time(void **state)
{
	(void)state;
	assert_true(memo_holds(doc, &kmsg, true, 11, 22, 60, 1000));
	assert_true(memo_holds(doc, &kmsg, true, 11, 22, 60, 1060));
	assert_false(memo_holds(doc, &kmsg, true, 11, 22, 60, 1061));
	assert_false(memo_holds(doc, &kmsg, true, 11, 22, 60, 999));
	assert_false(memo_holds(doc, &kmsg, true, 11, 22, 0, 1000));
}

static void anything_new_voids_it(void **state)
{
	(void)state;
	assert_false(memo_holds(doc, &kmsg, true, 12, 22, 60, 1000));
	assert_false(memo_holds(doc, &kmsg, true, 0, 22, 60, 1000));
	assert_false(memo_holds(doc, &kmsg, true, 11, 23, 60, 1000));
	kmsg.new_records = true;
	assert_false(memo_holds(doc, &kmsg, true, 11, 22, 60, 1000));
	kmsg.new_records = false;
	kmsg.gap = true;
	assert_false(memo_holds(doc, &kmsg, true, 11, 22, 60, 1000));
	kmsg.gap = false;
	kmsg.gather.end = GATHER_ERROR;
	assert_false(memo_holds(doc, &kmsg, true, 11, 22, 60, 1000));
	kmsg.gather.end = GATHER_DONE;
	strcpy(kmsg.boot_id, "boot-2");
	assert_false(memo_holds(doc, &kmsg, true, 11, 22, 60, 1000));
}

static void an_empty_memory_holds_nothing(void **state)
{
	json_t *empty = json_object();

	(void)state;
	assert_false(memo_holds(empty, &kmsg, true, 11, 22, 60, 30));
	json_decref(empty);
}

static void only_clean_passes_are_remembered(void **state)
{
	struct check_result r = { .name = "a" };
	struct finding *f;

	(void)state;
	assert_true(memo_is_clean(&r, 1));
	f = result_add(&r, STATUS_WARN, "x", "GPU0", "t");
	r.status = STATUS_WARN;
	assert_true(memo_is_clean(&r, 1));
	strcpy(f->note, "not this job's GPU");
	assert_false(memo_is_clean(&r, 1));
	f->note[0] = '\0';
	r.status = STATUS_ERROR;
	assert_false(memo_is_clean(&r, 1));
	result_fini(&r);
}

static void short_means_known_to_be_short(void **state)
{
	static struct job j;

	(void)state;
	assert_false(memo_job_is_short(&j));
	j.end_s = 5000;
	assert_false(memo_job_is_short(&j));
	j.start_s = 4401;
	assert_true(memo_job_is_short(&j));
	j.start_s = 4400;
	assert_false(memo_job_is_short(&j));
}

static void what_was_not_looked_at_is_not_known(void **state)
{
	(void)state;
	memo_store(doc, &kmsg, false, 11, 22, 1000);
	assert_true(memo_holds(doc, &kmsg, false, 11, 22, 60, 1000));
	assert_false(memo_holds(doc, &kmsg, true, 11, 22, 60, 1000));
	memo_store(doc, &kmsg, true, 11, 22, 1000);
	assert_true(memo_holds(doc, &kmsg, false, 11, 22, 60, 1000));
	kmsg.cut = true;
	assert_false(memo_holds(doc, &kmsg, true, 11, 22, 60, 1000));
	kmsg.cut = false;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fresh_pass, free_doc)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(it_holds_for_its_time),
		TEST(anything_new_voids_it),
		TEST(an_empty_memory_holds_nothing),
		TEST(only_clean_passes_are_remembered),
		TEST(what_was_not_looked_at_is_not_known),
		TEST(short_means_known_to_be_short),
	};

	return cmocka_run_group_tests_name("memo", tests, NULL, NULL);
}
