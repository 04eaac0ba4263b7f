/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/words.h"

#include <stdio.h>
#include <string.h>

bool words_have(const char *list, const char *word)
{
	size_t len = strlen(word);
	const char *p = list;

	while (len && (p = strstr(p, word))) {
		if ((p == list || p[-1] == ',') &&
		    (p[len] == '\0' || p[len] == ','))
			return true;
		p++;
	}
	return false;
}

bool words_next(const char **list, char *buf, size_t size)
{
	size_t len = strcspn(*list, ",");

	if (!**list)
		return false;
	snprintf(buf, size, "%.*s", (int)len, *list);
	*list += len + ((*list)[len] == ',');
	return true;
}
