/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/xid.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/scrub.h"

#define SCHEMA "assay.xid/1"
#define FILE_MAX_BYTES (1 << 20)
#define ROWS_MAX 4096

/* etc/xid.json as it was when this was built (lib/xid_builtin.c). */
extern const char xid_builtin[];
extern const size_t xid_builtin_len;

struct rows {
	struct xid_row *row;
	size_t count;
};

struct tables {
	struct rows xid, sxid;
	bool read;
};

/* The built-in table is read when the first number is looked up: most gates
 * on a healthy node never do. Behind a pointer, as lookups are const. */
struct xid_table {
	struct tables *rows;
};

static const char *const class_names[] = {
	[XID_NOTE] = "note",	 [XID_APP] = "app",
	[XID_WARN] = "warn",	 [XID_RESET] = "reset",
	[XID_REBOOT] = "reboot", [XID_SERVICE] = "service",
	[XID_FOLLOW] = "follow",
};

#define CLASSES (sizeof(class_names) / sizeof(class_names[0]))

static const char *const blame_names[] = {
	[XID_BLAME_UNKNOWN] = "unknown",
	[XID_BLAME_PROGRAM] = "program",
	[XID_BLAME_HARDWARE] = "hardware",
};

#define BLAMES (sizeof(blame_names) / sizeof(blame_names[0]))

const char *xid_class_name(enum xid_class c)
{
	return class_names[c];
}

static int refuse(struct err *e, const char *what, const char *why)
{
	errno = EINVAL;
	return err_set(e, "%s: %s", what, why);
}

/* The place of a word in names, -1: it is none of them. */
static int get_word(const json_t *v, const char *const *names, size_t count)
{
	const char *word = json_string_value(v);
	size_t i;

	for (i = 0; word && i < count; i++)
		if (!strcmp(word, names[i]))
			return (int)i;
	return -1;
}

static int get_class(const json_t *v, struct xid_row *row)
{
	int i = get_word(v, class_names, CLASSES);

	row->class = (enum xid_class)(i < 0 ? 0 : i);
	return i < 0 ? -1 : 0;
}

static int get_blame(const json_t *v, struct xid_row *row)
{
	int i = get_word(v, blame_names, BLAMES);

	row->blame = (enum xid_blame)(i < 0 ? 0 : i);
	return i < 0 ? -1 : 0;
}

static enum xid_blame usual_blame(enum xid_class c)
{
	if (c == XID_APP)
		return XID_BLAME_PROGRAM;
	return c == XID_NOTE || c == XID_FOLLOW ? XID_BLAME_UNKNOWN :
						  XID_BLAME_HARDWARE;
}

static int get_text(const json_t *v, char *dst, size_t size)
{
	const char *s = json_string_value(v);

	if (!s || !*s || strlen(s) >= size)
		return -1;
	scrub_copy(dst, size, s);
	return 0;
}

static int get_number(const json_t *v, json_int_t max, int32_t *out)
{
	json_int_t n = json_integer_value(v);

	if (!json_is_integer(v) || n < 0 || n > max)
		return -1;
	*out = (int32_t)n;
	return 0;
}

/* One member of a row: 0, or -1 for a bad value or an unknown key. */
static int set_member(struct xid_row *row, const char *key, const json_t *v)
{
	if (!strcmp(key, "number"))
		return get_number(v, 99999, &row->number);
	if (!strcmp(key, "subcode"))
		return get_number(v, 63, &row->subcode);
	if (!strcmp(key, "class"))
		return get_class(v, row);
	if (!strcmp(key, "blame"))
		return get_blame(v, row);
	if (!strcmp(key, "name"))
		return get_text(v, row->name, sizeof(row->name));
	if (!strcmp(key, "advice"))
		return get_text(v, row->advice, sizeof(row->advice));
	if (!strcmp(key, "source"))
		return get_text(v, row->source, sizeof(row->source));
	if (!json_is_boolean(v))
		return -1;
	if (!strcmp(key, "dead"))
		row->dead = json_is_true(v);
	else if (!strcmp(key, "fatal"))
		row->fatal = json_is_true(v);
	else
		return -1;
	return 0;
}

static int read_row(struct xid_row *row, json_t *obj, const char *what,
		    struct err *e)
{
	const char *key;
	char why[128];
	json_t *v;

	memset(row, 0, sizeof(*row));
	row->number = row->subcode = row->fatal = -1;
	if (!json_is_object(obj))
		return refuse(e, what, "a row must be an object");
	json_object_foreach(obj, key, v) {
		if (set_member(row, key, v) < 0) {
			snprintf(why, sizeof(why),
				 "unknown key or bad value of \"%.40s\"", key);
			return refuse(e, what, scrub(why));
		}
	}
	if (row->number < 0 || !row->name[0] || !row->source[0] ||
	    !json_object_get(obj, "class"))
		return refuse(e, what,
			      "number, class, name and source are required");
	if (!json_object_get(obj, "blame"))
		row->blame = usual_blame(row->class);
	return 0;
}

static bool is_double(const struct rows *rows, const struct xid_row *r)
{
	size_t i;

	for (i = 0; i < rows->count; i++)
		if (rows->row[i].number == r->number &&
		    rows->row[i].subcode == r->subcode &&
		    rows->row[i].fatal == r->fatal)
			return true;
	return false;
}

static int read_rows(struct rows *rows, json_t *list, const char *file,
		     const char *name, struct err *e)
{
	char what[PATH_MAX];
	struct xid_row row;
	json_t *obj;
	size_t i;

	snprintf(what, sizeof(what), "%s: %s", file, name);
	if (!json_is_array(list) || json_array_size(list) > ROWS_MAX)
		return refuse(e, what, "must be a list of rows");
	rows->row = calloc(json_array_size(list) + 1, sizeof(row));
	if (!rows->row)
		return err_errno(e, "read %s", what);
	json_array_foreach(list, i, obj) {
		snprintf(what, sizeof(what), "%s: %s row %zu", file, name,
			 i + 1);
		if (read_row(&row, obj, what, e) < 0)
			return -1;
		if (is_double(rows, &row))
			return refuse(e, what, "the number is there twice");
		rows->row[rows->count++] = row;
	}
	return 0;
}

static int read_table(struct tables *t, json_t *root, const char *file,
		      struct err *e)
{
	const char *schema = json_string_value(json_object_get(root, "schema"));
	const char *key;
	json_t *v;

	if (!schema || strcmp(schema, SCHEMA))
		return refuse(e, file, "schema must be " SCHEMA);
	json_object_foreach(root, key, v) {
		if (strcmp(key, "schema") && strcmp(key, "about") &&
		    strcmp(key, "xid") && strcmp(key, "sxid"))
			return refuse(e, file, "unknown key");
	}
	if (read_rows(&t->xid, json_object_get(root, "xid"), file, "xid", e) <
	    0)
		return -1;
	return read_rows(&t->sxid, json_object_get(root, "sxid"), file, "sxid",
			 e);
}

static json_t *parse_fd(int fd, const char *path, struct err *e)
{
	json_error_t je;
	struct stat st;
	json_t *root;

	if (fstat(fd, &st) < 0) {
		err_errno(e, "look at %s", path);
		return NULL;
	}
	if (!S_ISREG(st.st_mode) || st.st_size > FILE_MAX_BYTES) {
		refuse(e, path, "not a regular file of at most 1 MiB");
		return NULL;
	}
	root = json_loadfd(fd, JSON_REJECT_DUPLICATES, &je);
	if (!root) {
		errno = EINVAL;
		err_set(e, "%s:%d: %s", path, je.line, je.text);
	}
	return root;
}

static json_t *parse(const char *path, struct err *e)
{
	json_error_t je;
	json_t *root;
	int saved, fd;

	if (!path) {
		root = json_loadb(xid_builtin, xid_builtin_len, 0, &je);
		if (!root)
			refuse(e, "built-in XID table", je.text);
		return root;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		err_errno(e, "open %s", path);
		return NULL;
	}
	root = parse_fd(fd, path, e);
	saved = errno;
	close(fd);
	errno = saved;
	return root;
}

static int read_tables(struct tables *t, const char *path, struct err *e)
{
	json_t *root = parse(path, e);
	int rc;

	if (!root)
		return -1;
	rc = read_table(t, root, path ? path : "built-in table", e);
	json_decref(root);
	t->read = rc == 0;
	return rc;
}

static void drop_rows(struct tables *t)
{
	free(t->xid.row);
	free(t->sxid.row);
	memset(t, 0, sizeof(*t));
}

struct xid_table *xid_load(const char *path, struct err *e)
{
	struct xid_table *t = calloc(1, sizeof(*t));

	if (t)
		t->rows = calloc(1, sizeof(*t->rows));
	if (!t || !t->rows) {
		err_errno(e, "load the XID table");
		xid_destroy(t);
		return NULL;
	}
	if (path && read_tables(t->rows, path, e) < 0) {
		xid_destroy(t);
		return NULL;
	}
	return t;
}

void xid_destroy(struct xid_table *t)
{
	int saved = errno;

	if (t) {
		if (t->rows)
			drop_rows(t->rows);
		free(t->rows);
		free(t);
	}
	errno = saved;
}

/* The rows, read now if they were not. Out of memory: none, and every number
 * is an unknown one. */
static const struct tables *rows_of(const struct xid_table *t)
{
	if (!t->rows->read && read_tables(t->rows, NULL, NULL) < 0)
		drop_rows(t->rows);
	return t->rows;
}

/* How well a row fits, -1: not at all. */
static int fit(const struct xid_row *r, int32_t number, int32_t subcode,
	       bool fatal)
{
	if (r->number != number)
		return -1;
	if (r->subcode >= 0 && r->subcode != subcode)
		return -1;
	if (r->fatal >= 0 && r->fatal != fatal)
		return -1;
	return (r->subcode >= 0 ? 2 : 0) + (r->fatal >= 0 ? 1 : 0);
}

static const struct xid_row *find(const struct rows *rows, int32_t number,
				  int32_t subcode, bool fatal)
{
	const struct xid_row *best = NULL;
	int best_fit = -1, f;
	size_t i;

	for (i = 0; i < rows->count; i++) {
		f = fit(&rows->row[i], number, subcode, fatal);
		if (f > best_fit) {
			best_fit = f;
			best = &rows->row[i];
		}
	}
	return best;
}

const struct xid_row *xid_find(const struct xid_table *t, int32_t number,
			       int32_t subcode, bool fatal)
{
	return find(&rows_of(t)->xid, number, subcode, fatal);
}

const struct xid_row *sxid_find(const struct xid_table *t, int32_t number,
				bool fatal)
{
	return find(&rows_of(t)->sxid, number, -1, fatal);
}
