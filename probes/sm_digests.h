/* SPDX-License-Identifier: Apache-2.0
 * sm_digests - run a kernel that gives one digest per SM, several times over,
 * and fold what each SM gave into one number.
 */
#ifndef ASSAY_PROBES_SM_DIGESTS_H
#define ASSAY_PROBES_SM_DIGESTS_H

#include "probes/device.h"

struct sm_run {
	struct probe_device *d;
	struct probe_shot *shot;
	enum kernel kernel;
	int launches;
	int warm_up;		/* launches before that, which are not timed */
	void *args;		/* the kernel's struct, and in it: */
	uint64_t *address;	/* where the results go */
	uint32_t *seed;		/* first_seed, first_seed + 1, ... */
	uint32_t first_seed;
	struct probe_digests *out;
};

/* The warm-up, then the launches, timed together. An SM that ran no block in
 * some launch counts as not seen. 0, or -1 with the shot ended. */
int sm_digests_run(struct sm_run *r, double *seconds);

/* Dynamic shared memory of a launch: half of what an SM has and a bit more, so
 * that no two blocks fit on one. */
unsigned int sm_digests_shared(struct probe_device *d);

#endif
