/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/gpus.h"

extern const struct check check_gpu_power;

static void healthy_is_silent(void **state)
{
	(void)state;
	gpus_passes_healthy(&check_gpu_power);
}

static void unknown_is_a_skip(void **state)
{
	(void)state;
	gpus_skips_unknown(&check_gpu_power);
}

static void a_lowered_limit(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	s->facts.gpus.gpu[3].power_limit_mw = known(500000);
	assert_int_equal(gpus_run(s, &check_gpu_power), STATUS_FAIL);
	assert_only(s, "gpu_power.lowered", "GPU3");
	assert_string_equal(s->r.finding[0].text, "power limit 500<700 W");
	assert_string_equal(s->r.finding[0].unit, "W");
	assert_int_equal((&check_gpu_power)->def, ACTION_WARN);
	assert_true((&check_gpu_power)->soft);
	gpus_free(s);
}

static void raised_or_default_is_fine(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	s->facts.gpus.gpu[3].power_limit_mw = known(750000);
	assert_int_equal(gpus_run(s, &check_gpu_power), STATUS_PASS);
	s->facts.gpus.gpu[4].power_default_mw = unknown(3);
	s->facts.gpus.gpu[4].power_limit_mw = known(200000);
	assert_int_equal(gpus_run(s, &check_gpu_power), STATUS_PASS);
	gpus_free(s);
}

static void only_the_enforced_limit(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	s->facts.gpus.gpu[0].power_enforced_mw = known(600000);
	assert_int_equal(gpus_run(s, &check_gpu_power), STATUS_WARN);
	assert_only(s, "gpu_power.enforced", "GPU0");
	gpus_free(s);
}

static void the_sites_own_limit(void **state)
{
	struct gpus *s = gpus_healthy(8);
	int i;

	(void)state;
	gpus_config(s, "[check gpu_power]\nexpected_w = 550\n");
	for (i = 0; i < 8; i++) {
		s->facts.gpus.gpu[i].power_limit_mw = known(550000);
		s->facts.gpus.gpu[i].power_enforced_mw = known(550000);
	}
	assert_int_equal(gpus_run(s, &check_gpu_power), STATUS_PASS);
	s->facts.gpus.gpu[7].power_limit_mw = known(549000);
	assert_int_equal(gpus_run(s, &check_gpu_power), STATUS_FAIL);
	assert_only(s, "gpu_power.lowered", "GPU7");
	gpus_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_is_silent),
		cmocka_unit_test(unknown_is_a_skip),
		cmocka_unit_test(a_lowered_limit),
		cmocka_unit_test(raised_or_default_is_fine),
		cmocka_unit_test(only_the_enforced_limit),
		cmocka_unit_test(the_sites_own_limit),
	};

	return cmocka_run_group_tests_name("gpu_power", tests, NULL, NULL);
}
