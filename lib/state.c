/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/state.h"
#include "lib/clock.h"
#include "lib/fdio.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DOCUMENT_MAX ((size_t)4 * 1024 * 1024)
#define FILE_BYTES (STATE_NAME_BYTES + 16)
#define SCHEMA 1

enum found {
	FOUND_NOTHING,
	FOUND_GOOD,
	FOUND_BAD,		/* there, but no document of ours */
	FOUND_NEWER,
	FOUND_ERROR		/* errno: it cannot be looked at */
};

static int check_dir(int fd, const char *dir, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_errno(e, "look at %s", dir);
	errno = EPERM;
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return err_set(e, "%s is owned by uid %u, neither root nor the user who runs this",
			       dir, (unsigned int)st.st_uid);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return err_set(e, "%s may be written by others (mode %04o)",
			       dir, (unsigned int)st.st_mode & 07777);
	return 0;
}

/* A descriptor, or -1. */
static int open_dir(const char *dir, struct err *e)
{
	int fd;

	if (mkdir(dir, 0711) < 0 && errno != EEXIST)
		return err_errno(e, "create %s", dir);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_errno(e, "open %s", dir);
	if (check_dir(fd, dir, e) < 0) {
		fdio_close(fd);
		return -1;
	}
	return fd;
}

int state_open(struct state *s, const char *dir, struct err *e)
{
	memset(s, 0, sizeof(*s));
	s->lock = -1;
	s->dir = open_dir(dir, &s->complaint);
	s->readonly = s->unread = s->dir < 0;
	return s->dir < 0 ? err_set(e, "%s", s->complaint.text) : 0;
}

void state_close(struct state *s)
{
	state_unlock(s);
	fdio_close(s->dir);
	s->dir = -1;
	s->readonly = true;
}

/* A record lock, not flock(2): a child would share that, and a worker which
 * hangs in a driver would keep it when its parent is gone. */
static int lock_until(int fd, int64_t until_ms)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	while (fcntl(fd, F_SETLK, &whole) < 0) {
		if (errno != EAGAIN && errno != EACCES && errno != EINTR)
			return -1;
		if (clock_mono_ms() >= until_ms) {
			errno = ETIMEDOUT;
			return -1;
		}
		clock_sleep_ms(5);
	}
	return 0;
}

int state_lock(struct state *s, int deadline_ms)
{
	int64_t until_ms = clock_mono_ms() + deadline_ms;
	int fd;

	if (s->dir < 0) {
		errno = EBADF;
		return -1;
	}
	if (s->lock >= 0)
		return 0;
	fd = openat(s->dir, "lock",
		    O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
		    0600);
	if (fd < 0 || lock_until(fd, until_ms) < 0) {
		s->readonly = true;
		fdio_close(fd);
		return -1;
	}
	s->lock = fd;
	s->readonly = false;
	return 0;
}

void state_unlock(struct state *s)
{
	fdio_close(s->lock);	/* which drops the lock */
	s->lock = -1;
	s->known_count = 0;
}

static int check_name(const char *name)
{
	size_t len = strlen(name);

	if (len && len < STATE_NAME_BYTES &&
	    len == strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-"))
		return 0;
	errno = EINVAL;
	return -1;
}

static bool known(const struct state *s, const char *name)
{
	int i;

	for (i = 0; i < s->known_count; i++)
		if (!strcmp(s->known[i], name))
			return true;
	return false;
}

static void note_known(struct state *s, const char *name)
{
	if (s->lock < 0 || s->known_count == STATE_KNOWN_MAX || known(s, name))
		return;
	snprintf(s->known[s->known_count++], STATE_NAME_BYTES, "%s", name);
}

static void complain(struct state *s, const char *name, const char *what)
{
	if (!s->complaint.text[0])
		err_set(&s->complaint, "state: %s.json %s", name, what);
}

/* At most DOCUMENT_MAX bytes of a regular file. */
static enum found read_text(int dir, const char *name, char **text, size_t *len)
{
	char file[FILE_BYTES];
	struct stat st;

	snprintf(file, sizeof(file), "%s.json", name);
	*text = fdio_slurp(dir, file, DOCUMENT_MAX, &st);
	if (*text) {
		*len = (size_t)st.st_size;
		return FOUND_GOOD;
	}
	return errno == ENOENT ? FOUND_NOTHING :
	       errno == ELOOP || errno == EPERM || errno == EFBIG ?
				 FOUND_BAD :
				 FOUND_ERROR;
}

/* "assay.state.NAME/N": N, or 0 if it is not that. */
static long schema_of(const json_t *doc, const char *name)
{
	const char *text = json_string_value(json_object_get(doc, "schema"));
	char front[STATE_NAME_BYTES + 16];
	size_t len = (size_t)snprintf(front, sizeof(front), "assay.state.%s/",
				      name);
	char *end;
	long n;

	if (!text || strncmp(text, front, len) != 0 || text[len] < '1' ||
	    text[len] > '9')
		return 0;
	n = strtol(text + len, &end, 10);
	return *end ? 0 : n;
}

/* Read the document; *doc is set only if it is good. */
static enum found load(int dir, const char *name, json_t **doc)
{
	enum found found;
	json_error_t why;
	char *text = NULL;
	size_t len = 0;
	json_t *got;
	long schema;

	found = read_text(dir, name, &text, &len);
	if (found != FOUND_GOOD)
		goto out;
	got = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
	schema = schema_of(got, name);
	if (got && schema == SCHEMA) {
		*doc = got;
		goto out;
	}
	found = schema > SCHEMA ? FOUND_NEWER : FOUND_BAD;
	if (!got && json_error_code(&why) == json_error_out_of_memory) {
		errno = ENOMEM;
		found = FOUND_ERROR;
	}
	json_decref(got);
out:
	free(text);
	return found;
}

static void set_aside(struct state *s, const char *name)
{
	char from[FILE_BYTES], to[FILE_BYTES];

	if (s->readonly)
		return;
	snprintf(from, sizeof(from), "%s.json", name);
	snprintf(to, sizeof(to), "%s.json.bad", name);
	/* The first one of a row of bad ones is the one to look at. */
	if (faccessat(s->dir, to, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		renameat(s->dir, from, s->dir, to);
}

json_t *state_get(struct state *s, const char *name)
{
	json_t *doc = NULL;

	if (s->dir < 0 || check_name(name) < 0)
		return json_object();
	switch (load(s->dir, name, &doc)) {
	case FOUND_GOOD:
		note_known(s, name);
		return doc;
	case FOUND_NOTHING:
		note_known(s, name);
		break;
	case FOUND_BAD:
		complain(s, name, "cannot be read; kept as .bad");
		set_aside(s, name);
		break;
	case FOUND_NEWER:
		complain(s, name, "is of a newer version; left as it is");
		break;
	case FOUND_ERROR:
		s->unread = true;
		complain(s, name, strerror(errno));
		break;
	}
	return json_object();
}

/* May the document be replaced? */
static int check_old(struct state *s, const char *name)
{
	json_t *doc = NULL;

	switch (load(s->dir, name, &doc)) {
	case FOUND_NOTHING:
		break;
	case FOUND_GOOD:
		json_decref(doc);
		break;
	case FOUND_BAD:
		complain(s, name, "cannot be read; kept as .bad");
		set_aside(s, name);
		break;
	case FOUND_NEWER:
		complain(s, name, "is of a newer version; left as it is");
		errno = EROFS;
		return -1;
	case FOUND_ERROR:
		return -1;
	}
	return 0;
}

/* obj as text, "schema" in front. NULL on ENOMEM. */
static char *print(const char *name, json_t *obj)
{
	json_t *schema = json_sprintf("assay.state.%s/%d", name, SCHEMA);
	json_t *doc = json_object();
	char *text = NULL;

	if (schema && doc && json_object_set(obj, "schema", schema) == 0 &&
	    json_object_set(doc, "schema", schema) == 0 &&
	    json_object_update(doc, obj) == 0)
		text = json_dumps(doc, JSON_INDENT(1));
	json_decref(doc);
	json_decref(schema);
	if (!text)
		errno = ENOMEM;
	return text;
}

int state_put(struct state *s, const char *name, json_t *obj, struct err *e)
{
	char file[FILE_BYTES];
	char *text = NULL;
	int rc = -1;

	if (check_name(name) < 0)
		goto out;
	if (s->readonly) {
		errno = EROFS;
		goto out;
	}
	if (!known(s, name) && check_old(s, name) < 0)
		goto out;
	text = print(name, obj);
	if (!text)
		goto out;
	if (strlen(text) > DOCUMENT_MAX) {
		errno = EFBIG;
		goto out;
	}
	snprintf(file, sizeof(file), "%s.json", name);
	rc = fdio_replace(s->dir, file, 0600, text, strlen(text));
out:
	free(text);
	return rc < 0 ? err_errno(e, "write state %.64s", name) : 0;
}
