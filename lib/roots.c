/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/fdio.h"
#include "lib/roots.h"
#include "lib/roots_resolve.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PATH_BYTES 512

int roots_open(struct roots *r, const char *path, struct err *e)
{
	struct stat own, got;

	r->injected = false;
	r->fd = open(path, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	if (r->fd < 0)
		return err_errno(e, "open the root %s", path);
	/* "/." and "//" are the system's own root as well. */
	if (stat("/", &own) < 0 || fstat(r->fd, &got) < 0) {
		err_errno(e, "look at the root %s", path);
		roots_close(r);
		return -1;
	}
	r->injected = own.st_dev != got.st_dev || own.st_ino != got.st_ino;
	return 0;
}

void roots_close(struct roots *r)
{
	fdio_close(r->fd);
	r->fd = -1;
}

#define TRIES_MAX 10000

int roots_openat(const struct roots *r, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)(flags | O_CLOEXEC | O_NOCTTY),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS
	};
	int tries = 0;
	int fd;

	if (flags & (O_CREAT | O_TRUNC)) {
		errno = EINVAL;
		return -1;
	}
	/* O_PATH takes nothing but its few companions. */
	if (flags & O_PATH)
		how.flags &= O_PATH | O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW;
	/* EAGAIN: somebody renamed or mounted something, anywhere, while a ".."
	 * was resolved; links in /sys are full of these. */
	do
		fd = (int)syscall(SYS_openat2, r->fd, path, &how, sizeof(how));
	while (fd < 0 && (errno == EINTR ||
			  (errno == EAGAIN && ++tries < TRIES_MAX)));
	/* Old container runtimes say EPERM for calls they never heard of. */
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = roots_open_by_hand(r->fd, path, (int)how.flags);
	return fd;
}

/* A regular file for reading. O_NONBLOCK: a FIFO in a fixture must not hang
 * the open; what is not a regular file is then refused. */
static int open_regular(const struct roots *r, const char *path)
{
	struct stat st;
	int fd = roots_openat(r, path, O_RDONLY | O_NONBLOCK);

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0) {
		if (S_ISREG(st.st_mode))
			return fd;
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
	}
	fdio_close(fd);
	return -1;
}

ssize_t roots_read(const struct roots *r, const char *path, char *buf,
		   size_t size)
{
	ssize_t len = -1;
	char more;
	int fd;

	if (!size) {
		errno = EINVAL;
		return -1;
	}
	buf[0] = '\0';
	fd = open_regular(r, path);
	if (fd < 0)
		return -1;
	len = fdio_read(fd, buf, size - 1);
	if (len >= 0 && (size_t)len == size - 1 &&
	    fdio_read(fd, &more, 1) != 0) {
		errno = EFBIG;
		len = -1;
	}
	if (len > 0 && buf[len - 1] == '\n')
		len--;
	buf[len > 0 ? len : 0] = '\0';
	fdio_close(fd);
	return len;
}

static int path_vformat(char path[PATH_BYTES], const char *fmt, va_list ap)
{
	int len = vsnprintf(path, PATH_BYTES, fmt, ap);

	if (len >= 0 && len < PATH_BYTES)
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}

ssize_t roots_readf(const struct roots *r, char *buf, size_t size,
		    const char *fmt, ...)
{
	char path[PATH_BYTES];
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = path_vformat(path, fmt, ap);
	va_end(ap);
	return rc < 0 ? -1 : roots_read(r, path, buf, size);
}

/* One byte more than max is asked for, so that "larger" can be told. */
static char *slurp_fd(int fd, size_t max, size_t *len)
{
	size_t space = 4096;
	size_t have = 0;
	char *text = NULL;
	char *grown;
	ssize_t n;

	for (;;) {
		if (space > max + 1)
			space = max + 1;
		grown = realloc(text, space + 1);
		if (!grown)
			goto fail;
		text = grown;
		n = fdio_read(fd, text + have, space - have);
		if (n < 0)
			goto fail;
		have += (size_t)n;
		if (have < space)
			break;
		if (have > max) {
			errno = EFBIG;
			goto fail;
		}
		space *= 2;
	}
	text[have] = '\0';
	*len = have;
	return text;
fail:
	free(text);
	return NULL;
}

char *roots_slurp(const struct roots *r, const char *path, size_t max,
		  size_t *len)
{
	size_t have = 0;
	char *text;
	int fd;

	if (max > SSIZE_MAX / 2) {
		errno = EINVAL;
		return NULL;
	}
	fd = open_regular(r, path);
	if (fd < 0)
		return NULL;
	text = slurp_fd(fd, max, &have);
	if (text && len)
		*len = have;
	fdio_close(fd);
	return text;
}

static int parse_u64(const char *text, uint64_t *out)
{
	unsigned long long v;
	char *end;
	int base = 10;

	text += strspn(text, " \t");
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		base = 16;
	errno = EINVAL;
	/* strtoull() would take a sign, and "0x" as 0. */
	if (!isxdigit((unsigned char)text[base == 16 ? 2 : 0]))
		return -1;
	errno = 0;
	v = strtoull(text, &end, base);
	if (errno)
		return -1;
	if (end == text || end[strspn(end, " \t\r\n")]) {
		errno = EINVAL;
		return -1;
	}
	*out = v;
	return 0;
}

int roots_read_u64(const struct roots *r, uint64_t *out, const char *fmt, ...)
{
	char path[PATH_BYTES];
	char buf[64];
	va_list ap;
	ssize_t len;
	int rc;

	va_start(ap, fmt);
	rc = path_vformat(path, fmt, ap);
	va_end(ap);
	if (rc < 0)
		return -1;
	len = roots_read(r, path, buf, sizeof(buf));
	if (len < 0) {
		if (errno == EFBIG)
			errno = EINVAL;
		return -1;
	}
	if (strlen(buf) != (size_t)len) {
		errno = EINVAL;
		return -1;
	}
	return parse_u64(buf, out);
}

bool roots_exists(const struct roots *r, const char *fmt, ...)
{
	char path[PATH_BYTES];
	va_list ap;
	int fd = -1;

	va_start(ap, fmt);
	if (path_vformat(path, fmt, ap) == 0)
		fd = roots_openat(r, path, O_PATH);
	va_end(ap);
	fdio_close(fd);
	return fd >= 0;
}

ssize_t roots_readlink(const struct roots *r, const char *path, char *buf,
		       size_t size)
{
	ssize_t len;
	int fd;

	if (!size) {
		errno = EINVAL;
		return -1;
	}
	buf[0] = '\0';
	fd = roots_openat(r, path, O_PATH | O_NOFOLLOW);
	if (fd < 0)
		return -1;
	len = readlinkat(fd, "", buf, size);
	if (len < 0 && errno == ENOENT)
		errno = EINVAL;	/* how readlinkat("") says: not a link */
	if (len >= 0 && (size_t)len == size) {
		errno = ENAMETOOLONG;
		len = -1;
	}
	buf[len > 0 ? len : 0] = '\0';
	fdio_close(fd);
	return len;
}
