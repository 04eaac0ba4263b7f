/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/facts_tasks.h"

#include <pthread.h>
#include <sys/types.h>

#include "lib/clock.h"
#include "tests/unit/fixture.h"

#define REST " 0 -1 %lu 0 0 0 0 0 0 0 0 20 0 1 0 %d 0 0\n"

/* parent and flags as in /proc/PID/stat; start 1000. */
static void task(struct fixture *x, int pid, const char *comm, char state,
		 int parent, unsigned long flags)
{
	char path[64], text[256];

	snprintf(path, sizeof(path), "proc/%d/stat", pid);
	snprintf(text, sizeof(text), "%d (%s) %c %d 1 1" REST, pid, comm, state,
		 parent, flags, 1000);
	fixture_file(x, path, text);
}

static void runs(struct fixture *x, int pid, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/%d/schedstat", pid);
	fixture_file(x, path, text);
}

static void quiet_node(struct fixture *x)
{
	fixture_open(x);
	task(x, 1, "systemd", 'S', 0, 0x400100);
	task(x, 2, "kthreadd", 'S', 0, 0x208040);
	task(x, 700, "slurmd", 'S', 1, 0x400100);
	task(x, 800, "dead", 'Z', 700, 0x40000c);
	fixture_file(x, "proc/meminfo", "MemTotal: 1 kB\n");
}

static void counts(void **state)
{
	struct facts_host h = { 0 };
	struct fixture x;

	(void)state;
	quiet_node(&x);
	facts_tasks_gather(&x.roots, 10000, &h);	/* and does not wait */
	assert_int_equal(h.task_count, 3);
	assert_int_equal(h.z_count, 1);
	assert_int_equal(h.d_count, 0);
	assert_false(h.tasks_cut);
	fixture_close(&x);
}

static void no_proc(void **state)
{
	struct facts_host h = { 0 };
	struct fixture x;

	(void)state;
	fixture_open(&x);
	facts_tasks_gather(&x.roots, 0, &h);
	assert_int_equal(h.task_count, 0);
	fixture_close(&x);
}

static void stuck_in_both_looks(void **state)
{
	struct facts_host h = { 0 };
	struct fixture x;

	(void)state;
	quiet_node(&x);
	task(&x, 4711, "evil) D 2 (x", 'D', 700, 0x400100);
	runs(&x, 4711, "100 200 77\n");
	fixture_file(&x, "proc/4711/wchan", "os_acquire_rwlock");
	facts_tasks_gather(&x.roots, 1, &h);
	assert_int_equal(h.d_count, 1);
	assert_int_equal(h.stuck_count, 1);
	assert_int_equal(h.stuck[0].pid, 4711);
	assert_int_equal(h.stuck[0].start, 1000);
	assert_int_equal(h.stuck[0].runs, 77);
	assert_int_equal(h.stuck[0].state, 'D');
	assert_string_equal(h.stuck[0].comm, "evil) D 2 (x");
	assert_string_equal(h.stuck[0].wchan, "os_acquire_rwlock");
	assert_true(facts_tasks_in_d(&x.roots, 4711, 1000));
	assert_false(facts_tasks_in_d(&x.roots, 4711, 1001));
	assert_false(facts_tasks_in_d(&x.roots, 700, 1000));
	assert_false(facts_tasks_in_d(&x.roots, 9999, 1000));
	fixture_close(&x);
}

static void kernel_threads_do_not_count(void **state)
{
	struct facts_host h = { 0 };
	struct fixture x;

	(void)state;
	quiet_node(&x);
	task(&x, 90, "kworker/3:1+events", 'D', 2, 0x4208060);
	task(&x, 91, "nv_queue", 'D', 2, 0x208040);
	facts_tasks_gather(&x.roots, 0, &h);
	assert_int_equal(h.d_count, 0);
	assert_int_equal(h.task_count, 3);
	/* The same where the kernel lists them. */
	fixture_file(&x, "proc/2/task/2/children", "3 4 90 91 100 ");
	memset(&h, 0, sizeof(h));
	facts_tasks_gather(&x.roots, 0, &h);
	assert_int_equal(h.d_count, 0);
	assert_int_equal(h.task_count, 3);
	fixture_close(&x);
}

static void *later(void *arg)
{
	clock_sleep_ms(50);
	runs(arg, 4711, "100 200 78\n");
	task(arg, 4712, "woken", 'S', 700, 0);
	return NULL;
}

static void what_moves_is_not_stuck(void **state)
{
	struct facts_host h = { 0 };
	struct fixture x;
	pthread_t thread;

	(void)state;
	quiet_node(&x);
	task(&x, 4711, "dd", 'D', 700, 0);
	runs(&x, 4711, "100 200 77\n");
	task(&x, 4712, "cp", 'D', 700, 0);
	assert_int_equal(pthread_create(&thread, NULL, later, &x), 0);
	facts_tasks_gather(&x.roots, 500, &h);
	pthread_join(thread, NULL);
	assert_int_equal(h.d_count, 0);
	assert_int_equal(h.stuck_count, 0);
	assert_int_equal(h.stuck[0].pid, 0);
	fixture_close(&x);
}

static void rubbish_is_passed_over(void **state)
{
	struct facts_host h = { 0 };
	struct fixture x;

	(void)state;
	quiet_node(&x);
	fixture_file(&x, "proc/10/stat", "");
	fixture_file(&x, "proc/11/stat", "11 ) ( D");
	fixture_file(&x, "proc/12/stat", "12 (x) D 1");
	fixture_dir(&x, "proc/13");
	facts_tasks_gather(&x.roots, 0, &h);
	assert_int_equal(h.task_count, 3);
	assert_int_equal(h.d_count, 0);
	fixture_close(&x);
}

static void more_than_fit(void **state)
{
	struct facts_host h = { 0 };
	struct fixture x;

	(void)state;
	quiet_node(&x);
	for (int i = 0; i < FACTS_STUCK_MAX + 5; i++)
		task(&x, 5000 + i, "python3", 'D', 700, 0);
	facts_tasks_gather(&x.roots, 0, &h);
	assert_int_equal(h.stuck_count, FACTS_STUCK_MAX);
	fixture_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts),
		cmocka_unit_test(no_proc),
		cmocka_unit_test(stuck_in_both_looks),
		cmocka_unit_test(kernel_threads_do_not_count),
		cmocka_unit_test(what_moves_is_not_stuck),
		cmocka_unit_test(rubbish_is_passed_over),
		cmocka_unit_test(more_than_fit),
	};

	return cmocka_run_group_tests_name("facts_tasks", tests, NULL, NULL);
}
