/* SPDX-License-Identifier: Apache-2.0
 * sampler - the node's one sampler: its jobs, its devices, its rounds.
 */
#ifndef ASSAY_WATCH_SAMPLER_H
#define ASSAY_WATCH_SAMPLER_H

#include "checks/session.h"
#include "lib/track.h"
#include "watch/alarm.h"
#include "watch/driver.h"
#include "watch/events.h"
#include "watch/hook.h"
#include "watch/kernel.h"
#include "watch/look.h"
#include "watch/mark.h"

#define SAMPLER_STATE "state.json"
#define SAMPLER_HOST "host.json"
#define SAMPLER_HOST_TRACK "host.track"

struct sampler_job {
	struct mark mark;
	bool known;		/* still there at the last look */
	int dir;		/* its directory, -1 */
	int64_t shared_up_s;	/* its record was published last, 0 never */
	bool share;		/* and shall be in this round */
	bool has_cgroup;	/* in the last round */
	bool had_cgroup;	/* in one before */
	int64_t alone_up_s;	/* its cgroup is gone since, 0: it is not */
	struct track track;
	struct host_reading last;	/* at_us 0: none yet */
	struct netfs net;	/* of that reading */
	struct netfs base;	/* when the job began */
	bool has_base;
};

/* A GPU of a job that is alive; its place is the driver's slot. */
struct sampler_gpu {
	char name[64];		/* UUID, else bus id; "" the place is free */
	char bus_id[24];
	int index;		/* "GPU3" */
	struct alarm_gpu alarm;
	int64_t oldest_up_s;	/* start of its oldest job */
	bool wanted;		/* by a job, at the last look */
	struct track track;
	struct track_sample newest;	/* valid if the track has any */
	struct driver_reading last;	/* round 0: none yet */
};

struct sampler_port {
	char name[48];		/* "mlx5_0:1", "" the place is free */
	char subject[48];
	struct alarm_port alarm;
	struct track track;
	struct port_reading last;
};

#define SAMPLER_EXTRAS 8

struct sampler {
	struct session *s;
	int dir;		/* <run>/watch */
	int lock;
	int signals;		/* signalfd */
	char boot_id[40];
	json_t *memory;		/* of the checks, as it was at the start */
	struct instant started;
	int64_t interval_ms;
	int64_t due_ms;		/* the next round of the row */
	int64_t extra_ms[SAMPLER_EXTRAS];	/* rounds out of turn, 0 none */
	bool in_round;
	uint32_t samples;	/* rounds that have ended */
	struct instant last;	/* when the last one ended */
	struct instant driver_last;	/* the last that the driver answered */
	bool ending;		/* SIGTERM came */
	int64_t end_by_ms;	/* and by then all shall be over */
	bool missed;		/* a job came when it was too late */
	struct driver driver;
	struct look look;
	struct kernel kernel;
	struct events events;
	struct hook hook;
	struct worker scribe;
	int job_count;
	struct sampler_job job[MARK_JOBS_MAX];
	struct sampler_gpu gpu[FACTS_GPUS_MAX];
	struct sampler_port port[LOOK_PORTS_MAX];
};

/* Work until there is no job any more, or SIGTERM; missed tells then whether
 * there is one that was marked meanwhile, which another has to sample. 0, or -1
 * with *e if it could not even begin. s, dir (<run>/watch) and lock
 * (keeper_take()) are set. */
int sampler_run(struct sampler *w, struct err *e);

/* When the oldest of its jobs began, since boot. */
int64_t sampler_oldest_up_s(const struct sampler *w);

/* Look at the marks again: who is new, who is over (sampler_jobs.c). Returns
 * how many jobs are alive; *news: some are new, *ends: some are over. */
int sampler_look(struct sampler *w, bool *news, bool *ends);
void sampler_forget_jobs(struct sampler *w);
/* Is a job alive that it does not know? */
bool sampler_misses(struct sampler *w);
/* The job of that number, NULL. */
struct sampler_job *sampler_job_of(struct sampler *w, uint32_t id);

/* Make gpu[] fit the jobs (sampler_gpus.c). */
void sampler_fit_gpus(struct sampler *w);
/* Ask the driver about them. False: it cannot be asked now. */
bool sampler_ask_gpus(struct sampler *w);
/* Take what the last round told into the tracks. */
void sampler_take_gpus(struct sampler *w);
void sampler_close_gpus(struct sampler *w);

/* The same for what files tell (sampler_files.c). */
void sampler_fit_ports(struct sampler *w);
bool sampler_ask_files(struct sampler *w);
void sampler_take_files(struct sampler *w);
void sampler_close_ports(struct sampler *w);

/* Events (sampler_events.c): begin, when the jobs are known, and when they are
 * others; what the kernel log has of late; one that somebody saw. */
void sampler_begin_events(struct sampler *w);
void sampler_part_events(struct sampler *w);
void sampler_read_kernel(struct sampler *w);
void sampler_tell(struct sampler *w, struct event *ev);

/* The jobs' records as of now (sampler_scribe.c), by a worker. */
void sampler_write_jobs(struct sampler *w);
void sampler_end_scribe(struct sampler *w, int patience_ms);

/* Write state.json (sampler_state.c), and of each job host.json (sampler_
 * host.c); what cannot be written is logged once. */
void sampler_write_state(struct sampler *w);
void sampler_write_host(struct sampler_job *j);
/* What a sampler before this one wrote there about the job's beginning. */
void sampler_read_host(struct sampler_job *j);

#endif
