/* SPDX-License-Identifier: Apache-2.0
 * state - small JSON documents that assay keeps per node.
 *
 * One directory (default /var/lib/assay), owned by root or the effective
 * user. A document NAME lives in NAME.json, is written aside and renamed,
 * and starts with "schema": "assay.state.NAME/1". What is torn, foreign or
 * from the future is never overwritten blindly: what is no such document
 * (not JSON, binary, over 4 MiB, a link, another schema) is renamed to
 * NAME.json.bad, unless an older one is there already; one of a newer schema
 * makes the document read-only. Both read as empty and leave a complaint.
 * NAME is [a-z0-9_-]{1,64}.
 */
#ifndef ASSAY_STATE_H
#define ASSAY_STATE_H

#include <jansson.h>
#include <stdbool.h>

#include "lib/err.h"

#define STATE_NAME_BYTES 65
#define STATE_KNOWN_MAX 12

struct state {
	int dir;		/* -1: no directory, everything reads empty */
	int lock;		/* -1: not locked */
	bool readonly;		/* not locked in time, or no directory */
	bool unread;		/* what is kept (if anything) cannot be read */
	struct err complaint;	/* first about directory, document; "" none */
	/* Read under this lock and good, or absent: nobody else changes it,
	 * so a put need not look at it again. */
	char known[STATE_KNOWN_MAX][STATE_NAME_BYTES];
	int known_count;
};

/* Open (creating the last component, 0700) the directory. A directory that
 * others may write, or that cannot be had, is an error; *s is then usable
 * and read-only, so that a gate with a broken disk still judges. */
int state_open(struct state *s, const char *dir, struct err *e);
void state_close(struct state *s);

/* Lock with a deadline. When it is not had in time the state becomes
 * read-only and -1 (ETIMEDOUT) is returned; a later lock makes it writable.
 * The lock is this process's: children do not inherit it, so that an
 * abandoned worker cannot hold it for ever. */
int state_lock(struct state *s, int deadline_ms);
void state_unlock(struct state *s);

/* The document (new reference; the caller decrefs), an empty object if
 * there is none. Never NULL except on ENOMEM. */
json_t *state_get(struct state *s, const char *name);

/* Store obj (borrowed; its "schema" member is set here). 0, or -1 with errno
 * (EROFS when read-only or the document is of a newer schema, EFBIG over 4
 * MiB, ENOSPC...). The old content stays on failure. */
int state_put(struct state *s, const char *name, json_t *obj, struct err *e);

#endif
