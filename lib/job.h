/* SPDX-License-Identifier: Apache-2.0
 * job - the job that slurmd's Prolog or Epilog was started for.
 *
 * Read from the environment facts of CONTRACTS 8 (doc/contracts.md) and from
 * nothing else; each has a grammar, and one that breaks it counts as absent
 * and is noted in complaint. Nothing here is trusted to be a file name.
 */
#ifndef ASSAY_JOB_H
#define ASSAY_JOB_H

#include <stdbool.h>
#include <stdint.h>

#define JOB_GPUS_MAX 128
#define JOB_UUID_MAX 64		/* "MIG-" + 36 and older, longer forms */

enum job_context { JOB_NONE, JOB_PROLOG, JOB_EPILOG };
enum job_oversub { OVERSUB_UNKNOWN, OVERSUB_NO, OVERSUB_YES };
enum job_wish { JOB_WISH_FULL = 1 << 0 };	/* SPANK_ASSAY=full: no memo */

struct job {
	uint32_t id;			/* 0: no job (assay check, health) */
	int64_t uid, gid;		/* -1: unknown */
	uint32_t restart;
	int num_nodes;			/* 0: unknown */
	enum job_context context;
	enum job_oversub oversubscribe;
	int64_t start_s, end_s;		/* wall clock, 0: unknown */
	char user[64];
	char partition[128];
	char reservation[128];
	char account[128];
	char cluster[64];
	char node[256];			/* SLURMD_NODENAME, else hostname */
	char sluid[32];
	char slurm_conf[4096];		/* absolute path, "" if not told */
	char nodelist[65536];		/* SLURM_JOB_NODELIST, else NODELIST */
	int exit_code;			/* raw wait status; -1: unknown */
	char exit_code2[32];
	bool has_gpus;			/* SLURM_JOB_GPUS is there */
	int gpu_count;			/* positions in gpu_pos */
	int gpu_pos[JOB_GPUS_MAX];	/* positions in the node's gres list */
	int uuid_count;			/* UUID tokens of CUDA_VISIBLE_DEVICES */
	char uuid[JOB_GPUS_MAX][JOB_UUID_MAX];
	unsigned int wishes;		/* enum job_wish, as asked */
	char complaint[256];		/* "" or the first unreadable fact */
};

/* Fill *j from envp (as environ). Never fails: what is not there is unknown. */
void job_from_env(struct job *j, char *const envp[]);

/* A job's number in the one form that Slurm prints: decimal digits and nothing
 * else, 1 to UINT32_MAX, no leading 0. So one job has one name, be it that of
 * a directory or what a user typed. 0: it is none. */
uint32_t job_id_of(const char *word);
/* The one that *p begins with; moves *p behind it. */
uint32_t job_id_at(const char **p);

#endif
