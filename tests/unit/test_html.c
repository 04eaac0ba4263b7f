/* SPDX-License-Identifier: Apache-2.0
 * The page of a record, whatever is in it. */
#include "config.h"
#include "epilog/html.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "epilog/html_page.h"
#include "epilog/series.h"
#include "epilog/summary.h"
#include "tests/unit/stories.h"
#include "tests/unit/unit.h"

/* The page of a record given as JSON, and of itself as its only node. */
static char *page_of(json_t *record)
{
	json_t *nodes = json_pack("[O]", record);
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(html_write(f, record, nodes, NULL), 0);
	fclose(f);
	json_decref(nodes);
	assert_non_null(strstr(text, "</html>"));
	return text;
}

static char *page_of_text(const char *json)
{
	json_t *record = json_loads(json, 0, NULL);
	char *text;

	assert_non_null(record);
	text = page_of(record);
	json_decref(record);
	return text;
}

static json_t *record_of(struct stories *b)
{
	json_t *record = summary_node(&b->s);

	json_object_set_new(record, "series", series_of(&b->s));
	return record;
}

static void a_healthy_job_has_its_pictures(void **state)
{
	struct stories *b = stories_new("n1", 4, 100);
	json_t *record = record_of(b);
	char *text = page_of(record);

	(void)state;
	assert_non_null(strstr(text, "<h1>Job 1234</h1>"));
	assert_non_null(strstr(text, "Each GPU over time"));
	assert_non_null(strstr(text, "All GPUs at one glance"));
	assert_non_null(strstr(text, "n1 GPU3"));
	assert_null(strstr(text, "What broke"));
	assert_null(strstr(text, "class=\"hw\" x"));
	free(text);
	json_decref(record);
	free(b);
}

static void who_was_held_down_has_a_band(void **state)
{
	struct stories *b = stories_new("n1", 1, 10);
	json_t *record;
	char *text;

	(void)state;
	b->sample[0][5].reasons = 0x08;
	record = record_of(b);
	text = page_of(record);
	assert_non_null(strstr(text, "class=\"hw\" x"));
	free(text);
	json_decref(record);
	free(b);
}

/* As the record counts its seconds: the slowdown bit comes with it. */
static void heat_is_heat_whoever_acts(void **state)
{
	struct stories *b = stories_new("n1", 2, 100);
	json_t *record;
	char *text;

	(void)state;
	b->sample[0][5].reasons = 0x48;
	record = record_of(b);
	text = page_of(record);
	assert_non_null(strstr(text, "class=\"thermal\" x"));
	assert_null(strstr(text, "class=\"hw\" x"));
	free(text);
	json_decref(record);
	free(b);
}

static void text_is_escaped(void **state)
{
	char *text = page_of_text(
		"{\"job\": {\"user\": \"<i>&\\\"'\\u001b\", \"start\": 1, "
		"\"end\": 2}, \"where\": {\"text\": \"</style>\"}}");

	(void)state;
	assert_non_null(strstr(text, "&lt;i&gt;&amp;&quot;&#39;"));
	assert_non_null(strstr(text, "<p>&lt;/style&gt;</p>"));
	assert_null(strchr(text, '\033'));
	free(text);
}

/* The reason lies beside the number, be that in the row or in a group. */
static void what_is_not_known_tells_why(void **state)
{
	char *text = page_of_text(
		"{\"gpu\": [{\"busy_pct\": null, \"why\": {\"busy_pct\":"
		" \"MIG\"}, \"power_w\": {\"mean\": null, \"why\": "
		"{\"mean\": \"not readable\"}}}]}");

	(void)state;
	assert_non_null(strstr(text, "title=\"MIG\">&ndash;<"));
	assert_non_null(strstr(text, "title=\"not readable\">&ndash;<"));
	assert_non_null(strstr(text, "not known; under the pointer"));
	free(text);
	text = page_of_text("{\"advice\": [{\"text\": \"a\", "
			    "\"gpu_hours\": 3}]}");
	assert_non_null(strstr(text, "<td>3</td>"));
	assert_null(strstr(text, "not known"));
	free(text);
}

static void a_fault_is_called_by_its_number(void **state)
{
	char *text = page_of_text(
		"{\"faults\": [{\"kind\": \"xid\", \"number\": 94, \"text\": "
		"\"a\"}, {\"kind\": \"sxid\", \"number\": 12028, \"text\": "
		"\"b\"}, {\"kind\": \"link_down\", \"number\": null, "
		"\"text\": \"c\"}]}");

	(void)state;
	assert_non_null(strstr(text, ": XID 94, a ("));
	assert_non_null(strstr(text, ": SXid 12028, b ("));
	assert_non_null(strstr(text, ": c ("));
	free(text);
}

/* In the copy for tools, too. */
static void no_tag_can_be_closed_from_inside(void **state)
{
	char *text = page_of_text("{\"x\": \"</script><b>\", "
				  "\"y\": \"<!--<script>\"}");
	char *raw = strstr(text, "id=\"record\">");
	json_t *copy;

	(void)state;
	assert_non_null(raw);
	raw = strchr(raw, '>') + 1;
	/* The first is the end, and all before it the record. */
	copy = json_loadb(raw, strcspn(raw, "<"), 0, NULL);
	assert_string_equal(json_string_value(json_object_get(copy, "y")),
			    "<!--<script>");
	assert_int_equal(strncmp(strchr(raw, '<'), "</script>\n", 10), 0);
	json_decref(copy);
	free(text);
}

/* None of these may hang, crash, or draw outside. */
static void nonsense_makes_a_page(void **state)
{
	static const char *const records[] = {
		"{}",
		"{\"job\": {\"start\": 1e300, \"end\": -1e300}}",
		"{\"job\": {\"start\": \"x\", \"end\": []}, \"gpu\": {},"
		" \"faults\": [1, {}, null], \"advice\": \"x\"}",
		"{\"job\": {\"start\": 100, \"end\": 200}, \"series\": {\"gpu\":"
		" [{\"index\": 0, \"t\": [-1e18, 150, 1e18, null],"
		" \"length_s\": [1e300, -5, 10, 10], \"busy\": [7, -7, 1],"
		" \"power_w\": [1e300], \"reasons\": [1e300, -1, 8]},"
		" {\"t\": [150], \"length_s\": [10], \"busy\": [1]}, 7]}}",
		"{\"job\": {}, \"series\": {\"gpu\": [{\"t\": [1790000000],"
		" \"length_s\": [60], \"busy\": [1]}, {\"t\": [1790000000],"
		" \"length_s\": [60], \"busy\": [1]}]}}",
		"{\"where\": {\"text\": \"x\", \"compute\": 1e9, \"idle\": -3}}",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		char *text = page_of_text(records[i]);

		assert_null(strstr(text, "=\"nan"));
		assert_null(strstr(text, "=\"-"));
		assert_null(strstr(text, "inf"));
		assert_true(strlen(text) < 100000);
		free(text);
	}
}

static void a_big_job_has_a_row_for_each_node(void **state)
{
	json_t *record =
		json_pack("{s:{s:i, s:i}}", "job", "start", T0, "end", T0 + 300);
	json_t *nodes = json_array();
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct stories *b;
	char name[16];
	int i;

	(void)state;
	for (i = 0; i < 70; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		b = stories_new(name, 8, 10);
		json_array_append_new(nodes, record_of(b));
		free(b);
	}
	assert_int_equal(html_write(f, record, nodes, "x"), 0);
	fclose(f);
	assert_non_null(strstr(text, "All nodes at one glance"));
	assert_non_null(strstr(text, "The first of 560 GPUs."));
	assert_true(size < 1000000);
	free(text);
	json_decref(nodes);
	json_decref(record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_healthy_job_has_its_pictures),
		cmocka_unit_test(who_was_held_down_has_a_band),
		cmocka_unit_test(heat_is_heat_whoever_acts),
		cmocka_unit_test(text_is_escaped),
		cmocka_unit_test(what_is_not_known_tells_why),
		cmocka_unit_test(a_fault_is_called_by_its_number),
		cmocka_unit_test(no_tag_can_be_closed_from_inside),
		cmocka_unit_test(nonsense_makes_a_page),
		cmocka_unit_test(a_big_job_has_a_row_for_each_node),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
