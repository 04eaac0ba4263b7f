/* SPDX-License-Identifier: Apache-2.0
 * nccl_ring - what NCCL measured on all GPUs of the node together. It is one
 * figure: the first GPU's shot stands for it, and it is remembered as that
 * GPU's.
 */
#ifndef ASSAY_NCCL_RING_H
#define ASSAY_NCCL_RING_H

#include "checks/probe_each.h"
#include "checks/yardstick.h"

#define NCCL_RING_LARGE 1	/* the figure that is judged */

struct nccl_ring {
	const struct check_env *env;
	struct check_result *r;		/* NULL: only asked */
	double expected;		/* by the site, GB/s; 0 nothing */
	int gpu;			/* the first that is chosen, -1 none */
	const struct probe_shot *shot;	/* [PROBE_SHOTS], its */
	char past[96];			/* what figures are comparable by */
};

struct nccl_ring nccl_ring_open(const struct check_env *env,
				struct check_result *r, double expected);

/* A shot against the site's figure and the ring's own past. */
struct yard_sight nccl_ring_hold(const struct nccl_ring *g, int shot);

bool nccl_ring_repeated(const struct nccl_ring *g);

/* As probe_excuse(): what excuses one GPU excuses all, the slowest counts. */
bool nccl_ring_excuse(const struct nccl_ring *g, int shot, char *buf,
		      size_t size);

/* For the record, one object for the node. */
void nccl_ring_report(const struct nccl_ring *g);

#endif
