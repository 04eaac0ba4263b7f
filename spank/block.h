/* SPDX-License-Identifier: Apache-2.0
 * block - the report's few lines at the end of a job's output.
 *
 * The watch renders them into the job's run directory; who prints them decides
 * here whether they are wanted, and trusts their form no further than it sees.
 */
#ifndef ASSAY_SPANK_BLOCK_H
#define ASSAY_SPANK_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "spank/choice.h"

#define BLOCK_FILE "block"
#define BLOCK_NONE_FILE "noblock"	/* [report] block = no */
#define BLOCK_JOB_FILE "job.json"
#define BLOCK_LINES 12
#define BLOCK_COLUMNS 120
#define BLOCK_START "# assay "
#define BLOCK_MIN_RUN_S 600

struct block {
	int count;
	char line[BLOCK_LINES][BLOCK_COLUMNS + 1];
};

/* The lines that the job's owner is to see; count 0: none. Not if he said
 * no-report, nor where the site's default is no and he said nothing, nor for
 * a job that ran less than its own mark says ([report] block_after_s), or
 * BLOCK_MIN_RUN_S. (A job without a mark has no start to count from, and is
 * not held to be short.) */
void block_read(int dir, const struct choice *choice, int64_t now_s,
		struct block *out);

#endif
