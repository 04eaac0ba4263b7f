/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "epilog/queue.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/fdio.h"
#include "lib/job.h"

#define LOCK_NAME "lock"
#define PAUSE_NAME "pause"
#define LOOKED_NAME "looked"
#define NAME_BYTES 16
#define PAUSE_MAX_S 86400
#define OPEN_FLAGS (O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)

static int check(int fd, const char *path, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_errno(e, "look at %s", path);
	errno = EPERM;
	if (st.st_uid != geteuid())
		return err_set(
			e, "%s is not owned by the user who runs this (uid %u)",
			path, (unsigned int)geteuid());
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return err_set(e, "%s may be written by others", path);
	return 0;
}

int queue_open(struct queue *q, const char *path, struct err *e)
{
	q->lock = q->dir = -1;
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return err_errno(e, "create %s", path);
	q->dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (q->dir < 0)
		return err_errno(e, "open %s", path);
	if (check(q->dir, path, e) == 0)
		return 0;
	queue_close(q);
	return -1;
}

void queue_close(struct queue *q)
{
	queue_unlock(q);
	fdio_close(q->dir);
	q->dir = -1;
}

static DIR *open_list(const struct queue *q)
{
	int fd = openat(q->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir)
		fdio_close(fd);
	return dir;
}

static bool is_full(const struct queue *q)
{
	DIR *dir = open_list(q);
	struct dirent *d;
	int n = 0;

	if (!dir)
		return false;
	while ((d = readdir(dir)))
		n += job_id_of(d->d_name) != 0;
	closedir(dir);
	return n >= QUEUE_MAX;
}

bool queue_has(const struct queue *q, uint32_t job)
{
	char name[NAME_BYTES];

	snprintf(name, sizeof(name), "%u", job);
	return faccessat(q->dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

int queue_add(struct queue *q, uint32_t job, struct err *e)
{
	char name[NAME_BYTES];
	int fd;

	snprintf(name, sizeof(name), "%u", job);
	if (faccessat(q->dir, name, F_OK, AT_SYMLINK_NOFOLLOW) < 0 && is_full(q)) {
		errno = ENOSPC;
		return err_set(e, "job %u: %d jobs wait already", job, QUEUE_MAX);
	}
	fd = openat(q->dir, name, OPEN_FLAGS, 0600);
	if (fd < 0 || futimens(fd, NULL) < 0) {
		fdio_close(fd);
		return err_errno(e, "queue job %u", job);
	}
	close(fd);
	futimens(q->dir, NULL); /* for who waits for a change */
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct queued *x = a, *y = b;

	if (x->since_s != y->since_s)
		return x->since_s < y->since_s ? -1 : 1;
	if (x->since_ns != y->since_ns)
		return x->since_ns < y->since_ns ? -1 : 1;
	return (x->job > y->job) - (x->job < y->job);
}

static bool look(int dir, const char *name, struct queued *out)
{
	struct stat st;

	out->job = job_id_of(name);
	if (!out->job || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	out->since_s = st.st_mtim.tv_sec;
	out->since_ns = st.st_mtim.tv_nsec;
	return true;
}

int queue_list(const struct queue *q, struct queued **list)
{
	DIR *dir = open_list(q);
	struct queued *jobs = calloc(QUEUE_MAX, sizeof(*jobs));
	struct dirent *d;
	int n = 0;

	if (!dir || !jobs) {
		free(jobs);
		if (dir)
			closedir(dir);
		return -1;
	}
	while (n < QUEUE_MAX && (d = readdir(dir)))
		n += look(dirfd(dir), d->d_name, &jobs[n]);
	closedir(dir);
	qsort(jobs, (size_t)n, sizeof(*jobs), by_time);
	*list = jobs;
	return n;
}

int64_t queue_changed_ns(const struct queue *q)
{
	struct stat st;

	return fstat(q->dir, &st) < 0 ? 0
				      : st.st_mtim.tv_sec * INT64_C(1000000000) +
						st.st_mtim.tv_nsec;
}

void queue_remove(const struct queue *q, const struct queued *job)
{
	char name[NAME_BYTES];
	struct queued now;

	snprintf(name, sizeof(name), "%u", job->job);
	if (look(q->dir, name, &now) && now.since_s == job->since_s &&
	    now.since_ns == job->since_ns)
		unlinkat(q->dir, name, 0);
}

bool queue_lock(struct queue *q)
{
	if (q->lock >= 0)
		return true;
	q->lock = openat(q->dir, LOCK_NAME, OPEN_FLAGS, 0600);
	if (q->lock < 0)
		return false;
	/* Its time keeps it out of what is pruned: another file of that name
	 * would be another lock. */
	if (flock(q->lock, LOCK_EX | LOCK_NB) == 0) {
		(void)!futimens(q->lock, NULL);
		return true;
	}
	queue_unlock(q);
	return false;
}

void queue_unlock(struct queue *q)
{
	fdio_close(q->lock);
	q->lock = -1;
}

/* ---- times, each that of a file ------------------------------------------------- */

static void put_time(const struct queue *q, const char *name, int64_t at_s)
{
	struct timespec t[2] = { { .tv_sec = at_s }, { .tv_sec = at_s } };
	int fd = openat(q->dir, name, OPEN_FLAGS, 0600);

	if (fd >= 0)
		futimens(fd, t);
	fdio_close(fd);
}

static int64_t get_time(const struct queue *q, const char *name)
{
	struct stat st;

	return fstatat(q->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0
		       ? st.st_mtim.tv_sec
		       : 0;
}

void queue_pause(const struct queue *q, int seconds)
{
	if (seconds > 0)
		put_time(q, PAUSE_NAME, clock_wall_s() + seconds);
	else
		unlinkat(q->dir, PAUSE_NAME, 0);
}

bool queue_is_paused(const struct queue *q, int64_t now_s)
{
	int64_t until_s = get_time(q, PAUSE_NAME);

	/* A clock that was put back must not make a day of it. */
	return until_s > now_s && until_s < now_s + PAUSE_MAX_S;
}

int64_t queue_looked(const struct queue *q)
{
	return get_time(q, LOOKED_NAME);
}

void queue_look(const struct queue *q, int64_t upto_s)
{
	put_time(q, LOOKED_NAME, upto_s);
}
