/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/scrub.h"

#include "tests/unit/unit.h"

static void control_characters_become_harmless(void **state)
{
	char s[] = "a\tb\nc\x1b[31md\x80\xff";

	(void)state;
	assert_string_equal(scrub(s), "a b c?[31md??");
	assert_null(scrub(NULL));
}

static void copy_cuts_and_terminates(void **state)
{
	char small[4];

	(void)state;
	assert_string_equal(scrub_copy(small, sizeof(small), "abcdef"), "abc");
	assert_string_equal(scrub_copy(small, sizeof(small), "\n"), " ");
	assert_string_equal(scrub_copy(small, sizeof(small), NULL), "");
	assert_ptr_equal(scrub_copy(small, 0, "abc"), small);
	assert_string_equal(small, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_characters_become_harmless),
		cmocka_unit_test(copy_cuts_and_terminates),
	};

	return cmocka_run_group_tests_name("scrub", tests, NULL, NULL);
}
