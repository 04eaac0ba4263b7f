/* SPDX-License-Identifier: Apache-2.0
 * gate_rows - what a gate said of a job's devices: what was measured, a row for
 * each figure (how many devices, their mean, and the lowest with its name), and
 * what its checks found.
 */
#ifndef ASSAY_EPILOG_GATE_ROWS_H
#define ASSAY_EPILOG_GATE_ROWS_H

#include <jansson.h>

/* What a check found; all texts are scrubbed. */
struct gate_check {
	char name[64], node[64], status[16], subject[64], text[200];
};

json_t *gate_check_json(const struct gate_check *c);

void gate_rows_add(json_t *rows, const char *check, const char *figure,
		   const char *device, double value);

/* A part "gate" or "after" of a record (verdict, measured, checks) added to
 * another of the same kind. NULL *to: there was none. */
void gate_part_merge(json_t **to, const json_t *part);

#endif
