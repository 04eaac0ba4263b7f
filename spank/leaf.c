/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "spank/leaf.h"

#include <string.h>

#define SWITCH "switch"
#define NAME_CHARS                   \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZ" \
	"abcdefghijklmnopqrstuvwxyz" \
	"0123456789_-"

static const char *next_part(const char *s)
{
	s += strcspn(s, ".");
	return *s ? s + 1 : NULL;
}

static size_t part_length(const char *s)
{
	return strcspn(s, ".");
}

/* A name, and nothing else up to the next part. */
static int copy_name(const char *part, char leaf[LEAF_BYTES])
{
	size_t n = part_length(part);

	if (!n || n >= LEAF_BYTES || strspn(part, NAME_CHARS) < n)
		return -1;
	memcpy(leaf, part, n);
	leaf[n] = '\0';
	return 0;
}

const char *leaf_of(const char *addr, const char *pattern,
		    char leaf[LEAF_BYTES])
{
	const char *last = NULL;

	leaf[0] = '\0';
	for (; addr && pattern;
	     addr = next_part(addr), pattern = next_part(pattern))
		if (part_length(pattern) == strlen(SWITCH) &&
		    !strncmp(pattern, SWITCH, strlen(SWITCH)))
			last = addr;
	if (addr || pattern)
		return LEAF_ODD;
	if (!last)
		return LEAF_NONE;
	return copy_name(last, leaf) < 0 ? LEAF_ODD : NULL;
}
