/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/cfg_private.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" \
		   "0123456789_.-"

bool cfg_name_matches(const char *pattern, const char *name)
{
	size_t len = strlen(pattern);

	if (len < 2 || strcmp(pattern + len - 2, " *") != 0)
		return !strcmp(pattern, name);
	if (strncmp(pattern, name, len - 1) != 0)
		return false;
	name += len - 1;
	return name[0] && !name[strspn(name, NAME_CHARS)];
}

const struct cfg_section *cfg_table_find(const struct cfg_section *sections,
					 const char *name)
{
	const struct cfg_section *t;

	for (t = sections; t->name; t++)
		if (cfg_name_matches(t->name, name))
			return t;
	return NULL;
}

static const struct cfg_key *find_in(const struct cfg_key *k, const char *name)
{
	for (; k && k->name; k++)
		if (!strcmp(k->name, name))
			return k;
	return NULL;
}

const struct cfg_key *cfg_key_find(const struct cfg_section *table,
				   const char *key)
{
	const struct cfg_key *k = find_in(table->keys, key);

	return k ? k : find_in(table->extra, key);
}

static int check_bool(const char *text, struct err *why)
{
	static const char *const yes[] = {"yes", "true", "on", "1"};
	static const char *const no[] = {"no", "false", "off", "0"};
	size_t i;

	for (i = 0; i < sizeof(yes) / sizeof(*yes); i++) {
		if (!strcmp(text, yes[i]))
			return 1;
		if (!strcmp(text, no[i]))
			return 0;
	}
	return err_set(why, "\"%.40s\" is neither yes nor no", text);
}

/* What stands behind the digits must be nothing, or the key's own unit. */
static int check_unit(const struct cfg_key *k, const char *text,
		      const char *rest, struct err *why)
{
	rest += strspn(rest, " \t");
	if (!*rest || (k->unit && !strcmp(rest, k->unit)))
		return 0;
	if (k->unit)
		return err_set(why, "\"%.40s\": this is counted in %s", text,
			       k->unit);
	return err_set(why, "\"%.40s\" is not a plain number", text);
}

static int check_int(const struct cfg_key *k, const char *text, int64_t *out,
		     struct err *why)
{
	const char *digits = text + (text[0] == '-');
	char *end;
	intmax_t v;
	int overflow;

	if (!isdigit((unsigned char)digits[0]))
		return err_set(why, "\"%.40s\" is not a number", text);
	errno = 0;
	v = strtoimax(text, &end, 10);
	overflow = errno;
	if (check_unit(k, text, end, why) < 0)
		return -1;
	if (overflow || v < k->min || v > k->max)
		return err_set(why, "%.40s is outside %" PRId64 "..%" PRId64
			       "%s%s", text, k->min, k->max,
			       k->unit ? " " : "", k->unit ? k->unit : "");
	*out = v;
	return 0;
}

static int check_enum(const struct cfg_key *k, const char *text,
		      struct err *why)
{
	const char *p = k->choices;
	size_t len;

	while (p && *p) {
		len = strcspn(p, "|");
		if (len == strlen(text) && !strncmp(p, text, len))
			return 0;
		p += len + (p[len] == '|');
	}
	return err_set(why, "\"%.40s\" is none of %.100s", text,
		       k->choices ? k->choices : "");
}

static int check_path(const char *text, struct err *why)
{
	const char *p = text;
	size_t len;

	if (*p != '/')
		return err_set(why, "\"%.80s\" is not an absolute path", text);
	while (*p) {
		p += strspn(p, "/");
		len = strcspn(p, "/");
		if ((len == 1 && p[0] == '.') ||
		    (len == 2 && p[0] == '.' && p[1] == '.'))
			return err_set(why, "\"%.80s\" has \".\" or \"..\" parts",
				       text);
		p += len;
	}
	return 0;
}

static int check_ascii(const char *text, struct err *why)
{
	for (; *text; text++)
		if (*text != '\t' && (*text < ' ' || *text > '~'))
			return err_set(why, "a value outside printable ASCII");
	return 0;
}

int cfg_value_check(const struct cfg_key *k, const char *text, char *out,
		    size_t size, struct err *why)
{
	int64_t v = 0;
	int rc = check_ascii(text, why);

	if (rc < 0)
		return -1;
	switch (k->type) {
	case CFG_BOOL:
		rc = check_bool(text, why);
		snprintf(out, size, "%s", rc > 0 ? "yes" : "no");
		return rc < 0 ? -1 : 0;
	case CFG_INT:
		rc = check_int(k, text, &v, why);
		snprintf(out, size, "%" PRId64, v);
		return rc;
	case CFG_ENUM:
		rc = check_enum(k, text, why);
		break;
	case CFG_PATH:
		rc = check_path(text, why);
		break;
	case CFG_TEXT:
	case CFG_LIST:
		break;
	}
	snprintf(out, size, "%s", text);
	return rc;
}
