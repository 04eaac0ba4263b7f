/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/fdio.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

ssize_t fdio_read(int fd, void *buf, size_t size)
{
	size_t have = 0;
	ssize_t n;

	while (have < size) {
		n = read(fd, (char *)buf + have, size - have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		have += (size_t)n;
	}
	return (ssize_t)have;
}

/* What fstat() said decides, so nothing can be put in its place. */
static char *read_regular(int fd, size_t max, struct stat *st)
{
	char *text;
	ssize_t n;

	if (fstat(fd, st) < 0)
		return NULL;
	if (!S_ISREG(st->st_mode) || (uintmax_t)st->st_size > max) {
		errno = S_ISREG(st->st_mode) ? EFBIG : EPERM;
		return NULL;
	}
	text = malloc((size_t)st->st_size + 1);
	n = text ? fdio_read(fd, text, (size_t)st->st_size) : -1;
	if (n < 0) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	st->st_size = n;
	return text;
}

char *fdio_slurp(int dir, const char *name, size_t max, struct stat *st)
{
	/* O_NONBLOCK: a FIFO that lies there must not hold us. */
	int fd = openat(dir, name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char *text;

	if (fd < 0)
		return NULL;
	text = read_regular(fd, max, st);
	fdio_close(fd);
	return text;
}

int fdio_write(int fd, const void *buf, size_t size)
{
	const char *p = buf;
	ssize_t n;

	while (size) {
		n = write(fd, p, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		p += n;
		size -= (size_t)n;
	}
	return 0;
}

static int write_new(int dir, const char *name, mode_t mode, const void *buf,
		     size_t size)
{
	int fd = openat(dir, name,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			mode);

	if (fd < 0)
		return -1;
	if (fdio_write(fd, buf, size) < 0) {
		fdio_close(fd);
		return -1;
	}
	return close(fd);
}

int fdio_replace(int dir, const char *name, mode_t mode, const void *buf,
		 size_t size)
{
	char aside[NAME_MAX + 1];
	int n = snprintf(aside, sizeof(aside), ".%s.new", name);
	int saved;

	if (n < 0 || (size_t)n >= sizeof(aside)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	unlinkat(dir, aside, 0);	/* of a run that was killed */
	if (write_new(dir, aside, mode, buf, size) == 0 &&
	    renameat(dir, aside, dir, name) == 0)
		return 0;
	saved = errno;
	unlinkat(dir, aside, 0);
	errno = saved;
	return -1;
}

void fdio_close(int fd)
{
	int saved = errno;

	if (fd >= 0)
		close(fd);
	errno = saved;
}
