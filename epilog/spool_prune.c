/* SPDX-License-Identifier: Apache-2.0
 * What is kept no longer. */
#include "config.h"
#include "epilog/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/fdio.h"

#define DEPTH_MAX 3 /* users/UID/JOB.json */
#define FILES_MAX 1000000

struct kept {
	int64_t time_s, bytes;
	char *path; /* below the spool */
};

struct pruning {
	int spool;
	struct kept *file;
	size_t count, space;
	int64_t keep_s, now_s;
	int removed;
};

static int add(struct pruning *p, const char *path, const struct stat *st)
{
	struct kept *more;

	if (p->count == FILES_MAX)
		return 0;
	if (p->count == p->space) {
		p->space = p->space ? 2 * p->space : 256;
		more = realloc(p->file, p->space * sizeof(*more));
		if (!more)
			return -1;
		p->file = more;
	}
	p->file[p->count] =
		(struct kept){ st->st_mtime, (int64_t)st->st_blocks * 512,
			       strdup(path) };
	return p->file[p->count].path ? (p->count++, 0) : -1;
}

static void drop(struct pruning *p, const char *path)
{
	if (unlinkat(p->spool, path, 0) == 0)
		p->removed++;
}

static int walk(struct pruning *p, const char *path, int depth);

static int look_at(struct pruning *p, const char *path, int depth)
{
	struct stat st;

	if (fstatat(p->spool, path, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	if (S_ISDIR(st.st_mode))
		return depth < DEPTH_MAX ? walk(p, path, depth + 1) : 0;
	if (p->now_s - st.st_mtime <= p->keep_s)
		return add(p, path, &st);
	drop(p, path);
	return 0;
}

static DIR *open_below(const struct pruning *p, const char *path)
{
	int fd = openat(p->spool, *path ? path : ".",
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir)
		fdio_close(fd);
	return dir;
}

static int walk(struct pruning *p, const char *path, int depth)
{
	DIR *dir = open_below(p, path);
	char below[1024];
	struct dirent *d;
	int rc = 0;

	while (dir && !rc && (d = readdir(dir))) {
		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		if ((size_t)snprintf(below, sizeof(below), "%s%s%s", path,
				     *path ? "/" : "", d->d_name) < sizeof(below))
			rc = look_at(p, below, depth);
	}
	if (dir)
		closedir(dir);
	return rc;
}

static int older_first(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	return (x->time_s > y->time_s) - (x->time_s < y->time_s);
}

static void shrink(struct pruning *p, int64_t max_bytes)
{
	int64_t bytes = 0;
	size_t i;

	for (i = 0; i < p->count; i++)
		bytes += p->file[i].bytes;
	qsort(p->file, p->count, sizeof(*p->file), older_first);
	for (i = 0; i < p->count && bytes > max_bytes; i++) {
		drop(p, p->file[i].path);
		bytes -= p->file[i].bytes;
	}
}

static void fini(struct pruning *p)
{
	size_t i;

	for (i = 0; i < p->count; i++)
		free(p->file[i].path);
	free(p->file);
	fdio_close(p->spool);
}

int spool_prune(const char *path, int64_t keep_s, int64_t max_bytes, int64_t now_s)
{
	struct pruning p = { .keep_s = keep_s, .now_s = now_s };
	int rc = 0;

	p.spool = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (p.spool < 0)
		return -1;
	if (flock(p.spool, LOCK_EX | LOCK_NB) == 0) {
		rc = walk(&p, "", 0);
		if (!rc && p.count)
			shrink(&p, max_bytes);
	}
	fini(&p);
	return rc ? -1 : p.removed;
}
