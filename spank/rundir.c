/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "spank/rundir.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/fdio.h"
#include "spank/faults.h"

/* Hands fd on if it is of that type and nobody else's, closes it else. */
static int own(int fd, mode_t type)
{
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == type &&
	    (!st.st_uid || st.st_uid == geteuid()) && !(st.st_mode & 022))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

int rundir_open(const char *run, uint32_t job)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int top = own(open(run, flags), S_IFDIR);
	char name[16];
	int dir;

	if (top < 0)
		return -1;
	snprintf(name, sizeof(name), "%" PRIu32, job);
	dir = own(openat(top, name, flags), S_IFDIR);
	fdio_close(top);
	return dir;
}

/* O_NONBLOCK: a FIFO is refused, not waited for. */
static int open_own(int dir, const char *name, int flags)
{
	return own(openat(dir, name,
			  flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600),
		   S_IFREG);
}

bool rundir_has(int dir, const char *name)
{
	int fd = open_own(dir, name, O_RDONLY);

	fdio_close(fd);
	return fd >= 0;
}

ssize_t rundir_read(int dir, const char *name, char *buf, size_t size)
{
	int fd = open_own(dir, name, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : fdio_read(fd, buf, size - 1);

	buf[n > 0 ? n : 0] = '\0';
	fdio_close(fd);
	return n;
}

/* One write: lines of steps that end at once do not mix. */
static int write_line(int fd, const char *line, bool torn)
{
	char buf[8192 + 1];
	size_t len = strlen(line);
	ssize_t n;

	if (len >= sizeof(buf)) {
		errno = E2BIG;
		return -1;
	}
	buf[0] = '\n';
	memcpy(buf + torn, line, len);
	n = FAULT_WRITE(fd, buf, len + torn);
	if (n >= 0 && (size_t)n < len + torn)
		errno = ENOSPC;
	return n == (ssize_t)(len + torn) ? 0 : -1;
}

int rundir_append(int dir, const char *name, const char *line, off_t max)
{
	int fd = open_own(dir, name, O_RDWR | O_APPEND | O_CREAT);
	struct stat st;
	char last = '\n';
	int rc = -1;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0 ||
	    (st.st_size && pread(fd, &last, 1, st.st_size - 1) != 1))
		goto out;
	if (st.st_size >= max) {
		errno = EFBIG;
		goto out;
	}
	rc = write_line(fd, line, last != '\n');
out:
	fdio_close(fd);
	return rc;
}

int rundir_note(int dir, const char *name, const char *text)
{
	int fd = open_own(dir, name, O_WRONLY | O_CREAT | O_EXCL);
	int rc = fd < 0 ? -1 : fdio_write(fd, text, strlen(text));

	fdio_close(fd);
	return rc;
}
