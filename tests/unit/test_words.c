/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/words.h"

#include "tests/unit/unit.h"

static void whole_words_are_found(void **state)
{
	(void)state;
	assert_true(words_have("a", "a"));
	assert_true(words_have("ab,a,ba", "a"));
	assert_true(words_have("aa,a", "a"));
	assert_true(words_have("b,a", "a"));
	assert_false(words_have("ab,ba,aa", "a"));
	assert_false(words_have("", "a"));
	assert_false(words_have("a,,b", ""));
	assert_false(words_have("", ""));
}

static void one_after_the_other(void **state)
{
	const char *list = "one,,three,";
	char word[4];

	(void)state;
	assert_true(words_next(&list, word, sizeof(word)));
	assert_string_equal(word, "one");
	assert_true(words_next(&list, word, sizeof(word)));
	assert_string_equal(word, "");
	assert_true(words_next(&list, word, sizeof(word)));
	assert_string_equal(word, "thr");
	assert_false(words_next(&list, word, sizeof(word)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_words_are_found),
		cmocka_unit_test(one_after_the_other),
	};

	return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}
