/* SPDX-License-Identifier: Apache-2.0
 * told - members of a record by path ("gpu.0.sm_mhz.mean"), for tests. */
#ifndef ASSAY_TESTS_TOLD_H
#define ASSAY_TESTS_TOLD_H

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "epilog/block.h"
#include "epilog/summary.h"
#include "tests/unit/stories.h"
#include "tests/unit/unit.h"

static inline json_t *told(const json_t *o, const char *path)
{
	char step[64];
	int n;

	while (o && *path) {
		n = (int)strcspn(path, ".");
		snprintf(step, sizeof(step), "%.*s", n, path);
		o = json_is_array(o) ? json_array_get(o, (size_t)atoi(step))
				     : json_object_get(o, step);
		path += n + (path[n] == '.');
	}
	return (json_t *)(uintptr_t)o;
}

static inline double told_number(const json_t *r, const char *path)
{
	const json_t *v = told(r, path);

	if (!json_is_number(v))
		fail_msg("%s is no number", path);
	return json_number_value(v);
}

static inline const char *told_text(const json_t *r, const char *path)
{
	const char *s = json_string_value(told(r, path));

	return s ? s : "(none)";
}

/* As float arithmetic goes: to a millionth. */
static inline void is_number(const json_t *r, const char *path, double want)
{
	double got = told_number(r, path);

	if (fabs(got - want) > 2e-6 * fmax(fabs(want), 1))
		fail_msg("%s is %.9g, not %.9g", path, got, want);
}

static inline void is_text(const json_t *r, const char *path, const char *want)
{
	if (strcmp(told_text(r, path), want))
		fail_msg("%s is \"%s\", not \"%s\"", path, told_text(r, path),
			 want);
}

static inline void is_null(const json_t *r, const char *path)
{
	if (!json_is_null(told(r, path)))
		fail_msg("%s is not null", path);
}

/* null, and why beside it. */
static inline void is_unknown(const json_t *r, const char *path, const char *why)
{
	const char *dot = strrchr(path, '.');
	char beside[128];

	is_null(r, path);
	snprintf(beside, sizeof(beside), "%.*swhy.%s",
		 dot ? (int)(dot - path + 1) : 0, path, dot ? dot + 1 : path);
	is_text(r, beside, why);
}

/* The index of an entry of a list whose member is that text; -1: none. */
static inline int told_index(const json_t *r, const char *list,
			     const char *member, const char *text)
{
	const char *s;
	json_t *o;
	size_t i;

	json_array_foreach(told(r, list), i, o) {
		s = json_string_value(json_object_get(o, member));
		if (s && !strcmp(s, text))
			return (int)i;
	}
	return -1;
}

/* The record of the story, which is freed. */
static inline json_t *told_of(struct stories *b)
{
	json_t *r;

	stories_sum(b);
	r = summary_node(&b->s);
	assert_non_null(r);
	free(b);
	return r;
}

/* Does some line of the block have that text? */
static inline bool told_line(const json_t *r, const char *text)
{
	struct block b;
	int i;

	block_render(r, &b);
	for (i = 0; i < b.count; i++)
		if (strstr(b.line[i], text))
			return true;
	return false;
}

#endif
