/* SPDX-License-Identifier: Apache-2.0
 * session - what every program opens before it works: config, root, state,
 * knowledge, and this node's name.
 *
 * session_open() never fails for a reason that should stop a gate: what could
 * not be had is said in complaint (one line, for the log and metrics) and the
 * safe default stands in: no config file = defaults, a broken one = the last
 * good copy, no state directory = a read-only empty one.
 */
#ifndef ASSAY_SESSION_H
#define ASSAY_SESSION_H

#include <stdbool.h>

#include "lib/cfg.h"
#include "lib/devices.h"
#include "lib/gres.h"
#include "lib/job.h"
#include "lib/profile.h"
#include "lib/roots.h"
#include "lib/slurm.h"
#include "lib/state.h"
#include "lib/sysfacts.h"
#include "lib/xid.h"

struct session {
	const char *config_path;
	bool config_given;	/* by --config: a missing file is a fault */
	struct cfg *cfg;
	bool cfg_is_copy;	/* the last good copy is in use */
	bool cfg_lost;		/* neither file nor copy: built-in defaults */
	struct roots roots;
	struct sysfacts sysfacts;
	struct state state;
	struct xid_table *xids;
	struct profiles *profiles;	/* by session_profiles() */
	bool profiles_read;
	int run_dir;		/* [paths] run, -1 if it cannot be had */
	const struct job *job;	/* borrowed; job->id 0: none */
	char complaint[512];	/* "" or the first thing that is wrong */
};

/* config_path NULL: the default. job is kept by reference. 0, or -1 only
 * when nothing at all can be done (ENOMEM, no root). */
int session_open(struct session *s, const char *config_path,
		 const struct job *job, struct err *e);
void session_close(struct session *s);

/* The hardware profiles, read at the first call; a bad file is complained
 * about. NULL: there are none. */
const struct profiles *session_profiles(struct session *s);

/* Is the kill switch there: a file OFF beside the config file, owned by root
 * or the effective user? One of anybody else's is not: then *why says so,
 * else it is "". */
bool session_switched_off(const char *config_path, struct err *why);

/* The job's directory below run_dir, created 0711; -1 with errno. */
int session_job_dir(const struct session *s, uint32_t job);

/* The job starts (again) on this node; it has ended: its directory keeps the
 * verdict for a while, but does not count as a job any more. */
void session_job_begin(const struct session *s, uint32_t job);
/* Its Epilog begins: the gate's verdict is kept as prolog.json. */
void session_job_ending(const struct session *s, uint32_t job);
void session_job_end(const struct session *s, uint32_t job);

/* Remove directories of jobs that ended, or whose Epilog began and was never
 * heard of again, SESSION_KEEP_S ago. */
#define SESSION_KEEP_S 600
void session_jobs_purge(const struct session *s, int64_t now_s);

/* Which order does a position in SLURM_JOB_GPUS count in? */
enum gres_order session_gres_order(const struct session *s);

/* gres.conf beside slurm.conf, looked up below [paths] root first, for this
 * node. 0, or -1 if there is none that can be read. */
int session_gres(const struct session *s, struct gres_conf *out);

/* How to talk to slurmctld from here: all calls within [budget] slurm_ms from
 * now. The strings are the session's. */
void session_slurm(const struct session *s, struct slurm *out);

/* A text file of the system's own: below the injected root, or else in "/".
 * malloc'ed, NULL with errno; EFBIG above SESSION_TEXT_MAX bytes. */
#define SESSION_TEXT_MAX (1024 * 1024)
char *session_read_text(const struct session *s, const char *path);

/* Jobs on this node besides this one, by their run directories and cgroups:
 * a count, or -1 if it cannot be told. */
int session_other_jobs(const struct session *s);

/* Steps of Slurm's that run here, by the names of all processes: also where
 * no Prolog of ours and no cgroup tells of jobs. Costs a look at each. */
int session_steps(const struct session *s);
/* The same, of one job. */
int session_steps_of(const struct session *s, uint32_t job);

/* Either of them, asked often: has another job come? (A step may be the own
 * job's, if there is one: then it does not count.) No question is asked again
 * before its time. watch: zero at first. */
#define SESSION_JOBS_MS 40
#define SESSION_STEPS_MS 400
struct session_watch {
	int64_t jobs_ms, steps_ms;	/* when they may be asked again */
};
bool session_job_came(const struct session *s, struct session_watch *watch,
		      int64_t now_ms);

/* mode = enforce? */
bool session_enforces(const struct session *s);

#endif
