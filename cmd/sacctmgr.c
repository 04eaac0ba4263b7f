/* SPDX-License-Identifier: Apache-2.0
 * assay-sacctmgr - the one call of sacctmgr that assay publish makes, for
 * Slurm releases whose own turns a comment into small letters (22.05 does):
 *
 *   -i update job where jobid=12_3 cluster=C set AdminComment=TEXT
 *
 * Built against Slurm's library, and good for its release only. */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <slurm/slurm.h>
#include <slurm/slurmdb.h>

struct wish {
	slurm_selected_step_t job;
	char *cluster, *comment;
};

static bool parse_number(const char *text, char **end, uint32_t *out)
{
	unsigned long n = strtoul(text, end, 10);

	*out = (uint32_t)n;
	return *text >= '0' && *text <= '9' && n < NO_VAL;
}

/* "12" or "12_3" */
static bool parse_job(const char *text, slurm_selected_step_t *job)
{
	char *end;

	job->array_task_id = job->het_job_offset = NO_VAL;
	job->step_id.step_id = job->step_id.step_het_comp = NO_VAL;
	if (!parse_number(text, &end, &job->step_id.job_id))
		return false;
	if (*end == '_' && !parse_number(end + 1, &end, &job->array_task_id))
		return false;
	return !*end;
}

/* The text behind NAME= */
static char *value(char *arg, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(arg, name, n) && arg[n] == '=' ? arg + n + 1 : NULL;
}

static bool parse(struct wish *w, int argc, char **argv)
{
	static const char *const words[] = { "-i", "update", "job", "where" };
	const char *job;
	int i;

	if (argc != 9 || strcmp(argv[7], "set"))
		return false;
	for (i = 0; i < 4; i++)
		if (strcmp(argv[1 + i], words[i]))
			return false;
	job = value(argv[5], "jobid");
	w->cluster = value(argv[6], "cluster");
	w->comment = value(argv[8], "AdminComment");
	return job && w->cluster && w->comment && parse_job(job, &w->job);
}

static int modify(struct wish *w)
{
	slurmdb_job_cond_t where = { .db_flags = SLURMDB_JOB_FLAG_NOTSET,
				     .cluster_list = slurm_list_create(NULL),
				     .step_list = slurm_list_create(NULL) };
	slurmdb_job_rec_t set = { .admin_comment = w->comment,
				  .derived_ec = NO_VAL };
	void *db = slurmdb_connection_get(NULL);
	List done;
	int n;

	slurm_list_append(where.cluster_list, w->cluster);
	slurm_list_append(where.step_list, &w->job);
	done = db ? slurmdb_job_modify(db, &where, &set) : NULL;
	n = done ? slurm_list_count(done) : 0;
	if (n)
		slurmdb_connection_commit(db, true);
	else
		fprintf(stderr, "%s\n",
			done || !db ? "Nothing modified" : slurm_strerror(errno));
	if (done)
		slurm_list_destroy(done);
	if (db)
		slurmdb_connection_close(&db);
	return n ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct wish w;

	if (!parse(&w, argc, argv)) {
		fprintf(stderr,
			"usage: assay-sacctmgr -i update job where jobid=ID "
			"cluster=NAME set AdminComment=TEXT\n");
		return 2;
	}
	slurm_init(NULL);
	return modify(&w);
}
