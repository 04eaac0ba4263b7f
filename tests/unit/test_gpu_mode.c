/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/gpus.h"

extern const struct check check_gpu_mode;

static void healthy_is_silent(void **state)
{
	(void)state;
	gpus_passes_healthy(&check_gpu_mode);
}

static void unknown_is_a_skip(void **state)
{
	(void)state;
	gpus_skips_unknown(&check_gpu_mode);
}

static void persistence_off_warns(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	s->facts.gpus.gpu[0].persistence = known(0);
	assert_int_equal(gpus_run(s, &check_gpu_mode), STATUS_WARN);
	assert_only(s, "gpu_mode.persistence", "GPU0");
	gpus_config(s, "[check gpu_mode]\npersistence = no\n");
	assert_int_equal(gpus_run(s, &check_gpu_mode), STATUS_PASS);
	gpus_free(s);
}

static void prohibited_compute_fails(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	s->facts.gpus.gpu[6].compute_mode = known(2);
	assert_int_equal(gpus_run(s, &check_gpu_mode), STATUS_FAIL);
	assert_only(s, "gpu_mode.prohibited", "GPU6");
	assert_int_equal((&check_gpu_mode)->def, ACTION_WARN);
	s->facts.gpus.gpu[6].compute_mode = known(3);
	assert_int_equal(gpus_run(s, &check_gpu_mode), STATUS_PASS);
	gpus_free(s);
}

static void mig_on_all_is_fine(void **state)
{
	struct gpus *s = gpus_healthy(8);
	int i;

	(void)state;
	for (i = 0; i < 8; i++)
		s->facts.gpus.gpu[i].mig_mode =
			s->facts.gpus.gpu[i].mig_pending = known(1);
	assert_int_equal(gpus_run(s, &check_gpu_mode), STATUS_PASS);
	s->facts.gpus.gpu[2].mig_pending = known(0);
	assert_int_equal(gpus_run(s, &check_gpu_mode), STATUS_WARN);
	assert_only(s, "gpu_mode.mig_pending", "GPU2");
	assert_string_equal(s->r.finding[0].text,
			    "MIG turns off at the next reset");
	gpus_free(s);
}

static void mig_on_some_of_the_jobs_gpus(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	s->facts.gpus.gpu[5].mig_mode = known(1);
	s->facts.gpus.gpu[5].mig_pending = known(1);
	assert_int_equal(gpus_run(s, &check_gpu_mode), STATUS_WARN);
	assert_only(s, "gpu_mode.mig_mixed", "GPU5");
	s->jobs[5] = false;
	s->env.gpu_is_jobs = s->jobs;
	assert_int_equal(gpus_run(s, &check_gpu_mode), STATUS_PASS);
	gpus_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_is_silent),
		cmocka_unit_test(unknown_is_a_skip),
		cmocka_unit_test(persistence_off_warns),
		cmocka_unit_test(prohibited_compute_fails),
		cmocka_unit_test(mig_on_all_is_fine),
		cmocka_unit_test(mig_on_some_of_the_jobs_gpus),
	};

	return cmocka_run_group_tests_name("gpu_mode", tests, NULL, NULL);
}
