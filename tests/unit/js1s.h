/* SPDX-License-Identifier: Apache-2.0
 * js1s - what the tests of AdminComment share: golden comments, members by
 * their way. */
#ifndef ASSAY_TESTS_JS1S_H
#define ASSAY_TESTS_JS1S_H

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "epilog/js1.h"
#include "epilog/js1_private.h"
#include "tests/unit/unit.h"

#define BIG JS1_COMMENT_MAX

static inline json_t *decoded(const char *comment)
{
	struct err e = { "" };
	json_t *js1 = js1_decode(comment, &e);

	if (!js1)
		fail_msg("%s", e.text);
	return js1;
}

/* A member by its way: "nodes.n1.cpus". */
static const json_t *at(const json_t *o, const char *way)
{
	char name[64];
	size_t n;

	for (; *way; way += n + (way[n] == '.')) {
		n = strcspn(way, ".");
		snprintf(name, sizeof(name), "%.*s", (int)n, way);
		o = json_object_get(o, name);
	}
	return o;
}

static inline double num(const json_t *o, const char *way)
{
	const json_t *v = at(o, way);

	if (!json_is_number(v))
		fail_msg("%s is no number", way);
	return json_number_value(v);
}

#define assert_num(o, way, wanted) \
	assert_true(fabs(num(o, way) - (wanted)) < 1e-9)
#define assert_absent(o, way) assert_null(at(o, way))

static inline char *golden_path(const char *name, const char *ext, char buf[4096])
{
	const char *src = getenv("SRCDIR");

	snprintf(buf, 4096, "%s/tests/golden/%s.%s", src ? src : ".", name, ext);
	return buf;
}

static inline json_t *golden_record(const char *name)
{
	char path[4096];
	json_t *record = json_load_file(golden_path(name, "json", path), 0, NULL);

	if (!record)
		fail_msg("cannot read %s", path);
	return record;
}

/* One line, malloc'ed. */
static inline char *golden_comment(const char *name)
{
	char path[4096], *line = calloc(1, BIG + 2);
	FILE *f = fopen(golden_path(name, "js1", path), "r");

	if (!f || !line || !fgets(line, BIG + 2, f))
		fail_msg("cannot read %s", path);
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	return line;
}

static const struct js1_alloc nothing = JS1_ALLOC_UNKNOWN;

static inline json_t *of_golden(const char *name)
{
	json_t *record = golden_record(name), *js1;
	char *comment = js1_encode(record, &nothing, BIG);

	js1 = decoded(comment);
	free(comment);
	json_decref(record);
	return js1;
}

static inline json_t *simple_record(void)
{
	return golden_record("one-gpu");
}

static inline json_t *row_of(json_t *record, const char *list, size_t i)
{
	return json_array_get(json_object_get(record, list), i);
}

static inline json_t *encoded(const json_t *record, const struct js1_alloc *alloc)
{
	char *comment = js1_encode(record, alloc, BIG);
	json_t *js1;

	assert_non_null(comment);
	js1 = decoded(comment);
	free(comment);
	return js1;
}

static const char foreign[] =
	"{\"nodes\":{\"x1\":{\"total_memory\":10,\"used_memory\":5,"
	"\"total_time\":3.5,\"cpus\":2,\"gpu_total_memory\":{\"3\":8},"
	"\"gpu_used_memory\":{\"3\":4},\"gpu_utilization\":{\"3\":12.5}}},"
	"\"total_time\":100,\"gpus\":1}";

static inline json_t *from_text(const char *json)
{
	char *comment = js1_pack(json, strlen(json));
	json_t *js1;
	struct err e = { "" };

	assert_non_null(comment);
	js1 = js1_decode(comment, &e);
	assert_true(js1 || e.text[0]);
	free(comment);
	return js1;
}

#endif
