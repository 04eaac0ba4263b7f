/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/scribe.h"

#include <stdio.h>

#include "checks/schema.h"
#include "tests/unit/fixture.h"

static struct fixture x;

static struct cfg *configured(const char *report, const char *dir)
{
	char text[300], path[1024];
	struct cfg *cfg;

	fixture_open(&x);
	snprintf(text, sizeof(text), "[report]\n%s\n[paths]\n%s\n", report, dir);
	fixture_file(&x, "assay.conf", text);
	cfg = cfg_load(fixture_path(&x, "assay.conf", path), schema_sections(),
		       NULL, NULL);
	assert_non_null(cfg);
	assert_null(cfg_complaint(cfg));
	return cfg;
}

static void drop(struct cfg *cfg)
{
	cfg_destroy(cfg);
	fixture_close(&x);
}

/* Is the record of a job that ran so long on so many nodes shared? */
static bool is_shared(const char *report, const char *dir, int nodes, int ran_s)
{
	struct cfg *cfg = configured(report, dir);
	bool shared = scribe_is_shared(cfg, nodes, ran_s);

	drop(cfg);
	return shared;
}

#define DIR "shared_dir = /shared"

static void of_several_nodes_and_long_enough(void **state)
{
	(void)state;
	assert_true(is_shared("block_after_s = 600", DIR, 2, 600));
	assert_false(is_shared("block_after_s = 600", DIR, 2, 599));
	assert_false(is_shared("block_after_s = 600", DIR, 1, 600));
	assert_false(is_shared("block_after_s = 600", "", 2, 600));
}

/* Else the controller would learn of no job on one node. */
static void where_comments_are_written_of_all(void **state)
{
	(void)state;
	assert_true(is_shared("publish = yes", DIR, 1, 60));
	assert_true(is_shared("publish = all", DIR, 2, 60));
	assert_false(is_shared("publish = yes", DIR, 1, 59));
	assert_false(is_shared("publish = yes", "", 1, 60));
	assert_false(is_shared("publish = no", DIR, 1, 60));
}

#define T0 1700000000

/* When a job that runs on so many nodes tells of itself, as seconds after its
 * start, if there is a sample each 30. */
static void told(const char *dir, int nodes, const char *want)
{
	struct scribe_times t = { .start_s = T0, .now_s = T0 };
	struct cfg *cfg = configured("", dir);
	char got[200] = "";
	size_t len = 0;

	for (; t.now_s < T0 + 1000; t.now_s += 30) {
		if (!scribe_is_due(cfg, nodes, &t))
			continue;
		t.shared_s = t.now_s;
		len += (size_t)snprintf(got + len, sizeof(got) - len, "%d ",
					(int)(t.now_s - T0));
	}
	drop(cfg);
	assert_string_equal(got, want);
}

static void while_it_runs_every_five_minutes(void **state)
{
	(void)state;
	told(DIR, 2, "300 600 900 ");
	told(DIR, 1, "");
	told("", 2, "");
}

static bool is_due(int ran_s, int ago_s)
{
	struct scribe_times t = { T0, T0 + ran_s - ago_s, T0 + ran_s };
	struct cfg *cfg = configured("", DIR);
	bool due = scribe_is_due(cfg, 2, &t);

	drop(cfg);
	return due;
}

static void to_the_second(void **state)
{
	(void)state;
	assert_true(is_due(300, 300));
	assert_false(is_due(299, 299));
	assert_true(is_due(5000, 300));
	assert_false(is_due(5000, 299));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_several_nodes_and_long_enough),
		cmocka_unit_test(where_comments_are_written_of_all),
		cmocka_unit_test(while_it_runs_every_five_minutes),
		cmocka_unit_test(to_the_second),
	};

	return cmocka_run_group_tests_name("scribe", tests, NULL, NULL);
}
