/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "spank/jsonw.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static void __attribute__((format(printf, 2, 3)))
put(struct jsonw *j, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (j->cut)
		return;
	va_start(ap, fmt);
	n = vsnprintf(j->buf + j->len, j->size - j->len, fmt, ap);
	va_end(ap);
	j->cut = n < 0 || (size_t)n >= j->size - j->len;
	if (!j->cut)
		j->len += (size_t)n;
}

static void put_key(struct jsonw *j, const char *key)
{
	put(j, "%s\"%s\":", j->more ? "," : "", key);
	j->more = true;
}

/* What is not printable ASCII is written by its number: a byte, whatever text
 * it was part of. */
static void put_char(struct jsonw *j, unsigned char c)
{
	if (c == '"' || c == '\\')
		put(j, "\\%c", c);
	else if (c < 0x20 || c > 0x7e)
		put(j, "\\u%04x", c);
	else
		put(j, "%c", c);
}

void jsonw_init(struct jsonw *j, char *buf, size_t size)
{
	*j = (struct jsonw){ .buf = buf, .size = size };
	put(j, "{");
}

int jsonw_done(struct jsonw *j)
{
	put(j, "}\n");
	return j->cut ? -1 : 0;
}

void jsonw_open(struct jsonw *j, const char *key)
{
	put_key(j, key);
	put(j, "{");
	j->more = false;
}

void jsonw_close(struct jsonw *j)
{
	put(j, "}");
	j->more = true;
}

void jsonw_text(struct jsonw *j, const char *key, const char *text)
{
	put_key(j, key);
	put(j, "\"");
	for (; *text; text++)
		put_char(j, (unsigned char)*text);
	put(j, "\"");
}

void jsonw_u64(struct jsonw *j, const char *key, uint64_t n)
{
	put_key(j, key);
	put(j, "%" PRIu64, n);
}

void jsonw_seconds(struct jsonw *j, const char *key, int64_t ms)
{
	put_key(j, key);
	put(j, "%" PRId64 ".%03d", ms / 1000, (int)(ms % 1000));
}

void jsonw_null(struct jsonw *j, const char *key)
{
	put_key(j, key);
	put(j, "null");
}
