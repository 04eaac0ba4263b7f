/* SPDX-License-Identifier: Apache-2.0
 * Comments of anybody: damaged, hostile, too big. */
#include "config.h"
#include "epilog/js1.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "lib/base64.h"
#include "tests/unit/js1s.h"

static void is_refused(const char *comment, int why)
{
	struct err e = { "" };

	errno = 0;
	if (js1_decode(comment, &e))
		fail_msg("not refused: %.60s", comment);
	assert_int_equal(errno, why);
	assert_memory_equal(e.text, "JS1: ", 5);
}

static void what_is_no_comment(void **state)
{
	(void)state;
	assert_int_equal(js1_kind(""), JS1_FOREIGN);
	assert_int_equal(js1_kind(" JS1:None"), JS1_FOREIGN);
	assert_int_equal(js1_kind("JS2:None"), JS1_FOREIGN);
	assert_int_equal(js1_kind("site=x JS1:H4sI"), JS1_FOREIGN);
	assert_int_equal(js1_kind("JS1:None"), JS1_NONE);
	assert_int_equal(js1_kind("JS1:Short"), JS1_SHORT);
	assert_int_equal(js1_kind("JS1:Shorter"), JS1_DATA);
	is_refused("JS1:Short", EINVAL);
	is_refused("JS1:Shorter", EINVAL);
	is_refused("JS1:", EINVAL);
	is_refused("JS1:H4sI", EINVAL);
	is_refused("", EINVAL);
}

/* Each one character of a good comment lost, doubled or changed: its sum, its
 * length or its form tells. (Some bits of the header are free.) */
static void damaged_comments(void **state)
{
	char *good = golden_comment("two-nodes"),
	     *copy = malloc(strlen(good) + 8);
	size_t n = strlen(good), i;

	(void)state;
	for (i = 4; i < n; i++) {
		strcpy(copy, good);
		memmove(copy + i, copy + i + 1, n - i);
		is_refused(copy, EINVAL);
		memcpy(copy + i, good + i - 1, n - i + 2);
		copy[i] = good[i];
		is_refused(copy, EINVAL);
		if (i < 18) /* time, flags and system of the header */
			continue;
		strcpy(copy, good);
		copy[i] = copy[i] == 'A' ? 'B' : 'A';
		is_refused(copy, EINVAL);
	}
	sprintf(copy, "%s;NVX", good);
	is_refused(copy, EINVAL);
	sprintf(copy, "%s\n", good);
	is_refused(copy, EINVAL);
	free(copy);
	free(good);
}

/* The comment with so many of its bytes, from the first on, behind its end. */
static char *with_more(const char *comment, size_t more)
{
	size_t size;
	unsigned char *bytes =
		base64_decode(comment + 4, strlen(comment) - 4, &size);
	char *text, *longer;

	assert_non_null(bytes);
	bytes = realloc(bytes, 2 * size);
	more = more < size ? more : size;
	memcpy(bytes + size, bytes, more);
	text = base64_encode(bytes, size + more);
	longer = malloc(strlen(text) + 5);
	sprintf(longer, "JS1:%s", text);
	free(text);
	free(bytes);
	return longer;
}

static void nothing_behind_its_end(void **state)
{
	static const size_t more[] = { 1, 10, 100000 };
	char *one = js1_pack(foreign, strlen(foreign)), *two;
	json_t *js1 = js1_decode(one, NULL);
	size_t i;

	(void)state;
	assert_non_null(js1);
	json_decref(js1);
	for (i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		two = with_more(one, more[i]);
		is_refused(two, EINVAL);
		free(two);
	}
	free(one);
}

/* A change of the foreign object by words: each must be refused. */
static const char *const wrong[][2] = {
	{ "\"total_memory\":10", "\"total_memory\":0" },
	{ "\"total_memory\":10,", "" },
	{ "\"used_memory\":5,", "" },
	{ "\"used_memory\":5", "\"used_memory\":null" },
	{ "\"used_memory\":5", "\"used_memory\":-1" },
	{ "\"used_memory\":5", "\"used_memory\":\"5\"" },
	{ "\"used_memory\":5", "\"used_memory\":1e300" },
	{ "\"total_time\":3.5,", "" },
	{ "\"total_time\":3.5", "\"total_time\":NaN" },
	{ "\"cpus\":2", "\"cpus\":0" },
	{ "\"cpus\":2", "\"cpus\":2.5" },
	{ "\"gpu_total_memory\":{\"3\":8}", "\"gpu_total_memory\":{\"3\":0}" },
	{ "\"gpu_total_memory\":{\"3\":8}", "\"gpu_total_memory\":{\"4\":8}" },
	{ "\"gpu_total_memory\":{\"3\":8}", "\"gpu_total_memory\":[8]" },
	{ "\"gpu_total_memory\":{\"3\":8}",
	  "\"gpu_total_memory\":{\"3\":8,\"4\":8}" },
	{ "\"gpu_total_memory\":{\"3\":8},", "" },
	{ "\"gpu_utilization\":{\"3\":12.5}", "\"gpu_utilization\":{\"3\":null}" },
	{ "\"gpu_utilization\":{\"3\":12.5}", "\"gpu_utilization\":{\"3\":1000}" },
	{ "\"gpu_utilization\":{\"3\":12.5}", "\"gpu_utilization\":{\"\":1}" },
	{ ",\"gpus\":1", "" },
	{ ",\"gpus\":1", ",\"gpus\":-1" },
	{ ",\"gpus\":1", ",\"gpus\":1,\"gpus\":2" },
	{ ",\"gpus\":1", ",\"gpus\":1,\"assay\":3" },
	{ "\"cpus\":2", "\"cpus\":2,\"assay\":[]" },
	{ "\"total_time\":100,", "" },
	{ "\"x1\"", "\"\"" },
	{ "\"x1\"", "\"x\\u001b[31m1\"" },
	{ "\"x1\"", "\"x\\u00e41\"" },
	{ "\"x1\"", "\"x\xc3\xa4\"" },
	{ "\"x1\"", "\"x\\u00001\"" },
	{ "\"gpus\":1", "\"gpus\":1,\"assay\":{\"a\":\"\\n# assay faked\"}" },
	{ "\"gpus\":1",
	  "\"gpus\":1,\"assay\":{\"a\":[[[[[[[[[[[[[[1]]]]]]]]]]]]]]}" },
	{ "{\"nodes\"", " x{\"nodes\"" },
	{ "\"gpus\":1}", "\"gpus\":1}{}" },
	{ "\"gpus\":1}", "\"gpus\":1" },
};

static void what_a_reader_trips_over(void **state)
{
	char text[2048];
	const char *p;
	json_t *js1;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		p = strstr(foreign, wrong[i][0]);
		assert_non_null(p);
		snprintf(text, sizeof(text), "%.*s%s%s", (int)(p - foreign),
			 foreign, wrong[i][1], p + strlen(wrong[i][0]));
		js1 = from_text(text);
		if (js1)
			fail_msg("not refused: %s", text);
	}
	assert_null(from_text("{\"nodes\":{},\"total_time\":1,\"gpus\":0}"));
	assert_null(from_text("[]"));
	assert_null(from_text("null"));
}

/* What the parser has taken, and at most. */
static size_t held, most;

static void *counted_malloc(size_t n)
{
	size_t *p = malloc(n + 16);

	if (!p)
		return NULL;
	*p = n;
	held += n;
	if (held > most)
		most = held;
	return (char *)p + 16;
}

static void counted_free(void *p)
{
	if (!p)
		return;
	held -= *(size_t *)(void *)((char *)p - 16);
	free((char *)p - 16);
}

/* A comment of n bytes of JSON: so much of one kind. */
static char *bomb(const char *piece, size_t n)
{
	size_t len = strlen(piece), i;
	char *json = malloc(n + 1), *comment;

	json[0] = '[';
	for (i = 1; i < n; i++)
		json[i] = piece[(i - 1) % len];
	comment = js1_pack(json, n);
	free(json);
	return comment;
}

static void bombs(void **state)
{
	static const char *const pieces[] = { "[],", "0,",  "[",
					      " ",   "{},", "\"\"," };
	struct err e;
	char *comment;
	size_t i;

	(void)state;
	json_set_alloc_funcs(counted_malloc, counted_free);
	for (i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		comment = bomb(pieces[i], JS1_JSON_MAX);
		assert_true(strlen(comment) < 65535);
		assert_null(js1_decode(comment, &e));
		free(comment);
	}
	/* As many arrays as there may be values, which are parsed. */
	comment = bomb("[],", JS1_VALUES_MAX / 2 * 3 - 3);
	assert_null(js1_decode(comment, &e));
	free(comment);
	json_set_alloc_funcs(malloc, free);
	assert_int_equal(held, 0);
	assert_true(most > (size_t)1 << 20);
	assert_true(most < (size_t)16 << 20);
}

/* What our own writer would not write. */
static char *packed_zeros(size_t n)
{
	unsigned char *zeros = calloc(1, n), *gz = malloc(n / 500);
	z_stream z = { .next_in = zeros,
		       .avail_in = (uInt)n,
		       .next_out = gz,
		       .avail_out = (uInt)(n / 500) };
	char *text, *comment;

	assert_int_equal(
		deflateInit2(&z, 9, Z_DEFLATED, 31, 9, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	text = base64_encode(gz, z.total_out);
	comment = malloc(strlen(text) + 5);
	sprintf(comment, "JS1:%s", text);
	deflateEnd(&z);
	free(text);
	free(gz);
	free(zeros);
	return comment;
}

/* As large as it may be is unpacked, a byte more is not; and what is packed
 * harder than that is given up while it unpacks. */
static void the_limit_is_the_limit(void **state)
{
	char *json = malloc(JS1_JSON_MAX + 2), *comment;
	size_t len = 0;
	char *back;

	(void)state;
	memset(json, ' ', JS1_JSON_MAX + 1);
	json[JS1_JSON_MAX + 1] = '\0';
	comment = js1_pack(json, JS1_JSON_MAX);
	back = js1_unpack(comment, &len);
	assert_non_null(back);
	assert_int_equal(len, JS1_JSON_MAX);
	free(back);
	free(comment);
	errno = 0;
	assert_null(js1_pack(json, JS1_JSON_MAX + 1));
	assert_int_equal(errno, EFBIG);
	free(json);
	comment = packed_zeros((size_t)32 << 20);
	assert_true(strlen(comment) < 65535);
	is_refused(comment, EFBIG);
	free(comment);
	comment = calloc(1, 70001);
	memset(comment, 'A', 70000);
	memcpy(comment, "JS1:", 4);
	is_refused(comment, EFBIG);
	free(comment);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_comment),
		cmocka_unit_test(damaged_comments),
		cmocka_unit_test(nothing_behind_its_end),
		cmocka_unit_test(what_a_reader_trips_over),
		cmocka_unit_test(bombs),
		cmocka_unit_test(the_limit_is_the_limit),
	};

	return cmocka_run_group_tests_name("js1_check", tests, NULL, NULL);
}
