/* SPDX-License-Identifier: Apache-2.0
 * Inside the block: a line is written part by part; a part that does not fit
 * is left out, the first is cut.
 */
#ifndef ASSAY_EPILOG_BLOCK_PRIVATE_H
#define ASSAY_EPILOG_BLOCK_PRIVATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "epilog/block.h"
#include "epilog/members.h"

struct block_line {
	char text[BLOCK_WIDTH + 1];
	size_t head; /* length of "# assay time: " */
	size_t len;
};

/* "# assay " and what the line is about. */
void block_begin(struct block_line *l, const char *about);
/* sep goes before it unless it is the first part. True if it is there. */
bool block_add(struct block_line *l, const char *sep, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
bool block_is_empty(const struct block_line *l);

/* Members of members; NAN and "" where they are not. */
double block_number(const json_t *o, const char *group, const char *name);
const char *block_text(const json_t *o, const char *group, const char *name);
bool block_is(const json_t *o, const char *group, const char *name,
	      const char *text);
const char *block_item(const json_t *list, size_t i); /* "": no text */

/* "2:13:45" | "1.2 TB" into buf. */
#define SHORT_MAX 32
char *block_duration(double seconds, char buf[SHORT_MAX]);
char *block_bytes(double n, char buf[SHORT_MAX]);
char *block_energy(double joules, char buf[SHORT_MAX]);
/* A device's name; without its node where there is only one. */
const char *block_device(const json_t *record, const char *name);

/* The lines; one that has nothing to say stays empty. */
void block_line_job(struct block_line *l, const json_t *record);
void block_line_seen(struct block_line *l, const json_t *record);
void block_line_gpus(struct block_line *l, const json_t *record);
void block_line_time(struct block_line *l, const json_t *record);
void block_line_mostly(struct block_line *l, const json_t *record);
void block_line_stalls(struct block_line *l, const json_t *record);
void block_line_power(struct block_line *l, const json_t *record);
void block_line_thirds(struct block_line *l, const json_t *record);
void block_line_fabric(struct block_line *l, const json_t *record);
void block_line_host(struct block_line *l, const json_t *record);
void block_line_slow(struct block_line *l, const json_t *record);
void block_line_fault(struct block_line *l, const json_t *record);
void block_line_blame(struct block_line *l, const json_t *record);
void block_line_checks(struct block_line *l, const json_t *record);
void block_line_advice(struct block_line *l, const json_t *record);

#endif
