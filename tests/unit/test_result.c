/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include <math.h>
#include <string.h>

#include "tests/unit/unit.h"

static void a_finding_starts_unknown(void **state)
{
	struct check_result r = { .name = "gpu_x" };
	struct finding *f;

	(void)state;
	f = result_add(&r, STATUS_FAIL, "low", "a\nb", "%d<%d", 1, 2);
	assert_non_null(f);
	assert_string_equal(f->code, "gpu_x.low");
	assert_string_equal(f->subject, "a b");
	assert_string_equal(f->text, "1<2");
	assert_true(isnan(f->value) && isnan(f->limit));
	assert_int_equal(f->gpu, -1);
	assert_int_equal(f->at_most, ACTION_DRAIN);
	result_fini(&r);
}

static void subject_is_the_index_nvidia_smi_shows(void **state)
{
	static struct facts facts;
	struct check_env env = { .facts = &facts };
	struct check_result r = { .name = "gpu_x" };
	struct finding *f;

	(void)state;
	facts.gpus.gpu[2].index = 5;
	f = result_add_gpu(&r, STATUS_WARN, "w", &env, 2, "t");
	assert_string_equal(f->subject, "GPU5");
	assert_int_equal(f->gpu, 2);
	result_fini(&r);
}

static void worst_finding_wins(void **state)
{
	struct check_result r = { .name = "x" };

	(void)state;
	assert_int_equal(result_status(&r), STATUS_PASS);
	result_skip(&r, "no %s", "GPU");
	assert_string_equal(r.note, "no GPU");
	assert_int_equal(result_status(&r), STATUS_SKIP);
	result_add(&r, STATUS_WARN, "a", "s", "t");
	assert_int_equal(result_status(&r), STATUS_WARN);
	result_add(&r, STATUS_ERROR, "a", "s", "t");
	assert_int_equal(result_status(&r), STATUS_ERROR);
	result_add(&r, STATUS_TIMEOUT, "a", "s", "t");
	assert_int_equal(result_status(&r), STATUS_TIMEOUT);
	result_add(&r, STATUS_FAIL, "a", "s", "t");
	result_add(&r, STATUS_WARN, "a", "s", "t");
	assert_int_equal(result_status(&r), STATUS_FAIL);
	result_fini(&r);
}

static void findings_are_bounded(void **state)
{
	struct check_result r = { .name = "x" };
	int i;

	(void)state;
	for (i = 0; i < 64; i++)
		assert_non_null(result_add(&r, STATUS_WARN, "a", "s", "t"));
	assert_null(result_add(&r, STATUS_FAIL, "a", "s", "t"));
	result_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_finding_starts_unknown),
		cmocka_unit_test(subject_is_the_index_nvidia_smi_shows),
		cmocka_unit_test(worst_finding_wins),
		cmocka_unit_test(findings_are_bounded),
	};

	return cmocka_run_group_tests_name("result", tests, NULL, NULL);
}
