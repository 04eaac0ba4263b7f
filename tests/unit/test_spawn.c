/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/spawn.h"

#include <errno.h>
#include <signal.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "tests/unit/unit.h"

static int say_hello(int sock, void *arg)
{
	worker_send(sock, "hello", 5);
	worker_send(sock, arg, strlen(arg));
	return 3;
}

static ssize_t recv_wait(const struct worker *w, char *buf, size_t size)
{
	ssize_t n;
	int i;

	for (i = 0; i < 1000; i++) {
		n = worker_recv(w, buf, size);
		if (n >= 0 || errno != EAGAIN)
			return n;
		clock_sleep_ms(2);
	}
	return -1;
}

static void messages_arrive_whole(void **state)
{
	struct worker w;
	char arg[] = "you";
	char buf[64];

	(void)state;
	assert_int_equal(worker_start(&w, say_hello, arg, false), 0);
	assert_int_equal(recv_wait(&w, buf, sizeof(buf)), 5);
	assert_int_equal(recv_wait(&w, buf, 2), -1);
	assert_int_equal(errno, EMSGSIZE);
	assert_int_equal(recv_wait(&w, buf, sizeof(buf)), 0);
	assert_int_equal(worker_stop(&w), 0);
	assert_int_equal(WEXITSTATUS(w.status), 3);
}

static int ignore_term(int sock, void *arg)
{
	(void)arg;
	signal(SIGTERM, SIG_IGN);
	worker_send(sock, "r", 1);
	for (;;)
		pause();
	return 0;
}

static void a_deaf_worker_is_killed(void **state)
{
	struct worker w;
	char buf[8];

	(void)state;
	assert_int_equal(worker_start(&w, ignore_term, NULL, false), 0);
	assert_int_equal(recv_wait(&w, buf, sizeof(buf)), 1);
	assert_int_equal(worker_stop(&w), 0);
	assert_int_equal(WTERMSIG(w.status), SIGKILL);
}

static void a_deaf_vendor_worker_is_left_alone(void **state)
{
	struct worker w;
	char buf[8];

	(void)state;
	assert_int_equal(worker_start(&w, ignore_term, NULL, true), 0);
	assert_int_equal(recv_wait(&w, buf, sizeof(buf)), 1);
	assert_int_equal(worker_stop(&w), 1);
	assert_true(w.abandoned);
	assert_int_equal(kill(w.pid, 0), 0);
	assert_int_equal(spawn_proc_state(w.pid), 'S');
	kill(w.pid, SIGKILL);
	waitpid(w.pid, NULL, 0);
}

/* At once: who could be killed is, who may be in a driver is left. */
static void a_worker_that_has_said_all_is_ended(void **state)
{
	struct worker w;
	char arg[] = "you";
	char buf[8];

	(void)state;
	assert_int_equal(worker_start(&w, ignore_term, NULL, false), 0);
	assert_int_equal(recv_wait(&w, buf, sizeof(buf)), 1);
	assert_true(worker_end(&w, 10000));
	assert_int_equal(WTERMSIG(w.status), SIGKILL);
	assert_int_equal(w.sock, -1);
	assert_int_equal(worker_start(&w, ignore_term, NULL, true), 0);
	assert_int_equal(recv_wait(&w, buf, sizeof(buf)), 1);
	assert_false(worker_end(&w, 20));
	assert_true(w.abandoned);
	assert_int_equal(spawn_proc_state(w.pid), 'S');
	kill(w.pid, SIGKILL);
	assert_true(worker_wait(&w, 10000));
	assert_int_equal(worker_start(&w, say_hello, arg, true), 0);
	assert_true(worker_wait(&w, 10000));
	assert_true(worker_end(&w, 0));
	assert_int_equal(WEXITSTATUS(w.status), 3);
}

static void takes_leave(int sig)
{
	(void)sig;
	clock_sleep_ms(4);
	_exit(5);
}

static int ends_when_told(int sock, void *arg)
{
	(void)arg;
	signal(SIGTERM, takes_leave);
	worker_send(sock, "x", 1);
	clock_sleep_ms(60000);
	return 0;
}

/* Who has no time left still gets what a signal takes: else a sound worker
 * would count as one that hangs. A busy machine may need some tries. */
static void nobody_hangs_who_was_not_asked(void **state)
{
	struct worker w;
	char buf[8];
	int i, ended = 0;

	(void)state;
	for (i = 0; i < 100 && !ended; i++) {
		assert_int_equal(worker_start(&w, ends_when_told, NULL, true), 0);
		assert_int_equal(recv_wait(&w, buf, sizeof(buf)), 1);
		ended += worker_end(&w, 0);
		assert_true(worker_wait(&w, 10000));
		assert_int_equal(WEXITSTATUS(w.status), 5);
	}
	assert_true(ended);
}

static void waiting_ends_with_the_worker(void **state)
{
	struct worker w;
	char arg[] = "you";
	char buf[8];

	(void)state;
	assert_int_equal(worker_start(&w, ignore_term, NULL, false), 0);
	assert_int_equal(recv_wait(&w, buf, sizeof(buf)), 1);
	assert_false(worker_wait(&w, 20));
	worker_stop(&w);
	assert_int_equal(worker_start(&w, say_hello, arg, false), 0);
	assert_true(worker_wait(&w, 10000));
	assert_int_equal(WEXITSTATUS(w.status), 3);
	assert_true(worker_wait(&w, 0));
	worker_stop(&w);
}

static int crash(int sock, void *arg)
{
	(void)sock;
	(void)arg;
	signal(SIGABRT, SIG_DFL);
	abort();
}

static void a_crash_is_seen(void **state)
{
	struct worker w;
	char buf[8];

	(void)state;
	assert_int_equal(worker_start(&w, crash, NULL, true), 0);
	assert_int_equal(recv_wait(&w, buf, sizeof(buf)), 0);
	worker_stop(&w);
	assert_true(WIFSIGNALED(w.status));
}

static void output_and_status_are_kept(void **state)
{
	const char *argv[] = { "/bin/sh", "-c", "echo $A$B; echo x >&2; exit 7",
			 NULL };
	const char *envp[] = { "A=1", NULL };
	struct spawn_out out;

	(void)state;
	setenv("B", "leak", 1);
	assert_int_equal(spawn_run(argv, envp, 5000, 100, &out, NULL), 0);
	assert_false(out.timed_out);
	assert_int_equal(WEXITSTATUS(out.status), 7);
	assert_string_equal(out.text, "1\nx\n");
	spawn_out_fini(&out);
}

static void the_deadline_holds(void **state)
{
	const char *argv[] = { "/bin/sh", "-c", "trap '' TERM; sleep 30 & wait; sleep 30",
			 NULL };
	const char *envp[] = { NULL };
	struct spawn_out out;

	(void)state;
	assert_int_equal(spawn_run(argv, envp, 100, 100, &out, NULL), 0);
	assert_true(out.timed_out);
	assert_true(out.elapsed_ms < 1500);
	spawn_out_fini(&out);
}

static void too_much_output_is_cut(void **state)
{
	const char *argv[] = { "/bin/sh", "-c", "yes | head -c 100000", NULL };
	const char *envp[] = { "PATH=/bin:/usr/bin", NULL };
	struct spawn_out out;

	(void)state;
	assert_int_equal(spawn_run(argv, envp, 5000, 10, &out, NULL), 0);
	assert_true(out.truncated);
	assert_int_equal(out.len, 10);
	assert_string_equal(out.text, "y\ny\ny\ny\ny\n");
	spawn_out_fini(&out);
}

static void a_missing_command_is_an_error(void **state)
{
	const char *argv[] = { "/no/such/command", NULL };
	const char *envp[] = { NULL };
	struct spawn_out out;
	struct err e;

	(void)state;
	assert_int_equal(spawn_run(argv, envp, 1000, 10, &out, &e), -1);
	assert_int_equal(errno, ENOENT);
	assert_non_null(strstr(e.text, "/no/such/command"));
}

static void write_session(void *arg)
{
	int fd = *(int *)arg;

	/* Every descriptor is closed: the pipe must not stay open. */
	_exit(write(fd, "x", 1) == 1);
}

static void detached_leaves_the_session(void **state)
{
	int fd[2];
	char c;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(spawn_detached(write_session, &fd[1]), 0);
	close(fd[1]);
	assert_int_equal(read(fd[0], &c, 1), 0);
	close(fd[0]);
}

/* Told by the program itself: where it works, what it was given, whether it
 * leads its session. */
static void a_program_is_on_its_own(void **state)
{
	char path[] = "/tmp/assay-spawn-XXXXXX", script[256], text[256] = "";
	const char *argv[] = { "/bin/sh", "-c", script, NULL };
	const char *envp[] = { "A=1", NULL };
	struct stat st = { .st_size = 0 };
	int fd = mkstemp(path);
	pid_t pid;

	(void)state;
	snprintf(script, sizeof(script),
		 "[ -e /proc/$$/fd/57 ] && A=open; echo \"$PWD $A ${HOME-none}\" "
		 "$(cut -d' ' -f5,6 /proc/$$/stat) > %s", path);
	assert_true(fd >= 0);
	assert_int_equal(dup2(fd, 57), 57);	/* not close-on-exec */
	pid = spawn_program(argv, envp);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	snprintf(script, sizeof(script), "/ 1 none %d %d\n", pid, pid);
	assert_string_equal(text, script);
	close(57);
	close(fd);
	unlink(path);
}

/* An emulator that makes a fork() of the C library's vfork() keeps its
 * answer from coming back: then the program's absence is its exit status. */
static bool spawning_tells(void)
{
	char name[] = "/nonexistent/assay", *argv[] = { name, NULL };
	char *envp[] = { NULL };
	pid_t pid;

	if (posix_spawn(&pid, name, NULL, NULL, argv, envp))
		return true;
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return false;
}

static void a_program_that_is_not_there_is_told(void **state)
{
	const char *argv[] = { "/nonexistent/assay", NULL };
	const char *envp[] = { NULL };

	(void)state;
	if (!spawning_tells())
		skip();
	assert_int_equal(spawn_program(argv, envp), -1);
	assert_int_equal(errno, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_arrive_whole),
		cmocka_unit_test(a_deaf_worker_is_killed),
		cmocka_unit_test(a_deaf_vendor_worker_is_left_alone),
		cmocka_unit_test(a_worker_that_has_said_all_is_ended),
		cmocka_unit_test(nobody_hangs_who_was_not_asked),
		cmocka_unit_test(waiting_ends_with_the_worker),
		cmocka_unit_test(a_crash_is_seen),
		cmocka_unit_test(output_and_status_are_kept),
		cmocka_unit_test(the_deadline_holds),
		cmocka_unit_test(too_much_output_is_cut),
		cmocka_unit_test(a_missing_command_is_an_error),
		cmocka_unit_test(detached_leaves_the_session),
		cmocka_unit_test(a_program_is_on_its_own),
		cmocka_unit_test(a_program_that_is_not_there_is_told),
	};

	return cmocka_run_group_tests_name("spawn", tests, NULL, NULL);
}
