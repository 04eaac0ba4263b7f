/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/probing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "checks/schema.h"
#include "tests/unit/unit.h"

static struct cfg *load(const char *text)
{
	char path[] = "/tmp/assay-allows-XXXXXX";
	struct err e = { "" };
	int fd = mkstemp(path);
	struct cfg *cfg;

	assert_true(fd >= 0);
	assert_true(dprintf(fd, "[budget]\n%s", text) > 0);
	close(fd);
	cfg = cfg_load(path, schema_sections(), NULL, &e);
	unlink(path);
	assert_non_null(cfg);
	return cfg;
}

static void the_budget_is_the_tiers(void **state)
{
	struct cfg *cfg = load("quick_ms = 3000\ndeep_ms = 9000\n");

	(void)state;
	assert_int_equal(probing_budget_ms(cfg, TIER_QUICK), 3000);
	assert_int_equal(probing_budget_ms(cfg, TIER_DEEP), 9000);
	cfg_destroy(cfg);
}

/* A late start takes from it what all that follows needs: 2 s for Slurm, and
 * 3.2 s for the workers to go and the state to be kept. */
static void what_follows_has_its_time(void **state)
{
	struct cfg *cfg = load("slurm_ms = 2000\n");

	(void)state;
	assert_int_equal(probing_within_ms(cfg, 5000, 20000), 5000);
	assert_int_equal(probing_within_ms(cfg, 5000, 10200), 5000);
	assert_int_equal(probing_within_ms(cfg, 5000, 8200), 3000);
	assert_true(probing_within_ms(cfg, 5000, 4000) < 0);
	cfg_destroy(cfg);
	cfg = load("slurm_ms = 4000\n");
	assert_int_equal(probing_within_ms(cfg, 5000, 10200), 3000);
	cfg_destroy(cfg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_budget_is_the_tiers),
		cmocka_unit_test(what_follows_has_its_time),
	};

	return cmocka_run_group_tests_name("probing_allows", tests, NULL, NULL);
}
