/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "checks/policy.h"
#include "cmd/reason.h"
#include "tests/unit/unit.h"

static struct reason r;

static void test_whole(void **state)
{
	(void)state;
	assert_true(reason_parse("assay:gpu_remap GPU5 row remap failed "
				 "[service] job 12 +2", &r));
	assert_string_equal(r.check, "gpu_remap");
	assert_string_equal(r.subject, "GPU5");
	assert_string_equal(r.fact, "row remap failed");
	assert_int_equal(r.remedy, REMEDY_SERVICE);
	assert_int_equal(r.job, 12);
	assert_int_equal(r.more, 2);
}

static void test_short(void **state)
{
	(void)state;
	assert_true(reason_parse("assay:host_clock node clock is off", &r));
	assert_string_equal(r.subject, "node");
	assert_string_equal(r.fact, "clock is off");
	assert_int_equal(r.remedy, REMEDY_NONE);
	assert_int_equal(r.job, 0);
	assert_int_equal(r.more, 0);
	assert_true(reason_parse("assay:gpu_count", &r));
	assert_string_equal(r.subject, "");
	assert_string_equal(r.fact, "");
}

static void test_author(void **state)
{
	(void)state;
	assert_true(reason_parse("assay:gpu_pcie GPU0 x8<x16 [reset_gpu] job 7 "
				 "[root@2026-11-30T10:00:00]", &r));
	assert_string_equal(r.fact, "x8<x16");
	assert_int_equal(r.remedy, REMEDY_RESET_GPU);
	assert_int_equal(r.job, 7);
}

static void test_sm_subject(void **state)
{
	(void)state;
	assert_true(reason_parse("assay:gpu_gemm GPU5 SM 17 wrong digest", &r));
	assert_string_equal(r.subject, "GPU5 SM 17");
	assert_string_equal(r.fact, "wrong digest");
	assert_true(reason_parse("assay:gpu_gemm GPU5 SM clock low", &r));
	assert_string_equal(r.subject, "GPU5");
	assert_string_equal(r.fact, "SM clock low");
}

/* What looks like a tail but stands in the middle belongs to the fact. */
static void test_lookalikes(void **state)
{
	(void)state;
	assert_true(reason_parse("assay:host_stuck node job 9 hangs [x] +1 now",
				 &r));
	assert_string_equal(r.fact, "job 9 hangs [x] +1 now");
	assert_int_equal(r.job, 0);
	assert_int_equal(r.more, 0);
	assert_true(reason_parse("assay:gpu_procs GPU1 held by python[812]",
				 &r));
	assert_string_equal(r.fact, "held by python[812]");
}

static void test_foreign(void **state)
{
	(void)state;
	assert_false(reason_parse("NHC: check_hw_gpu failed", &r));
	assert_false(reason_parse("assay:", &r));
	assert_false(reason_parse("assay: ", &r));
	assert_false(reason_parse("", &r));
	assert_false(reason_parse("Prolog error", &r));
}

/* What policy_reason() writes is read back. */
static void test_round_trip(void **state)
{
	struct check_result res = { .name = "gpu_remap" };
	struct verdict v = { .result = 0, .finding = 0, .more = 3 };
	struct finding *f;
	char text[128];

	(void)state;
	f = result_add(&res, STATUS_FAIL, "failure", "GPU5", "%s",
		       "row remap failed");
	assert_non_null(f);
	f->remedy = REMEDY_CHECK_CABLE;
	policy_reason(&v, &res, 4711, text, sizeof(text));
	assert_true(reason_parse(text, &r));
	assert_string_equal(r.check, "gpu_remap");
	assert_string_equal(r.subject, "GPU5");
	assert_string_equal(r.fact, "row remap failed");
	assert_int_equal(r.remedy, REMEDY_CHECK_CABLE);
	assert_int_equal(r.job, 4711);
	assert_int_equal(r.more, 3);
	result_fini(&res);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_author),
		cmocka_unit_test(test_sm_subject),
		cmocka_unit_test(test_lookalikes),
		cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
