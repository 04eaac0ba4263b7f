/* SPDX-License-Identifier: Apache-2.0
 * fdio - descriptors: whole reads and writes that survive signals.
 */
#ifndef ASSAY_FDIO_H
#define ASSAY_FDIO_H

#include <stddef.h>
#include <sys/types.h>

/* Read until size bytes are there or the file ends. How many, or -1. */
ssize_t fdio_read(int fd, void *buf, size_t size);
/* Write all of it. 0 or -1. */
int fdio_write(int fd, const void *buf, size_t size);
/* Write buf as NAME in dir, aside (".NAME.new") and renamed: NAME is whole, or
 * what it was. 0 or -1. */
int fdio_replace(int dir, const char *name, mode_t mode, const void *buf,
		 size_t size);
/* close(2) that takes -1 for "none" and preserves errno. */
void fdio_close(int fd);

#endif
