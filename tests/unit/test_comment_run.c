/* SPDX-License-Identifier: Apache-2.0
 * The comments of all that wait in the queue. */
#include "config.h"
#include "tests/unit/comments.h"

static void queue_of(struct queue *q, const uint32_t *jobs, int n)
{
	char path[256];
	int i;

	snprintf(path, sizeof(path), "%s/queue", x.dir);
	assert_int_equal(queue_open(q, path, &e), 0);
	assert_true(queue_lock(q));
	for (i = 0; i < n; i++)
		assert_int_equal(queue_add(q, jobs[i], &e), 0);
}

/* Each with its own job's row: the script has one only, so one job again. */
static void at_the_pace_that_is_set(void **state)
{
	static const uint32_t jobs[] = { 7 };
	struct queue q;
	int64_t began;
	int i;

	(void)state;
	both_nodes();
	p.gap_ms = 300;
	queue_of(&q, jobs, 1);
	began = clock_mono_ms();
	for (i = 0; i < 3; i++) {
		fixture_file(&x, "comment", "");
		queue_add(&q, 7, &e);
		assert_int_equal(comment_run(&p, &q, false), 0);
	}
	assert_int_equal(lines_of("times"), 3);
	assert_true(clock_mono_ms() - began >= 2 * p.gap_ms);
	assert_false(queue_has(&q, 7));
	queue_close(&q);
}

static void what_waits_stays(void **state)
{
	static const uint32_t jobs[] = { 7, 8 };
	struct queue q;

	(void)state;
	both_nodes();
	queue_of(&q, jobs, 2);
	assert_int_equal(comment_run(&p, &q, false), 1);
	assert_false(queue_has(&q, 7));
	assert_true(queue_has(&q, 8));
	queue_close(&q);
}

static void one_that_stays_waits_for_it(void **state)
{
	static const uint32_t jobs[] = { 7 };
	struct queue q;
	pid_t pid;

	(void)state;
	node_record(0, "n1", "completed", START);
	queue_of(&q, jobs, 1);
	pid = fork();
	if (!pid) {
		clock_sleep_ms(500);
		node_record(0, "n2", "completed", START);
		_exit(0);
	}
	assert_int_equal(comment_run(&p, &q, true), 0);
	assert_false(queue_has(&q, 7));
	assert_int_equal(reported(), 2);
	queue_close(&q);
}

static void none_is_lost_while_it_is_down(void **state)
{
	static const uint32_t jobs[] = { 7, 8, 9 };
	struct queue q;

	(void)state;
	both_nodes();
	fixture_file(&x, "down", "");
	queue_of(&q, jobs, 3);
	assert_int_equal(comment_run(&p, &q, false), -1);
	assert_true(queue_has(&q, 7) && queue_has(&q, 8) && queue_has(&q, 9));
	assert_false(queue_is_paused(&q, clock_wall_s()));
	fixture_unlink(&x, "down");
	assert_int_equal(comment_run(&p, &q, false), 2);
	assert_false(queue_has(&q, 7));
	queue_close(&q);
}

/* sacct fails for the oldest, and answers for the others. */
static void one_that_fails_holds_up_nobody(void **state)
{
	static const uint32_t jobs[] = { 8, 7 };
	struct queue q;

	(void)state;
	both_nodes();
	p.all = true;
	p.wait_s = 0;
	fixture_file(&x, "sick8", "");
	queue_of(&q, jobs, 2);
	assert_int_equal(comment_run(&p, &q, false), 1);
	assert_true(queue_has(&q, 8));
	assert_false(queue_has(&q, 7));
	queue_close(&q);
}

static void a_writer_that_spoils_stops(void **state)
{
	static const uint32_t jobs[] = { 7, 8 };
	struct queue q;

	(void)state;
	both_nodes();
	fixture_file(&x, "small", "");
	queue_of(&q, jobs, 2);
	assert_int_equal(comment_run(&p, &q, true), -1);
	assert_true(queue_has(&q, 7));
	assert_true(queue_is_paused(&q, clock_wall_s()));
	queue_close(&q);
}

static void a_day_is_enough(void **state)
{
	static const uint32_t jobs[] = { 7, 8 };
	struct timespec t[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	struct queue q;

	(void)state;
	both_nodes();
	accounting_row("7", "7", "RUNNING", "2026-07-01T10:00:00");
	queue_of(&q, jobs, 1);
	assert_int_equal(comment_run(&p, &q, false), 1);
	assert_int_equal(utimensat(q.dir, "7", t, 0), 0);
	/* But no day on which nobody could be asked. */
	fixture_file(&x, "down", "");
	assert_int_equal(comment_run(&p, &q, false), -1);
	assert_true(queue_has(&q, 7));
	fixture_unlink(&x, "down");
	assert_int_equal(comment_run(&p, &q, false), 0);
	assert_false(queue_has(&q, 7));
	queue_close(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(at_the_pace_that_is_set),
		TEST(what_waits_stays),
		TEST(one_that_stays_waits_for_it),
		TEST(none_is_lost_while_it_is_down),
		TEST(one_that_fails_holds_up_nobody),
		TEST(a_writer_that_spoils_stops),
		TEST(a_day_is_enough),
	};

	return cmocka_run_group_tests_name("comment_run", tests, utc, NULL);
}
