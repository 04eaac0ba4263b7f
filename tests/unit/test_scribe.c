/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/scribe.h"

#include <stdio.h>

#include "checks/schema.h"
#include "tests/unit/fixture.h"

/* Is the record of a job that ran so long on so many nodes shared? */
static bool is_shared(const char *report, const char *dir, int nodes, int ran_s)
{
	char text[300], path[1024];
	struct fixture x;
	struct cfg *cfg;
	bool shared;

	fixture_open(&x);
	snprintf(text, sizeof(text), "[report]\n%s\n[paths]\n%s\n", report, dir);
	fixture_file(&x, "assay.conf", text);
	cfg = cfg_load(fixture_path(&x, "assay.conf", path), schema_sections(),
		       NULL, NULL);
	assert_non_null(cfg);
	assert_null(cfg_complaint(cfg));
	shared = scribe_is_shared(cfg, nodes, ran_s);
	cfg_destroy(cfg);
	fixture_close(&x);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_several_nodes_and_long_enough),
		cmocka_unit_test(where_comments_are_written_of_all),
	};

	return cmocka_run_group_tests_name("scribe", tests, NULL, NULL);
}
