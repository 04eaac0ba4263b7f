/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "cmd/slurmconf.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LINE_MAX_BYTES 4096
#define DEPTH_MAX 4

/* Lines that describe something of which there are many. */
static const char *const things[] = {
	"NodeName", "PartitionName", "NodeSet", "DownNodes", "FrontendName"
};

static int add(struct slurmconf *c, const char *key, size_t key_len,
	       const char *value)
{
	if (c->count == SLURMCONF_MAX) {
		errno = E2BIG;
		return -1;
	}
	c->key[c->count] = strndup(key, key_len);
	c->value[c->count] = strdup(strcmp(value, "(null)") ? value : "");
	if (!c->key[c->count] || !c->value[c->count]) {
		free(c->key[c->count]);
		free(c->value[c->count]);
		errno = ENOMEM;
		return -1;
	}
	c->count++;
	return 0;
}

static void trim(char *s)
{
	size_t len = strlen(s);

	while (len && isspace((unsigned char)s[len - 1]))
		s[--len] = '\0';
}

/* "Key = value" or "Key[0]=value"; other lines are no settings. */
static int setting(struct slurmconf *c, char *line)
{
	char *value = strchr(line, '=');
	size_t len;

	line += strspn(line, " \t");
	len = strcspn(line, " \t=[");
	if (!value || !len || value < line)
		return 0;
	value++;
	value += strspn(value, " \t");
	trim(value);
	return add(c, line, len, value);
}

/* The next line of *text into buf, without its newline. False at the end. */
static bool next_line(const char **text, char *buf, size_t size)
{
	size_t len = strcspn(*text, "\n");

	if (!**text)
		return false;
	snprintf(buf, size, "%.*s", (int)(len < size ? len : size - 1), *text);
	*text += len + ((*text)[len] == '\n');
	return true;
}

int slurmconf_show(struct slurmconf *c, const char *text)
{
	char line[LINE_MAX_BYTES];

	c->live = true;
	while (next_line(&text, line, sizeof(line)))
		if (setting(c, line) < 0)
			return -1;
	return 0;
}

static bool is_thing(const char *line)
{
	size_t i, len;

	for (i = 0; i < sizeof(things) / sizeof(things[0]); i++) {
		len = strlen(things[i]);
		if (!strncasecmp(line, things[i], len) &&
		    (line[len] == '=' || line[len] == ' '))
			return true;
	}
	return false;
}

/* Lines that end in a backslash go on; a comment starts with #. */
static bool whole_line(const char **text, char *buf, size_t size)
{
	size_t used = 0;

	while (next_line(text, buf + used, size - used)) {
		used = strlen(buf);
		trim(buf);
		if (strlen(buf) == used && used && buf[used - 1] == '\\' &&
		    used + 2 < size) {
			buf[--used] = '\0';
			continue;
		}
		buf[strcspn(buf, "#")] = '\0';
		return true;
	}
	return used > 0;
}

static int read_file(struct slurmconf *c, const char *text,
		     slurmconf_include_f include, void *arg, int depth)
{
	char line[LINE_MAX_BYTES];
	char *more, *s;
	int rc = 0;

	while (rc == 0 && whole_line(&text, line, sizeof(line))) {
		s = line + strspn(line, " \t");
		trim(s);
		if (!strncasecmp(s, "include", 7) && isspace((unsigned char)s[7])) {
			s += 7 + strspn(s + 7, " \t");
			more = include && depth < DEPTH_MAX ? include(s, arg) :
							      NULL;
			if (more)
				rc = read_file(c, more, include, arg,
					       depth + 1);
			free(more);
		} else if (!is_thing(s)) {
			rc = setting(c, s);
		}
	}
	return rc;
}

int slurmconf_file(struct slurmconf *c, const char *text,
		   slurmconf_include_f include, void *arg)
{
	return read_file(c, text, include, arg, 0);
}

void slurmconf_fini(struct slurmconf *c)
{
	int i;

	for (i = 0; i < c->count; i++) {
		free(c->key[i]);
		free(c->value[i]);
	}
	memset(c, 0, sizeof(*c));
}

const char *slurmconf_at(const struct slurmconf *c, const char *key, int n)
{
	int i;

	for (i = 0; i < c->count; i++)
		if (!strcasecmp(c->key[i], key) && c->value[i][0] && n-- == 0)
			return c->value[i];
	return NULL;
}

const char *slurmconf_get(const struct slurmconf *c, const char *key)
{
	const char *value = slurmconf_at(c, key, 0);

	return value ? value : "";
}

bool slurmconf_has(const struct slurmconf *c, const char *key,
		   const char *word)
{
	const char *p = slurmconf_get(c, key);
	size_t want = strlen(word);
	size_t len;

	for (; *p; p += len + strspn(p + len, ", ")) {
		len = strcspn(p, ", ");
		if (len >= want && !strncasecmp(p, word, want) &&
		    (len == want || p[want] == '='))
			return true;
		if (!len)
			break;
	}
	return false;
}

int64_t slurmconf_seconds(const struct slurmconf *c, const char *key,
			  int64_t def)
{
	const char *value = slurmconf_get(c, key);
	char *end;
	long n;

	if (!*value)
		return def;
	n = strtol(value, &end, 10);
	if (end == value || n < 0 || n >= 65534)
		return -1;
	return n;
}
