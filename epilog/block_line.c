/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "epilog/block_private.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/scrub.h"

void block_begin(struct block_line *l, const char *about)
{
	snprintf(l->text, sizeof(l->text), "# assay %s", about);
	l->head = l->len = strlen(l->text);
}

bool block_is_empty(const struct block_line *l)
{
	return l->len == l->head;
}

/* Cut where a word ends, and say so. */
static void cut(char *text, size_t room)
{
	size_t at = room - 3;

	while (at > room / 2 && text[at] != ' ')
		at--;
	strcpy(text + at, "...");
}

bool block_add(struct block_line *l, const char *sep, const char *fmt, ...)
{
	size_t room = BLOCK_WIDTH - l->len;
	char text[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	scrub(text);
	if (block_is_empty(l)) {
		if (strlen(text) > room)
			cut(text, room);
		sep = "";
	}
	if (strlen(sep) + strlen(text) > room)
		return false;
	n = snprintf(l->text + l->len, room + 1, "%s%s", sep, text);
	l->len += (size_t)n;
	return true;
}

double block_number(const json_t *o, const char *group, const char *name)
{
	return member_number(group ? json_object_get(o, group) : o, name);
}

const char *block_text(const json_t *o, const char *group, const char *name)
{
	return member_string(group ? json_object_get(o, group) : o, name);
}

bool block_is(const json_t *o, const char *group, const char *name,
	      const char *text)
{
	return !strcmp(block_text(o, group, name), text);
}

const char *block_item(const json_t *list, size_t i)
{
	const char *s = json_string_value(json_array_get(list, i));

	return s ? s : "";
}

char *block_duration(double seconds, char buf[SHORT_MAX])
{
	double s = fmin(fmax(seconds, 0), 1e12);
	long long n = (long long)s;

	snprintf(buf, SHORT_MAX, "%lld:%02d:%02d", n / 3600, (int)(n / 60 % 60),
		 (int)(n % 60));
	return buf;
}

char *block_bytes(double n, char buf[SHORT_MAX])
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB" };
	int i = 0;

	while (i < 5 && fabs(n) >= 999.5) {
		n /= 1000;
		i++;
	}
	snprintf(buf, SHORT_MAX, "%.*f %s", i && fabs(n) < 99.95 ? 1 : 0, n,
		 units[i]);
	return buf;
}

char *block_energy(double joules, char buf[SHORT_MAX])
{
	double wh = joules / 3600;

	if (fabs(wh) < 1000)
		snprintf(buf, SHORT_MAX, "%.0f Wh", wh);
	else
		snprintf(buf, SHORT_MAX, "%.1f kWh", wh / 1000);
	return buf;
}

const char *block_device(const json_t *record, const char *name)
{
	const char *blank = strchr(name, ' ');

	return block_number(record, "nodes", "expected") > 1 || !blank
		       ? name
		       : blank + 1;
}
