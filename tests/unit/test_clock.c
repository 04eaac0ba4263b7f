/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/clock.h"

#include "tests/unit/unit.h"

/* Looked at at any time of a second, both go on alike. (A clock that is set
 * while this runs may cost one look.) */
static void both_clocks_are_cut_alike(void **state)
{
	struct instant first = clock_now(), now;
	int i, apart = 0;

	(void)state;
	for (i = 0; i < 300; i++) {
		clock_sleep_ms(5);
		now = clock_now();
		apart += now.wall_s - first.wall_s != now.up_s - first.up_s;
		first = now;
	}
	assert_in_range(apart, 0, 1);
	assert_true(now.up_s > 0 && now.wall_s > 1500000000);
}

static void a_moment_of_before(void **state)
{
	const struct instant now = { .wall_s = 1700000000,
				     .up_s = 5000,
				     .mono_us = 4000000000 };
	struct instant at = clock_at(&now, 3970000000);

	(void)state;
	assert_int_equal(at.wall_s, 1700000000 - 30);
	assert_int_equal(at.up_s, 5000 - 30);
	assert_int_equal(at.mono_us, 3970000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_clocks_are_cut_alike),
		cmocka_unit_test(a_moment_of_before),
	};

	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
