/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/cfg.h"
#include "lib/cfg_private.h"
#include "lib/scrub.h"

#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the reader and the handler of libinih share. */
struct parse {
	struct cfg *c;
	struct cfg_scan scan;
	struct cfg_sect *sect;	/* the section the line is in */
	bool fatal;
	bool pending;		/* a pair was handed over, no answer yet */
};

static void *keep(struct cfg *c, void *p)
{
	if (!p)
		c->nomem = true;
	return p;
}

void cfg_complain(struct cfg *c, struct cfg_sect *s, const char *fmt, ...)
{
	char text[ERR_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	scrub(text);
	if (s && !s->broken)
		s->broken = keep(c, strdup(text));
	if (c->complaints == CFG_COMPLAINTS_MAX)
		return;
	c->about[c->complaints] = s;
	c->complaint[c->complaints] = keep(c, strdup(text));
	if (c->complaint[c->complaints])
		c->complaints++;
}

struct cfg_sect *cfg_sect_find(const struct cfg *c, const char *name)
{
	int i;

	for (i = 0; i < c->count; i++)
		if (!strcmp(c->sect[i].name, name))
			return &c->sect[i];
	return NULL;
}

struct cfg_sect *cfg_sect_need(struct cfg *c, const char *name)
{
	struct cfg_sect *s = cfg_sect_find(c, name);

	if (s)
		return s;
	if (c->count == CFG_SECTS_MAX)
		return NULL;
	if (!c->sect)
		c->sect = keep(c, calloc(CFG_SECTS_MAX, sizeof(*s)));
	if (!c->sect)
		return NULL;
	s = &c->sect[c->count];
	s->name = keep(c, strdup(name));
	if (!s->name)
		return NULL;
	s->host = cfg_name_matches("host *", name);
	s->table = s->host ? NULL : cfg_table_find(c->sections, name);
	c->count++;
	return s;
}

struct cfg_item *cfg_item_find(const struct cfg_sect *s, const char *key)
{
	int i;

	for (i = 0; i < s->count; i++)
		if (!strcmp(s->item[i].key, key))
			return &s->item[i];
	return NULL;
}

static void item_fini(struct cfg_item *it)
{
	free(it->key);
	free(it->value);
	free(it->source);
}

static struct cfg_item *item_need(struct cfg *c, struct cfg_sect *s,
				  const char *key)
{
	struct cfg_item *it = cfg_item_find(s, key);
	struct cfg_item *grown;

	if (it)
		return it;
	grown = keep(c, realloc(s->item, (size_t)(s->count + 1) *
				sizeof(*grown)));
	if (!grown)
		return NULL;
	s->item = grown;
	it = &grown[s->count];
	memset(it, 0, sizeof(*it));
	it->key = keep(c, strdup(key));
	if (!it->key)
		return NULL;
	s->count++;
	return it;
}

void cfg_item_set(struct cfg *c, struct cfg_sect *s, const char *key,
		  const char *value, const char *source)
{
	struct cfg_item *it = item_need(c, s, key);

	if (!it)
		return;
	free(it->value);
	free(it->source);
	it->value = value ? keep(c, strdup(value)) : NULL;
	it->source = keep(c, strdup(source));
}

static void enter_section(struct parse *p)
{
	struct cfg *c = p->c;
	bool known = cfg_sect_find(c, p->scan.section) != NULL;

	p->sect = cfg_sect_need(c, p->scan.section);
	if (!p->sect) {
		snprintf(p->scan.why, sizeof(p->scan.why),
			 "more than %d sections", CFG_SECTS_MAX);
		p->fatal = true;
	} else if (!known && !p->sect->table && !p->sect->host) {
		cfg_complain(c, p->sect, "%s:%d: unknown section [%s]", c->file,
			     p->scan.line, p->scan.section);
	}
}

/* A line that cannot be trusted breaks its section. Of a [host] section it
 * is kept that the line was about some key. */
static void bad_line(struct parse *p)
{
	struct cfg *c = p->c;

	if (p->sect->host && p->scan.name[0] &&
	    p->sect->count < CFG_ITEMS_MAX &&
	    !cfg_item_find(p->sect, p->scan.name))
		cfg_item_set(c, p->sect, p->scan.name, NULL, "");
	cfg_complain(c, p->sect, "%s:%d: %s", c->file, p->scan.line,
		     p->scan.why);
}

/* fgets() for libinih: lines that passed the scan, blank ones for others. */
static char *next_line(char *buf, int size, void *arg)
{
	struct parse *p = arg;

	if (p->fatal || p->c->nomem || !cfg_scan_next(&p->scan))
		return NULL;
	p->pending = p->scan.kind == CFG_LINE_PAIR;
	switch (p->scan.kind) {
	case CFG_LINE_SECTION:
		enter_section(p);
		break;
	case CFG_LINE_BAD:
		bad_line(p);
		break;
	case CFG_LINE_FATAL:
		p->fatal = true;
		break;
	case CFG_LINE_BLANK:
	case CFG_LINE_PAIR:
		break;
	}
	snprintf(buf, (size_t)size, "%s", p->scan.kind == CFG_LINE_BAD ||
		 p->fatal ? "\n" : p->scan.text);
	return buf;
}

static void add_checked(struct parse *p, const char *name, const char *value,
			const char *source)
{
	const struct cfg_key *k = cfg_key_find(p->sect->table, name);
	char out[CFG_LINE_MAX + 1];
	struct err why;

	if (!k)
		cfg_complain(p->c, p->sect, "%s: unknown key \"%.*s\" in [%s]",
			     source, CFG_NAME_MAX, name, p->sect->name);
	else if (cfg_value_check(k, value, out, sizeof(out), &why) < 0)
		cfg_complain(p->c, p->sect, "%s: %s: %s", source, name,
			     why.text);
	else
		cfg_item_set(p->c, p->sect, name, out, source);
}

static int take_pair(void *arg, const char *section, const char *name,
		     const char *value)
{
	struct parse *p = arg;
	struct cfg *c = p->c;
	struct cfg_sect *s = p->sect;
	char source[300];

	snprintf(source, sizeof(source), "%.200s:%d", c->file, p->scan.line);
	if (!p->pending || strcmp(section, p->scan.section) ||
	    strcmp(name, p->scan.name) || strlen(value) > CFG_LINE_MAX) {
		/* libinih and the scan do not see the same thing. */
		snprintf(p->scan.why, sizeof(p->scan.why), "cannot be read");
		p->fatal = true;
		return 0;
	}
	p->pending = false;
	if (cfg_item_find(s, name))
		cfg_complain(c, s, "%s: %s is set twice in [%s]", source, name,
			     s->name);
	else if (s->count == CFG_ITEMS_MAX)
		cfg_complain(c, s, "%s: more than %d keys in [%s]", source,
			     CFG_ITEMS_MAX, s->name);
	else if (s->host)
		cfg_item_set(c, s, name, value, source);
	else if (s->table)
		add_checked(p, name, value, source);
	return 1;
}

struct cfg *cfg_parse(const char *text, size_t len, const char *file,
		      const struct cfg_section *sections, const char *node,
		      struct err *e)
{
	struct parse p = {.c = cfg_defaults(sections)};
	int rc;

	if (!p.c)
		goto nomem;
	free(p.c->file);
	p.c->file = keep(p.c, strdup(file));
	cfg_scan_init(&p.scan, text, len);
	rc = p.c->nomem ? -2 : ini_parse_stream(next_line, &p, take_pair, &p);
	if (rc == 0 && p.pending && !p.fatal)
		rc = p.scan.line;
	if (!p.fatal && rc == 0 && !p.c->nomem)
		cfg_host_apply(p.c, node);
	if (p.c->nomem || rc == -2)
		goto nomem;
	if (!p.fatal && rc == 0)
		return p.c;
	err_set(e, "%s:%d: %s", file, p.fatal ? p.scan.line : rc,
		p.fatal ? p.scan.why : "cannot be read");
	scrub(e ? e->text : NULL);
	cfg_destroy(p.c);
	errno = EINVAL;
	return NULL;
nomem:
	cfg_destroy(p.c);
	errno = ENOMEM;
	err_errno(e, "read %s", file);
	return NULL;
}

struct cfg *cfg_defaults(const struct cfg_section *sections)
{
	struct cfg *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->sections = sections;
	c->file = strdup("");
	if (!c->file) {
		free(c);
		return NULL;
	}
	return c;
}

void cfg_destroy(struct cfg *c)
{
	int saved = errno;
	int i, k;

	if (!c)
		return;
	for (i = 0; i < c->count; i++) {
		for (k = 0; k < c->sect[i].count; k++)
			item_fini(&c->sect[i].item[k]);
		free(c->sect[i].item);
		free(c->sect[i].broken);
		free(c->sect[i].name);
	}
	free(c->sect);
	for (i = 0; i < c->complaints; i++)
		free(c->complaint[i]);
	free(c->file);
	free(c);
	errno = saved;
}
