/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/gpus.h"

extern const struct check check_gpu_temp;

static void healthy_is_silent(void **state)
{
	(void)state;
	gpus_passes_healthy(&check_gpu_temp);
}

static void unknown_is_a_skip(void **state)
{
	(void)state;
	gpus_skips_unknown(&check_gpu_temp);
}

static void at_the_limit_in_both_looks(void **state)
{
	struct gpus *s = gpus_healthy(8);
	struct gpu *g = &s->facts.gpus.gpu[4];

	(void)state;
	g->temp = known(88);
	g->temp_again = known(86);
	g->temp_margin = known(-1);
	assert_int_equal(gpus_run(s, &check_gpu_temp), STATUS_PASS);
	g->temp_again = known(87);
	assert_int_equal(gpus_run(s, &check_gpu_temp), STATUS_FAIL);
	assert_only(s, "gpu_temp.slowdown", "GPU4");
	assert_string_equal(s->r.finding[0].unit, "C");
	g->temp_again = unknown(VAL_UNASKED);
	g->temp_margin = known(10);
	assert_int_equal(gpus_run(s, &check_gpu_temp), STATUS_PASS);
	gpus_free(s);
}

static void the_drivers_own_margin(void **state)
{
	struct gpus *s = gpus_healthy(8);
	struct gpu *g = &s->facts.gpus.gpu[1];

	(void)state;
	g->temp_slowdown = unknown(3);
	g->temp_margin = known(0);
	g->temp = g->temp_again = known(83);
	assert_int_equal(gpus_run(s, &check_gpu_temp), STATUS_FAIL);
	assert_only(s, "gpu_temp.margin", "GPU1");
	/* Cooled down between the looks. */
	g->temp_again = known(82);
	assert_int_equal(gpus_run(s, &check_gpu_temp), STATUS_PASS);
	/* One look only: worth an eye. */
	g->temp_again = unknown(VAL_UNASKED);
	assert_int_equal(gpus_run(s, &check_gpu_temp), STATUS_WARN);
	gpus_free(s);
}

static void impossible_values_are_no_temperature(void **state)
{
	struct gpus *s = gpus_healthy(8);
	struct gpu *g = &s->facts.gpus.gpu[0];

	(void)state;
	g->temp = g->temp_again = known(65535);
	g->temp_margin = known(-32768);
	assert_int_equal(gpus_run(s, &check_gpu_temp), STATUS_PASS);
	g->temp = g->temp_again = known(50);
	g->temp_slowdown = known(0);
	g->temp_margin = known(30);
	assert_int_equal(gpus_run(s, &check_gpu_temp), STATUS_PASS);
	gpus_free(s);
}

static void hot_memory_warns(void **state)
{
	struct gpus *s = gpus_healthy(8);
	struct gpu *g = &s->facts.gpus.gpu[2];

	(void)state;
	g->temp_mem = known(95);
	g->temp_mem_max = known(95);
	assert_int_equal(gpus_run(s, &check_gpu_temp), STATUS_WARN);
	assert_only(s, "gpu_temp.memory", "GPU2");
	g->temp_mem = known(94);
	assert_int_equal(gpus_run(s, &check_gpu_temp), STATUS_PASS);
	g->temp_mem_max = known(0);
	assert_int_equal(gpus_run(s, &check_gpu_temp), STATUS_PASS);
	gpus_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_is_silent),
		cmocka_unit_test(unknown_is_a_skip),
		cmocka_unit_test(at_the_limit_in_both_looks),
		cmocka_unit_test(the_drivers_own_margin),
		cmocka_unit_test(impossible_values_are_no_temperature),
		cmocka_unit_test(hot_memory_warns),
	};

	return cmocka_run_group_tests_name("gpu_temp", tests, NULL, NULL);
}
