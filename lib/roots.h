/* SPDX-License-Identifier: Apache-2.0
 * roots - the file-system root that /proc, /sys, /dev and /etc are read from.
 *
 * Opened once as a directory descriptor; every read goes through it with
 * openat2(RESOLVE_IN_ROOT), so that absolute links stay inside and nothing
 * escapes. Paths are given without or with a leading '/'.
 */
#ifndef ASSAY_ROOTS_H
#define ASSAY_ROOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/err.h"

struct roots {
	int fd;			/* directory descriptor, close-on-exec */
	bool injected;		/* not the system's own "/" */
};

/* path: "/" or the directory of a fixture. */
int roots_open(struct roots *r, const char *path, struct err *e);
void roots_close(struct roots *r);

/* Open below the root; flags as open(2) without O_CREAT (O_CLOEXEC, O_NOCTTY
 * are added). Returns a descriptor or -1 with errno. */
int roots_openat(const struct roots *r, const char *path, int flags);

/* Read a small regular file whole: at most size-1 bytes, terminated; one
 * trailing newline is cut. Returns the length, or -1 with buf empty (ENOENT,
 * EACCES, EINVAL for a read that the kernel refuses or what is not a regular
 * file, EISDIR, EFBIG if it does not fit). */
ssize_t roots_read(const struct roots *r, const char *path, char *buf,
		   size_t size);

/* As roots_read(), for a formatted path (at most 511 bytes). */
ssize_t roots_readf(const struct roots *r, char *buf, size_t size,
		    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* A file of unknown size, at most max bytes, malloc'ed and terminated; the
 * caller frees. *len may be NULL. NULL with errno (EFBIG if larger). */
char *roots_slurp(const struct roots *r, const char *path, size_t max,
		  size_t *len);

/* A whole file that holds one unsigned number (decimal, or 0x..; 010 is ten)
 * and nothing but blanks around it. -1 with EINVAL if it is not one, ERANGE
 * if it is too large; *out is then untouched. */
int roots_read_u64(const struct roots *r, uint64_t *out, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

bool roots_exists(const struct roots *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Target of a link, as stored. Length, or -1 (EINVAL: not a link,
 * ENAMETOOLONG) with buf empty. */
ssize_t roots_readlink(const struct roots *r, const char *path, char *buf,
		       size_t size);

/* Call fn for each entry of a directory (not "." and "..") in natural order
 * (mlx5_2 before mlx5_10; PCI addresses as the hexadecimal numbers that they
 * are); stops when fn returns non-zero and returns that. -1 with errno if the
 * directory cannot be read (E2BIG: more than 65,536 entries). */
typedef int (*roots_entry_f)(const char *name, void *arg);
int roots_each(const struct roots *r, const char *path, roots_entry_f fn,
	       void *arg);

/* strcmp() in natural order: runs of digits compare as decimal numbers. Not
 * for PCI addresses. */
int roots_natcmp(const char *a, const char *b);

#endif
