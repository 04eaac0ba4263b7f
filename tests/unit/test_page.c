/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/page.h"
#include "tests/unit/unit.h"

static char *paged(int indent, const char *label, const char *text)
{
	size_t size;
	/* Static: some compilers take what the stream filled for a dangling
	 * pointer to its variable. */
	static char *out;
	FILE *f = open_memstream(&out, &size);

	assert_non_null(f);
	page_item(f, indent, label, text);
	fclose(f);
	return out;
}

static void test_one_line(void **state)
{
	char *s = paged(8, "  a", "some words");

	(void)state;
	assert_string_equal(s, "  a     some words\n");
	free(s);
	s = paged(4, "", "");
	assert_string_equal(s, "    \n");
	free(s);
}

static void test_wraps(void **state)
{
	char text[400] = "";
	const char *line, *end;
	char *s;
	int i;

	(void)state;
	for (i = 0; i < 60; i++)
		strcat(text, "word ");
	s = paged(10, "label", text);
	assert_non_null(strchr(s, '\n'));
	for (line = s; *line; line = end + 1) {
		end = strchr(line, '\n');
		assert_non_null(end);
		assert_true(end - line <= PAGE_WIDTH);
		assert_true(end[-1] != ' ');
		if (line != s)
			assert_int_equal(strspn(line, " "), 10);
	}
	free(s);
}

static void test_long_label_and_word(void **state)
{
	char word[121];
	char *s = paged(4, "a long label", "text");

	(void)state;
	assert_string_equal(s, "a long label\n    text\n");
	free(s);
	memset(word, 'x', 120);
	word[120] = '\0';
	s = paged(2, "a", word);
	assert_non_null(strstr(s, word));
	free(s);
}

static void test_behind_a_label(void **state)
{
	size_t size;
	static char *out;
	FILE *f = open_memstream(&out, &size);

	(void)state;
	assert_non_null(f);
	page_text(f, 74, "word word");
	fclose(f);
	/* 74 columns are full already: the second word is for the next line. */
	assert_memory_equal(out, "word\n ", 6);
	assert_string_equal(strstr(out, "  word"), "  word\n");
	free(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_line),
		cmocka_unit_test(test_wraps),
		cmocka_unit_test(test_behind_a_label),
		cmocka_unit_test(test_long_label_and_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
