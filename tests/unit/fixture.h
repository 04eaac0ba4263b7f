/* SPDX-License-Identifier: Apache-2.0
 * fixture - a small file tree in a temporary directory, as a root. */
#ifndef ASSAY_TESTS_FIXTURE_H
#define ASSAY_TESTS_FIXTURE_H

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/roots.h"
#include "tests/unit/unit.h"

struct fixture {
	char dir[64];
	struct roots roots;
};

static inline void fixture_open(struct fixture *x)
{
	strcpy(x->dir, "/tmp/assay-unit-XXXXXX");
	assert_non_null(mkdtemp(x->dir));
	assert_int_equal(roots_open(&x->roots, x->dir, NULL), 0);
	assert_true(x->roots.injected);
}

static inline int fixture_remove(const char *path, const struct stat *st,
				 int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void fixture_close(struct fixture *x)
{
	roots_close(&x->roots);
	nftw(x->dir, fixture_remove, 16, FTW_DEPTH | FTW_PHYS);
}

/* The path inside the tree, its parents made. */
static inline char *fixture_path(struct fixture *x, const char *path,
				 char buf[1024])
{
	snprintf(buf, 1024, "%s/%s", x->dir, path);
	for (char *p = buf + strlen(x->dir) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		assert_true(mkdir(buf, 0755) == 0 || errno == EEXIST);
		*p = '/';
	}
	return buf;
}

static inline void fixture_bytes(struct fixture *x, const char *path,
				 const void *bytes, size_t len)
{
	char full[1024];
	FILE *f = fopen(fixture_path(x, path, full), "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static inline void fixture_file(struct fixture *x, const char *path,
				const char *text)
{
	fixture_bytes(x, path, text, strlen(text));
}

static inline void fixture_dir(struct fixture *x, const char *path)
{
	char full[1024];

	assert_true(mkdir(fixture_path(x, path, full), 0755) == 0 ||
		    errno == EEXIST);
}

static inline void fixture_link(struct fixture *x, const char *path,
				const char *target)
{
	char full[1024];

	assert_int_equal(symlink(target, fixture_path(x, path, full)), 0);
}

static inline void fixture_unlink(struct fixture *x, const char *path)
{
	char full[1024];

	assert_int_equal(remove(fixture_path(x, path, full)), 0);
}

#endif
