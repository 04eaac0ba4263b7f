/* SPDX-License-Identifier: Apache-2.0
 * What is kept no longer in SHARED_DIR/jobs.
 *
 * There may be a million runs and thousands of nodes, so a pass ends when its
 * time is up, and the next one goes on where it was: at a place that readdir()
 * knows, which the stamp holds. A file system that takes it for another place
 * does no harm: what was passed over is met a round later. */
#include "config.h"
#include "epilog/shared.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "epilog/records.h"
#include "lib/clock.h"
#include "lib/fdio.h"

#define STAMP ".pruned"
#define WILD_S (30 * 86400)

struct stamp {
	int fd;
	int64_t time_s;
	long place; /* where to go on, 0 at the beginning */
};

struct pass {
	const struct shared_pruning *how;
	DIR *jobs;
	dev_t device;
	int64_t now_s, until_ms;
	int looked, removed;
};

/* ---- the stamp ------------------------------------------------------------------ */

/* Longer than a day ago, or in a future that no clock's skew explains. */
static bool is_due(const struct stamp *s, int64_t now_s)
{
	int64_t every_s = s->place ? SHARED_PRUNE_MORE_S : SHARED_PRUNE_S;

	return now_s - s->time_s >= every_s || s->time_s - now_s >= every_s;
}

static int read_stamp(struct stamp *s)
{
	char text[32] = "";
	struct stat st;

	if (fstat(s->fd, &st) < 0 || pread(s->fd, text, sizeof(text) - 1, 0) < 0)
		return -1;
	s->time_s = st.st_mtime;
	s->place = strtol(text, NULL, 10);
	return 0;
}

static int open_stamp(int jobs, struct stamp *s)
{
	struct stat st;

	s->fd = openat(jobs, STAMP,
		       O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
			       O_CLOEXEC,
		       0640);
	if (s->fd < 0)
		return -1;
	if (fstat(s->fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_uid == geteuid())
		return read_stamp(s);
	errno = EPERM;
	return -1;
}

/* One at a time, and not behind one who has just done it. Where files cannot
 * be locked, two at once do no harm. */
static bool is_ours(struct stamp *s, int64_t now_s)
{
	if (!is_due(s, now_s))
		return false;
	if (flock(s->fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return false;
	return read_stamp(s) == 0 && is_due(s, now_s);
}

static int put_stamp(const struct stamp *s)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "%ld\n", s->place);

	if (ftruncate(s->fd, 0) < 0 || pwrite(s->fd, text, (size_t)n, 0) != n)
		return -1;
	return futimens(s->fd, NULL);
}

/* ---- one run -------------------------------------------------------------------- */

static bool ends(const char *name, const char *end)
{
	size_t n = strlen(name), k = strlen(end);

	return n > k && !strcmp(name + n - k, end);
}

static bool is_made_by_us(int dir, const char *name)
{
	struct stat st;

	return (ends(name, RECORDS_SUFFIX) || ends(name, RECORDS_SERIES) ||
		ends(name, ".new")) &&
	       fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(st.st_mode) && st.st_uid == geteuid();
}

static int empty(DIR *run)
{
	struct dirent *d;
	int n = 0;

	while ((d = readdir(run)))
		if (is_made_by_us(dirfd(run), d->d_name) &&
		    unlinkat(dirfd(run), d->d_name, 0) == 0)
			n++;
	return n;
}

/* A directory changes with each record that comes. */
static bool is_old(const struct pass *p, const struct stat *st)
{
	return S_ISDIR(st->st_mode) && st->st_uid == geteuid() &&
	       st->st_dev == p->device &&
	       p->now_s - st->st_mtime > p->how->keep_s;
}

/* Once begun it is finished: what is left of it would be young. */
static void remove_run(struct pass *p, const char *name)
{
	int fd = openat(dirfd(p->jobs), name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	DIR *run = NULL;

	if (fd >= 0 && fstat(fd, &st) == 0 && is_old(p, &st))
		run = fdopendir(fd);
	if (!run) {
		fdio_close(fd);
		return;
	}
	/* Some file systems pass entries over while others go. */
	while (empty(run) > 0)
		rewinddir(run);
	closedir(run);
	if (unlinkat(dirfd(p->jobs), name, AT_REMOVEDIR) == 0)
		p->removed++;
}

static void look_at(struct pass *p, const char *name)
{
	uint32_t job, restart;
	const char *rest = records_name(name, &job, &restart);
	struct stat st;

	if (!rest || *rest)
		return;
	p->looked++;
	if (fstatat(dirfd(p->jobs), name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    is_old(p, &st))
		remove_run(p, name);
}

/* ---- a pass --------------------------------------------------------------------- */

/* Where it has come to; 0 that was the end. */
static long walk(struct pass *p, long place)
{
	struct dirent *d;

	if (place)
		seekdir(p->jobs, place);
	while ((d = readdir(p->jobs))) {
		look_at(p, d->d_name);
		if (p->looked >= p->how->most || clock_mono_ms() >= p->until_ms)
			return telldir(p->jobs);
	}
	return 0;
}

/* The time of the stamp that is set now is what this file system calls now.
 * That may be the node's clock after all: one by which nobody has been here for
 * longer than anything is kept is not believed. */
static int prune(struct pass *p, struct stamp *s)
{
	int64_t before_s = s->time_s;
	int64_t wild_s = p->how->keep_s > WILD_S ? p->how->keep_s : WILD_S;
	struct stat st;

	if (put_stamp(s) < 0 || fstat(s->fd, &st) < 0)
		return -1;
	if (st.st_mtime - before_s > wild_s)
		return 0;
	p->now_s = st.st_mtime;
	p->device = st.st_dev;
	p->until_ms = clock_mono_ms() + p->how->budget_ms;
	s->place = walk(p, s->place);
	return put_stamp(s) < 0 ? -1 : p->removed;
}

int shared_prune(const struct shared_pruning *how, int64_t now_s)
{
	struct pass p = { .how = how };
	struct stamp stamp = { .fd = -1 };
	char path[4200];
	int rc = -1;
	int fd;

	snprintf(path, sizeof(path), "%s/jobs", how->shared_dir);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	p.jobs = fd < 0 ? NULL : fdopendir(fd);
	if (!p.jobs) {
		fdio_close(fd);
		return -1;
	}
	if (open_stamp(fd, &stamp) == 0)
		rc = is_ours(&stamp, now_s) ? prune(&p, &stamp) : 0;
	fdio_close(stamp.fd);
	closedir(p.jobs);
	return rc;
}
