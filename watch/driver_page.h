/* SPDX-License-Identifier: Apache-2.0
 * driver_page - inside of driver: what parent and child share.
 */
#ifndef ASSAY_WATCH_DRIVER_PAGE_H
#define ASSAY_WATCH_DRIVER_PAGE_H

#include "watch/driver.h"

struct driver_page {
	struct facts_gpu_progress progress;
	/* By the parent, before a round. */
	char nvml_path[512];
	uint32_t round;
	int count;
	char bus_id[FACTS_GPUS_MAX][24];
	/* By the child, in it. */
	char why[160];		/* the library cannot be had */
	struct driver_reading reading[FACTS_GPUS_MAX];
};

/* Body of the worker; arg: the page. */
int driver_child(int sock, void *arg);

#endif
