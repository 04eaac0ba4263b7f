/* SPDX-License-Identifier: Apache-2.0
 * mark - a job on this node, as its Prolog noted it: <run>/<jobid>/job.json,
 * schema assay.mark/1. By the marks the sampler finds its jobs, and the Epilog
 * what there was at the start.
 *
 * A job is alive from its mark until its Epilog begins (MARK_OVER) or has
 * ended (MARK_ENDED, session.h); a mark of another boot is nobody's.
 */
#ifndef ASSAY_WATCH_MARK_H
#define ASSAY_WATCH_MARK_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "checks/pass.h"
#include "lib/clock.h"

#define MARK_FILE "job.json"
#define MARK_OVER "over"
#define MARK_ENDED "ended"
#define MARK_JOBS_MAX 64	/* alive at once, more are not sampled */

/* Why a job has a sampler, or none. */
enum mark_watch { MARK_WANTED, MARK_SHORT, MARK_DISABLED, MARK_NO_GPU };

struct mark_gpu {
	char uuid[64], bus_id[24], name[96];
	int index, minor;
};

struct mark {
	uint32_t job, restart;
	int64_t uid, gid;	/* -1 unknown */
	int64_t start_s;
	int64_t start_up_s;	/* the same, since boot; INT64_MIN unknown */
	int64_t limit_end_s;	/* 0 unknown */
	int64_t array_job, array_task;	/* -1 none */
	char user[64], account[128], partition[128], node[256], sluid[32];
	char boot_id[40];
	int nodes;		/* 0 unknown */
	int cpus;		/* 0 unknown */
	int64_t block_after_s;	/* a shorter job's output gets no block */
	bool owned;
	enum mark_watch watch;
	int gpu_count;
	struct mark_gpu gpu[FACTS_GPUS_MAX];	/* the job's own */
	json_t *snapshot;	/* never NULL after a read; mark_fini() */
};

/* What the Prolog notes. -1 on ENOMEM. */
int mark_of_pass(const struct pass *p, struct mark *m);

/* Write it into the job's directory below run_dir. 0 or -1 with errno. */
int mark_write(int run_dir, const struct mark *m);

/* 0, or -1 with errno: ENOENT there is none, EINVAL it cannot be read. */
int mark_read(int run_dir, uint32_t job, struct mark *m);
void mark_fini(struct mark *m);

/* A job's times are told as the clock went when it began, whoever has set it
 * since: Slurm's clock is another one. mark_time_s(): such a time of a moment
 * since boot. mark_settle(): of another boot, or without start_up_s, it began as
 * the clock goes now. Pure. */
int64_t mark_time_s(const struct mark *m, int64_t up_s);
void mark_settle(struct mark *m, const struct instant *now, bool same_boot);

/* The job is over, for the sampler: by its Epilog, or given up. */
int mark_over(int run_dir, uint32_t job);

/* Is MARK_OVER or MARK_ENDED there? */
bool mark_has(int run_dir, uint32_t job, const char *file);

/* Jobs of this boot (NULL: any) that are alive and want a sampler, at most max
 * numbers into list. How many, or -1 with errno. */
int mark_alive(int run_dir, const char *boot_id, uint32_t *list, int max);

#endif
