/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/told.h"

static void held_down_by_cause_and_by_gpu(void **state)
{
	struct stories *b = stories_new("n1", 4, 100);
	json_t *r;
	int k;

	(void)state;
	for (k = 0; k < 10; k++) {
		b->sample[2][k].held_thermal_s = 20;
		b->sample[2][k].held_hw_s = 5;
		b->sample[2][k].sm_mhz = 990;
		b->sample[1][k].held_power_s = 30;
		b->sample[1][k].sm_mhz = 1881;
	}
	r = told_of(b);
	is_number(r, "gpu.2.throttle_s.thermal", 200);
	is_number(r, "gpu.2.throttle_s.hw", 50);
	is_number(r, "gpu.2.throttle_s.power", 0);
	is_number(r, "gpu.1.throttle_s.power", 300);
	is_number(r, "gpu.2.lost_s", 125);
	is_number(r, "gpu.1.lost_s", 15);
	is_number(r, "power.throttle_s.power", 300);
	is_number(r, "power.throttle_s.thermal", 200);
	is_number(r, "power.throttle_s.hw", 50);
	is_number(r, "power.lost_s", 140);
	is_text(r, "power.worst", "n1 GPU2");
	assert_true(told_line(r, "GPU seconds held down: power limit 300, heat "
				 "200, hardware 50; most GPU2"));
	json_decref(r);
}

static void nothing_held_down_is_not_said(void **state)
{
	json_t *r = told_of(stories_new("n1", 4, 100));

	(void)state;
	is_null(r, "power.worst");
	is_number(r, "power.throttle_s.thermal", 0);
	assert_true(told_line(r, "power: mean 600 W a GPU"));
	assert_false(told_line(r, "held down"));
	json_decref(r);
}

static void counters_without_samples_name_the_worst(void **state)
{
	struct stories *b = stories_new("n1", 2, 0);
	json_t *r;

	(void)state;
	b->s.watch = WATCH_NONE;
	b->s.job.end_s = T0 + 3000;
	stories_sum(b);
	b->s.gpu[1].held_thermal_s = is(700);
	r = summary_node(&b->s);
	free(b);
	is_text(r, "power.worst", "n1 GPU1");
	is_unknown(r, "power.lost_s", "no watch");
	json_decref(r);
}

static void a_clock_that_is_not_told(void **state)
{
	struct stories *b = stories_new("n1", 1, 100);
	json_t *r;

	(void)state;
	b->s.gpu[0].sm_mhz_max = 0;
	b->sample[0][0].held_power_s = 30; /* costs nothing that is known */
	b->sample[0][1].held_thermal_s = 20;
	r = told_of(b);
	is_number(r, "gpu.0.lost_s", 20);
	is_unknown(r, "gpu.0.sm_mhz.max", "not readable");
	json_decref(r);
}

static void the_last_third_against_the_first(void **state)
{
	struct stories *b = stories_new("n1", 2, 180);
	json_t *r;
	int i, k;

	(void)state;
	for (i = 0; i < 2; i++)
		for (k = 0; k < 180; k++) {
			b->sample[i][k].temp_c = k < 60 ? 60 : 84;
			b->sample[i][k].sm_mhz = k < 120 ? 1980 : 1386;
			b->sample[i][k].tensor = 0.5F;
		}
	r = told_of(b);
	is_number(r, "gpu.0.sm_mhz.first", 1980);
	is_number(r, "gpu.0.sm_mhz.last", 1386);
	is_number(r, "gpu.0.temp_c.first", 60);
	is_number(r, "gpu.0.temp_c.last", 84);
	is_number(r, "gpu.1.rate.first", 50);
	is_number(r, "gpu.1.rate.last", 35);
	is_text(r, "gpu.1.rate.of", "tensor");
	is_number(r, "power.first.rate", 50);
	is_number(r, "power.last.sm_mhz", 1386);
	assert_true(told_line(r, "first to last third: rate -30%, clock 1980 "
				 "-> 1386 MHz, 60 -> 84 C"));
	json_decref(r);
}

static void loading_and_writing_are_no_third(void **state)
{
	struct stories *b = stories_new("n1", 1, 300);
	json_t *r;
	int k;

	(void)state;
	for (k = 0; k < 300; k++)
		if (k < 100 || k >= 250) {
			b->sample[0][k].busy = b->sample[0][k].sm = 0;
			b->sample[0][k].tensor = 0;
			b->sample[0][k].idle_s = STEP_S;
		}
	r = told_of(b);
	is_number(r, "gpu.0.rate.first", 55);
	is_number(r, "gpu.0.rate.last", 55);
	assert_false(told_line(r, "third"));
	json_decref(r);
}

static void code_without_tensor_cores_goes_by_sms(void **state)
{
	struct stories *b = stories_new("n1", 1, 100);
	json_t *r;
	int k;

	(void)state;
	for (k = 0; k < 100; k++)
		b->sample[0][k].tensor = 0;
	r = told_of(b);
	is_number(r, "gpu.0.rate.first", 90);
	is_text(r, "gpu.0.rate.of", "sm");
	json_decref(r);
}

static void short_work_has_no_thirds(void **state)
{
	json_t *r = told_of(stories_new("n1", 1, 15));

	(void)state;
	is_unknown(r, "gpu.0.rate.first", "too short");
	is_unknown(r, "gpu.0.temp_c.last", "too short");
	is_unknown(r, "power.first.sm_mhz", "too short");
	is_null(r, "gpu.0.rate.of");
	json_decref(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(held_down_by_cause_and_by_gpu),
		cmocka_unit_test(nothing_held_down_is_not_said),
		cmocka_unit_test(counters_without_samples_name_the_worst),
		cmocka_unit_test(a_clock_that_is_not_told),
		cmocka_unit_test(the_last_third_against_the_first),
		cmocka_unit_test(loading_and_writing_are_no_third),
		cmocka_unit_test(code_without_tensor_cores_goes_by_sms),
		cmocka_unit_test(short_work_has_no_thirds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
