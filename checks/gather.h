/* SPDX-License-Identifier: Apache-2.0
 * gather - workers that fill the facts, watched from outside (runner's part).
 *
 * A task is one worker with one shared page. The worker writes facts into its
 * page and says so in a short message; only then the parent copies them. A
 * worker that was abandoned may write into its page for ever, nobody looks.
 */
#ifndef ASSAY_GATHER_H
#define ASSAY_GATHER_H

#include "checks/runner.h"
#include "lib/facts_gpu.h"
#include "lib/spawn.h"

/* What a worker may say. */
enum gather_say {
	SAY_DONE,		/* the domain's struct is complete */
	SAY_STATE,		/* JSON text follows: new state of the log reader */
	SAY_INVENTORY,		/* GPUs that files tell about are in the page */
	SAY_GPU			/* facts.gpus.gpu[index] is complete */
};

struct gather_msg {
	int32_t say;		/* enum gather_say */
	int32_t index;
	char text[];		/* SAY_STATE only, terminated */
};

struct gather_page {
	struct facts facts;
	struct facts_gpu_progress progress;
};

struct gather_task;

struct gather_kind {
	const char *name;
	enum domain domain;
	bool vendor;
	size_t offset, size;	/* its struct inside struct facts */
	/* In the worker: fill page. 0, or -1 (gather.why says why). */
	int (*fill)(struct gather_task *t, int sock);
};

struct gather_task {
	const struct gather_kind *kind;
	struct run *run;
	struct worker worker;
	struct gather_page *page;
	int64_t until_ms;	/* its deadline */
	bool running;
	bool done;		/* SAY_DONE came */
	/* GPU workers only: */
	bool witness;		/* asks only where another one hung */
	bool again;		/* starts from the facts the parent has */
	bool files_only;	/* the inventory, no driver call */
	int patience_ms;	/* without a returning call it is stuck */
	bool skip[FACTS_GPUS_MAX];	/* not to be asked, by index in gpu[] */
	uint64_t calls;		/* as last seen */
	int64_t moved_ms;	/* when calls last changed */
	int64_t d_since_ms;	/* in D state since, 0 not */
	bool stuck;		/* no call returned for too long */
	char stuck_call[64];
	int stuck_gpu;		/* index in gpu[], -1 none */
};

/* Start a worker of that kind into *t (t->skip and t->witness set before).
 * 0 or -1 with errno; facts' gather.end is then GATHER_ERROR. */
int gather_start(struct gather_task *t, const struct gather_kind *kind,
		 struct run *run, int64_t until_ms);

/* Handle messages, ends, deadlines and stuck drivers of n tasks until all
 * have ended, or the first one gets stuck. Returns the longest time (ms) this
 * process was not scheduled although it should have been. */
int gather_wait(struct gather_task *tasks, int n);

/* Stop its worker; one that stays behind in the driver is noted. */
void gather_stop(struct gather_task *t);

/* End and forget a task: stops the worker, unmaps the page. */
void gather_end(struct gather_task *t);

/* The GPU domain, from its inventory to the witness (gather_gpu.c). Waits for
 * the n tasks that run already as well. Appends up to GATHER_GPU_TASKS to the
 * array; returns how many tasks there are then. */
#define GATHER_GPU_TASKS 3
int gather_gpus(struct run *run, struct gather_task *tasks, int n,
		int64_t until_ms);
extern const struct gather_kind gather_gpu_kind;

/* Workers that are stuck in the driver outlive their run (gather_stuck.c);
 * stuck.json in the run directory remembers them. */
struct gather_stuck {
	pid_t pid;
	int64_t age_s;		/* found: since it was noted, by the clock
				 * that nobody sets */
	char bus_id[24];	/* "" not one GPU */
	char hca[32];		/* in that RDMA device's driver; "" the GPUs' */
	char call[64];
};

/* Is one of an earlier run still there, in the GPUs' driver? */
bool gather_stuck_before(const struct session *s, struct gather_stuck *out);
/* The same of an RDMA device. */
bool gather_stuck_at_hca(const struct session *s, const char *hca);
void gather_stuck_note(const struct session *s, const struct gather_stuck *n);

#endif
