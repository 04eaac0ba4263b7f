/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/hostlist.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX (64 * 1024)
#define NAMES_MAX 65536
#define NAME_BYTES 256		/* a name and its end */
#define PAIRS_MAX 8		/* bracket pairs in one word */
#define DIGITS_MAX 18		/* fits 64 bits whatever the digits are */

typedef int (*name_f)(const char *name, void *arg);

struct walk {
	name_f fn;
	void *arg;
	int count;
	char name[NAME_BYTES];
};

struct range {
	uint64_t lo, hi;
	int width;		/* digits to pad to: as lo was written */
};

static bool name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (c && strchr("._-+:@", c));
}

static int fail(int err)
{
	errno = err;
	return -1;
}

/* Digits at *p; moves *p behind them. Returns how many, 0 if too many. */
static int read_number(const char **p, uint64_t *out)
{
	int n = 0;

	*out = 0;
	for (; **p >= '0' && **p <= '9'; (*p)++) {
		if (++n > DIGITS_MAX)
			return 0;
		*out = *out * 10 + (uint64_t)(**p - '0');
	}
	return n;
}

/* "7" or "08-11" at *p; moves *p behind it. */
static int read_range(const char **p, struct range *r)
{
	r->width = read_number(p, &r->lo);
	r->hi = r->lo;
	if (!r->width)
		return fail(EINVAL);
	if (**p == '-') {
		(*p)++;
		if (!read_number(p, &r->hi) || r->hi < r->lo)
			return fail(EINVAL);
	}
	if (r->hi - r->lo >= NAMES_MAX)
		return fail(E2BIG);
	return 0;
}

static int emit(struct walk *w, size_t len)
{
	if (!len)
		return fail(EINVAL);
	if (++w->count > NAMES_MAX)
		return fail(E2BIG);
	w->name[len] = 0;
	return w->fn(w->name, w->arg);
}

static int walk_pair(struct walk *w, const char *p, const char *end,
		     size_t len, int depth);

/* The rest of a word, from p up to end, behind the len bytes in w->name. */
static int walk_word(struct walk *w, const char *p, const char *end,
		     size_t len, int depth)
{
	for (; p < end && *p != '['; p++) {
		if (!name_char(*p) || len + 1 >= NAME_BYTES)
			return fail(EINVAL);
		w->name[len++] = *p;
	}
	if (p == end)
		return emit(w, len);
	return walk_pair(w, p + 1, end, len, depth + 1);
}

/* What stands between '[' and ']', then the rest of the word for each. */
static int walk_pair(struct walk *w, const char *p, const char *end,
		     size_t len, int depth)
{
	const char *close = memchr(p, ']', (size_t)(end - p));
	struct range r;
	uint64_t i;
	int n;

	if (!close || depth > PAIRS_MAX)
		return fail(EINVAL);
	for (;; p++) {
		if (read_range(&p, &r))
			return -1;
		if (*p != ',' && p != close)
			return fail(EINVAL);
		for (i = r.lo; i <= r.hi; i++) {
			n = snprintf(w->name + len, NAME_BYTES - len,
				     "%0*" PRIu64, r.width, i);
			if (n < 0 || (size_t)n >= NAME_BYTES - len)
				return fail(EINVAL);
			if (walk_word(w, close + 1, end, len + (size_t)n,
				      depth))
				return -1;
		}
		if (p == close)
			return 0;
	}
}

/* End of the word at p: a comma, a blank or the end, outside brackets. */
static const char *word_end(const char *p)
{
	bool inside = false;

	for (; *p; p++) {
		if (*p == '[')
			inside = true;
		else if (*p == ']')
			inside = false;
		else if (!inside && (*p == ',' || *p == ' '))
			break;
	}
	return p;
}

static int walk_text(const char *text, struct walk *w)
{
	const char *p = text, *end;

	if (!text)
		return fail(EINVAL);
	if (strnlen(text, TEXT_MAX + 1) > TEXT_MAX)
		return fail(E2BIG);
	while (*p) {
		end = word_end(p);
		if (end != p && walk_word(w, p, end, 0, 0))
			return -1;
		p = *end ? end + 1 : end;
	}
	return 0;
}

struct collect {
	char **names;
	int n, room;
};

static int collect_name(const char *name, void *arg)
{
	struct collect *c = arg;
	char **more;
	int room;

	if (c->n == c->room) {
		room = c->room ? c->room * 2 : 16;
		more = realloc(c->names, (size_t)room * sizeof(*more));
		if (!more)
			return -1;
		c->names = more;
		c->room = room;
	}
	c->names[c->n] = strdup(name);
	if (!c->names[c->n])
		return -1;
	c->n++;
	return 0;
}

int hostlist_expand(const char *text, char ***names)
{
	struct collect c = { NULL, 0, 0 };
	struct walk w = { .fn = collect_name, .arg = &c };

	if (walk_text(text, &w)) {
		hostlist_free(c.names, c.n);
		return -1;
	}
	*names = c.names;
	return c.n;
}

void hostlist_free(char **names, int n)
{
	int saved = errno, i;

	for (i = 0; names && i < n; i++)
		free(names[i]);
	free(names);
	errno = saved;
}

struct find {
	const char *name;
	int at, found;
};

/* Goes on after a hit: the rest must be readable too. */
static int find_name(const char *name, void *arg)
{
	struct find *f = arg;

	if (f->found < 0 && !strcmp(name, f->name))
		f->found = f->at;
	f->at++;
	return 0;
}

int hostlist_index(const char *text, const char *name)
{
	struct find f = { name, 0, -1 };
	struct walk w = { .fn = find_name, .arg = &f };

	if (!name)
		return fail(EINVAL);
	if (walk_text(text, &w))
		return -1;
	return f.found < 0 ? fail(ENOENT) : f.found;
}
