/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "cmd/reason.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/scrub.h"

static void trim(char *s)
{
	size_t len = strlen(s);

	while (len && s[len - 1] == ' ')
		s[--len] = '\0';
}

/* The number behind the last prefix in s, if it ends s; cuts it off. */
static bool cut_number(char *s, const char *prefix, unsigned long *out)
{
	size_t len = strlen(prefix);
	char *at = NULL, *p, *end;

	for (p = s; (p = strstr(p, prefix)); p++)
		at = p;
	if (!at || !isdigit((unsigned char)at[len]))
		return false;
	*out = strtoul(at + len, &end, 10);
	if (*end)
		return false;
	*at = '\0';
	return true;
}

/* The bracket that ends s, without its brackets, or NULL; cuts it off. */
static char *cut_bracket(char *s)
{
	size_t len = strlen(s);
	char *open = strrchr(s, '[');

	if (!open || open == s || open[-1] != ' ' || s[len - 1] != ']')
		return NULL;
	s[len - 1] = '\0';
	open[-1] = '\0';
	return open + 1;
}

/* " [root@2026-01-01T00:00:00]": who set it is scontrol's to tell. */
static void cut_author(char *s)
{
	size_t len = strlen(s);
	const char *open = strrchr(s, '[');

	if (open && len && s[len - 1] == ']' && strchr(open, '@'))
		cut_bracket(s);
}

static void cut_remedy(char *s, enum remedy *remedy)
{
	const char *open = strrchr(s, '[');
	char word[32];
	int r;

	if (!open)
		return;
	for (r = REMEDY_RESET_GPU; r <= REMEDY_CONFIG; r++) {
		snprintf(word, sizeof(word), "[%s]",
			 remedy_name((enum remedy)r));
		if (!strcmp(open, word)) {
			*remedy = (enum remedy)r;
			cut_bracket(s);
			return;
		}
	}
}

/* The subject is one word; an SM is named behind its GPU. */
static size_t subject_len(const char *s)
{
	size_t len = strcspn(s, " ");
	size_t digits;

	if (strncmp(s, "GPU", 3) || strncmp(s + len, " SM ", 4))
		return len;
	digits = strspn(s + len + 4, "0123456789");
	return digits ? len + 4 + digits : len;
}

bool reason_parse(const char *text, struct reason *out)
{
	unsigned long n;
	char buf[512];
	char *rest;
	size_t len;

	memset(out, 0, sizeof(*out));
	text += strspn(text, " ");
	if (strncmp(text, "assay:", 6))
		return false;
	scrub_copy(buf, sizeof(buf), text + 6);
	trim(buf);
	cut_author(buf);
	if (cut_number(buf, " +", &n))
		out->more = (int)n;
	if (cut_number(buf, " job ", &n))
		out->job = (uint32_t)n;
	cut_remedy(buf, &out->remedy);
	len = strcspn(buf, " ");
	if (!len || len >= sizeof(out->check))
		return false;
	memcpy(out->check, buf, len);
	rest = buf + len + strspn(buf + len, " ");
	len = subject_len(rest);
	snprintf(out->subject, sizeof(out->subject), "%.*s", (int)len, rest);
	rest += len + strspn(rest + len, " ");
	snprintf(out->fact, sizeof(out->fact), "%.159s", rest);
	return true;
}
