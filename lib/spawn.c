/* SPDX-License-Identifier: Apache-2.0
 * Workers and detached children: forks of this process. Executed commands
 * are in spawn_run.c. */
#include "config.h"
#include "lib/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/spawn_child.h"

#define STOP_PATIENCE_MS 300	/* between SIGTERM and SIGKILL */
#define END_LEAST_MS 20		/* a signal takes that on a busy machine */

int spawn_null_stdio(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	int i;

	if (fd < 0)
		return -1;
	for (i = 0; i < 3; i++)
		if (dup2(fd, i) < 0)
			return -1;
	if (fd > 2)
		close(fd);
	return 0;
}

int spawn_fill_stdio(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd < 3);
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

void spawn_default_signals(void)
{
	sigset_t none;
	int i;

	for (i = 1; i < NSIG; i++)
		if (i != SIGKILL && i != SIGSTOP)
			signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Close every descriptor above 2 except keep (which may be -1). */
static void close_others(int keep)
{
	unsigned int from = 3;

	if (keep >= 3) {
		if (keep > 3)
			syscall(SYS_close_range, 3u, (unsigned int)keep - 1, 0u);
		from = (unsigned int)keep + 1;
	}
	syscall(SYS_close_range, from, ~0u, 0u);
}

int worker_start(struct worker *w, spawn_f body, void *arg, bool vendor)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	pid = fork();
	if (pid < 0) {
		close(pair[0]);
		close(pair[1]);
		return -1;
	}
	if (!pid) {
		close(pair[0]);
		setsid();
		spawn_default_signals();
		if (spawn_null_stdio() < 0)
			_exit(127);
		_exit(body(pair[1], arg));
	}
	close(pair[1]);
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	*w = (struct worker){ .pid = pid, .sock = pair[0], .vendor = vendor,
			      .started_ms = clock_mono_ms(), .status = -1 };
	return 0;
}

bool worker_gone(struct worker *w)
{
	int status;
	pid_t rc;

	if (w->pid <= 0 || w->status != -1)
		return true;
	do
		rc = waitpid(w->pid, &status, WNOHANG);
	while (rc < 0 && errno == EINTR);
	if (!rc)
		return false;
	/* Where SIGCHLD is ignored nobody learns how it ended: not well. */
	w->status = rc > 0 ? status : 127 << 8;
	return true;
}

bool worker_wait(struct worker *w, int patience_ms)
{
	int64_t until = clock_mono_ms() + patience_ms;
	struct pollfd p = { .fd = -1, .events = POLLIN };
	int64_t left;

	if (worker_gone(w))
		return true;
	/* Without a pidfd (a filter, no descriptors) look every 2 ms. */
	p.fd = (int)syscall(SYS_pidfd_open, w->pid, 0u);
	while (!worker_gone(w)) {
		left = until - clock_mono_ms();
		if (left <= 0)
			break;
		poll(&p, 1, p.fd >= 0 || left < 2 ? (int)left : 2);
	}
	if (p.fd >= 0)
		close(p.fd);
	return w->status != -1;
}

int worker_stop(struct worker *w)
{
	if (w->sock >= 0)
		close(w->sock);
	w->sock = -1;
	if (worker_gone(w))
		return 0;
	kill(w->pid, SIGTERM);
	if (worker_wait(w, STOP_PATIENCE_MS))
		return 0;
	if (!w->vendor) {
		kill(w->pid, SIGKILL);
		/* Not even SIGKILL ends a task in D state. */
		if (worker_wait(w, STOP_PATIENCE_MS))
			return 0;
	}
	w->abandoned = true;
	return 1;
}

bool worker_end(struct worker *w, int patience_ms)
{
	if (w->sock >= 0)
		close(w->sock);
	w->sock = -1;
	if (worker_gone(w))
		return true;
	kill(w->pid, w->vendor ? SIGTERM : SIGKILL);
	if (patience_ms < END_LEAST_MS)
		patience_ms = END_LEAST_MS;
	w->abandoned = !worker_wait(w, patience_ms);
	return !w->abandoned;
}

int worker_send(int sock, const void *msg, size_t len)
{
	ssize_t rc;

	do
		rc = send(sock, msg, len, MSG_NOSIGNAL);
	while (rc < 0 && errno == EINTR);
	return rc == (ssize_t)len ? 0 : -1;
}

ssize_t worker_recv(const struct worker *w, void *buf, size_t size)
{
	struct iovec iov = { buf, size };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t rc;

	do
		rc = recvmsg(w->sock, &msg, MSG_DONTWAIT);
	while (rc < 0 && errno == EINTR);
	if (rc > 0 && msg.msg_flags & MSG_TRUNC) {
		errno = EMSGSIZE;
		return -1;
	}
	return rc;
}

const char *spawn_proc_stat(pid_t pid, char buf[SPAWN_STAT_MAX])
{
	char path[64];
	const char *p;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	n = read(fd, buf, SPAWN_STAT_MAX - 1);
	close(fd);
	if (n <= 0)
		return NULL;
	buf[n] = '\0';
	/* The name in parentheses may hold anything, even parentheses. */
	p = strrchr(buf, ')');
	return p && p[1] == ' ' ? p + 2 : NULL;
}

char spawn_proc_state(pid_t pid)
{
	char buf[SPAWN_STAT_MAX];
	const char *stat = spawn_proc_stat(pid, buf);

	return stat ? stat[0] : 0;
}

static void detached_child(int ready, spawn_detached_f body, void *arg)
{
	char ok = 0;
	pid_t pid;

	setsid();
	pid = fork();
	if (pid)
		_exit(pid < 0 ? 1 : 0);
	spawn_default_signals();
	if (spawn_null_stdio() < 0 || write(ready, &ok, 1) != 1)
		_exit(1);
	close_others(-1);
	if (chdir("/") < 0)
		_exit(1);
	body(arg);
	_exit(0);
}

int spawn_detached(spawn_detached_f body, void *arg)
{
	int ready[2];
	char ok;
	pid_t pid;
	ssize_t n;

	if (pipe2(ready, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (!pid) {
		close(ready[0]);
		detached_child(ready[1], body, arg);
	}
	close(ready[1]);
	if (pid < 0) {
		close(ready[0]);
		return -1;
	}
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	do
		n = read(ready[0], &ok, 1);
	while (n < 0 && errno == EINTR);
	close(ready[0]);
	errno = ECHILD;
	return n == 1 ? 0 : -1;
}
