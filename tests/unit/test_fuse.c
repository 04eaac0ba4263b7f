/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/fuse.h"

#include <string.h>

#include "checks/schema.h"
#include "tests/unit/unit.h"

static struct facts facts;
static struct cfg *cfg;

static bool update(json_t *doc, char *what)
{
	return fuse_update(doc, &facts, "6.1.0", cfg, what, 32);
}

static void only_a_change_blows_it(void **state)
{
	struct check_result r[2] = { { .name = "gpu_temp" },
				     { .name = "gpu_power",
				       .status = STATUS_WARN } };
	json_t *doc = json_object();
	char what[32] = "";

	(void)state;
	cfg = cfg_defaults(schema_sections());
	strcpy(facts.gpus.driver, "580.1");
	/* An empty state is no change. */
	assert_false(update(doc, what));
	assert_false(fuse_untested(doc, "gpu_temp"));
	assert_false(update(doc, what));
	/* A driver that does not answer is no change either. */
	facts.gpus.driver[0] = '\0';
	assert_false(update(doc, what));
	strcpy(facts.gpus.driver, "580.2");
	assert_true(update(doc, what));
	assert_string_equal(what, "driver");
	assert_true(fuse_untested(doc, "gpu_temp"));
	/* One pass of that rule, and it counts again. */
	assert_true(fuse_note_passes(doc, r, 2));
	assert_false(fuse_untested(doc, "gpu_temp"));
	assert_true(fuse_untested(doc, "gpu_power"));
	assert_false(fuse_note_passes(doc, r, 2));
	/* The next change starts over. */
	strcpy(facts.gpus.gpu[0].vbios, "96.00");
	facts.gpus.count = 1;
	assert_false(update(doc, what));
	strcpy(facts.gpus.gpu[0].vbios, "96.01");
	assert_true(update(doc, what));
	assert_string_equal(what, "vbios");
	assert_true(fuse_untested(doc, "gpu_temp"));
	cfg_destroy(cfg);
	json_decref(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_a_change_blows_it),
	};

	return cmocka_run_group_tests_name("fuse", tests, NULL, NULL);
}
