/* SPDX-License-Identifier: Apache-2.0
 * jsonfile - a JSON document as a file of assay's own, in a directory that
 * only root (or who runs this) can change.
 */
#ifndef ASSAY_JSONFILE_H
#define ASSAY_JSONFILE_H

#include <jansson.h>
#include <stddef.h>
#include <sys/types.h>

#define JSONFILE_MAX (4 << 20) /* bytes that are read at most */

/* The document in the file name of dir (new reference). NULL with errno:
 * as fdio_slurp() says of a file that is not there, is not regular or larger
 * than JSONFILE_MAX, EINVAL it is no JSON, EBADF dir is -1. */
json_t *jsonfile_read(int dir, const char *name);

/* Write doc as name in dir, aside and renamed (fdio_replace()), in the form
 * that json_dumps() makes by flags. doc NULL is one that could not be made:
 * ENOMEM. 0, or -1 with errno. */
int jsonfile_replace(int dir, const char *name, mode_t mode, const json_t *doc,
		     size_t flags);

#endif
