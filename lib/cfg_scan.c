/* SPDX-License-Identifier: Apache-2.0
 *
 * libinih cuts silently what is too long, ends a section at its first ']',
 * and takes an indented line for more of the value above. Every line is
 * looked at here first; what libinih would read otherwise than a person does
 * it never gets to see.
 */
#include "config.h"
#include "lib/cfg_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void cfg_scan_init(struct cfg_scan *s, const char *text, size_t len)
{
	memset(s, 0, sizeof(*s));
	s->at = text;
	s->end = text + len;
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		s->at += 3;	/* byte order mark */
}

static void verdict(struct cfg_scan *s, enum cfg_line_kind kind,
		    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void verdict(struct cfg_scan *s, enum cfg_line_kind kind,
		    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->why, sizeof(s->why), fmt, ap);
	va_end(ap);
	s->kind = kind;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Does a comment start at p, where libinih would see one? */
static bool is_comment(const char *start, const char *p)
{
	return *p == ';' && p > start && is_blank(p[-1]);
}

/* Copy p..end without blanks around it and with one blank for a run of them.
 * False if it does not fit. */
static bool fold(char *out, size_t size, const char *p, const char *end)
{
	size_t n = 0;

	for (; p < end; p++) {
		if (is_blank(*p) && (n == 0 || p + 1 == end || is_blank(p[1])))
			continue;
		if (n + 1 >= size)
			return false;
		out[n++] = *p == '\t' ? ' ' : *p;
	}
	while (n && out[n - 1] == ' ')
		n--;
	out[n] = '\0';
	return true;
}

static void scan_section(struct cfg_scan *s, const char *p, const char *end)
{
	const char *close = memchr(p, ']', (size_t)(end - p));
	const char *rest;

	if (!close) {
		verdict(s, CFG_LINE_FATAL, "a section without ']'");
		return;
	}
	for (rest = close + 1; rest < end && is_blank(*rest); rest++)
		;
	if (rest < end && *rest != ';' && *rest != '#') {
		verdict(s, CFG_LINE_FATAL, "text behind the ']' of a section");
		return;
	}
	if (!fold(s->section, sizeof(s->section), p + 1, close)) {
		verdict(s, CFG_LINE_FATAL, "a section's name is longer than %d bytes",
			CFG_NAME_MAX);
		return;
	}
	if (!s->section[0] || strpbrk(s->section, "[;#=")) {
		verdict(s, CFG_LINE_FATAL, "not a section's name");
		return;
	}
	s->kind = CFG_LINE_SECTION;
	snprintf(s->text, sizeof(s->text), "[%s]\n", s->section);
}

/* Where the value's text ends: at a comment or at the end of the line. */
static void scan_value(struct cfg_scan *s, const char *start, const char *p,
		       const char *end)
{
	int quotes = 0;

	for (; p < end && !is_comment(start, p); p++) {
		if (*p == '"')
			quotes++;
		/* A person who writes this means a comment. */
		if (*p == '#' && is_blank(p[-1])) {
			verdict(s, CFG_LINE_BAD, "'#' behind a value: a comment there starts with ' ;'");
			return;
		}
	}
	if (p < end && quotes % 2) {
		verdict(s, CFG_LINE_BAD, "' ;' within quotes: it would start a comment");
		return;
	}
	s->kind = CFG_LINE_PAIR;
	memcpy(s->text, start, (size_t)(end - start));
	memcpy(s->text + (end - start), "\n", 2);
}

static void scan_pair(struct cfg_scan *s, const char *start, const char *end)
{
	const char *p = start;

	while (p < end && *p != '=' && *p != ':' && !is_comment(start, p))
		p++;
	if (p == end || *p == ';') {
		verdict(s, CFG_LINE_BAD, "neither [section] nor key = value");
		return;
	}
	if (!fold(s->name, sizeof(s->name), start, p)) {
		s->name[0] = '\0';
		verdict(s, CFG_LINE_BAD, "a key is longer than %d bytes",
			CFG_NAME_MAX);
		return;
	}
	if (!s->name[0]) {
		verdict(s, CFG_LINE_BAD, "a value without a key");
		return;
	}
	if (end - start > CFG_LINE_MAX) {
		verdict(s, CFG_LINE_BAD, "a line is longer than %d bytes",
			CFG_LINE_MAX);
		return;
	}
	scan_value(s, start, p + 1, end);
}

static bool is_binary(const char *p, const char *end)
{
	for (; p < end; p++)
		if (((unsigned char)*p < ' ' && *p != '\t') || *p == '\x7f')
			return true;
	return false;
}

/* p..end is one line without its newline. */
static void scan_line(struct cfg_scan *s, const char *p, const char *end)
{
	s->kind = CFG_LINE_BLANK;
	s->name[0] = '\0';
	s->why[0] = '\0';
	memcpy(s->text, "\n", 2);
	if (end > p && end[-1] == '\r')
		end--;
	while (p < end && is_blank(*p))
		p++;
	while (p < end && is_blank(end[-1]))
		end--;
	if (is_binary(p, end))
		verdict(s, *p == '[' ? CFG_LINE_FATAL : CFG_LINE_BAD,
			"a byte that is no text");
	else if (p == end || *p == ';' || *p == '#')
		return;
	else if (*p == '[')
		scan_section(s, p, end);
	else
		scan_pair(s, p, end);
	/* A key that belongs nowhere: who knows what the rest means. */
	if (!s->section[0] && s->kind != CFG_LINE_FATAL) {
		if (s->kind == CFG_LINE_PAIR)
			verdict(s, CFG_LINE_FATAL, "a key before the first section");
		s->kind = CFG_LINE_FATAL;
	}
}

bool cfg_scan_next(struct cfg_scan *s)
{
	const char *start = s->at;
	const char *end;

	if (start >= s->end)
		return false;
	end = memchr(start, '\n', (size_t)(s->end - start));
	s->at = end ? end + 1 : s->end;
	s->line++;
	scan_line(s, start, end ? end : s->end);
	return true;
}
