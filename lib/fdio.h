/* SPDX-License-Identifier: Apache-2.0
 * fdio - descriptors: whole reads and writes that survive signals.
 */
#ifndef ASSAY_FDIO_H
#define ASSAY_FDIO_H

#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Read until size bytes are there or the file ends. How many, or -1. */
ssize_t fdio_read(int fd, void *buf, size_t size);
/* The file NAME in dir as text, terminated: malloc'ed, *st says what it is and
 * in st_size how much was read. Only a regular file of at most max bytes, and
 * nothing else is waited for or followed. NULL with errno: ENOENT, ELOOP a
 * link, EPERM no regular file, EFBIG, or what reading it said. */
char *fdio_slurp(int dir, const char *name, size_t max, struct stat *st);
/* Write all of it. 0 or -1. */
int fdio_write(int fd, const void *buf, size_t size);
/* Write buf as NAME in dir, aside (".NAME.new") and renamed: NAME is whole, or
 * what it was. 0 or -1. */
int fdio_replace(int dir, const char *name, mode_t mode, const void *buf,
		 size_t size);
/* close(2) that takes -1 for "none" and preserves errno. */
void fdio_close(int fd);

#endif
