/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "spank/choice.h"

#include <string.h>

#include "tests/unit/unit.h"

static void taken(const char *list, enum choice_report want)
{
	struct choice c = { REPORT_UNSAID };
	char bad[16] = "old";

	assert_int_equal(choice_parse(list, &c, bad, sizeof(bad)), 0);
	assert_int_equal(c.report, want);
	assert_string_equal(bad, "");
}

static void refused(const char *list, const char *word, enum choice_report left)
{
	struct choice c = { REPORT_UNSAID };
	char bad[16] = "old";

	assert_int_equal(choice_parse(list, &c, bad, sizeof(bad)), -1);
	assert_string_equal(bad, word);
	assert_int_equal(c.report, left);
}

static void words(void **state)
{
	(void)state;
	taken("report", REPORT_YES);
	taken("no-report", REPORT_NO);
	taken("report,no-report", REPORT_NO);
	taken("no-report,report", REPORT_YES);
	taken("report,", REPORT_YES);
}

static void what_is_not_known(void **state)
{
	(void)state;
	refused("", "", REPORT_UNSAID);
	refused(NULL, "", REPORT_UNSAID);
	refused(",", "", REPORT_UNSAID);
	refused("Report", "Report", REPORT_UNSAID);
	refused("reports", "reports", REPORT_UNSAID);
	refused("no-report,lint,x", "lint", REPORT_NO);
	refused(" report", " report", REPORT_UNSAID);
	refused("re\nport\033[31m", "re port?[31m", REPORT_UNSAID);
	refused("a-word-that-is-longer-than-that", "a-word-that-is-",
		REPORT_UNSAID);
}

/* 64 bytes are looked at: none of them may make a known word of a long one. */
static void a_long_word_is_not_a_short_one(void **state)
{
	char list[200];

	(void)state;
	memset(list, 'x', sizeof(list) - 1);
	list[sizeof(list) - 1] = '\0';
	refused(list, "xxxxxxxxxxxxxxx", REPORT_UNSAID);
}

static void as_text(void **state)
{
	char buf[CHOICE_TEXT_BYTES];

	(void)state;
	assert_string_equal(
		choice_format(&(struct choice){ REPORT_UNSAID }, buf), "");
	assert_string_equal(choice_format(&(struct choice){ REPORT_YES }, buf),
			    "report\n");
	assert_string_equal(choice_format(&(struct choice){ REPORT_NO }, buf),
			    "no-report\n");
}

static void the_known_are_listed(void **state)
{
	struct choice c = { REPORT_UNSAID };
	char list[] = CHOICE_KNOWN;
	char bad[16];
	char *p;

	(void)state;
	for (p = strtok(list, ", "); p; p = strtok(NULL, ", "))
		assert_int_equal(choice_parse(p, &c, bad, sizeof(bad)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(what_is_not_known),
		cmocka_unit_test(a_long_word_is_not_a_short_one),
		cmocka_unit_test(as_text),
		cmocka_unit_test(the_known_are_listed),
	};

	return cmocka_run_group_tests_name("spank_choice", tests, NULL, NULL);
}
