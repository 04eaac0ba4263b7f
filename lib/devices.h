/* SPDX-License-Identifier: Apache-2.0
 * devices - which devices are the job's, and whether they are its alone.
 *
 * Pure functions over the job, the facts and gres.conf; DESIGN principle 10.
 */
#ifndef ASSAY_DEVICES_H
#define ASSAY_DEVICES_H

#include <stdbool.h>

#include "lib/facts.h"
#include "lib/gres.h"
#include "lib/job.h"

enum gres_order { GRES_ORDER_AUTO, GRES_ORDER_NVML, GRES_ORDER_FILE,
		  GRES_ORDER_LIST };

enum devices_how {
	DEVICES_NONE,		/* the job has no GPUs */
	DEVICES_UUID,		/* UUID tokens of CUDA_VISIBLE_DEVICES */
	DEVICES_ALL,		/* the job holds all GPUs of the node */
	DEVICES_ORDER,		/* positions mapped by one order */
	DEVICES_AMBIGUOUS	/* the orders disagree: nothing is sure */
};

struct devices {
	enum devices_how how;
	bool gpu[FACTS_GPUS_MAX];	/* is facts->gpus.gpu[i] the job's? When
					 * ambiguous: any order says yes */
	int count;
	bool sure;		/* findings on these GPUs may drain */
	bool mig;		/* the job holds MIG instances */
	bool unmapped;		/* some of the job's devices were not found */
	char why[160];		/* how it was decided, for the record */
};

/* gres may be NULL (no gres.conf readable). */
void devices_of_job(const struct job *j, const struct facts_gpus *g,
		    const struct gres_conf *gres, enum gres_order order,
		    struct devices *out);

struct ownership {
	bool owned;
	char why[160];
};

/* other_jobs: job run directories or cgroups alive on this node besides this
 * job's: > 0 some, 0 none, -1 it cannot be told. Owned = all GPUs of the
 * node, no other job alive, OVERSUBSCRIBE=NO where Slurm says so. A job
 * without GPUs, where none are known, owns the node (and its RDMA ports) only
 * where Slurm says so. */
void devices_owned(const struct job *j, const struct devices *d,
		   const struct facts_gpus *g, int other_jobs,
		   struct ownership *out);

#endif
