/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/jsonfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/fdio.h"

json_t *jsonfile_read(int dir, const char *name)
{
	int fd = openat(dir, name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	json_t *doc = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_size <= JSONFILE_MAX)
		doc = json_loadfd(fd, 0, NULL);
	fdio_close(fd);
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
