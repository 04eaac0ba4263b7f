/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/jsonfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fdio.h"

json_t *jsonfile_read(int dir, const char *name)
{
	struct stat st;
	char *text = fdio_slurp(dir, name, JSONFILE_MAX, &st);
	json_t *doc;

	if (!text)
		return NULL;
	doc = json_loadb(text, (size_t)st.st_size, 0, NULL);
	free(text);
	if (!doc)
		errno = EINVAL;
	return doc;
}

int jsonfile_replace(int dir, const char *name, mode_t mode, const json_t *doc,
		     size_t flags)
{
	char *text = doc ? json_dumps(doc, flags) : NULL;
	int rc;

	if (!text) {
		errno = ENOMEM;
		return -1;
	}
	rc = fdio_replace(dir, name, mode, text, strlen(text));
	free(text);
	return rc;
}
