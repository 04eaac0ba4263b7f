/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "epilog/queue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "tests/unit/fixture.h"

static struct fixture x;
static char path[128];
static struct queue q;
static struct err e;

static int setup(void **state)
{
	(void)state;
	fixture_open(&x);
	snprintf(path, sizeof(path), "%s/publish", x.dir);
	return queue_open(&q, path, &e);
}

static int teardown(void **state)
{
	(void)state;
	queue_close(&q);
	fixture_close(&x);
	return 0;
}

/* The ids that wait, as text. */
static const char *waiting(void)
{
	static char text[200];
	struct queued *list = NULL;
	int n = queue_list(&q, &list), i;
	size_t len = 0;

	assert_true(n >= 0);
	text[0] = '\0';
	for (i = 0; i < n; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%u",
					i ? " " : "", list[i].job);
	free(list);
	return text;
}

static void set_time(const char *name, int64_t at_s)
{
	struct timespec t[2] = { { .tv_sec = at_s }, { .tv_sec = at_s } };

	assert_int_equal(utimensat(q.dir, name, t, 0), 0);
}

static void first_come_first_served(void **state)
{
	(void)state;
	assert_string_equal(waiting(), "");
	queue_add(&q, 30, &e);
	queue_add(&q, 4, &e);
	queue_add(&q, 100, &e);
	set_time("100", 1000);
	set_time("4", 2000);
	assert_string_equal(waiting(), "100 4 30");
	assert_true(queue_has(&q, 4));
	assert_false(queue_has(&q, 5));
}

static void what_is_no_job_is_left_alone(void **state)
{
	static const char *const strange[] = {
		"publish/007", "publish/x", "publish/1.2",
		"publish/-1",  "publish/0", "publish/4294967296"
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(strange) / sizeof(strange[0]); i++)
		fixture_file(&x, strange[i], "");
	queue_add(&q, 7, &e);
	assert_string_equal(waiting(), "7");
}

static void removed_unless_queued_again(void **state)
{
	struct queued *list;

	(void)state;
	queue_add(&q, 7, &e);
	set_time("7", 1000);
	assert_int_equal(queue_list(&q, &list), 1);
	queue_add(&q, 7, &e); /* its next run has ended */
	queue_remove(&q, &list[0]);
	assert_string_equal(waiting(), "7");
	free(list);
	assert_int_equal(queue_list(&q, &list), 1);
	assert_true(list[0].since_s > 1000);
	queue_remove(&q, &list[0]);
	assert_string_equal(waiting(), "");
	free(list);
}

static void it_is_bounded(void **state)
{
	char name[32];
	int i, fd;

	(void)state;
	for (i = 1; i <= QUEUE_MAX; i++) {
		snprintf(name, sizeof(name), "%d", i);
		fd = openat(q.dir, name, O_CREAT | O_WRONLY, 0600);
		assert_true(fd >= 0);
		close(fd);
	}
	assert_int_equal(queue_add(&q, QUEUE_MAX + 1, &e), -1);
	assert_int_equal(errno, ENOSPC);
	assert_int_equal(queue_add(&q, 5, &e), 0);
}

static void a_directory_of_anybody_elses(void **state)
{
	struct queue other;

	(void)state;
	chmod(path, 0777);
	assert_int_equal(queue_open(&other, path, &e), -1);
	assert_non_null(strstr(e.text, "written by others"));
	fixture_link(&x, "link", path);
	chmod(path, 0700);
	snprintf(path, sizeof(path), "%s/link", x.dir);
	assert_int_equal(queue_open(&other, path, &e), -1);
	snprintf(path, sizeof(path), "%s/publish", x.dir);
	if (geteuid() == 0) {
		assert_int_equal(chown(path, 65534, 65534), 0);
		assert_int_equal(queue_open(&other, path, &e), -1);
		assert_non_null(strstr(e.text, "not owned"));
	}
}

/* A link that lies where the job's file belongs is not written through. */
static void a_link_in_its_place(void **state)
{
	struct stat st;
	char target[256];

	(void)state;
	snprintf(target, sizeof(target), "%s/victim", x.dir);
	fixture_file(&x, "victim", "text");
	assert_int_equal(symlinkat(target, q.dir, "7"), 0);
	assert_int_equal(queue_add(&q, 7, &e), -1);
	assert_int_equal(stat(target, &st), 0);
	assert_int_equal(st.st_size, 4);
}

static void one_at_a_time(void **state)
{
	struct queue other;
	int status;
	pid_t pid;

	(void)state;
	assert_true(queue_lock(&q));
	assert_true(queue_lock(&q));
	queue_open(&other, path, &e);
	assert_false(queue_lock(&other));
	/* It ends with its process. */
	queue_unlock(&q);
	pid = fork();
	if (!pid)
		_exit(queue_lock(&other) ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_true(queue_lock(&q));
	queue_close(&other);
}

/* The spool that it lies in is pruned by age. */
static void a_lock_that_is_held_is_young(void **state)
{
	struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	struct stat st;
	char file[160];

	(void)state;
	assert_true(queue_lock(&q));
	queue_unlock(&q);
	snprintf(file, sizeof(file), "%s/lock", path);
	assert_int_equal(utimensat(AT_FDCWD, file, old, 0), 0);
	assert_true(queue_lock(&q));
	assert_int_equal(stat(file, &st), 0);
	assert_true(clock_wall_s() - st.st_mtime < 3600);
}

static void a_pause_ends(void **state)
{
	int64_t now_s = clock_wall_s();

	(void)state;
	assert_false(queue_is_paused(&q, now_s));
	queue_pause(&q, 100);
	assert_true(queue_is_paused(&q, now_s));
	assert_false(queue_is_paused(&q, now_s + 102));
	/* not for ever where a clock was wrong */
	assert_false(queue_is_paused(&q, now_s - 10 * 86400));
	queue_pause(&q, 0);
	assert_false(queue_is_paused(&q, now_s));
	assert_string_equal(waiting(), "");
}

static void up_to_when_was_looked(void **state)
{
	(void)state;
	assert_int_equal(queue_looked(&q), 0);
	queue_look(&q, 1234567);
	assert_int_equal(queue_looked(&q), 1234567);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(first_come_first_served),
		TEST(what_is_no_job_is_left_alone),
		TEST(removed_unless_queued_again),
		TEST(it_is_bounded),
		TEST(a_directory_of_anybody_elses),
		TEST(a_link_in_its_place),
		TEST(one_at_a_time),
		TEST(a_lock_that_is_held_is_young),
		TEST(a_pause_ends),
		TEST(up_to_when_was_looked),
	};

	return cmocka_run_group_tests_name("queue", tests, NULL, NULL);
}
