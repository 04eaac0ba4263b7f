/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/cpulist.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/unit.h"

static void lists_are_read(void **state)
{
	struct cpulist l;

	(void)state;
	assert_int_equal(cpulist_parse("0-3,8,10-11\n", &l), 0);
	assert_int_equal(cpulist_count(&l), 7);
	assert_true(cpulist_has(&l, 8));
	assert_false(cpulist_has(&l, 9));
	assert_false(cpulist_has(&l, -1));
	assert_int_equal(cpulist_next(&l, 4), 8);
	assert_int_equal(cpulist_next(&l, 12), -1);
	assert_int_equal(cpulist_parse("", &l), 0);
	assert_int_equal(cpulist_count(&l), 0);
	assert_int_equal(cpulist_next(&l, 0), -1);
	assert_int_equal(cpulist_parse("8191", &l), 0);
	assert_int_equal(cpulist_next(&l, 0), 8191);
}

static void nonsense_is_refused(void **state)
{
	static const char *const bad[] = { "a", "1-", "-3", "3-1", "1,", "1,,2",
					   "1 2", "1;2", ",1" };
	struct cpulist l;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(cpulist_parse(bad[i], &l), -1);
		assert_int_equal(errno, EINVAL);
		assert_int_equal(cpulist_count(&l), 0);
	}
	assert_int_equal(cpulist_parse("0-8192", &l), -1);
	assert_int_equal(errno, ERANGE);
	assert_int_equal(cpulist_parse("99999999999999999999", &l), -1);
	assert_int_equal(errno, ERANGE);
}

static void what_is_missing(void **state)
{
	struct cpulist present, online, off;
	char text[64], small[12];

	(void)state;
	cpulist_parse("0-127", &present);
	cpulist_parse("0-41,43-63,65-126", &online);
	cpulist_minus(&present, &online, &off);
	assert_string_equal(cpulist_format(&off, text, sizeof(text)),
			    "42,64,127");
	cpulist_minus(&present, &present, &off);
	assert_string_equal(cpulist_format(&off, text, sizeof(text)), "");
	assert_string_equal(cpulist_format(&online, small, sizeof(small)),
			    "0-41...");
	assert_string_equal(cpulist_format(&present, text, sizeof(text)),
			    "0-127");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_read),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(what_is_missing),
	};

	return cmocka_run_group_tests_name("cpulist", tests, NULL, NULL);
}
