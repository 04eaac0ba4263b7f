/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/supervise.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/log.h"
#include "tests/unit/unit.h"

static int returns(struct supervised *link, void *arg)
{
	(void)link;
	return *(int *)arg;
}

static void the_workers_code_comes_out(void **state)
{
	int code = 1;

	(void)state;
	assert_int_equal(supervise(returns, &code, 5000, 0), 1);
	code = 0;
	assert_int_equal(supervise(returns, &code, 5000, 1), 0);
}

static int hangs(struct supervised *link, void *arg)
{
	(void)arg;
	supervise_expect(link, 1);
	supervise_deadline(link, 150);
	signal(SIGTERM, SIG_IGN);
	for (;;)
		pause();
	return 0;
}

static void in_time_whatever_happens(void **state)
{
	int64_t began = clock_mono_ms();

	(void)state;
	assert_int_equal(supervise(hangs, NULL, 60000, 0), 1);
	assert_true(clock_mono_ms() - began < 1150);
}

static int dies(struct supervised *link, void *arg)
{
	(void)link;
	(void)arg;
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
	return 1;
}

static void a_crash_is_not_a_drain(void **state)
{
	(void)state;
	assert_int_equal(supervise(dies, NULL, 5000, 0), 0);
}

static int floods(struct supervised *link, void *arg)
{
	int i;

	(void)link;
	(void)arg;
	for (i = 0; i < 2000; i++)
		log_debug("x");
	return 0;
}

static void much_talk_does_not_block(void **state)
{
	(void)state;
	log_open("test", false, LOG_LVL_ERROR);
	assert_int_equal(supervise(floods, NULL, 5000, 1), 0);
}

static int leaves_early(struct supervised *link, void *arg)
{
	(void)link;
	(void)arg;
	_exit(127);
}

static void only_the_bodys_own_word_counts(void **state)
{
	(void)state;
	assert_int_equal(supervise(leaves_early, NULL, 5000, 0), 0);
}

static void an_ignored_sigchld_loses_no_code(void **state)
{
	int code = 1;

	(void)state;
	signal(SIGCHLD, SIG_IGN);
	assert_int_equal(supervise(returns, &code, 5000, 0), 1);
	signal(SIGCHLD, SIG_DFL);
}

/* A worker of the worker that stays behind, as in a driver: it has all that
 * was open, the link as well. */
static int leaves_a_child(struct supervised *link, void *arg)
{
	(void)link;
	if (!fork()) {
		sleep(2);
		_exit(0);
	}
	return *(int *)arg;
}

static void a_child_left_behind_holds_nobody(void **state)
{
	int64_t began = clock_mono_ms();
	int code = 1;

	(void)state;
	assert_int_equal(supervise(leaves_a_child, &code, 5000, 0), 1);
	assert_true(clock_mono_ms() - began < 1000);
}

/* In a child: a stderr that nobody reads must not hold the supervisor. */
static int talks(struct supervised *link, void *arg)
{
	int i;

	(void)arg;
	supervise_expect(link, 7);
	for (i = 0; i < 2000; i++)
		log_error("%900d", i);
	return 0;
}

static void a_full_stderr_holds_nobody(void **state)
{
	int64_t began = clock_mono_ms();
	int full[2], status = -1;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(full), 0);
	pid = fork();
	if (!pid) {
		dup2(full[1], 2);
		_exit(supervise(talks, NULL, 300, 0));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	assert_true(clock_mono_ms() - began < 2000);
	close(full[0]);
	close(full[1]);
}

static void closed_descriptors_do_no_harm(void **state)
{
	int status = -1, code = 1;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		close(0);
		close(1);
		close(2);
		_exit(supervise(returns, &code, 5000, 0));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
}

static int outlives(struct supervised *link, void *arg)
{
	supervise_deadline(link, 100);
	clock_sleep_ms(600);
	close(open(arg, O_WRONLY | O_CREAT, 0600));
	return 0;
}

/* What is late must not be done when nobody waits for it any more. */
static void nothing_is_done_afterwards(void **state)
{
	char path[] = "/tmp/assay-supervise-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	unlink(path);
	assert_int_equal(supervise(outlives, path, 5000, 0), 0);
	clock_sleep_ms(900);
	assert_int_equal(access(path, F_OK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_workers_code_comes_out),
		cmocka_unit_test(in_time_whatever_happens),
		cmocka_unit_test(a_crash_is_not_a_drain),
		cmocka_unit_test(much_talk_does_not_block),
		cmocka_unit_test(only_the_bodys_own_word_counts),
		cmocka_unit_test(an_ignored_sigchld_loses_no_code),
		cmocka_unit_test(a_child_left_behind_holds_nobody),
		cmocka_unit_test(a_full_stderr_holds_nobody),
		cmocka_unit_test(closed_descriptors_do_no_harm),
		cmocka_unit_test(nothing_is_done_afterwards),
	};

	return cmocka_run_group_tests_name("supervise", tests, NULL, NULL);
}
