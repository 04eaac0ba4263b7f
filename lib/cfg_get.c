/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/cfg.h"
#include "lib/cfg_private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEPARATORS ", \t"

/* Asking for what is in no table is a bug of ours; a gate that runs for real
 * must survive it. */
static void not_in_tables(void)
{
#ifdef __SANITIZE_ADDRESS__
	assert(!"a key that is in the tables");
#endif
}

static const struct cfg_key *find_key(const struct cfg *c, const char *sec,
				      const char *key)
{
	const struct cfg_section *t = cfg_table_find(c->sections, sec);
	const struct cfg_key *k = t ? cfg_key_find(t, key) : NULL;

	if (!k)
		not_in_tables();
	return k;
}

/* The item that is in force, or NULL: the default is. */
static const struct cfg_item *find_item(const struct cfg *c, const char *sec,
					const char *key)
{
	const struct cfg_sect *s = cfg_sect_find(c, sec);

	return s && !s->broken ? cfg_item_find(s, key) : NULL;
}

/* Value in force, NULL if unset. */
static const char *find_value(const struct cfg *c, const char *sec,
			      const char *key)
{
	const struct cfg_key *k = find_key(c, sec, key);
	const struct cfg_item *it;

	if (!k)
		return NULL;
	it = find_item(c, sec, key);
	return it ? it->value : k->def;
}

const char *cfg_text(const struct cfg *c, const char *sec, const char *key)
{
	const char *v = find_value(c, sec, key);

	return v ? v : "";
}

int64_t cfg_int(const struct cfg *c, const char *sec, const char *key)
{
	return strtoll(cfg_text(c, sec, key), NULL, 10);
}

bool cfg_bool(const struct cfg *c, const char *sec, const char *key)
{
	const char *v = cfg_text(c, sec, key);

	/* Only defaults may be written in another way than "yes". */
	return !strcmp(v, "yes") || !strcmp(v, "true") || !strcmp(v, "on") ||
	       !strcmp(v, "1");
}

bool cfg_is_set(const struct cfg *c, const char *sec, const char *key)
{
	return find_value(c, sec, key) != NULL;
}

/* The i-th word of text and its length, or NULL. */
static const char *word_at(const char *text, int i, size_t *len)
{
	for (;;) {
		text += strspn(text, SEPARATORS);
		*len = strcspn(text, SEPARATORS);
		if (!*len)
			return NULL;
		if (i-- <= 0)
			return text;
		text += *len;
	}
}

bool cfg_list_has(const struct cfg *c, const char *sec, const char *key,
		  const char *word)
{
	const char *text = cfg_text(c, sec, key);
	const char *w;
	size_t len;
	int i;

	for (i = 0; (w = word_at(text, i, &len)); i++)
		if (len == strlen(word) && !memcmp(w, word, len))
			return true;
	return false;
}

bool cfg_list_at(const struct cfg *c, const char *sec, const char *key, int i,
		 char *buf, size_t size)
{
	size_t len = 0;
	const char *w = i < 0 ? NULL : word_at(cfg_text(c, sec, key), i, &len);

	if (!w || !size)
		return false;
	snprintf(buf, size, "%.*s", (int)len, w);
	return true;
}

const char *cfg_broken(const struct cfg *c, const char *sec)
{
	const struct cfg_sect *s = cfg_sect_find(c, sec);

	return s ? s->broken : NULL;
}

const char *cfg_complaint_at(const struct cfg *c, int i)
{
	return i >= 0 && i < c->complaints ? c->complaint[i] : NULL;
}

const char *cfg_complaint_section(const struct cfg *c, int i)
{
	const struct cfg_sect *s =
		cfg_complaint_at(c, i) ? c->about[i] : NULL;

	return s && s->table ? s->name : NULL;
}

const char *cfg_complaint(const struct cfg *c)
{
	return cfg_complaint_at(c, 0);
}

const char *cfg_section_at(const struct cfg *c, const char *pattern, int i)
{
	int k;

	for (k = 0; k < c->count; k++)
		if (cfg_name_matches(pattern, c->sect[k].name) && i-- == 0)
			return c->sect[k].name;
	return NULL;
}

const char *cfg_source(const struct cfg *c, const char *sec, const char *key)
{
	const struct cfg_item *it = NULL;

	if (find_key(c, sec, key))
		it = find_item(c, sec, key);
	return it ? it->source : "default";
}

struct each {
	const struct cfg *c;
	cfg_each_f fn;
	void *arg;
};

static int each_key(const struct each *x, const char *sec,
		    const struct cfg_key *k)
{
	const struct cfg_item *it;
	int rc = 0;

	for (; k && k->name && rc == 0; k++) {
		it = find_item(x->c, sec, k->name);
		rc = x->fn(sec, k, it ? it->value : k->def ? k->def : "",
			   it ? it->source : "default", x->arg);
	}
	return rc;
}

static int each_section(const struct each *x, const char *sec,
			const struct cfg_section *t)
{
	int rc = each_key(x, sec, t->keys);

	return rc ? rc : each_key(x, sec, t->extra);
}

int cfg_each(const struct cfg *c, cfg_each_f fn, void *arg)
{
	const struct each x = {.c = c, .fn = fn, .arg = arg};
	const struct cfg_section *t;
	size_t len;
	int rc = 0;
	int i;

	for (t = c->sections; t->name && rc == 0; t++) {
		len = strlen(t->name);
		if (len < 2 || strcmp(t->name + len - 2, " *") != 0) {
			rc = each_section(&x, t->name, t);
			continue;
		}
		for (i = 0; i < c->count && rc == 0; i++)
			if (c->sect[i].table == t)
				rc = each_section(&x, c->sect[i].name, t);
	}
	return rc;
}

static void fnv(uint64_t *h, const char *text)
{
	do {
		*h ^= (unsigned char)*text;
		*h *= UINT64_C(0x100000001b3);
	} while (*text++);	/* the end counts: "ab","c" is not "a","bc" */
}

static int digest_one(const char *sec, const struct cfg_key *key,
		      const char *value, const char *source, void *arg)
{
	(void)source;
	fnv(arg, sec);
	fnv(arg, key->name);
	fnv(arg, value);
	return 0;
}

uint64_t cfg_digest(const struct cfg *c)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	cfg_each(c, digest_one, &h);
	return h;
}
