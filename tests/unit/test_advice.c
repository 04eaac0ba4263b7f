/* SPDX-License-Identifier: Apache-2.0
 * Each advice is given and withheld, with the number that justifies it. */
#include "config.h"

#include "tests/unit/told.h"

#define HOUR 120 /* samples */

static int advised(const json_t *r, const char *code)
{
	return told_index(r, "advice", "code", code);
}

static void is_advised(const json_t *r, const char *code, double hours,
		       double number)
{
	char path[64];
	int i = advised(r, code);

	if (i < 0)
		fail_msg("no advice %s", code);
	snprintf(path, sizeof(path), "advice.%d.gpu_hours", i);
	is_number(r, path, hours);
	snprintf(path, sizeof(path), "advice.%d.number", i);
	is_number(r, path, number);
}

static void says(const json_t *r, const char *code, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "advice.%d.text", advised(r, code));
	if (!strstr(told_text(r, path), text))
		fail_msg("\"%s\" lacks \"%s\"", told_text(r, path), text);
}

static size_t advices(const json_t *r)
{
	return json_array_size(told(r, "advice"));
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

/* All GPUs idle for this share of each sample. */
static void pause(struct stories *b, float share)
{
	int i, k;

	for (i = 0; i < b->s.gpu_count; i++)
		for (k = 0; k < b->s.gpu[i].samples; k++) {
			b->sample[i][k].busy = 1 - share;
			b->sample[i][k].sm = 0.9F * (1 - share);
			b->sample[i][k].idle_s = share * STEP_S;
		}
}

static void a_good_job_gets_none(void **state)
{
	json_t *r = told_of(stories_new("n1", 8, 4 * HOUR));

	(void)state;
	assert_int_equal(advices(r), 0);
	assert_false(told_line(r, "advice"));
	json_decref(r);
}

static void idle_gpus(void **state)
{
	struct stories *b = stories_new("n1", 4, 2 * HOUR);
	json_t *r;

	(void)state;
	make_idle(b, 1);
	make_idle(b, 2);
	make_idle(b, 3);
	r = told_of(b);
	is_advised(r, "idle_gpus", 6, 3);
	says(r, "idle_gpus", "ask for 1 GPU instead of 4: 3 held idle");
	assert_true(told_line(r, "advice: ask for 1 GPU instead of 4: 3 held "
				 "idle (worth 6.0 GPU hours)"));
	json_decref(r);
	b = stories_new("n1", 2, 2 * HOUR);
	make_idle(b, 0);
	make_idle(b, 1);
	r = told_of(b);
	is_advised(r, "idle_gpus", 4, 2);
	says(r, "idle_gpus", "no GPU was used");
	json_decref(r);
}

static void none_under_half_an_hour(void **state)
{
	struct stories *b = stories_new("n1", 4, 59);
	json_t *r;

	(void)state;
	make_idle(b, 1);
	r = told_of(b);
	assert_int_equal(advices(r), 0);
	json_decref(r);
	b = stories_new("n1", 4, 60);
	make_idle(b, 1);
	r = told_of(b);
	assert_int_equal(advices(r), 1);
	json_decref(r);
}

static void the_one_most_worth_is_first(void **state)
{
	struct stories *b = stories_new("n1", 4, 2 * HOUR);
	json_t *r;

	(void)state;
	pause(b, 0.5F);
	make_idle(b, 3);
	b->s.host.cpu_s = is(7200 * 20);
	r = told_of(b);
	/* 3 GPUs for 2 hours, half of it; 1 GPU for 2 hours */
	is_advised(r, "input_cpu", 3, 0.5);
	is_advised(r, "idle_gpus", 2, 1);
	is_text(r, "advice.0.code", "input_cpu");
	is_text(r, "advice.1.code", "idle_gpus");
	json_decref(r);
}

static void input_and_cpu(void **state)
{
	struct stories *b = stories_new("n1", 4, 2 * HOUR);
	json_t *r;

	(void)state;
	pause(b, 0.4F);
	b->s.host.cpu_s = is(7200 * 20);
	r = told_of(b);
	is_advised(r, "input_cpu", 3.2, 0.4);
	says(r, "input_cpu", "waited 40% of the time for 20.0 of 64 cores");
	json_decref(r);
	b = stories_new("n1", 4, 2 * HOUR);
	pause(b, 0.4F);
	b->s.host.cpu_s = is(7200 * 60); /* all that it has */
	r = told_of(b);
	says(r, "input_cpu", "more cores a GPU");
	json_decref(r);
	b = stories_new("n1", 4, 2 * HOUR);
	pause(b, 0.1F); /* that is as good as it gets */
	b->s.host.cpu_s = is(7200 * 20);
	r = told_of(b);
	assert_true(advised(r, "input_cpu") < 0);
	json_decref(r);
}

static void storage(void **state)
{
	struct stories *b = stories_new("n1", 4, 2 * HOUR);
	json_t *r;

	(void)state;
	pause(b, 0.5F);
	b->s.host.cpu_s = is(100);
	b->s.host.read_bytes = is(3600 * 2 * GB);
	r = told_of(b);
	is_advised(r, "storage", 4, 0.5);
	assert_true(advised(r, "idle_time") < 0);
	json_decref(r);
}

static void idle_time(void **state)
{
	struct stories *b = stories_new("n1", 4, 2 * HOUR);
	json_t *r;

	(void)state;
	pause(b, 0.5F);
	b->s.host.cpu_s = is(100);
	r = told_of(b);
	is_advised(r, "idle_time", 4, 0.5);
	assert_true(advised(r, "storage") < 0);
	json_decref(r);
}

static struct stories *waiting(int gpus)
{
	struct stories *b = stories_new("n1", gpus, 2 * HOUR);
	int i, k;

	for (i = 0; i < gpus; i++)
		for (k = 0; k < 2 * HOUR; k++) {
			b->sample[i][k].sm = 0.25F;
			b->sample[i][k].tensor = 0.1F;
			b->sample[i][k].dram = 0.1F;
		}
	return b;
}

static void communication(void **state)
{
	struct stories *b = waiting(8);
	json_t *r;

	(void)state;
	r = told_of(b);
	is_advised(r, "communication", 12, 0.75);
	says(r, "communication", "larger batches");
	json_decref(r);
	b = waiting(1); /* one GPU a node, on four nodes */
	b->s.job.nodes = 1;
	r = told_of(b);
	assert_true(advised(r, "communication") < 0);
	json_decref(r);
}

static void small_kernels(void **state)
{
	struct stories *b = waiting(1);
	json_t *r;

	(void)state;
	r = told_of(b);
	is_advised(r, "small_kernels", 1.5, 25);
	json_decref(r);
	b = waiting(8); /* they wait for each other */
	r = told_of(b);
	assert_true(advised(r, "small_kernels") < 0);
	json_decref(r);
}

static void slow_and_throttled(void **state)
{
	struct stories *b = stories_new("n1", 8, 2 * HOUR);
	json_t *r;
	int k;

	(void)state;
	for (k = 0; k < 2 * HOUR; k++) {
		b->sample[5][k].sm_mhz = 1386;
		b->sample[5][k].held_thermal_s = STEP_S;
	}
	r = told_of(b);
	is_advised(r, "slow_gpu", 0.3 * 16, 0.7);
	says(r, "slow_gpu", "n1 GPU5 ran at 70% (held down by heat for 7200 s)");
	/* one GPU, 30% of 2 hours: less than a twentieth of the job */
	assert_true(advised(r, "throttled") < 0);
	json_decref(r);
	b = stories_new("n1", 2, 2 * HOUR);
	for (k = 0; k < 2 * HOUR; k++) {
		b->sample[1][k].sm_mhz = 990;
		b->sample[1][k].held_hw_s = STEP_S;
	}
	r = told_of(b);
	is_advised(r, "throttled", 1, 7200);
	json_decref(r);
}

static void power_limits_are_as_they_should_be(void **state)
{
	struct stories *b = stories_new("n1", 2, 2 * HOUR);
	json_t *r;
	int i, k;

	(void)state;
	for (i = 0; i < 2; i++)
		for (k = 0; k < 2 * HOUR; k++) {
			b->sample[i][k].sm_mhz = 1500;
			b->sample[i][k].held_power_s = STEP_S;
		}
	r = told_of(b);
	assert_int_equal(advices(r), 0);
	json_decref(r);
}

static void slowed_down(void **state)
{
	struct stories *b = stories_new("n1", 2, 3 * HOUR);
	json_t *r;
	int i, k;

	(void)state;
	for (i = 0; i < 2; i++)
		for (k = 2 * HOUR; k < 3 * HOUR; k++)
			b->sample[i][k].sm_mhz = 1584;
	r = told_of(b);
	is_advised(r, "slowed_down", 0.1 * 6, 0.2);
	says(r, "slowed_down", "clocks fell from 1980 to 1584 MHz");
	json_decref(r);
	b = stories_new("n1", 2, 3 * HOUR);
	for (i = 0; i < 2; i++)
		for (k = 2 * HOUR; k < 3 * HOUR; k++)
			b->sample[i][k].tensor = 0.33F;
	r = told_of(b);
	is_advised(r, "slowed_down", 0.2 * 6, 0.4);
	says(r, "slowed_down", "at the same clocks");
	json_decref(r);
}

static void broken_hardware(void **state)
{
	struct stories *b = stories_new("n1", 8, 2 * HOUR);
	json_t *r;

	(void)state;
	b->s.job.state = STORY_FAILED;
	b->s.event[0] = (struct story_event){ .time_s = T0 + 7000,
					      .kind = EVENT_OFFBUS,
					      .number = -1,
					      .pid = -1,
					      .device = "GPU2",
					      .text = "off the bus" };
	b->s.event_count = 1;
	r = told_of(b);
	is_advised(r, "hardware_fault", 16, 16);
	says(r, "hardware_fault", "--exclude=n1");
	json_decref(r);
}

static void memory_and_limit(void **state)
{
	struct stories *b = stories_new("n1", 8, 2 * HOUR);
	json_t *r;

	(void)state;
	b->s.job.state = STORY_OOM;
	r = told_of(b);
	is_advised(r, "out_of_memory", 16, 500 * GB);
	says(r, "out_of_memory", "more than 500 GB");
	json_decref(r);
	b = stories_new("n1", 8, 2 * HOUR);
	b->s.job.state = STORY_TIMEOUT;
	r = told_of(b);
	is_advised(r, "time_limit", 16, 7200);
	json_decref(r);
	b = stories_new("n1", 0, 2 * HOUR); /* a job without GPUs, too */
	b->s.job.state = STORY_OOM;
	r = told_of(b);
	is_advised(r, "out_of_memory", 0, 500 * GB);
	json_decref(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_job_gets_none),
		cmocka_unit_test(idle_gpus),
		cmocka_unit_test(none_under_half_an_hour),
		cmocka_unit_test(the_one_most_worth_is_first),
		cmocka_unit_test(input_and_cpu),
		cmocka_unit_test(storage),
		cmocka_unit_test(idle_time),
		cmocka_unit_test(communication),
		cmocka_unit_test(small_kernels),
		cmocka_unit_test(slow_and_throttled),
		cmocka_unit_test(power_limits_are_as_they_should_be),
		cmocka_unit_test(slowed_down),
		cmocka_unit_test(broken_hardware),
		cmocka_unit_test(memory_and_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
