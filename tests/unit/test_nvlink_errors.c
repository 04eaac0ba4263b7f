/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/gpus.h"

extern const struct check check_nvlink_errors;

static void healthy_is_silent(void **state)
{
	(void)state;
	gpus_passes_healthy(&check_nvlink_errors);
}

static void unknown_is_a_skip(void **state)
{
	(void)state;
	gpus_skips_unknown(&check_nvlink_errors);
}

static void what_they_stand_at_is_the_past(void **state)
{
	struct gpus *s = gpus_healthy(8);
	struct gpu *g = &s->facts.gpus.gpu[1];

	(void)state;
	g->nvlink_replay = known(123456789);
	g->nvlink_recovery = known(4000);
	g->nvlink_crc = known(INT64_MAX);
	assert_int_equal(gpus_run(s, &check_nvlink_errors), STATUS_PASS);
	assert_int_equal(gpus_run_next(s, &check_nvlink_errors, 300),
			 STATUS_PASS);
	gpus_free(s);
}

static void growth_is_told_once(void **state)
{
	struct gpus *s = gpus_healthy(8);
	struct gpu *g = &s->facts.gpus.gpu[1];

	(void)state;
	gpus_run(s, &check_nvlink_errors);
	g->nvlink_recovery = known(2);
	g->nvlink_replay = known(99);
	g->nvlink_crc = known(99);
	assert_int_equal(gpus_run_next(s, &check_nvlink_errors, 300),
			 STATUS_FAIL);
	assert_only(s, "nvlink_errors.recovery", "GPU1");
	assert_true(s->r.finding[0].value == 2);
	assert_int_equal((&check_nvlink_errors)->def, ACTION_WARN);
	assert_int_equal(gpus_run_next(s, &check_nvlink_errors, 300),
			 STATUS_PASS);
	g->nvlink_replay = known(199);
	assert_int_equal(gpus_run_next(s, &check_nvlink_errors, 300),
			 STATUS_FAIL);
	assert_only(s, "nvlink_errors.replay", "GPU1");
	gpus_free(s);
}

static void resets_and_ends_of_range(void **state)
{
	struct gpus *s = gpus_healthy(8);
	struct val *crc = &s->facts.gpus.gpu[0].nvlink_crc;

	(void)state;
	*crc = known(5000);
	gpus_run(s, &check_nvlink_errors);
	*crc = known(10);
	assert_int_equal(gpus_run_next(s, &check_nvlink_errors, 300),
			 STATUS_PASS);
	*crc = known(UINT32_MAX);
	assert_int_equal(gpus_run_next(s, &check_nvlink_errors, 300),
			 STATUS_PASS);
	assert_int_equal(gpus_run_next(s, &check_nvlink_errors, 300),
			 STATUS_PASS);
	*crc = known(-5);
	assert_int_equal(gpus_run_next(s, &check_nvlink_errors, 300),
			 STATUS_PASS);
	gpus_free(s);
}

static void memory_that_is_not_ours_is_ignored(void **state)
{
	static const char *const bad[] = {
		"{}",
		"[]",
		"{\"boot\": 3}",
		"{\"boot\": \"" BOOT "\", \"gpus\": [1]}",
		"{\"boot\": \"" BOOT "\", \"gpus\": {\"GPU-0\": "
		"{\"crc\": \"x\", \"replay\": -7, \"recovery\": 1.5}}}",
	};
	struct gpus *s = gpus_healthy(8);
	size_t i;

	(void)state;
	s->facts.gpus.gpu[0].nvlink_crc = known(1000000);
	s->facts.gpus.gpu[0].nvlink_replay = known(1000000);
	s->facts.gpus.gpu[0].nvlink_recovery = known(1000000);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		json_decref((json_t *)(uintptr_t)s->env.memory);
		s->env.memory = json_loads(bad[i], 0, NULL);
		assert_non_null(s->env.memory);
		assert_int_equal(gpus_run(s, &check_nvlink_errors), STATUS_PASS);
	}
	gpus_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_is_silent),
		cmocka_unit_test(unknown_is_a_skip),
		cmocka_unit_test(what_they_stand_at_is_the_past),
		cmocka_unit_test(growth_is_told_once),
		cmocka_unit_test(resets_and_ends_of_range),
		cmocka_unit_test(memory_that_is_not_ours_is_ignored),
	};

	return cmocka_run_group_tests_name("nvlink_errors", tests, NULL, NULL);
}
