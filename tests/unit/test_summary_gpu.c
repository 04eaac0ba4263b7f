/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/told.h"

static void figures_are_of_the_samples(void **state)
{
	struct stories *b = stories_new("n1", 2, 40);
	json_t *r;
	int k;

	(void)state;
	for (k = 0; k < 40; k++) {
		b->sample[0][k].busy = k < 20 ? 1 : 0.5F;
		b->sample[0][k].sm = k < 20 ? 0.8F : 0.4F;
		b->sample[0][k].mem_used_mib = 1000.0F + (float)k;
		b->sample[0][k].temp_c = (int16_t)(50 + k % 3);
		b->sample[0][k].idle_s = k < 20 ? 0 : 15;
		b->sample[0][k].nvlink_mb = k == 7 ? 60000 : 0;
	}
	r = told_of(b);
	is_number(r, "gpu.0.busy_pct", 75);
	is_number(r, "gpu.0.sm_active_pct", 60);
	is_number(r, "gpu.0.mem_peak_bytes", 1039 * 1048576.0);
	is_number(r, "gpu.0.temp_c.max", 52);
	is_number(r, "gpu.0.idle_s", 300);
	is_number(r, "gpu.0.energy_j", 40 * 18000);
	is_number(r, "gpu.0.power_w.mean", 600);
	is_number(r, "gpu.0.power_w.max", 690);
	is_number(r, "gpu.0.nvlink_bytes", 60 * GB);
	is_number(r, "gpu.0.nvlink_gbps.mean", 60.0 / 1200);
	is_number(r, "gpu.0.nvlink_gbps.peak", 2);
	/* of both, by devices */
	is_number(r, "gpus.busy_pct", 87.5);
	is_number(r, "gpus.sm_active_pct", 75);
	is_number(r, "gpus.mem_peak_bytes", 61440 * 1048576.0);
	is_number(r, "power.energy_j", 2 * 40 * 18000);
	is_number(r, "power.mean_w", 600);
	json_decref(r);
}

static void samples_of_any_length_weigh_by_it(void **state)
{
	struct stories *b = stories_new("n1", 1, 2);
	json_t *r;

	(void)state;
	b->sample[0][0].busy = 1;
	b->sample[0][1].busy = 0.2F;
	b->sample[0][1].length_s = 90;
	b->s.job.end_s = T0 + 120;
	r = told_of(b);
	is_number(r, "gpu.0.busy_pct", 40);
	json_decref(r);
}

static void tensor_activity_is_corrected_by_the_clock(void **state)
{
	struct stories *b = stories_new("n1", 1, 40);
	json_t *r;
	int k;

	(void)state;
	for (k = 0; k < 40; k++) {
		b->sample[0][k].tensor = 0.6F;
		b->sample[0][k].sm_mhz = 990; /* half of the highest */
	}
	r = told_of(b);
	is_number(r, "gpu.0.tensor_active_pct", 60);
	is_number(r, "gpu.0.tensor_clock_pct", 30);
	assert_true(told_line(r, "tensor cores 60% (30% clock-corrected)"));
	json_decref(r);
}

static void clocks_count_while_it_is_busy(void **state)
{
	struct stories *b = stories_new("n1", 1, 40);
	json_t *r;
	int k;

	(void)state;
	for (k = 0; k < 20; k++) {
		b->sample[0][k].busy = 0;
		b->sample[0][k].sm_mhz = 345;
		b->sample[0][k].idle_s = STEP_S;
	}
	r = told_of(b);
	is_number(r, "gpu.0.sm_mhz.mean", 1980);
	json_decref(r);
}

static void make_idle(struct stories *b, int gpu)
{
	int k;

	for (k = 0; k < b->s.gpu[gpu].samples; k++) {
		b->sample[gpu][k].busy = b->sample[gpu][k].sm = 0;
		b->sample[gpu][k].tensor = b->sample[gpu][k].dram = 0;
		b->sample[gpu][k].idle_s = STEP_S;
	}
}

static void what_is_held_idle_is_named(void **state)
{
	struct stories *b = stories_new("n1", 4, 240);
	json_t *r;

	(void)state;
	make_idle(b, 1);
	make_idle(b, 3);
	/* to look at a GPU is not to use it */
	b->sample[3][0].busy = 0.5F;
	r = told_of(b);
	is_number(r, "gpus.allocated", 4);
	is_number(r, "gpus.used", 2);
	assert_int_equal(json_array_size(told(r, "gpus.idle")), 2);
	is_text(r, "gpus.idle.0", "n1 GPU1");
	is_text(r, "gpus.idle.1", "n1 GPU3");
	assert_true(json_is_false(told(r, "gpu.1.used")));
	assert_true(told_line(r, "2 of 4 used (idle: GPU1, GPU3)"));
	json_decref(r);
}

static void a_minute_of_work_in_a_long_job_is_use(void **state)
{
	struct stories *b = stories_new("n1", 1, 400);
	json_t *r;

	(void)state;
	make_idle(b, 0);
	b->sample[0][5].busy = b->sample[0][6].busy = 1;
	r = told_of(b);
	assert_true(json_is_true(told(r, "gpu.0.used")));
	json_decref(r);
}

static void no_watch_is_no_idle_gpu(void **state)
{
	struct stories *b = stories_new("n1", 2, 0);
	json_t *r;

	(void)state;
	b->s.watch = WATCH_NONE;
	b->s.job.end_s = T0 + 3600;
	b->s.gpu[0].samples = b->s.gpu[1].samples = 0;
	stories_sum(b);
	b->s.gpu[0].energy_j = b->s.gpu[1].energy_j = is(3600 * 500);
	r = summary_node(&b->s);
	free(b);
	is_unknown(r, "gpu.0.busy_pct", "no watch");
	is_unknown(r, "gpu.0.used", "no watch");
	is_unknown(r, "gpus.used", "no watch");
	is_unknown(r, "gpu.0.sm_active_pct", "no watch");
	is_unknown(r, "gpu.0.sm_mhz.mean", "no watch");
	is_unknown(r, "stalls.count", "no watch");
	is_unknown(r, "where.compute", "no watch");
	is_text(r, "where.verdict", "cannot tell");
	assert_int_equal(json_array_size(told(r, "gpus.idle")), 0);
	assert_int_equal(json_array_size(told(r, "advice")), 0);
	/* the counters are there */
	is_number(r, "gpu.0.power_w.mean", 500);
	is_number(r, "power.energy_j", 3600 * 1000);
	assert_true(told_line(r, "not sampled"));
	json_decref(r);
}

static void the_reason_says_how_the_watch_ended(void **state)
{
	struct stories *b = stories_new("n1", 1, 0);
	json_t *r;

	(void)state;
	b->s.watch = WATCH_ENDED;
	r = told_of(b);
	is_unknown(r, "gpu.0.busy_pct", "watch ended early");
	json_decref(r);
	b = stories_new("n1", 1, 0); /* over before the first sample */
	r = told_of(b);
	is_unknown(r, "gpu.0.busy_pct", "too short");
	json_decref(r);
}

static void old_gpus_tell_no_activity(void **state)
{
	struct stories *b = stories_new("n1", 1, 100);
	json_t *r;
	int k;

	(void)state;
	b->s.gpu[0].activity_why = STORY_UNSUPPORTED;
	for (k = 0; k < 100; k++)
		b->sample[0][k].sm = b->sample[0][k].tensor =
			b->sample[0][k].dram = NAN;
	r = told_of(b);
	is_number(r, "gpu.0.busy_pct", 100);
	is_unknown(r, "gpu.0.sm_active_pct", "not supported by this GPU");
	is_unknown(r, "gpu.0.tensor_clock_pct", "not supported by this GPU");
	is_unknown(r, "gpu.0.rate.first", "not supported by this GPU");
	assert_true(told_line(r, "SM activity not available on this GPU"));
	/* busy time is never called anything else */
	is_text(r, "where.verdict", "cannot tell");
	json_decref(r);
}

static void counters_that_went_back_are_unknown(void **state)
{
	struct stories *b = stories_new("n1", 2, 100);
	json_t *r;

	(void)state;
	stories_sum(b);
	b->s.gpu[0].energy_j = is(-5);
	b->s.gpu[0].pcie_replay = isnt(STORY_SATURATED);
	b->s.gpu[0].ecc_corr = isnt(STORY_UNREADABLE);
	r = summary_node(&b->s);
	free(b);
	is_unknown(r, "gpu.0.energy_j", "reset during the job");
	is_unknown(r, "gpu.0.pcie_replay", "saturated");
	is_unknown(r, "gpu.0.ecc_corr", "not readable");
	/* the samples still know the power */
	is_number(r, "gpu.0.power_w.mean", 600);
	/* a sum of some says of how many */
	is_number(r, "power.energy_j", 100 * 18000);
	is_number(r, "power.partial.energy_j.told", 1);
	is_number(r, "power.partial.energy_j.of", 2);
	is_text(r, "power.partial.energy_j.why", "reset during the job");
	json_decref(r);
}

/* A job of twenty minutes, and a driver that has lost its count. */
static void what_cannot_be_is_unknown(void **state)
{
	struct stories *b = stories_new("n1", 2, 40);
	json_t *r;
	int k;

	(void)state;
	stories_sum(b);
	b->s.gpu[0].energy_j = is(1260 * 10000.0 + 1);
	b->s.gpu[0].held_power_s = is(1261);
	b->s.gpu[0].held_thermal_s = is(2521);
	b->s.gpu[0].held_hw_s = is(1e9);
	b->s.gpu[1].energy_j = is(1260 * 10000.0);
	b->s.gpu[1].held_power_s = is(1260);
	b->s.gpu[1].held_thermal_s = is(2520);
	b->s.gpu[1].held_hw_s = is(0);
	for (k = 0; k < 40; k++)
		b->sample[0][k].power_w = b->sample[0][k].power_max_w = 1e14F;
	r = summary_node(&b->s);
	free(b);
	is_unknown(r, "gpu.0.energy_j", "not readable");
	is_unknown(r, "gpu.0.throttle_s.power", "not readable");
	is_unknown(r, "gpu.0.throttle_s.thermal", "not readable");
	is_unknown(r, "gpu.0.throttle_s.hw", "not readable");
	/* as if no sample had told of it */
	is_unknown(r, "gpu.0.power_w.mean", "not supported by this GPU");
	is_unknown(r, "gpu.0.power_w.max", "not supported by this GPU");
	is_number(r, "gpu.1.energy_j", 1260 * 10000.0);
	is_number(r, "gpu.1.throttle_s.power", 1260);
	is_number(r, "gpu.1.throttle_s.thermal", 2520);
	is_number(r, "gpu.1.power_w.max", 690);
	json_decref(r);
}

static void energy_that_stood_still_is_not_zero(void **state)
{
	struct stories *b = stories_new("n1", 1, 0);
	json_t *r;

	(void)state;
	b->s.job.end_s = T0 + 2;
	r = told_of(b);
	is_unknown(r, "gpu.0.energy_j", "too short");
	is_unknown(r, "power.energy_j", "too short");
	json_decref(r);
}

static void a_slice_knows_nothing_of_the_board(void **state)
{
	static const char *const of_board[] = {
		"gpu.0.busy_pct",	  "gpu.0.energy_j",
		"gpu.0.power_w.mean",	  "gpu.0.power_w.max",
		"gpu.0.throttle_s.power", "gpu.0.throttle_s.hw",
		"gpu.0.nvlink_bytes",	  "gpu.0.nvlink_gbps.peak",
		"gpu.0.pcie_bytes",	  "gpu.0.pcie_gbps.mean",
		"gpu.0.idle_s",		  "gpu.0.lost_s",
		"gpu.0.ecc_unc",	  "power.energy_j",
		"stalls.count",
	};
	struct stories *b = stories_new("n1", 1, 100);
	size_t i;
	json_t *r;

	(void)state;
	b->s.gpu[0].mig = true;
	r = told_of(b);
	for (i = 0; i < sizeof(of_board) / sizeof(of_board[0]); i++)
		is_unknown(r, of_board[i], "MIG");
	/* of the slice itself */
	is_number(r, "gpu.0.sm_active_pct", 90);
	assert_true(json_is_true(told(r, "gpu.0.used")));
	is_number(r, "where.compute", 0.9);
	json_decref(r);
}

static void mixed_mig_and_whole_gpus(void **state)
{
	struct stories *b = stories_new("n1", 2, 100);
	json_t *r;

	(void)state;
	b->s.gpu[1].mig = true;
	r = told_of(b);
	is_number(r, "gpu.0.busy_pct", 100);
	is_unknown(r, "gpu.1.busy_pct", "MIG");
	is_number(r, "gpus.used", 2);
	is_number(r, "gpus.busy_pct", 100);
	is_number(r, "gpus.partial.busy_pct.told", 1);
	json_decref(r);
}

static void what_a_sample_does_not_know_does_not_count(void **state)
{
	struct stories *b = stories_new("n1", 1, 10);
	json_t *r;

	(void)state;
	b->sample[0][3].busy = NAN;
	b->sample[0][4].length_s = NAN;
	b->sample[0][5].length_s = -7;
	b->sample[0][6].sm_mhz = 0;
	b->sample[0][7].temp_c = INT16_MIN;
	r = told_of(b);
	is_number(r, "gpu.0.busy_pct", 100);
	is_number(r, "gpu.0.sm_mhz.mean", 1980);
	is_number(r, "gpu.0.temp_c.max", 60);
	json_decref(r);
}

static void names_are_printable(void **state)
{
	struct stories *b = stories_new("n1", 1, 10);
	json_t *r;

	(void)state;
	strcpy(b->s.gpu[0].model, "H100\n\x1b[31m\xff");
	strcpy(b->s.job.user, "a\nb");
	r = told_of(b);
	is_text(r, "gpu.0.model", "H100 ?[31m?");
	is_text(r, "job.user", "a b");
	json_decref(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_of_the_samples),
		cmocka_unit_test(samples_of_any_length_weigh_by_it),
		cmocka_unit_test(tensor_activity_is_corrected_by_the_clock),
		cmocka_unit_test(clocks_count_while_it_is_busy),
		cmocka_unit_test(what_is_held_idle_is_named),
		cmocka_unit_test(a_minute_of_work_in_a_long_job_is_use),
		cmocka_unit_test(no_watch_is_no_idle_gpu),
		cmocka_unit_test(the_reason_says_how_the_watch_ended),
		cmocka_unit_test(old_gpus_tell_no_activity),
		cmocka_unit_test(counters_that_went_back_are_unknown),
		cmocka_unit_test(what_cannot_be_is_unknown),
		cmocka_unit_test(energy_that_stood_still_is_not_zero),
		cmocka_unit_test(a_slice_knows_nothing_of_the_board),
		cmocka_unit_test(mixed_mig_and_whole_gpus),
		cmocka_unit_test(what_a_sample_does_not_know_does_not_count),
		cmocka_unit_test(names_are_printable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
