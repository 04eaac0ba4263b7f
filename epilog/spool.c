/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "epilog/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "epilog/members.h"
#include "epilog/summary.h"
#include "lib/fdio.h"
#include "lib/jsonfile.h"
#include "lib/grant.h"

/* ---- names ------------------------------------------------------------------- */

/* A name that is no path, whatever a record says. */
static bool is_host(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz"
				"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.");

	return n && n < 200 && !name[n] && name[0] != '.';
}

const char *spool_name(const json_t *record, char buf[SPOOL_NAME_MAX])
{
	const json_t *job = json_object_get(record, "job");
	const char *node = member_string(job, "node");
	int64_t id = member_whole(job, "id", 0);
	int64_t restart = member_whole(job, "restart", 0);

	errno = EINVAL;
	if (!is_host(node) || id <= 0 || id > UINT32_MAX || restart < 0 ||
	    restart > UINT32_MAX)
		return NULL;
	snprintf(buf, SPOOL_NAME_MAX, "%" PRId64 ".%" PRId64 ".%s.json", id,
		 restart, node);
	return buf;
}

/* ---- directories ---------------------------------------------------------------- */

/* A directory that only root (or who runs this) can change, made if it is not
 * there. Others may pass through it, but not list it. */
static int open_own(int at, const char *path)
{
	struct stat st;
	int fd;

	if (mkdirat(at, path, 0711) < 0 && errno != EEXIST)
		return -1;
	fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 ||
	    (st.st_uid == geteuid() && !(st.st_mode & 022)))
		return fd;
	fdio_close(fd);
	errno = EPERM;
	return -1;
}

/* ---- files ---------------------------------------------------------------------- */

/* Made aside, and readable for him before it gets its name. */
static int write_for(int dir, const char *aside, const char *text, uid_t user)
{
	int fd = openat(dir, aside,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0400);
	int rc;

	if (fd < 0)
		return -1;
	rc = fdio_write(fd, text, strlen(text));
	if (!rc && user != geteuid())
		rc = grant_read(fd, user);
	fdio_close(fd);
	return rc;
}

static int copy_text(int dir, const char *name, const char *text, uid_t user)
{
	char aside[NAME_MAX + 1];
	int saved;

	snprintf(aside, sizeof(aside), ".%.240s.new", name);
	unlinkat(dir, aside, 0);
	if (write_for(dir, aside, text, user) == 0 &&
	    renameat(dir, aside, dir, name) == 0)
		return 0;
	saved = errno;
	unlinkat(dir, aside, 0);
	errno = saved;
	return -1;
}

int spool_user_copy(int dir, const char *name, const json_t *record, uid_t user)
{
	char *text = json_dumps(record, SUMMARY_DUMP);
	int rc = text ? copy_text(dir, name, text, user) : -1;

	free(text);
	return rc;
}

static int store_copy(int spool, const json_t *record, uid_t user)
{
	int64_t id = member_whole(json_object_get(record, "job"), "id", 0);
	char name[32], owner[16];
	int users = open_own(spool, "users");
	int dir, rc = -1;

	snprintf(owner, sizeof(owner), "%u", (unsigned int)user);
	snprintf(name, sizeof(name), "%" PRId64 ".json", id);
	dir = users < 0 ? -1 : open_own(users, owner);
	if (dir >= 0)
		rc = spool_user_copy(dir, name, record, user);
	fdio_close(dir);
	fdio_close(users);
	return rc;
}

static int mark_pending(int spool, const char *name)
{
	int dir = open_own(spool, "pending");
	int rc = -1;

	if (dir < 0)
		return -1;
	unlinkat(dir, name, 0); /* of an earlier sample */
	rc = linkat(spool, name, dir, name, 0);
	fdio_close(dir);
	return rc;
}

int spool_store(const char *path, const json_t *record, uid_t user, bool share,
		struct err *e)
{
	char name[SPOOL_NAME_MAX];
	int spool = -1;
	int rc;

	if (!spool_name(record, name))
		return err_set(e, "a record that tells no job or no node");
	spool = open_own(AT_FDCWD, path);
	if (spool < 0)
		return err_errno(e, "spool %s", path);
	rc = jsonfile_replace(spool, name, 0600, record, SUMMARY_DUMP);
	if (!rc && share)
		rc = mark_pending(spool, name);
	if (rc)
		err_errno(e, "store %s in %s", name, path);
	else if (user != (uid_t)-1 && store_copy(spool, record, user) < 0)
		err_errno(e, "the copy of %s for uid %u", name,
			  (unsigned int)user);
	fdio_close(spool);
	return rc;
}
