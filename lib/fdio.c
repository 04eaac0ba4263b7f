/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/fdio.h"

#include <errno.h>
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

void fdio_close(int fd)
{
	int saved = errno;

	if (fd >= 0)
		close(fd);
	errno = saved;
}
