/* SPDX-License-Identifier: Apache-2.0
 * kmsg - read records of the kernel log, one after the other.
 *
 * The source is dev/kmsg below the root: the kernel's device (one record per
 * read) or, in a fixture, a regular file that holds records line by line.
 * A record is "prio,seq,usec,flags[,more];text"; lines that start with a
 * blank belong to the record before them and are ignored. Whatever the log
 * holds, reading is bounded in time, bytes and errors.
 */
#ifndef ASSAY_KMSG_H
#define ASSAY_KMSG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/roots.h"

#define KMSG_BUF 16384	  /* > the largest record the kernel hands out */
#define KMSG_TIME_MS 1500 /* for reading the whole log */
#define KMSG_BYTES_MAX (256L << 20)

struct kmsg_record {
	unsigned int prio; /* facility << 3 | level */
	uint64_t seq;
	int64_t usec;
	char flag;	  /* '-'; 'c' and '+' are bits of a line */
	const char *text; /* terminated; valid until the next call */
};

struct kmsg {
	int fd;
	bool device; /* false: a regular file */
	bool gap;    /* the ring overran the reader */
	bool cut;    /* stopped at a bound: there may be more */
	int errors;
	long bytes;
	int64_t deadline_ms;
	size_t from, have; /* file: the part of buf not yet used */
	bool skipping;	   /* file: inside a line too long for buf */
	char buf[KMSG_BUF + 1];
};

/* Open below r. -1 with errno: ENOENT/ENXIO/ENODEV no kernel log here, EACCES
 * or EPERM not for this user, EINVAL neither device nor file. */
int kmsg_open(struct kmsg *k, const struct roots *r, struct err *e);
void kmsg_close(struct kmsg *k);

/* Read on later: the bounds count anew. */
void kmsg_again(struct kmsg *k);

/* The next well-formed record: 1; the end of what is there now: 0 (cut tells
 * whether a bound was met); -1 with errno if the log cannot be read. */
int kmsg_next(struct kmsg *k, struct kmsg_record *rec);

/* Take a record apart; line is terminated, without newline, and is kept by
 * reference. -1 if it is not a record. */
int kmsg_parse(const char *line, struct kmsg_record *rec);

/* Written by the kernel itself (facility 0: user space cannot), and at the
 * start of a line? */
bool kmsg_is_kernels(const struct kmsg_record *rec);

#endif
