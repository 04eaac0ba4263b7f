/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/probe_low.h"

#include <stdio.h>

#include "tests/unit/unit.h"

/* Low twice, and nothing explains it. */
static const struct low_rate twice = { .known_model = true,
				       .repeated = true,
				       .measured_again = true,
				       .again = YARD_LOW };

static void low_twice_fails(void **state)
{
	(void)state;
	assert_null(low_warns(&twice));
	assert_false(low_is_doubted(&twice));
}

static void what_explains_it_comes_first(void **state)
{
	struct low_rate l = twice;

	(void)state;
	snprintf(l.excuse[1], sizeof(l.excuse[1]), "clock set");
	assert_string_equal(low_warns(&l), "clock set");
	snprintf(l.excuse[0], sizeof(l.excuse[0]), "power limit");
	l.known_model = false;
	assert_string_equal(low_warns(&l), "power limit");
	l.repeated = false;
	l.known_model = true;
	assert_false(low_is_doubted(&l));
}

static void an_unknown_model_warns_at_most(void **state)
{
	struct low_rate l = twice;

	(void)state;
	l.known_model = false;
	assert_string_equal(low_warns(&l), "of a model without a profile");
	l.repeated = false;
	assert_false(low_is_doubted(&l));
}

static void it_takes_a_repeat(void **state)
{
	struct low_rate l = twice;

	(void)state;
	l.again = YARD_DOUBTFUL;
	assert_string_equal(low_warns(&l), LOW_UNCONFIRMED);
	l.measured_again = false;
	assert_string_equal(low_warns(&l), "and the repeat was not done");
	l.repeated = false;
	assert_string_equal(low_warns(&l), "to be repeated");
	assert_true(low_is_doubted(&l));
}

static void only_what_nobody_holds_low_is_a_basis(void **state)
{
	(void)state;
	assert_true(low_is_basis(YARD_GOOD));
	assert_true(low_is_basis(YARD_NOTHING));
	assert_false(low_is_basis(YARD_DOUBTFUL));
	assert_false(low_is_basis(YARD_LOW));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(low_twice_fails),
		cmocka_unit_test(what_explains_it_comes_first),
		cmocka_unit_test(an_unknown_model_warns_at_most),
		cmocka_unit_test(it_takes_a_repeat),
		cmocka_unit_test(only_what_nobody_holds_low_is_a_basis),
	};

	return cmocka_run_group_tests_name("probe_low", tests, NULL, NULL);
}
