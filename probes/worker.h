/* SPDX-License-Identifier: Apache-2.0
 * worker - a worker's side of the crew: what crosses its socket, and its page.
 */
#ifndef ASSAY_PROBES_WORKER_H
#define ASSAY_PROBES_WORKER_H

#include "probes/crew.h"
#include "probes/device.h"

enum worker_op {
	WORKER_MEASURE,		/* to it: probe, shot */
	WORKER_QUIT,		/* to it: give everything back and go */
	WORKER_DONE		/* from it: that is in the page */
};

struct worker_msg {
	int32_t op;
	int32_t probe;
	int32_t shot;
	int32_t left_ms;	/* to it: after that nobody waits for it */
};

/* Shared with the parent. A worker that was left behind may write into it for
 * ever, nobody looks. */
struct worker_page {
	struct probe_progress progress;
	/* Of our own kind on the same GPUs; 0 none. The parent writes. */
	pid_t crew[PROBE_GPUS_MAX];
	bool again[PROBE_GPUS_MAX];	/* group, repeat: only these */
	struct facts_probes result;
};

struct worker_task {
	const struct crew_plan *plan;
	struct worker_page *page;
	int place;		/* or one of these: */
#define WORKER_GROUP (-1)
#define WORKER_STORAGE (-2)
};

/* The body of a worker (spawn_f): opens its GPUs or its port, says DONE for
 * PROBE_context, and does what it is told until QUIT, or until its parent is
 * gone. */
int worker_body(int sock, void *task);

#endif
