/* SPDX-License-Identifier: Apache-2.0
 * spawn_run() - execute a command within a deadline and keep its output. */
#include "config.h"
#include "lib/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/spawn_child.h"

#define TERM_PATIENCE_MS 100
#define REAP_PATIENCE_MS 200

/* The executed child: output to one pipe, failure of exec to another. */
static void exec_child(const char *const argv[], const char *const envp[], int out,
		       int failed)
{
	int saved;

	setsid();
	spawn_default_signals();
	if (spawn_null_stdio() == 0 && dup2(out, 1) >= 0 && dup2(out, 2) >= 0)
		execve(argv[0], (char *const *)argv, (char *const *)envp);
	saved = errno;
	if (write(failed, &saved, sizeof(saved)) < 0)
		_exit(126);
	_exit(127);
}

/* Did exec fail? 0 it went well, else its errno. A program on a dead file
 * system is not even executed. */
static int exec_errno(int failed, int64_t until_ms)
{
	struct pollfd p = { .fd = failed, .events = POLLIN };
	int64_t left;
	int code = 0;
	ssize_t n;

	do {
		left = until_ms - clock_mono_ms();
		if (left <= 0)
			return ETIMEDOUT;
	} while (poll(&p, 1, (int)left) <= 0);
	do
		n = read(failed, &code, sizeof(code));
	while (n < 0 && errno == EINTR);
	return n == sizeof(code) ? code : 0;
}

/* Read until end of file or the deadline; true at end of file. */
static bool drain_output(int fd, size_t max, int64_t until_ms,
			 struct spawn_out *out)
{
	char chunk[4096];
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int64_t left;
	ssize_t n;
	size_t keep;

	for (;;) {
		left = until_ms - clock_mono_ms();
		if (left <= 0)
			return false;
		if (poll(&p, 1, (int)left) <= 0)
			continue;
		n = read(fd, chunk, sizeof(chunk));
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			return true;
		keep = max - out->len < (size_t)n ? max - out->len : (size_t)n;
		memcpy(out->text + out->len, chunk, keep);
		out->len += keep;
		out->truncated |= keep < (size_t)n;
	}
}

static bool reap(pid_t pid, int64_t until_ms, int *status)
{
	pid_t rc;

	for (;;) {
		rc = waitpid(pid, status, WNOHANG);
		if (rc == pid)
			return true;
		if (rc < 0 && errno != EINTR) {
			*status = 127 << 8;
			return true;
		}
		if (clock_mono_ms() >= until_ms)
			return false;
		clock_sleep_ms(1);
	}
}

static void end_group(pid_t pid, int *status)
{
	kill(-pid, SIGTERM);
	if (!reap(pid, clock_mono_ms() + TERM_PATIENCE_MS, status)) {
		kill(-pid, SIGKILL);
		reap(pid, clock_mono_ms() + REAP_PATIENCE_MS, status);
	} else {
		kill(-pid, SIGKILL);	/* its children, if any stayed */
	}
}

static int start(const char *const argv[], const char *const envp[],
		 int64_t until_ms, pid_t *pid, int *out, struct err *e)
{
	int pipe_out[2] = { -1, -1 };
	int pipe_fail[2] = { -1, -1 };
	int code = 0;
	int status;
	int rc = -1;

	if (pipe2(pipe_out, O_CLOEXEC) < 0 || pipe2(pipe_fail, O_CLOEXEC) < 0 ||
	    (*pid = fork()) < 0) {
		err_errno(e, "start %s", argv[0]);
		goto out;
	}
	if (!*pid)
		exec_child(argv, envp, pipe_out[1], pipe_fail[1]);
	close(pipe_fail[1]);
	pipe_fail[1] = -1;
	code = exec_errno(pipe_fail[0], until_ms);
	if (code) {
		end_group(*pid, &status);
		errno = code;
		err_errno(e, "execute %s", argv[0]);
		goto out;
	}
	*out = pipe_out[0];
	pipe_out[0] = -1;
	fcntl(*out, F_SETFL, O_NONBLOCK);
	rc = 0;
out:
	for (int i = 0; i < 2; i++) {
		if (pipe_out[i] >= 0)
			close(pipe_out[i]);
		if (pipe_fail[i] >= 0)
			close(pipe_fail[i]);
	}
	if (rc < 0 && code)
		errno = code;
	return rc;
}

int spawn_run(const char *const argv[], const char *const envp[], int deadline_ms,
	      size_t max_out, struct spawn_out *out, struct err *e)
{
	int64_t began = clock_mono_ms();
	int64_t until = began + deadline_ms;
	pid_t pid = 0;
	int fd = -1;
	bool ended;

	memset(out, 0, sizeof(*out));
	out->text = calloc(1, max_out + 1);
	if (!out->text)
		return err_errno(e, "run %s", argv[0]);
	if (start(argv, envp, until, &pid, &fd, e) < 0) {
		spawn_out_fini(out);
		return -1;
	}
	/* A grandchild may hold the pipe open after the command has gone. */
	ended = drain_output(fd, max_out, until, out);
	close(fd);
	out->timed_out = !ended || !reap(pid, until, &out->status);
	if (out->timed_out)
		end_group(pid, &out->status);
	out->elapsed_ms = clock_mono_ms() - began;
	return 0;
}

void spawn_out_fini(struct spawn_out *out)
{
	int saved = errno;

	free(out->text);
	out->text = NULL;
	out->len = 0;
	errno = saved;
}

static int no_files(posix_spawn_file_actions_t *f)
{
	int rc = 0;
	int i;

	for (i = 0; i < 3 && !rc; i++)
		rc = posix_spawn_file_actions_addopen(f, i, "/dev/null", O_RDWR,
						      0);
	if (!rc)
		rc = posix_spawn_file_actions_addclosefrom_np(f, 3);
	return rc ? rc : posix_spawn_file_actions_addchdir_np(f, "/");
}

static int own_session(posix_spawnattr_t *a)
{
	sigset_t set;
	int rc;

	sigfillset(&set);
	rc = posix_spawnattr_setsigdefault(a, &set);
	sigemptyset(&set);
	if (!rc)
		rc = posix_spawnattr_setsigmask(a, &set);
	return rc ? rc : posix_spawnattr_setflags(a, POSIX_SPAWN_SETSID |
							     POSIX_SPAWN_SETSIGDEF |
							     POSIX_SPAWN_SETSIGMASK);
}

/* Not by fork(): the memory of a gate is not copied for it, and the C library
 * comes back when the program is executed, or tells why it is not. */
pid_t spawn_program(const char *const argv[], const char *const envp[])
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	pid_t pid = -1;
	int rc;

	rc = posix_spawn_file_actions_init(&files);
	if (rc) {
		errno = rc;
		return -1;
	}
	rc = posix_spawnattr_init(&attr);
	if (!rc) {
		rc = no_files(&files);
		if (!rc)
			rc = own_session(&attr);
		if (!rc)
			rc = posix_spawn(&pid, argv[0], &files, &attr,
					 (char *const *)argv,
					 (char *const *)envp);
		posix_spawnattr_destroy(&attr);
	}
	posix_spawn_file_actions_destroy(&files);
	errno = rc;
	return rc ? -1 : pid;
}
