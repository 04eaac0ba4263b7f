/* SPDX-License-Identifier: Apache-2.0
 * members - what a record's JSON objects say: texts, and numbers by a table
 * and back. A number that is not known is null, and "why" beside it says why.
 */
#ifndef ASSAY_EPILOG_MEMBERS_H
#define ASSAY_EPILOG_MEMBERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "epilog/story.h"

#define RECORD_SCHEMA "assay.job/1"

struct member {
	const char *group; /* an object in the object, NULL: none */
	const char *name;
	size_t offset; /* of a struct story_number in the row */
};

/* "reset during the job"; NULL for STORY_KNOWN. */
const char *why_text(enum story_why why);

struct story_number number_known(double v);
struct story_number number_unknown(enum story_why why);
/* v if it is a finite number, else why. */
struct story_number number_or(double v, enum story_why why);
/* What a counter moved by: below 0 it was reset. */
struct story_number number_counted(struct story_number n);
bool number_is_known(const struct story_number *n);
/* Its value, NAN where it is not known. */
double number_of(const struct story_number *n);

/* The one at this place in a row: offsetof(struct ..., member). */
const struct story_number *number_at(const void *row, size_t offset);

/* Whole numbers are integers; NULL on ENOMEM. */
json_t *number_json(double v);
/* o.name = *n, or null and o.why.name. */
void number_put(json_t *o, const char *name, struct story_number n);
/* A missing or foreign member is unknown: as why tells, else unreadable. */
struct story_number number_get(const json_t *o, const char *name);
/* Its value, NAN where it is not known. */
double member_number(const json_t *o, const char *name);

/* A member of o, or of the object group in it (NULL: none). Borrowed, NULL. */
const json_t *member_at(const json_t *o, const char *group, const char *name);
/* A string member as it came, borrowed; "" where there is none. */
const char *member_string(const json_t *o, const char *name);
bool member_is(const json_t *o, const char *name, const char *text);
/* The same, scrubbed, into dst, which is returned. */
char *member_text(const json_t *o, const char *name, char *dst, size_t size);
/* NULL and "" are null. */
json_t *member_text_json(const char *s);
/* What a fault is known by: "XID 94", "SXid 12028"; "" where it has no number.
 * Returns buf. */
#define MEMBER_XID 32
char *member_xid(const json_t *fault, char buf[MEMBER_XID]);
/* An integer member, else dflt; and back: below 0 it is null. */
int64_t member_whole(const json_t *o, const char *name, int64_t dflt);
json_t *member_whole_json(int64_t n);
/* The object of that name in o, which is made if it is not there. Borrowed;
 * NULL on ENOMEM. */
json_t *member_object(json_t *o, const char *name);

void members_put(json_t *o, const struct member *m, int count, const void *row);
void members_get(const json_t *o, const struct member *m, int count, void *row);

#endif
