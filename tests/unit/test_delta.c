/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/delta.h"

#include "tests/unit/unit.h"

static struct delta of(const char *before, const char *after)
{
	struct delta d = { before ? json_loads(before, 0, NULL) : NULL,
			   after ? json_loads(after, 0, NULL) : NULL,
			   STORY_NO_WATCH };

	return d;
}

static void drop(struct delta *d)
{
	json_decref((json_t *)d->before);
	json_decref((json_t *)d->after);
}

static void is(struct story_number n, enum story_why why, double v)
{
	assert_int_equal(n.why, why);
	if (why == STORY_KNOWN)
		assert_true(n.v == v);
}

static void differences_and_why_there_is_none(void **state)
{
	struct delta d = of("{\"a\": 5, \"b\": 9, \"d\": 1.5, \"e\": 1}",
			    "{\"a\": 7, \"b\": 8, \"d\": 2, \"f\": 1}");
	struct delta none = of("{\"a\": 5}", NULL);

	(void)state;
	is(delta_of(&d, "a"), STORY_KNOWN, 2);
	is(delta_of(&d, "b"), STORY_RESET, 0);
	is(delta_of(&d, "c"), STORY_UNSUPPORTED, 0);
	is(delta_of(&d, "d"), STORY_UNSUPPORTED, 0);
	is(delta_of(&d, "e"), STORY_UNSUPPORTED, 0);
	is(delta_of(&none, "a"), STORY_NO_WATCH, 0);
	drop(&d);
	drop(&none);
}

static void sums(void **state)
{
	static const char *const two[] = { "a", "b", NULL };
	struct delta d = of("{\"a\": 5, \"b\": 1}", "{\"a\": 7, \"b\": 4}");
	struct delta one = of("{\"a\": 5}", "{\"a\": 7}");
	struct delta back = of("{\"a\": 5, \"b\": 4}", "{\"a\": 7, \"b\": 1}");
	struct delta none = of("{}", "{}");

	(void)state;
	is(delta_sum(&d, two, 10), STORY_KNOWN, 50);
	is(delta_sum(&one, two, 1), STORY_KNOWN, 2);
	is(delta_sum(&back, two, 1), STORY_RESET, 0);
	is(delta_sum(&none, two, 1), STORY_UNSUPPORTED, 0);
	drop(&d);
	drop(&one);
	drop(&back);
	drop(&none);
}

static void narrow_counters_stop(void **state)
{
	struct delta d = of("{\"symbol_error\": 65530, \"link_downed\": 1}",
			    "{\"symbol_error\": 65535, \"link_downed\": 4}");

	(void)state;
	is(delta_port(&d, "symbol_error"), STORY_SATURATED, 0);
	is(delta_port(&d, "link_downed"), STORY_KNOWN, 3);
	drop(&d);
}

static void errors_by_name(void **state)
{
	struct delta d = of("{\"symbol_error\": 1, \"port_rcv_errors\": 2,"
			    " \"link_downed\": 0}",
			    "{\"symbol_error\": 4, \"port_rcv_errors\": 2,"
			    " \"link_downed\": 9}");
	struct delta full = of("{\"symbol_error\": 1}",
			       "{\"symbol_error\": 65535}");
	struct story_number sum;
	json_t *all = delta_errors(&d, &sum);

	(void)state;
	is(sum, STORY_KNOWN, 3);
	assert_int_equal(json_object_size(all), 1);
	assert_int_equal(json_integer_value(json_object_get(
				 all, "symbol_error")), 3);
	json_decref(all);
	all = delta_errors(&full, &sum);
	is(sum, STORY_SATURATED, 0);
	assert_int_equal(json_object_size(all), 0);
	json_decref(all);
	drop(&d);
	drop(&full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(differences_and_why_there_is_none),
		cmocka_unit_test(sums),
		cmocka_unit_test(narrow_counters_stop),
		cmocka_unit_test(errors_by_name),
	};

	return cmocka_run_group_tests_name("delta", tests, NULL, NULL);
}
