/* SPDX-License-Identifier: Apache-2.0
 * sampler - the node's one sampler: its jobs, its devices, its rounds.
 */
#ifndef ASSAY_WATCH_SAMPLER_H
#define ASSAY_WATCH_SAMPLER_H

#include "checks/session.h"
#include "watch/driver.h"
#include "watch/mark.h"
#include "lib/track.h"

#define SAMPLER_STATE "state.json"

struct sampler_job {
	struct mark mark;
	bool known;		/* still there at the last look */
	bool had_cgroup;
	int64_t alone_s;	/* its cgroup is gone since, 0: it is not */
};

/* A GPU of a job that is alive; its place is the driver's slot. */
struct sampler_gpu {
	char name[64];		/* UUID, else bus id; "" the place is free */
	char bus_id[24];
	int64_t oldest_s;	/* start of its oldest job */
	bool wanted;		/* by a job, at the last look */
	struct track track;
	struct driver_reading last;	/* round 0: none yet */
};

#define SAMPLER_EXTRAS 8

struct sampler {
	struct session *s;
	int dir;		/* <run>/watch */
	int lock;
	int signals;		/* signalfd */
	char boot_id[40];
	int64_t started_s;	/* wall clock */
	int64_t interval_ms;
	int64_t due_ms;		/* the next round of the row */
	int64_t extra_ms[SAMPLER_EXTRAS];	/* rounds out of turn, 0 none */
	uint32_t samples;	/* rounds that told something */
	int64_t last_s;		/* wall clock of the last one */
	int64_t driver_s;	/* and of the last that the driver answered */
	bool ending;		/* SIGTERM came */
	struct driver driver;
	int job_count;
	struct sampler_job job[MARK_JOBS_MAX];
	struct sampler_gpu gpu[FACTS_GPUS_MAX];
};

/* Work until there is no job any more, or SIGTERM. 0, or -1 with *e if it
 * could not even begin. dir: <run>/watch; lock: keeper_take(). */
int sampler_run(struct sampler *w, struct err *e);

/* Look at the marks again: who is new, who is over (sampler_jobs.c). Returns
 * how many jobs are alive; *news: some are new, *ends: some are over. */
int sampler_look(struct sampler *w, bool *news, bool *ends);
void sampler_forget_jobs(struct sampler *w);

/* Make gpu[] fit the jobs (sampler_gpus.c). */
void sampler_fit_gpus(struct sampler *w);
/* Ask the driver about them. False: it cannot be asked now. */
bool sampler_ask_gpus(struct sampler *w);
/* Take what the last round told into the tracks. */
void sampler_take_gpus(struct sampler *w);
void sampler_close_gpus(struct sampler *w);

/* Write state.json (sampler_state.c); what cannot be written is logged once. */
void sampler_write_state(struct sampler *w);

#endif
