/* SPDX-License-Identifier: Apache-2.0
 * page - text for a person, wrapped to 78 columns: quoted it still fits 80.
 */
#ifndef ASSAY_PAGE_H
#define ASSAY_PAGE_H

#include <stdio.h>

#define PAGE_WIDTH 78

/* A paragraph behind a label: "  label     text text\n            text". The
 * text starts at column indent, on each of its lines; words longer than a
 * line stand alone on theirs. label may be "". */
void page_item(FILE *f, int indent, const char *label, const char *text);

/* The same behind a label that is there already: the column is indent. */
void page_text(FILE *f, int indent, const char *text);

/* The same as page_item() for a printf format (at most 1023 bytes). */
void page_itemf(FILE *f, int indent, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
