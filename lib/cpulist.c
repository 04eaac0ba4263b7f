/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/cpulist.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(struct cpulist *out, int why)
{
	memset(out, 0, sizeof(*out));
	errno = why;
	return -1;
}

/* One number at *p, which moves behind it; -1 if there is none. */
static long number(const char **p)
{
	char *end;
	long n;

	if (!isdigit((unsigned char)**p))
		return -1;
	errno = 0;
	n = strtol(*p, &end, 10);
	if (errno)
		n = CPULIST_MAX;
	*p = end;
	return n;
}

int cpulist_parse(const char *text, struct cpulist *out)
{
	const char *p = text;

	memset(out, 0, sizeof(*out));
	while (*p && *p != '\n') {
		long first = number(&p);
		long last = first;

		if (first < 0)
			return fail(out, EINVAL);
		if (*p == '-') {
			p++;
			last = number(&p);
		}
		if (last < first)
			return fail(out, EINVAL);
		if (last >= CPULIST_MAX)
			return fail(out, ERANGE);
		for (long n = first; n <= last; n++)
			out->word[n / 64] |= 1ULL << (n % 64);
		if (*p == ',' && isdigit((unsigned char)p[1]))
			p++;
		else if (*p && *p != '\n')
			return fail(out, EINVAL);
	}
	return 0;
}

bool cpulist_has(const struct cpulist *l, int n)
{
	return n >= 0 && n < CPULIST_MAX && (l->word[n / 64] >> (n % 64) & 1);
}

int cpulist_count(const struct cpulist *l)
{
	int count = 0;

	for (size_t i = 0; i < CPULIST_MAX / 64; i++)
		count += __builtin_popcountll(l->word[i]);
	return count;
}

int cpulist_next(const struct cpulist *l, int from)
{
	for (int n = from < 0 ? 0 : from; n < CPULIST_MAX; n++) {
		if (!(n % 64) && !l->word[n / 64])
			n += 63;
		else if (cpulist_has(l, n))
			return n;
	}
	return -1;
}

void cpulist_minus(const struct cpulist *a, const struct cpulist *b,
		   struct cpulist *out)
{
	for (size_t i = 0; i < CPULIST_MAX / 64; i++)
		out->word[i] = a->word[i] & ~b->word[i];
}

char *cpulist_format(const struct cpulist *l, char *buf, size_t size)
{
	size_t len = 0;
	int n = -1;

	buf[0] = '\0';
	while ((n = cpulist_next(l, n + 1)) >= 0) {
		char part[40];
		int first = n;
		int k;

		while (cpulist_has(l, n + 1))
			n++;
		k = n > first ?
			snprintf(part, sizeof(part), "%s%d-%d",
				 len ? "," : "", first, n) :
			snprintf(part, sizeof(part), "%s%d",
				 len ? "," : "", first);
		if (len + (size_t)k + sizeof("...") > size) {
			snprintf(buf + len, size - len, "...");
			break;
		}
		memcpy(buf + len, part, (size_t)k + 1);
		len += (size_t)k;
	}
	return buf;
}
