/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/tally.h"

#include "tests/unit/unit.h"

#define DAY 86400

static void runs_are_counted_per_day(void **state)
{
	struct check_result r[2] = { { .name = "a" }, { .name = "b" } };
	struct verdict v = { .result = 1 };
	json_t *doc = json_object();
	int64_t now = 1000 * DAY + 5;
	struct tally t;

	(void)state;
	result_add(&r[1], STATUS_FAIL, "x", "node", "t")->action = ACTION_DRAIN;
	tally_add(doc, r, 2, &v, true, now - DAY);
	tally_add(doc, r, 2, &v, false, now);
	t = tally_sum(doc, "a", 7, now);
	assert_int_equal(t.runs, 2);
	assert_int_equal(t.would, 0);
	assert_int_equal(t.did, 0);
	t = tally_sum(doc, "b", 7, now);
	assert_int_equal(t.runs, 2);
	assert_int_equal(t.would, 2);
	assert_int_equal(t.did, 1);
	t = tally_sum(doc, "b", 1, now);
	assert_int_equal(t.runs, 1);
	assert_int_equal(t.did, 0);
	result_fini(&r[1]);
	json_decref(doc);
}

static void what_was_skipped_did_not_run(void **state)
{
	struct check_result r[2] = { { .name = "a", .status = STATUS_SKIP },
				     { .name = "b", .status = STATUS_ERROR } };
	struct verdict v = { .result = -1 };
	json_t *doc = json_object();

	(void)state;
	tally_add(doc, r, 2, &v, false, DAY);
	assert_int_equal(tally_sum(doc, "a", 1, DAY).runs, 0);
	assert_int_equal(tally_sum(doc, "b", 1, DAY).runs, 1);
	json_decref(doc);
}

static void old_days_are_forgotten(void **state)
{
	struct check_result r = { .name = "a" };
	struct verdict v = { .result = -1 };
	json_t *doc = json_object();
	int d;

	(void)state;
	for (d = 0; d < 30; d++)
		tally_add(doc, &r, 1, &v, false, (int64_t)d * DAY);
	assert_int_equal(json_object_size(json_object_get(doc, "days")),
			 TALLY_DAYS);
	assert_int_equal(tally_sum(doc, "a", 100, 29 * DAY).runs, TALLY_DAYS);
	json_decref(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_are_counted_per_day),
		cmocka_unit_test(what_was_skipped_did_not_run),
		cmocka_unit_test(old_days_are_forgotten),
	};

	return cmocka_run_group_tests_name("tally", tests, NULL, NULL);
}
