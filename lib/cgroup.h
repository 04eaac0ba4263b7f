/* SPDX-License-Identifier: Apache-2.0
 * cgroup - where a job of Slurm's is accounted, and what is written there.
 *
 * Slurm has made these directories, by release and settings:
 *
 *	v2	.../slurmstepd.scope/job_12/step_0/user/task_3
 *	v2	.../n1_slurmstepd.scope/...	several slurmd on one machine
 *	v2	.../slurmstepd.scope/s1A2B.../step_0/...	26.05: the SLUID
 *	v1	CONTROLLER/slurm/uid_1000/job_12/step_0/task_3
 *	v1	CONTROLLER/slurm_n1/uid_1000/...	several slurmd
 *
 * ("..." is a slice, system.slice or CgroupSlice.) A hybrid system has v1 for
 * all that counts. A job's directory holds those of its steps, and what it
 * tells is of all of them.
 */
#ifndef ASSAY_CGROUP_H
#define ASSAY_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/roots.h"

#define CGROUP_PATH_BYTES 512

/* The one tree of v2, and those of v1 that tell something. */
enum cgroup_tree {
	CGROUP_V2,
	CGROUP_CPUACCT,
	CGROUP_MEMORY,
	CGROUP_BLKIO,
	CGROUP_TREES
};

/* A job, or a step: its directory in each tree, absolute ("/sys/fs/cgroup/
 * memory/slurm/..."); "" where it has none. */
struct cgroup {
	char dir[CGROUP_TREES][CGROUP_PATH_BYTES];
};

/* "v2", "cpuacct", "memory", "blkio" */
const char *cgroup_tree_name(enum cgroup_tree tree);

/* Does it have a directory in any tree? */
bool cgroup_found(const struct cgroup *c);

/* Where a process runs. pid "self" or a number. Either may be NULL. Returns
 * whether it is in a job of Slurm's and a directory of that was found; both
 * are empty if not, step also where the process is in none. */
bool cgroup_of_process(const struct roots *r, const char *pid,
		       struct cgroup *job, struct cgroup *step);

struct cgroup_job {
	uint32_t id;
	const char *sluid;	/* SLURM_JOB_SLUID; NULL or "" unknown */
	const char *node;	/* SLURMD_NODENAME; NULL or "" any */
};

/* Where a job is, from outside. Returns whether any directory was found. */
bool cgroup_of_job(const struct roots *r, const struct cgroup_job *job,
		   struct cgroup *out);

/* Why a number is not known. */
#define CGROUP_NO_CGROUP "no cgroup"
#define CGROUP_NOT_USED "controller not used"
#define CGROUP_TOO_OLD "kernel too old"
#define CGROUP_NO_LIMIT "no limit"
#define CGROUP_UNREADABLE "not readable"

struct cgroup_value {
	uint64_t n;		/* 0 if unknown */
	const char *why;	/* one of the above; NULL: n is known */
};

enum cgroup_number {
	CGROUP_CPU_US,
	CGROUP_MEM_PEAK_BYTES,
	CGROUP_MEM_LIMIT_BYTES,	/* of this directory, or of a step's "user",
				 * where v2 has its tasks; not of those above */
	CGROUP_OOM_KILLS,
	CGROUP_IO_READ_BYTES,	/* block devices; network file systems are */
	CGROUP_IO_WRITE_BYTES,	/* not in it, stacked devices count once */
	CGROUP_NUMBERS
};

struct cgroup_usage {
	struct cgroup_value value[CGROUP_NUMBERS];
};

/* "cpu_us", "mem_peak_bytes", ... */
const char *cgroup_number_name(enum cgroup_number number);

/* What it has used up to now, all below it included. Never fails: what cannot
 * be had says why. */
void cgroup_read(const struct roots *r, const struct cgroup *c,
		 struct cgroup_usage *out);

#endif
