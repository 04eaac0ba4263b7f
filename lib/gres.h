/* SPDX-License-Identifier: Apache-2.0
 * gres - the order in which Slurm counts a node's GPUs: gres.conf, read.
 */
#ifndef ASSAY_GRES_H
#define ASSAY_GRES_H

#include "lib/err.h"

#define GRES_FILES_MAX 128

enum gres_autodetect {
	GRES_AUTO_NONE, GRES_AUTO_NVML, GRES_AUTO_NVIDIA, GRES_AUTO_OTHER
};

struct gres_conf {
	enum gres_autodetect autodetect;
	int count;			/* entries of minor[] */
	/* Device minor of each position of gres name "gpu" in the node's list:
	 * File=/dev/nvidia[0-2,4-7] counts 0,1,2,4,5,6,7. A File that does not
	 * end in a number gives -1; MultipleFiles= one position with the first
	 * file's number (MIG: the capability file of the parent GPU). */
	int minor[GRES_FILES_MAX];
	char file[GRES_FILES_MAX][64];
};

/* Judge the text of a gres.conf for a node (NodeName= lists matched; lines
 * without NodeName are everybody's; comments, continuation lines and Slurm's
 * case-insensitive keys understood; Name=shard and others ignored). */
int gres_parse(const char *text, const char *node, struct gres_conf *out,
	       struct err *e);

#endif
