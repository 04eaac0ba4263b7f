/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/gres.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/hostlist.h"

#define BLANKS " \t\r"

/* One line, its values borrowed from the text; NULL: not given. */
struct line {
	const char *node_name, *name, *file, *multiple, *autodetect;
};

struct parser {
	const char *node;
	struct gres_conf *out;
	int number;		/* of the line, from 1 */
	int everybodys, own;	/* enum gres_autodetect, -1: not said */
	struct err *e;
};

static int bad_line(const struct parser *p, int err, const char *what)
{
	errno = err;
	return err_set(p->e, "gres.conf line %d: %s", p->number, what);
}

/* The next logical line at *text: continued lines joined, the comment cut.
 * Writes into the text. NULL at its end. */
static char *next_line(char **text, int *lines)
{
	char *start = *text, *in = start, *out = start;
	bool comment = false;

	if (!*start)
		return NULL;
	for (*lines = 1; *in && *in != '\n'; in++) {
		if (in[0] == '\\' && strchr("\n", in[1])) {
			/* Goes on in the next line, if there is one. */
			if (!in[1])
				continue;
			in++;
			++*lines;
			*out++ = ' ';
		} else if (in[0] == '\\' && in[1] == '#' && !comment) {
			*out++ = *++in;
		} else {
			comment = comment || *in == '#';
			if (!comment)
				*out++ = *in;
		}
	}
	*text = *in ? in + 1 : in;
	*out = 0;
	return start;
}

/* Cut the word at *p, KEY=VALUE or KEY="VALUE", and move behind it. */
static char *next_word(char **p)
{
	char *start = *p + strspn(*p, BLANKS), *in = start, *out = start;
	bool quoted = false;

	if (!*start)
		return NULL;
	for (; *in && (quoted || !strchr(BLANKS, *in)); in++) {
		if (*in == '"')
			quoted = !quoted;
		else
			*out++ = *in;
	}
	*p = *in ? in + 1 : in;
	*out = 0;
	return start;
}

static const char **member_of(struct line *l, const char *key)
{
	if (!strcasecmp(key, "NodeName"))
		return &l->node_name;
	if (!strcasecmp(key, "Name"))
		return &l->name;
	if (!strcasecmp(key, "File"))
		return &l->file;
	if (!strcasecmp(key, "MultipleFiles"))
		return &l->multiple;
	if (!strcasecmp(key, "AutoDetect"))
		return &l->autodetect;
	return NULL;
}

static int read_words(const struct parser *p, char *text, struct line *l)
{
	const char **member;
	char *word, *value;

	memset(l, 0, sizeof(*l));
	while ((word = next_word(&text))) {
		if (!strcasecmp(word, "Include"))
			return bad_line(p, ENOTSUP, "includes another file");
		value = strchr(word, '=');
		if (!value)
			return bad_line(p, EINVAL, "a word without '='");
		*value++ = 0;
		member = member_of(l, word);
		if (member)
			*member = value;
	}
	return 0;
}

static int autodetect_of(const char *value)
{
	if (!strcasecmp(value, "nvml"))
		return GRES_AUTO_NVML;
	if (!strcasecmp(value, "nvidia"))
		return GRES_AUTO_NVIDIA;
	if (!strcasecmp(value, "off"))
		return GRES_AUTO_NONE;
	return GRES_AUTO_OTHER;
}

/* The number at the end of a device's name; -1 without one, and for MIG's
 * capability files, whose numbers are not those of GPUs. */
static int number_of(const char *base)
{
	size_t len = strlen(base), n = len;

	while (n && base[n - 1] >= '0' && base[n - 1] <= '9')
		n--;
	if (n == len || len - n > 6 || !strncmp(base, "nvidia-cap", 10))
		return -1;
	return atoi(base + n);
}

static int add_position(const struct parser *p, int dir_len, const char *dir,
			const char *base)
{
	struct gres_conf *out = p->out;

	if (out->count == GRES_FILES_MAX)
		return bad_line(p, E2BIG, "too many devices");
	out->minor[out->count] = number_of(base);
	snprintf(out->file[out->count], sizeof(out->file[0]), "%.*s%s", dir_len,
		 dir, base);
	out->count++;
	return 0;
}

/* End of the path at s: a comma outside brackets, or the end. */
static const char *path_end(const char *s)
{
	bool inside = false;

	for (; *s && (inside || *s != ','); s++)
		inside = *s == '[' || (inside && *s != ']');
	return s;
}

/* One path, "/dev/nvidia[0-2,4-7]". one: only its first device. */
static int add_path(const struct parser *p, const char *path, const char *end,
		    bool one)
{
	const char *base = end;
	char **names = NULL, *list;
	int n = 0, i, rc = 0;

	while (base > path && base[-1] != '/')
		base--;
	list = strndup(base, (size_t)(end - base));
	if (list)
		n = hostlist_expand(list, &names);
	free(list);
	if (n <= 0)
		return bad_line(p, EINVAL, "a file list that cannot be read");
	for (i = 0; i < (one ? 1 : n) && !rc; i++)
		rc = add_position(p, (int)(base - path), path, names[i]);
	hostlist_free(names, n);
	return rc;
}

static int add_files(const struct parser *p, const char *files)
{
	const char *end;

	for (;; files = end + 1) {
		end = path_end(files);
		if (add_path(p, files, end, false))
			return -1;
		if (!*end)
			return 0;
	}
}

/* Is the line this node's? 1 named, 0 everybody's, -1 others'. */
static int whose(const struct parser *p, const struct line *l)
{
	if (!l->node_name)
		return 0;
	return hostlist_index(l->node_name, p->node) >= 0 ? 1 : -1;
}

static int take_line(struct parser *p, const struct line *l)
{
	int mine = whose(p, l);

	if (mine < 0)
		return 0;
	if (l->autodetect && mine)
		p->own = autodetect_of(l->autodetect);
	else if (l->autodetect)
		p->everybodys = autodetect_of(l->autodetect);
	if (!l->name || strcasecmp(l->name, "gpu"))
		return 0;
	if (l->multiple)
		return add_path(p, l->multiple, path_end(l->multiple), true);
	return l->file ? add_files(p, l->file) : 0;
}

int gres_parse(const char *text, const char *node, struct gres_conf *out,
	       struct err *e)
{
	struct parser p = { node, out, 1, -1, -1, e };
	char *copy = strdup(text), *rest = copy, *line;
	struct line l;
	int rc = -1, lines;

	memset(out, 0, sizeof(*out));
	if (!copy)
		return err_errno(e, "read gres.conf");
	while ((line = next_line(&rest, &lines))) {
		if (read_words(&p, line, &l) || take_line(&p, &l))
			goto out;
		p.number += lines;
	}
	if (p.own >= 0)
		out->autodetect = (enum gres_autodetect)p.own;
	else if (p.everybodys >= 0)
		out->autodetect = (enum gres_autodetect)p.everybodys;
	rc = 0;
out:
	free(copy);
	return rc;
}
