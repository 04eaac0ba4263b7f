/* SPDX-License-Identifier: Apache-2.0
 * A GPU is slow if it is low among its like and has a physical cause. */
#include "config.h"

#include "tests/unit/told.h"

static void at_clock(struct stories *b, int gpu, int mhz)
{
	int k;

	for (k = 0; k < b->s.gpu[gpu].samples; k++)
		b->sample[gpu][k].sm_mhz = (uint16_t)mhz;
}

static void held(struct stories *b, int gpu, float seconds)
{
	int k;

	for (k = 0; k < b->s.gpu[gpu].samples; k++)
		b->sample[gpu][k].held_thermal_s = seconds;
}

static size_t slow_ones(const json_t *r)
{
	return json_array_size(told(r, "slow"));
}

static void low_and_held_down_by_heat(void **state)
{
	struct stories *b = stories_new("n1", 8, 100);
	json_t *r;

	(void)state;
	at_clock(b, 5, 1386);
	held(b, 5, 10);
	r = told_of(b);
	assert_int_equal(slow_ones(r), 1);
	is_text(r, "slow.0.node", "n1");
	is_text(r, "slow.0.gpu", "GPU5");
	is_text(r, "slow.0.what", "SM clock 1386 MHz, median 1980");
	is_number(r, "slow.0.share", 0.7);
	is_text(r, "slow.0.cause", "held down by heat for 1000 s");
	assert_true(told_line(r, "slow: GPU5, SM clock 1386 MHz, median 1980: "
				 "held down by heat for 1000 s"));
	json_decref(r);
}

/* The table has its tensor activity, which need not be low: so this is not
 * called by that name. */
static void less_work_at_a_lower_clock(void **state)
{
	struct stories *b = stories_new("n1", 8, 100);
	json_t *r;
	int k;

	(void)state;
	at_clock(b, 5, 1386);
	held(b, 5, 10);
	for (k = 0; k < 100; k++)
		b->sample[5][k].tensor *= 0.9F;
	r = told_of(b);
	assert_true(told_line(r, "slow: GPU5, tensor x clock 34.6%, median "
				 "55.0: held down by heat for 1000 s"));
	json_decref(r);
}

static void low_without_a_cause_is_not_slow(void **state)
{
	struct stories *b = stories_new("n1", 8, 100);
	json_t *r;

	(void)state;
	at_clock(b, 5, 1386); /* perhaps it has other work */
	r = told_of(b);
	assert_int_equal(slow_ones(r), 0);
	json_decref(r);
}

static void a_cause_without_being_low_is_not_slow(void **state)
{
	struct stories *b = stories_new("n1", 8, 100);
	json_t *r;

	(void)state;
	at_clock(b, 5, 1881); /* 95% */
	held(b, 5, 10);
	r = told_of(b);
	assert_int_equal(slow_ones(r), 0);
	json_decref(r);
}

static void what_all_have_is_no_cause(void **state)
{
	struct stories *b = stories_new("n1", 8, 100);
	json_t *r;
	int i;

	(void)state;
	for (i = 0; i < 8; i++)
		held(b, i, 10);
	at_clock(b, 5, 1386);
	r = told_of(b);
	assert_int_equal(slow_ones(r), 0);
	json_decref(r);
}

static void wide_scatter_has_no_outlier(void **state)
{
	static const int mhz[] = { 1980, 1400, 1900, 1500,
				   1950, 1450, 1650, 1300 };
	struct stories *b = stories_new("n1", 8, 100);
	json_t *r;
	int i;

	(void)state;
	for (i = 0; i < 8; i++)
		at_clock(b, i, mhz[i]);
	held(b, 7, 10);
	r = told_of(b);
	assert_int_equal(slow_ones(r), 0);
	json_decref(r);
}

static void of_two_nobody_is_in_the_middle(void **state)
{
	struct stories *b = stories_new("n1", 2, 100);
	json_t *r;

	(void)state;
	at_clock(b, 1, 990);
	held(b, 1, 10);
	r = told_of(b);
	assert_int_equal(slow_ones(r), 0);
	json_decref(r);
}

static void models_are_compared_with_their_own(void **state)
{
	struct stories *b = stories_new("n1", 8, 100);
	json_t *r;
	int i;

	(void)state;
	for (i = 4; i < 8; i++) {
		strcpy(b->s.gpu[i].model, "NVIDIA L40S");
		at_clock(b, i, 1200);
		held(b, i, 10);
	}
	r = told_of(b);
	assert_int_equal(slow_ones(r), 0);
	json_decref(r);
}

static void idle_gpus_are_not_compared(void **state)
{
	struct stories *b = stories_new("n1", 8, 100);
	json_t *r;
	int k;

	(void)state;
	for (k = 0; k < 100; k++) {
		b->sample[5][k].busy = b->sample[5][k].sm = 0;
		b->sample[5][k].tensor = 0;
		b->sample[5][k].idle_s = STEP_S;
		b->sample[5][k].sm_mhz = 345;
		b->sample[5][k].held_thermal_s = 10;
	}
	r = told_of(b);
	assert_int_equal(slow_ones(r), 0);
	json_decref(r);
}

static void other_causes(void **state)
{
	struct stories *b = stories_new("n1", 8, 100);
	json_t *r;

	(void)state;
	at_clock(b, 5, 1386);
	b->s.event[0] = (struct story_event){ .time_s = T0 + 5,
					      .kind = EVENT_ECC,
					      .number = -1,
					      .pid = -1,
					      .device = "GPU5",
					      .text = "3 corrected errors" };
	b->s.event_count = 1;
	r = told_of(b);
	is_text(r, "slow.0.cause", "3 corrected errors");
	json_decref(r);
	b = stories_new("n1", 8, 100);
	at_clock(b, 5, 1386);
	b->s.port[3].downs = is(1);
	r = told_of(b);
	is_text(r, "slow.0.cause", "mlx5_3:1 went down");
	json_decref(r);
	b = stories_new("n1", 8, 100);
	at_clock(b, 5, 1386);
	stories_sum(b);
	b->s.gpu[5].nvlink_errors = is(9);
	r = summary_node(&b->s);
	free(b);
	is_text(r, "slow.0.cause", "9 NVLink errors");
	json_decref(r);
}

static void what_the_gate_had_seen_is_a_cause(void **state)
{
	struct stories *b = stories_new("n1", 8, 100);
	json_t *gate, *r;

	(void)state;
	gate = json_pack("{s:[{s:s, s:s, s:[{s:s, s:s, s:s}]}]}", "checks",
			 "name", "gpu_membw", "status", "WARN", "findings",
			 "status", "WARN", "subject", "GPU5", "text",
			 "1710<2520 GB/s");
	at_clock(b, 5, 1386);
	b->s.gate = gate;
	r = told_of(b);
	is_text(r, "slow.0.cause", "gpu_membw before the job: 1710<2520 GB/s");
	json_decref(r);
	json_decref(gate);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(low_and_held_down_by_heat),
		cmocka_unit_test(less_work_at_a_lower_clock),
		cmocka_unit_test(low_without_a_cause_is_not_slow),
		cmocka_unit_test(a_cause_without_being_low_is_not_slow),
		cmocka_unit_test(what_all_have_is_no_cause),
		cmocka_unit_test(wide_scatter_has_no_outlier),
		cmocka_unit_test(of_two_nobody_is_in_the_middle),
		cmocka_unit_test(models_are_compared_with_their_own),
		cmocka_unit_test(idle_gpus_are_not_compared),
		cmocka_unit_test(other_causes),
		cmocka_unit_test(what_the_gate_had_seen_is_a_cause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
