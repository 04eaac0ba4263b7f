/* SPDX-License-Identifier: Apache-2.0
 *
 * [host NAME] match = LIST, and SECTION.KEY = VALUE for the nodes in LIST.
 * An override that cannot be read breaks the section it is about, and only
 * on those nodes: a check must not run with the wrong expectation.
 */
#include "config.h"
#include "lib/cfg_private.h"
#include "lib/hostlist.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct target {
	char section[CFG_NAME_MAX + 1];
	const char *key;		/* "" if the section has no such key */
	const struct cfg_section *table;	/* NULL: no such section */
};

/* "check.ib_ports": section [check ib_ports]. */
static void section_name(char out[CFG_NAME_MAX + 1], const char *text,
			 size_t len)
{
	char *dot;

	snprintf(out, CFG_NAME_MAX + 1, "%.*s", (int)len, text);
	dot = strchr(out, '.');
	if (dot)
		*dot = ' ';
}

/* Which section and key? Keys have dots too (action.prolog): the last dot
 * at which both are known divides. */
static void find_target(struct target *t, const struct cfg *c,
			const char *text)
{
	const struct cfg_section *table;
	char name[CFG_NAME_MAX + 1];
	const char *p = text + strlen(text);

	memset(t, 0, sizeof(*t));
	t->key = "";
	while (p-- > text) {
		if (*p != '.')
			continue;
		section_name(name, text, (size_t)(p - text));
		table = cfg_table_find(c->sections, name);
		if (!table)
			continue;
		memcpy(t->section, name, sizeof(t->section));
		t->table = table;
		if (cfg_key_find(table, p + 1)) {
			t->key = p + 1;
			return;
		}
	}
}

static void apply(struct cfg *c, const struct cfg_sect *host,
		  const struct cfg_item *it)
{
	char source[400];
	char out[CFG_LINE_MAX + 1];
	struct cfg_sect *s;
	struct target t;
	struct err why;

	find_target(&t, c, it->key);
	snprintf(source, sizeof(source), "[%s] %s", host->name, it->source);
	if (!t.table) {
		cfg_complain(c, NULL, "%s: \"%s\" is no SECTION.KEY", source,
			     it->key);
		return;
	}
	s = cfg_sect_need(c, t.section);
	if (!s)
		cfg_complain(c, NULL, "%s: more than %d sections", source,
			     CFG_SECTS_MAX);
	else if (host->broken)
		cfg_complain(c, s, "[%s] %s", host->name, host->broken);
	else if (!t.key[0])
		cfg_complain(c, s, "%s: no such key: \"%s\"", source, it->key);
	else if (cfg_value_check(cfg_key_find(t.table, t.key), it->value, out,
				 sizeof(out), &why) < 0)
		cfg_complain(c, s, "%s: %s: %s", source, it->key, why.text);
	else
		cfg_item_set(c, s, t.key, out, source);
}

/* Is this section for node? Breaks it if that cannot be told: its targets
 * are then broken on every node. */
static bool is_for(struct cfg *c, struct cfg_sect *host, const char *node)
{
	const struct cfg_item *match = cfg_item_find(host, "match");

	if (!match) {
		cfg_complain(c, host, "%s: [%s] has no match", c->file,
			     host->name);
		return true;
	}
	if (!match->value)
		return true;
	if (hostlist_index(match->value, node) >= 0)
		return true;
	if (errno == ENOENT)
		return false;
	cfg_complain(c, host, "%s: match: \"%.80s\" is no list of hosts",
		     match->source, match->value);
	return true;
}

void cfg_host_apply(struct cfg *c, const char *node)
{
	int count = c->count;	/* sections made here are no hosts */
	struct cfg_sect *s;
	int i, k;

	for (i = 0; i < count && node; i++) {
		s = &c->sect[i];
		if (!s->host || !is_for(c, s, node))
			continue;
		for (k = 0; k < s->count; k++)
			if (strcmp(s->item[k].key, "match") != 0)
				apply(c, s, &s->item[k]);
	}
}
