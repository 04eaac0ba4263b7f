/* SPDX-License-Identifier: Apache-2.0
 * tmpdir - a private directory for a test program, empty for each test. */
#ifndef ASSAY_TESTS_TMPDIR_H
#define ASSAY_TESTS_TMPDIR_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/fdio.h"

static char tmpdir[] = "/tmp/assay-unit.XXXXXX";
static int tmpdir_fd = -1;

static inline int tmpdir_setup(void **state)
{
	(void)state;
	if (!mkdtemp(tmpdir))
		return -1;
	tmpdir_fd = open(tmpdir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return tmpdir_fd < 0 ? -1 : 0;
}

static inline int tmpdir_clean(void **state)
{
	char cmd[100];

	(void)state;
	snprintf(cmd, sizeof(cmd), "find %s -mindepth 1 -delete", tmpdir);
	return system(cmd);
}

static inline int tmpdir_teardown(void **state)
{
	(void)state;
	close(tmpdir_fd);
	return rmdir(tmpdir);
}

/* A file below it. */
static inline void tmpdir_put(const char *name, const char *text)
{
	int fd = openat(tmpdir_fd, name,
			O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(fdio_write(fd, text, strlen(text)), 0);
	close(fd);
}

static inline int tmpdir_has(const char *name)
{
	return faccessat(tmpdir_fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* "TMPDIR/NAME", good until the next call but one. */
static inline const char *tmpdir_path(const char *name)
{
	static char path[2][300];
	static int i;

	i = !i;
	snprintf(path[i], sizeof(path[i]), "%s/%s", tmpdir, name);
	return path[i];
}

#endif
