/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/roots_resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINKS_MAX 40

/* Take the last part off a path without slashes at its end. */
static void drop_last(char *path)
{
	char *slash = strrchr(path, '/');

	*(slash ? slash : path) = '\0';
}

/* Put target and rest, divided by '/', into todo. */
static int follow(char todo[PATH_MAX], const char *target, const char *rest)
{
	char both[PATH_MAX];
	int len = snprintf(both, sizeof(both), "%s/%s", target, rest);

	if (len < 0 || len >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(todo, both, (size_t)len + 1);
	return 0;
}

static int append(char done[PATH_MAX], const char *part)
{
	size_t old = strlen(done);
	int n = snprintf(done + old, PATH_MAX - old, "%s%s", old ? "/" : "",
			 part);

	if (n < 0 || (size_t)n >= PATH_MAX - old) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return 0;
}

/* Add one part to the resolved path; a link's target goes in front of todo
 * instead. 1: it was a link, 0: it was not, -1: errno. */
static int step(int root, char done[PATH_MAX], const char *part,
		char todo[PATH_MAX], const char *rest)
{
	char target[PATH_MAX];
	size_t old = strlen(done);
	ssize_t len;

	if (append(done, part) < 0)
		return -1;
	len = readlinkat(root, done, target, sizeof(target) - 1);
	if (len < 0)
		return errno == EINVAL || errno == ENOENT ? 0 : -1;
	target[len] = '\0';
	done[target[0] == '/' ? 0 : old] = '\0';
	return follow(todo, target, rest) < 0 ? -1 : 1;
}

/* Make of path one without links, relative to root; O_NOFOLLOW leaves the
 * last part as it is. */
static int resolve(int root, const char *path, int flags, char done[PATH_MAX])
{
	char todo[PATH_MAX];
	char part[NAME_MAX + 1];
	const char *p = todo;
	int links = 0;
	size_t len;
	int rc;

	done[0] = '\0';
	if (follow(todo, path, "") < 0)
		return -1;
	for (;;) {
		p += strspn(p, "/");
		len = strcspn(p, "/");
		if (!len)
			break;
		if (len > NAME_MAX) {
			errno = ENAMETOOLONG;
			return -1;
		}
		memcpy(part, p, len);
		part[len] = '\0';
		p += len;
		if (!strcmp(part, "."))
			continue;
		if (!strcmp(part, "..")) {
			drop_last(done);
			continue;
		}
		if ((flags & O_NOFOLLOW) && !p[strspn(p, "/")])
			return append(done, part);
		rc = step(root, done, part, todo, p);
		if (rc < 0)
			return -1;
		if (rc > 0) {
			p = todo;
			if (++links > LINKS_MAX) {
				errno = ELOOP;
				return -1;
			}
		}
	}
	return 0;
}

int roots_open_by_hand(int root, const char *path, int flags)
{
	char done[PATH_MAX];

	if (resolve(root, path, flags, done) < 0)
		return -1;
	return openat(root, done[0] ? done : ".", flags | O_NOFOLLOW);
}
