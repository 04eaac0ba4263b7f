/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/probes.h"

extern const struct check check_gpu_sdc;

static struct probes *healthy(int count)
{
	return probes_healthy(&check_gpu_sdc, count);
}

static void flip(struct probes *t, enum probe_path path, int sm, int shot)
{
	t->p.gpu[5].sdc[path][shot].digest[sm] ^= 1 << 12;
}

static void repeat(struct probes *t)
{
	struct probe_shot *s = probes_shot(t, 5, 0);
	int p;

	s[1] = s[0];
	for (p = 0; p < PROBE_PATH_COUNT; p++)
		probes_digests(&t->p.gpu[5].sdc[p][1], 132);
}

static void healthy_is_silent(void **state)
{
	struct probes *t = healthy(8);
	const json_t *o;
	int i;

	(void)state;
	probes_days(t, 2);
	assert_int_equal(t->s->r.count, 0);
	for (i = 0; i < 8; i++)
		assert_false(probes_doubts(t, i));
	o = json_array_get(t->s->r.measured, 7);
	assert_int_equal(json_array_size(json_object_get(o, "paths")), 7);
	assert_string_equal(
		json_string_value(
			json_array_get(json_object_get(o, "paths"), 2)),
		"fp64");
	assert_true(json_number_value(json_object_get(o, "digests")) == 924);
	probes_free(t);
}

static void a_wrong_sm_is_named_with_its_path(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	flip(t, PROBE_PATH_fp64, 17, 0);
	assert_true(probes_doubts(t, 5));
	assert_false(probes_doubts(t, 4));
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_only(t->s, "gpu_sdc.fp64", "GPU5 SM 17");
	assert_string_equal(probes_finding(t, 0)->text,
			    "fp64 wrong result, to be repeated");
	repeat(t);
	assert_false(probes_doubts(t, 5));
	/* The same SM on another path is no confirmation. */
	flip(t, PROBE_PATH_int, 17, 1);
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_string_equal(probes_finding(t, 0)->text,
			    "fp64 wrong result, unconfirmed");
	flip(t, PROBE_PATH_fp64, 17, 1);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_only(t->s, "gpu_sdc.fp64", "GPU5 SM 17");
	assert_string_equal(probes_finding(t, 0)->text, "fp64 wrong result");
	assert_true(probes_finding(t, 0)->hard);
	assert_int_equal(probes_finding(t, 0)->remedy, REMEDY_SERVICE);
	probes_free(t);
}

static void each_path_is_judged(void **state)
{
	struct probes *t = healthy(8);
	int p;

	(void)state;
	repeat(t);
	for (p = 0; p < PROBE_PATH_COUNT; p++) {
		flip(t, (enum probe_path)p, p, 0);
		flip(t, (enum probe_path)p, p, 1);
	}
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_int_equal(t->s->r.count, PROBE_PATH_COUNT);
	assert_string_equal(probes_finding(t, 6)->code, "gpu_sdc.l2");
	assert_string_equal(probes_finding(t, 6)->subject, "GPU5 SM 6");
	probes_free(t);
}

static void what_was_not_run_is_not_judged(void **state)
{
	struct probes *t = healthy(8);
	int i;

	(void)state;
	/* Another kind of GPU lacks a path, and one had no time for it. */
	for (i = 0; i < 8; i++)
		memset(&t->p.gpu[i].sdc[PROBE_PATH_fp8][0], 0,
		       sizeof(struct probe_digests));
	memset(&t->p.gpu[3].sdc[PROBE_PATH_l2][0], 0,
	       sizeof(struct probe_digests));
	probes_shot(t, 3, 0)->partial = true;
	assert_int_equal(probes_run(t), STATUS_PASS);
	assert_int_equal(t->s->r.count, 0);
	assert_true(json_is_true(json_object_get(
		json_array_get(t->s->r.measured, 3), "partial")));
	probes_free(t);
}

static void unseen_sms_are_told_once(void **state)
{
	struct probes *t = healthy(8);
	int p, sm;

	(void)state;
	for (p = 0; p < PROBE_PATH_COUNT; p++) {
		for (sm = 0; sm < 20; sm++)
			t->p.gpu[5].sdc[p][0].ran[sm] = false;
		t->p.gpu[5].sdc[p][0].seen = 112;
	}
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_only(t->s, "gpu_sdc.unseen", "GPU5");
	probes_free(t);
}

static void open_until_it_has_passed(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	repeat(t);
	flip(t, PROBE_PATH_fp64, 17, 0);
	flip(t, PROBE_PATH_fp64, 17, 1);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	/* The next run has no time for it. */
	probes_shot(t, 5, 0)[0] = (struct probe_shot){ .end = PROBE_NONE,
						       .why = "no time left" };
	probes_shot(t, 5, 0)[1] = (struct probe_shot){ .end = PROBE_NONE };
	assert_int_equal(probes_next(t), STATUS_SKIP);
	assert_only(t->s, "gpu_sdc.fp64", "GPU5");
	assert_string_equal(probes_finding(t, 0)->evidence, "fp64 sm=17");
	probes_free(t);
}

static void no_kernels_no_judgement(void **state)
{
	struct probes *t = healthy(2);
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		probes_shot(t, i, 0)->end = PROBE_UNABLE;
		snprintf(probes_shot(t, i, 0)->why, 120,
			 "built without nvcc: there are no kernels");
	}
	assert_int_equal(probes_run(t), STATUS_SKIP);
	assert_string_equal(t->s->r.note,
			    "GPU0: built without nvcc: there are no kernels");
	probes_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_is_silent),
		cmocka_unit_test(a_wrong_sm_is_named_with_its_path),
		cmocka_unit_test(each_path_is_judged),
		cmocka_unit_test(what_was_not_run_is_not_judged),
		cmocka_unit_test(unseen_sms_are_told_once),
		cmocka_unit_test(open_until_it_has_passed),
		cmocka_unit_test(no_kernels_no_judgement),
	};

	return cmocka_run_group_tests_name("gpu_sdc", tests, NULL, NULL);
}
