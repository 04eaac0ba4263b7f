/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/cfg.h"
#include "lib/cfg_private.h"
#include "lib/fdio.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MAX 40

/* May somebody else than root and us change what st describes? */
static int judge(const struct stat *st, const char *path, struct err *e)
{
	errno = EPERM;
	if (st->st_uid != 0 && st->st_uid != geteuid())
		return err_set(e, "%s is owned by uid %u, neither root nor the user who runs this",
			       path, (unsigned int)st->st_uid);
	if (S_ISLNK(st->st_mode) || !(st->st_mode & (S_IWGRP | S_IWOTH)))
		return 0;
	if (S_ISDIR(st->st_mode) && (st->st_mode & S_ISVTX))
		return 0;
	return err_set(e, "%s may be written by others (mode %04o)", path,
		       (unsigned int)st->st_mode & 07777);
}

/* Put the link's target in front of what is left to walk. */
static int follow(char done[PATH_MAX], size_t parent, char todo[PATH_MAX],
		  const char *rest, struct err *e)
{
	char target[PATH_MAX];
	char both[2 * PATH_MAX];
	ssize_t len = readlink(done, target, sizeof(target) - 1);

	if (len < 0)
		return err_errno(e, "read the link %s", done);
	target[len] = '\0';
	len = snprintf(both, sizeof(both), "%s/%s", target, rest);
	if (len >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return err_errno(e, "follow the link %s", done);
	}
	memcpy(todo, both, (size_t)len + 1);
	done[target[0] == '/' ? 0 : parent] = '\0';
	return 0;
}

/* Walk todo from "/", judging every directory, link and file on the way. */
static int walk(char todo[PATH_MAX], struct err *e)
{
	char done[PATH_MAX] = "";
	struct stat st;
	const char *p = todo;
	int links = 0;
	size_t len, parent;

	if (lstat("/", &st) < 0 || judge(&st, "/", e) < 0)
		return -1;
	for (;;) {
		p += strspn(p, "/");
		len = strcspn(p, "/");
		parent = strlen(done);
		if (!len)
			return 0;
		if (len == 2 && !memcmp(p, "..", 2)) {
			*(parent ? strrchr(done, '/') : done) = '\0';
		} else if (len != 1 || *p != '.') {
			if (parent + len + 2 > sizeof(done)) {
				errno = ENAMETOOLONG;
				return err_errno(e, "look at %s", todo);
			}
			snprintf(done + parent, sizeof(done) - parent, "/%.*s",
				 (int)len, p);
			if (lstat(done, &st) < 0)
				return err_errno(e, "look at %s", done);
			if (judge(&st, done, e) < 0)
				return -1;
			if (S_ISLNK(st.st_mode)) {
				if (++links > LINKS_MAX) {
					errno = ELOOP;
					return err_errno(e, "look at %s", done);
				}
				if (follow(done, parent, todo, p + len, e) < 0)
					return -1;
				p = todo;
				continue;
			}
		}
		p += len;
	}
}

int cfg_file_trusted(const char *path, struct err *e)
{
	char todo[PATH_MAX];
	char cwd[PATH_MAX] = "";
	int len;

	if (path[0] != '/' && !getcwd(cwd, sizeof(cwd)))
		return err_errno(e, "find the current directory");
	len = snprintf(todo, sizeof(todo), "%s/%s", cwd, path);
	if (len < 0 || (size_t)len >= sizeof(todo)) {
		errno = ENAMETOOLONG;
		return err_errno(e, "look at a path");
	}
	return walk(todo, e);
}

static char *slurp(int fd, const char *path, size_t *len, struct err *e)
{
	char *text = NULL;
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) < 0) {
		err_errno(e, "look at %s", path);
		return NULL;
	}
	/* The walk judged a name; this is what the name became. */
	if (judge(&st, path, e) < 0)
		return NULL;
	if (!S_ISREG(st.st_mode)) {
		errno = EINVAL;
		err_set(e, "%s is not a regular file", path);
		return NULL;
	}
	if (st.st_size > CFG_FILE_MAX) {
		errno = EFBIG;
		err_errno(e, "read %s", path);
		return NULL;
	}
	text = malloc((size_t)st.st_size + 1);
	n = text ? fdio_read(fd, text, (size_t)st.st_size) : -1;
	if (n < 0) {
		err_errno(e, "read %s", path);
		free(text);
		return NULL;
	}
	text[n] = '\0';
	*len = (size_t)n;
	return text;
}

char *cfg_file_read(const char *path, size_t *len, struct err *e)
{
	char *text;
	int fd;

	if (cfg_file_trusted(path, e) < 0)
		return NULL;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0) {
		err_errno(e, "open %s", path);
		return NULL;
	}
	text = slurp(fd, path, len, e);
	fdio_close(fd);
	return text;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

struct cfg *cfg_load(const char *path, const struct cfg_section *sections,
		     const char *node, struct err *e)
{
	struct cfg *c = NULL;
	size_t len = 0;
	char *text = cfg_file_read(path, &len, e);

	if (text)
		c = cfg_parse(text, len, base_name(path), sections, node, e);
	free(text);
	return c;
}

static bool same_content(const char *path, const char *text, size_t len)
{
	size_t old_len = 0;
	char *old = cfg_file_read(path, &old_len, NULL);
	bool same = old && old_len == len && !memcmp(old, text, len);

	free(old);
	return same;
}

/* Keep text aside as the last good copy. Nobody needs it today: that it
 * cannot be kept is not an error. */
static void keep_copy(const char *path, const char *text, size_t len)
{
	char aside[PATH_MAX];
	int n = snprintf(aside, sizeof(aside), "%s.XXXXXX", path);
	int fd, rc;

	if (n < 0 || (size_t)n >= sizeof(aside) || same_content(path, text, len))
		return;
	fd = mkostemp(aside, O_CLOEXEC);	/* mode 0600 */
	if (fd < 0)
		return;
	rc = fdio_write(fd, text, len);
	if (close(fd) < 0 || rc < 0 || rename(aside, path) < 0)
		unlink(aside);
}

struct cfg *cfg_load_or_last_good(const char *path, const char *copy_path,
				  const struct cfg_section *sections,
				  const char *node, bool *used_copy,
				  struct err *e)
{
	struct cfg *c = NULL;
	size_t len = 0;
	char *text = cfg_file_read(path, &len, e);
	bool missing = !text && errno == ENOENT;
	int saved;

	*used_copy = false;
	if (text)
		c = cfg_parse(text, len, base_name(path), sections, node, e);
	saved = errno;
	if (c && !cfg_complaint(c))
		keep_copy(copy_path, text, len);
	if (!c && !missing) {
		c = cfg_load(copy_path, sections, node, NULL);
		*used_copy = c != NULL;
	}
	free(text);
	errno = saved;
	return c;
}
