/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "spank/choice.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/scrub.h"
#include "lib/words.h"

static const struct {
	const char *word;
	enum choice_report report;
} words[] = {
	{ "report", REPORT_YES },
	{ "no-report", REPORT_NO },
};

#define WORDS (sizeof(words) / sizeof(words[0]))

static bool take(const char *word, struct choice *c)
{
	size_t i;

	for (i = 0; i < WORDS; i++) {
		if (strcmp(word, words[i].word) != 0)
			continue;
		c->report = words[i].report;
		return true;
	}
	return false;
}

int choice_parse(const char *list, struct choice *c, char *bad, size_t bad_size)
{
	const char *rest = list ? list : "";
	bool good = *rest;
	char word[64];

	scrub_copy(bad, bad_size, "");
	while (words_next(&rest, word, sizeof(word))) {
		if (take(word, c))
			continue;
		if (good)
			scrub_copy(bad, bad_size, word);
		good = false;
	}
	return good ? 0 : -1;
}

char *choice_format(const struct choice *c, char buf[CHOICE_TEXT_BYTES])
{
	size_t i;

	buf[0] = '\0';
	for (i = 0; c->report != REPORT_UNSAID && i < WORDS; i++)
		if (words[i].report == c->report)
			snprintf(buf, CHOICE_TEXT_BYTES, "%s\n", words[i].word);
	return buf;
}
