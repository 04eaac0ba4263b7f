/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/fdio.h"
#include "lib/log.h"
#include "lib/spawn.h"

#define PROGRAM "assay-watch"
#define LOCK "lock"

int keeper_dir(int run_dir)
{
	struct stat st;
	int fd;

	if (mkdirat(run_dir, KEEPER_DIR, 0700) < 0 && errno != EEXIST)
		return -1;
	fd = openat(run_dir, KEEPER_DIR,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && (!st.st_uid || st.st_uid == geteuid()))
		return fd;
	fdio_close(fd);
	errno = EPERM;
	return -1;
}

static int open_lock(int dir, int flags)
{
	return openat(dir, LOCK, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
		      0600);
}

/* Who holds the lock? 0: nobody. */
static pid_t holder(int fd)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (fcntl(fd, F_GETLK, &l) < 0 || l.l_type == F_UNLCK)
		return 0;
	return l.l_pid;
}

/* A pidfd of the sampler; -1 with ESRCH if there is none (or errno). */
static int find(int run_dir)
{
	int fd = -1, pidfd = -1;
	pid_t pid = 0;
	char path[32];

	snprintf(path, sizeof(path), KEEPER_DIR "/" LOCK);
	fd = openat(run_dir, path,
		    O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0)
		pid = holder(fd);
	if (pid > 0)
		pidfd = (int)syscall(SYS_pidfd_open, pid, 0u);
	if (pidfd >= 0 && holder(fd) != pid) {
		close(pidfd);
		pidfd = -1;
	}
	fdio_close(fd);
	if (pidfd < 0)
		errno = ESRCH;
	return pidfd;
}

static int tell(int pidfd, int sig)
{
	return (int)syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0u);
}

void keeper_poke(int run_dir)
{
	int pidfd = find(run_dir);

	if (pidfd < 0)
		return;
	tell(pidfd, SIGUSR1);
	close(pidfd);
}

/* ---- starting it ----------------------------------------------------------- */

/* The sampler lies where this program does. */
static int find_program(char path[4096])
{
	ssize_t n = readlink("/proc/self/exe", path,
			     4096 - sizeof(PROGRAM) - 1);
	char *slash;

	if (n <= 0)
		return -1;
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (!slash)
		return -1;
	memcpy(slash + 1, PROGRAM, sizeof(PROGRAM));
	return 0;
}

static int start(const struct session *s, struct err *e)
{
	char program[4096] = PROGRAM, config[4096], node[300];
	const char *argv[] = { program, NULL, NULL, NULL };
	const char *envp[] = { node, NULL };

	snprintf(node, sizeof(node), "SLURMD_NODENAME=%s", s->job->node);
	if (s->config_given) {
		/* It works in "/". */
		if (!realpath(s->config_path, config))
			return err_errno(e, "start " PROGRAM ": %s",
					 s->config_path);
		argv[1] = "--config";
		argv[2] = config;
	}
	if (find_program(program) < 0 || spawn_program(argv, envp) < 0)
		return err_errno(e, "start %s", program);
	return 0;
}

int keeper_start(const struct session *s, struct err *e)
{
	int pidfd = find(s->run_dir);

	if (pidfd < 0)
		return start(s, e);
	tell(pidfd, SIGUSR1);
	close(pidfd);
	return 0;
}

/* ---- ending it ----------------------------------------------------------- */

enum keeper_end keeper_stop(int run_dir)
{
	int pidfd = find(run_dir);
	struct pollfd p = { .fd = pidfd, .events = POLLIN };
	enum keeper_end end = KEEPER_STAYS;

	if (pidfd < 0)
		return KEEPER_NONE;
	if (tell(pidfd, SIGTERM) < 0 || poll(&p, 1, KEEPER_PATIENCE_MS) > 0)
		end = KEEPER_GONE;
	close(pidfd);
	return end;
}

/* ---- the sampler's own side ---------------------------------------------- */

int keeper_take(int dir)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char text[32];
	int fd = open_lock(dir, O_RDWR | O_CREAT);
	int n;

	if (fd < 0)
		return -1;
	if (fcntl(fd, F_SETLK, &l) < 0) {
		if (errno == EACCES)
			errno = EAGAIN;
		fdio_close(fd);
		return -1;
	}
	/* For people; nobody reads it. */
	n = snprintf(text, sizeof(text), "%d\n", (int)getpid());
	if (ftruncate(fd, 0) < 0 || pwrite(fd, text, (size_t)n, 0) != n)
		log_debug("the lock is taken, but not named");
	return fd;
}

void keeper_leave(int lock)
{
	fdio_close(lock);
}
