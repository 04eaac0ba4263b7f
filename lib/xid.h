/* SPDX-License-Identifier: Apache-2.0
 * xid - what kernel-log numbers of the NVIDIA driver mean: etc/xid.json.
 *
 * The file is data: every row has its class, its action and its source; a
 * loader that rejects unknown keys, classes and doubles. Without a readable
 * file the built-in copy (the same file, compiled in) is used.
 */
#ifndef ASSAY_XID_H
#define ASSAY_XID_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"

enum xid_class {
	XID_NOTE,		/* information */
	XID_APP,		/* the application's fault */
	XID_WARN,		/* worth an admin's eye */
	XID_RESET,		/* the GPU needs a reset: drain */
	XID_REBOOT,		/* the node needs a reboot: drain */
	XID_SERVICE,		/* hardware needs a hand: drain */
	XID_FOLLOW		/* 154: the action told in the line decides */
};

/* Whose fault it was, as far as the number tells. */
enum xid_blame { XID_BLAME_UNKNOWN, XID_BLAME_PROGRAM, XID_BLAME_HARDWARE };

struct xid_row {
	int32_t number;
	int32_t subcode;	/* -1: any */
	int fatal;		/* 1: only "Fatal" lines, 0: only others, -1 any */
	enum xid_class class;
	enum xid_blame blame;	/* if the row does not say: app is the
				 * program's, what is worse than note the
				 * hardware's */
	bool dead;		/* the driver may hang on this GPU: do not ask */
	char name[64];		/* "GPU has fallen off the bus" */
	char advice[160];
	char source[96];
};

struct xid_table;

/* path NULL: the built-in table, read at the first look-up. NULL with errno
 * and *e (file and row). */
struct xid_table *xid_load(const char *path, struct err *e);
void xid_destroy(struct xid_table *t);

/* The most exact row for an XID (subcode and fatal beat the general row);
 * NULL: an unknown number, to be treated as XID_WARN. */
const struct xid_row *xid_find(const struct xid_table *t, int32_t number,
			       int32_t subcode, bool fatal);
/* The same for an NVSwitch SXid. */
const struct xid_row *sxid_find(const struct xid_table *t, int32_t number,
				bool fatal);
const char *xid_class_name(enum xid_class c);

#endif
