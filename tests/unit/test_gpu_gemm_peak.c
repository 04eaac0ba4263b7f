/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/probes.h"

extern const struct check check_gpu_gemm_peak;

static struct probes *healthy(int count)
{
	return probes_healthy(&check_gpu_gemm_peak, count);
}

static void healthy_is_silent(void **state)
{
	struct probes *t = healthy(8);
	const json_t *o;

	(void)state;
	probes_days(t, 8);
	assert_int_equal(t->s->r.count, 0);
	o = json_array_get(t->s->r.measured, 1);
	assert_true(json_number_value(json_object_get(o, "tflops")) == 694);
	probes_free(t);
}

static void median_and_history_make_it_low(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	probes_set(t, 5, 600, NAN);
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_only(t->s, "gpu_gemm_peak.rate", "GPU5");
	assert_non_null(strstr(probes_finding(t, 0)->text,
			       "by the median of its equals alone"));
	assert_false(probes_doubts(t, 5));
	probes_set(t, 5, 710, NAN);
	probes_days(t, 6);
	probes_set(t, 5, 600, NAN);
	probes_next(t);
	assert_true(probes_doubts(t, 5));
	probes_set(t, 5, 600, 601);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_only(t->s, "gpu_gemm_peak.rate", "GPU5");
	assert_int_equal(probes_finding(t, 0)->at_most, ACTION_DRAIN_AFTER);
	probes_set(t, 5, 600, 705);
	assert_int_equal(probes_run(t), STATUS_WARN);
	probes_free(t);
}

static void without_the_library_nothing_is_said(void **state)
{
	struct probes *t = healthy(8);
	int i;

	(void)state;
	for (i = 0; i < 8; i++) {
		probes_shot(t, i, 0)->end = PROBE_UNABLE;
		snprintf(probes_shot(t, i, 0)->why, 120,
			 "load cuBLASLt: not there");
	}
	assert_int_equal(probes_run(t), STATUS_SKIP);
	assert_string_equal(t->s->r.note, "GPU0: load cuBLASLt: not there");
	probes_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_is_silent),
		cmocka_unit_test(median_and_history_make_it_low),
		cmocka_unit_test(without_the_library_nothing_is_said),
	};

	return cmocka_run_group_tests_name("gpu_gemm_peak", tests, NULL, NULL);
}
