/* SPDX-License-Identifier: Apache-2.0
 * reason - take a drain reason apart: the other way round of policy_reason().
 */
#ifndef ASSAY_REASON_H
#define ASSAY_REASON_H

#include <stdbool.h>
#include <stdint.h>

#include "checks/check.h"

struct reason {
	char check[48];		/* "gpu_remap", "exec_scratch" */
	char subject[48];	/* "GPU5", "node", "mlx5_4"; "GPU5 SM 17" */
	char fact[160];		/* "row remap failed" */
	enum remedy remedy;	/* REMEDY_NONE: the reason has no word */
	uint32_t job;		/* 0: none */
	int more;		/* +K */
};

/* "assay:CHECK SUBJECT FACT [remedy] job N +K", each of the last three or
 * none; " [user@time]" behind it, as scontrol shows it, is skipped. False if
 * it is no reason of assay's. */
bool reason_parse(const char *text, struct reason *out);

#endif
