/* SPDX-License-Identifier: Apache-2.0
 * block - what a job's owner reads at the end of the job's output: the record
 * in at most twelve lines.
 */
#ifndef ASSAY_EPILOG_BLOCK_H
#define ASSAY_EPILOG_BLOCK_H

#include <jansson.h>

#define BLOCK_LINES 12
#define BLOCK_WIDTH 120

/* Each line is printable ASCII, begins with "# assay " and has no newline. */
struct block {
	int count;
	char line[BLOCK_LINES][BLOCK_WIDTH + 1];
};

/* Of a record of either kind, whatever is in it. A line that has nothing to
 * say is not there. */
void block_render(const json_t *record, struct block *b);

#endif
