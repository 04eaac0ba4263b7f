/* SPDX-License-Identifier: Apache-2.0
 * gate_rows - what was measured, a row for each figure: how many devices, their
 * mean, and the lowest with its name.
 */
#ifndef ASSAY_EPILOG_GATE_ROWS_H
#define ASSAY_EPILOG_GATE_ROWS_H

#include <jansson.h>

void gate_rows_add(json_t *rows, const char *check, const char *figure,
		   const char *device, double value);

/* A part "gate" or "after" of a record (verdict, measured, checks) added to
 * another of the same kind. NULL *to: there was none. */
void gate_part_merge(json_t **to, const json_t *part);

#endif
