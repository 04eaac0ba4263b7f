/* SPDX-License-Identifier: Apache-2.0
 * profile_read - one profile file (see profile.h). Private to profile.c.
 */
#ifndef ASSAY_PROFILE_READ_H
#define ASSAY_PROFILE_READ_H

#include "lib/err.h"
#include "lib/profile.h"

/* Largest file that is read at all. */
#define PROFILE_FILE_MAX 65536

/* Read path into *out, which is not touched on failure. 0, or -1 with errno
 * and *e, which names file and key. */
int profile_read(const char *path, struct profile *out, struct err *e);

#endif
