/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/told.h"

/* A GPU idle for these seconds of a sample. */
static void idle(struct stories *b, int gpu, int k, float seconds)
{
	b->sample[gpu][k].idle_s = seconds;
	b->sample[gpu][k].busy = 1 - seconds / STEP_S;
}

static void all_idle(struct stories *b, int k, float seconds)
{
	int i;

	for (i = 0; i < b->s.gpu_count; i++)
		idle(b, i, k, seconds);
}

static void all_idle_at_once_is_a_stall(void **state)
{
	struct stories *b = stories_new("n1", 4, 100);
	json_t *r;
	int k;

	(void)state;
	for (k = 10; k < 14; k++)
		all_idle(b, k, STEP_S);
	all_idle(b, 50, STEP_S);
	r = told_of(b);
	is_number(r, "stalls.count", 2);
	is_number(r, "stalls.total_s", 150);
	is_number(r, "stalls.longest_s", 120);
	is_number(r, "stalls.longest_at", T0 + 300);
	is_number(r, "stalls.before_work_s", 0);
	is_number(r, "stalls.spans.1.0", T0 + 1500);
	is_number(r, "stalls.spans.1.2", 30);
	assert_true(told_line(r, "idle at once 2 times, 150 s in all, longest "
				 "120 s at 0:05:00"));
	json_decref(r);
}

static void one_that_works_is_no_stall(void **state)
{
	struct stories *b = stories_new("n1", 4, 100);
	json_t *r;
	int i, k;

	(void)state;
	for (k = 10; k < 14; k++)
		for (i = 0; i < 3; i++)
			idle(b, i, k, STEP_S);
	r = told_of(b);
	is_number(r, "stalls.count", 0);
	is_number(r, "stalls.total_s", 0);
	is_null(r, "stalls.longest_at");
	assert_null(told(r, "stalls.why"));
	assert_false(told_line(r, "stalls"));
	json_decref(r);
}

static void parts_of_samples_join_the_whole_ones(void **state)
{
	struct stories *b = stories_new("n1", 1, 100);
	json_t *r;

	(void)state;
	idle(b, 0, 20, 12);
	idle(b, 0, 21, 30);
	idle(b, 0, 22, 30);
	idle(b, 0, 23, 9);
	idle(b, 0, 24, 30); /* another one: it had worked in between */
	idle(b, 0, 60, 4);  /* too short to count */
	r = told_of(b);
	is_number(r, "stalls.count", 2);
	is_number(r, "stalls.longest_s", 81);
	is_number(r, "stalls.total_s", 111);
	json_decref(r);
}

static void only_what_is_certain_counts(void **state)
{
	struct stories *b = stories_new("n1", 2, 100);
	json_t *r;

	(void)state;
	idle(b, 0, 20, 20); /* they may have been idle in turns for 20 s */
	idle(b, 1, 20, 20);
	idle(b, 0, 40, 15); /* perhaps never both */
	idle(b, 1, 40, 15);
	r = told_of(b);
	is_number(r, "stalls.count", 1);
	is_number(r, "stalls.total_s", 10);
	json_decref(r);
}

static void tracks_of_unlike_steps(void **state)
{
	struct stories *b = stories_new("n1", 2, 100);
	struct track_sample *t = b->sample[1];
	json_t *r;
	int k;

	(void)state;
	/* the second GPU's track has been halved: 60 s each */
	for (k = 0; k < 50; k++) {
		t[k].from_s = 60 * k;
		t[k].length_s = 60;
	}
	b->s.gpu[1].samples = 50;
	t[5].idle_s = 60; /* 300 to 360 */
	t[5].busy = 0;
	idle(b, 0, 11, 30); /* 330 to 360 */
	r = told_of(b);
	is_number(r, "stalls.count", 1);
	is_number(r, "stalls.total_s", 30);
	is_number(r, "stalls.longest_at", T0 + 330);
	json_decref(r);
}

static void before_and_after_the_work(void **state)
{
	struct stories *b = stories_new("n1", 2, 100);
	json_t *r;
	int k;

	(void)state;
	for (k = 0; k < 8; k++)
		all_idle(b, k, STEP_S);
	for (k = 97; k < 100; k++)
		all_idle(b, k, STEP_S);
	r = told_of(b);
	is_number(r, "stalls.before_work_s", 240);
	is_number(r, "stalls.after_work_s", 90);
	is_number(r, "stalls.count", 2);
	is_number(r, "stalls.total_s", 330);
	json_decref(r);
}

static void the_longest_are_listed_in_order(void **state)
{
	struct stories *b = stories_new("n1", 1, 400);
	json_t *r, *spans;
	double last = 0, from;
	size_t i;
	int k;

	(void)state;
	for (k = 0; k < 100; k++)
		idle(b, 0, 4 * k, 5 + (float)(k % 50) / 2);
	r = told_of(b);
	is_number(r, "stalls.count", 100);
	spans = told(r, "stalls.spans");
	assert_int_equal(json_array_size(spans), 32);
	for (i = 0; i < 32; i++) {
		from = json_number_value(
			json_array_get(json_array_get(spans, i), 0));
		assert_true(from > last);
		last = from;
		assert_true(json_number_value(json_array_get(
				    json_array_get(spans, i), 2)) >= 21.5);
	}
	json_decref(r);
}

static void idleness_that_is_not_told(void **state)
{
	struct stories *b = stories_new("n1", 2, 100);
	json_t *r;
	int k;

	(void)state;
	for (k = 0; k < 100; k++)
		b->sample[1][k].busy = b->sample[1][k].idle_s = NAN;
	r = told_of(b);
	is_unknown(r, "stalls.count", "not supported by this GPU");
	json_decref(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_idle_at_once_is_a_stall),
		cmocka_unit_test(one_that_works_is_no_stall),
		cmocka_unit_test(parts_of_samples_join_the_whole_ones),
		cmocka_unit_test(only_what_is_certain_counts),
		cmocka_unit_test(tracks_of_unlike_steps),
		cmocka_unit_test(before_and_after_the_work),
		cmocka_unit_test(the_longest_are_listed_in_order),
		cmocka_unit_test(idleness_that_is_not_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
