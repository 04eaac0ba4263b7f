/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/scrub.h"

char *scrub(char *s)
{
	char *p;

	for (p = s; p && *p; p++) {
		if (*p == '\t' || *p == '\n' || *p == '\r')
			*p = ' ';
		else if (*p < 0x20 || *p > 0x7e)
			*p = '?';
	}
	return s;
}

char *scrub_copy(char *dst, size_t dst_size, const char *src)
{
	size_t i = 0;

	if (!dst_size)
		return dst;
	for (; src && src[i] && i + 1 < dst_size; i++)
		dst[i] = src[i];
	dst[i] = '\0';
	return scrub(dst);
}
