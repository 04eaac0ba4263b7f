/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/probes.h"

extern const struct check check_gpu_gemm;

static struct probes *healthy(int count)
{
	return probes_healthy(&check_gpu_gemm, count);
}

static void flip(struct probes *t, int gpu, int sm, int shot)
{
	t->p.gpu[gpu].gemm[shot].digest[sm] ^= 1 << 12;
}

static void flip_all(struct probes *t, int gpu, int shot)
{
	int sm;

	for (sm = 0; sm < 132; sm++)
		flip(t, gpu, sm, shot);
}

static void repeat(struct probes *t, int gpu)
{
	struct probe_shot *s = probes_shot(t, gpu, 0);

	s[1] = s[0];
	probes_digests(&t->p.gpu[gpu].gemm[1], 132);
}

static void healthy_is_silent(void **state)
{
	struct probes *t = healthy(8);
	int i;

	(void)state;
	probes_days(t, 8);
	assert_int_equal(t->s->r.count, 0);
	for (i = 0; i < 8; i++)
		assert_false(probes_doubts(t, i));
	probes_free(t);
}

static void one_sm_in_the_minority_fails_twice(void **state)
{
	struct probes *t = healthy(8);
	const struct finding *f;

	(void)state;
	flip(t, 5, 17, 0);
	assert_true(probes_doubts(t, 5));
	assert_false(probes_doubts(t, 4));
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_only(t->s, "gpu_gemm.digest", "GPU5 SM 17");
	assert_string_equal(probes_finding(t, 0)->text,
			    "wrong result, to be repeated");
	repeat(t, 5);
	assert_false(probes_doubts(t, 5));
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_string_equal(probes_finding(t, 0)->text,
			    "wrong result, unconfirmed");
	/* Another SM is no confirmation. */
	flip(t, 5, 18, 1);
	assert_int_equal(probes_run(t), STATUS_WARN);
	flip(t, 5, 17, 1);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_only(t->s, "gpu_gemm.digest", "GPU5 SM 17");
	f = probes_finding(t, 0);
	assert_string_equal(f->text, "wrong result");
	assert_string_equal(f->evidence, "sm=17");
	assert_true(f->hard);
	assert_int_equal(f->at_most, ACTION_DRAIN);
	assert_int_equal(f->remedy, REMEDY_SERVICE);
	assert_int_equal(f->gpu, 5);
	probes_free(t);
}

static void a_lone_gpu_votes_among_its_sms(void **state)
{
	struct probes *t = healthy(1);

	(void)state;
	repeat(t, 0);
	flip(t, 0, 0, 0);
	flip(t, 0, 0, 1);
	flip(t, 0, 131, 0);
	flip(t, 0, 131, 1);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_only(t->s, "gpu_gemm.digest", "GPU0 SM 0");
	assert_string_equal(probes_finding(t, 0)->text,
			    "wrong result, as on 1 more");
	/* Another wrong result of that SM is one as well. */
	t->p.gpu[0].gemm[1].digest[0] = 77;
	t->p.gpu[0].gemm[1].digest[131] = 78;
	assert_int_equal(probes_run(t), STATUS_FAIL);
	probes_free(t);
}

static void a_whole_gpu_in_the_minority(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	flip_all(t, 5, 0);
	assert_true(probes_doubts(t, 5));
	repeat(t, 5);
	flip_all(t, 5, 1);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_only(t->s, "gpu_gemm.digest", "GPU5");
	assert_string_equal(probes_finding(t, 0)->text,
			    "all SMs give another result");
	assert_string_equal(probes_finding(t, 0)->evidence, "sm=all");
	probes_free(t);
}

static void without_a_majority_nobody_is_wrong(void **state)
{
	struct probes *t = healthy(2);

	(void)state;
	flip_all(t, 1, 0);
	repeat(t, 1);
	flip_all(t, 1, 1);
	assert_false(probes_doubts(t, 0) || probes_doubts(t, 1));
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_only(t->s, "gpu_gemm.digests", "GPU0");
	/* One SM of them tips the scales. */
	t->p.gpu[1].gemm[0].ran[5] = false;
	assert_true(t->p.gpu[1].gemm[0].seen == 132);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_only(t->s, "gpu_gemm.digest", "GPU1");
	probes_free(t);
}

static void other_parts_vote_apart(void **state)
{
	struct probes *t = healthy(4);
	int i;

	(void)state;
	for (i = 2; i < 4; i++) {
		t->p.gpu[i].cc = 100;
		flip_all(t, i, 0);
	}
	assert_int_equal(probes_run(t), STATUS_PASS);
	for (i = 2; i < 4; i++) {
		t->p.gpu[i].cc = 90;
		t->p.gpu[i].sms = 114;
	}
	assert_int_equal(probes_run(t), STATUS_PASS);
	t->p.gpu[2].sms = t->p.gpu[3].sms = 132;
	assert_int_equal(probes_run(t), STATUS_WARN);
	/* Who was not measured has no vote. */
	probes_shot(t, 2, 0)->end = PROBE_UNABLE;
	probes_shot(t, 3, 0)->end = PROBE_UNABLE;
	assert_int_equal(probes_run(t), STATUS_PASS);
	probes_free(t);
}

static void unseen_sms_are_told(void **state)
{
	struct probes *t = healthy(1);
	struct probe_digests *d = &t->p.gpu[0].gemm[0];

	(void)state;
	d->ran[0] = d->ran[1] = false;
	d->seen = 130;
	assert_int_equal(probes_run(t), STATUS_PASS);
	d->seen = 105;
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_only(t->s, "gpu_gemm.unseen", "GPU0");
	assert_string_equal(probes_finding(t, 0)->text,
			    "27 of 132 SMs were not tested");
	/* No digests at all: nothing to say about them. */
	memset(d, 0, sizeof(*d));
	d->sms = 132;
	assert_int_equal(probes_run(t), STATUS_PASS);
	probes_free(t);
}

static void an_sm_that_is_known_stays_the_same_evidence(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	repeat(t, 5);
	flip(t, 5, 17, 0);
	flip(t, 5, 17, 1);
	assert_int_equal(probes_next(t), STATUS_FAIL);
	probes_shot(t, 5, 0)->end = PROBE_NONE;
	assert_int_equal(probes_next(t), STATUS_SKIP);
	assert_only(t->s, "gpu_gemm.digest", "GPU5");
	assert_string_equal(probes_finding(t, 0)->evidence, "sm=17");
	probes_shot(t, 5, 0)->end = PROBE_DONE;
	flip(t, 5, 17, 0);
	assert_int_equal(probes_next(t), STATUS_PASS);
	probes_shot(t, 5, 0)->end = PROBE_NONE;
	assert_int_equal(probes_next(t), STATUS_PASS);
	probes_free(t);
}

static void a_slow_gpu_by_median_and_by_history(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	/* 5% of difference is how silicon comes, 12% alone is a warning. */
	probes_set(t, 2, 585, NAN);
	probes_days(t, 6);
	probes_set(t, 2, 530, NAN);
	assert_true(probes_doubts(t, 2));
	probes_set(t, 2, 530, 531);
	assert_int_equal(probes_next(t), STATUS_FAIL);
	assert_only(t->s, "gpu_gemm.rate", "GPU2");
	assert_string_equal(probes_finding(t, 0)->text, "531<551 TFLOP/s");
	assert_int_equal(probes_finding(t, 0)->at_most, ACTION_DRAIN_AFTER);
	assert_false(probes_finding(t, 0)->hard);
	probes_free(t);
	t = healthy(8);
	probes_set(t, 2, 530, 531);
	assert_int_equal(probes_run(t), STATUS_WARN);
	probes_config(t, "expected_tflops = 610\n");
	assert_int_equal(probes_run(t), STATUS_FAIL);
	probes_set(t, 2, 300, 300);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_int_equal(probes_finding(t, 0)->at_most, ACTION_DRAIN);
	probes_free(t);
}

static void slow_and_wrong_are_two_findings(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	probes_set(t, 5, 300, 300);
	probes_digests(&t->p.gpu[5].gemm[1], 132);
	flip(t, 5, 17, 0);
	flip(t, 5, 17, 1);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_int_equal(t->s->r.count, 2);
	assert_string_equal(probes_finding(t, 0)->subject, "GPU5 SM 17");
	assert_string_equal(probes_finding(t, 1)->code, "gpu_gemm.rate");
	probes_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_is_silent),
		cmocka_unit_test(one_sm_in_the_minority_fails_twice),
		cmocka_unit_test(a_lone_gpu_votes_among_its_sms),
		cmocka_unit_test(a_whole_gpu_in_the_minority),
		cmocka_unit_test(without_a_majority_nobody_is_wrong),
		cmocka_unit_test(other_parts_vote_apart),
		cmocka_unit_test(unseen_sms_are_told),
		cmocka_unit_test(an_sm_that_is_known_stays_the_same_evidence),
		cmocka_unit_test(a_slow_gpu_by_median_and_by_history),
		cmocka_unit_test(slow_and_wrong_are_two_findings),
	};

	return cmocka_run_group_tests_name("gpu_gemm", tests, NULL, NULL);
}
