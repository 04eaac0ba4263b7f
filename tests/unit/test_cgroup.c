/* SPDX-License-Identifier: Apache-2.0
 * Where jobs are, in each form that Slurm gives to its trees. */
#include "config.h"
#include "lib/cgroup.h"

#include "tests/unit/fixture.h"

#define FS "sys/fs/cgroup"

static void dir(struct fixture *x, const char *path)
{
	char full[1024];

	snprintf(full, sizeof(full), FS "/%s/cgroup.procs", path);
	fixture_file(x, full, "");
}

/* What a process says of itself, and where its job and its step are by it;
 * "" none. */
static void process(struct fixture *x, const char *says, enum cgroup_tree tree,
		    const char *job, const char *step)
{
	struct cgroup j, s;

	fixture_file(x, "proc/77/cgroup", says);
	assert_int_equal(cgroup_of_process(&x->roots, "77", &j, &s),
			 *job != '\0');
	assert_string_equal(j.dir[tree], job);
	assert_string_equal(s.dir[tree], step);
}

static void v2(void **state)
{
	struct fixture x;

	(void)state;
	fixture_open(&x);
	dir(&x, "system.slice/slurmstepd.scope/job_12/step_0/user/task_3");
	process(&x,
		"0::/system.slice/slurmstepd.scope/job_12/step_0/user/task_3\n",
		CGROUP_V2, "/" FS "/system.slice/slurmstepd.scope/job_12",
		"/" FS "/system.slice/slurmstepd.scope/job_12/step_0");
	/* Slurm's own process */
	process(&x, "0::/system.slice/slurmstepd.scope/job_12/step_0/slurm\n",
		CGROUP_V2, "/" FS "/system.slice/slurmstepd.scope/job_12",
		"/" FS "/system.slice/slurmstepd.scope/job_12/step_0");
	/* of a step that has gone */
	process(&x, "0::/system.slice/slurmstepd.scope/job_12/step_1/slurm\n",
		CGROUP_V2, "/" FS "/system.slice/slurmstepd.scope/job_12", "");
	/* not in a job yet, or never */
	dir(&x, "system.slice/slurmstepd.scope/system");
	process(&x, "0::/system.slice/slurmstepd.scope/system\n", CGROUP_V2,
		"", "");
	process(&x, "0::/system.slice/slurmd.service\n", CGROUP_V2, "", "");
	process(&x, "0::/\n", CGROUP_V2, "", "");
	process(&x, "", CGROUP_V2, "", "");
	process(&x, "rubbish\n0:\n", CGROUP_V2, "", "");
	fixture_close(&x);
}

static void sluid_node_and_slice(void **state)
{
	struct fixture x;

	(void)state;
	fixture_open(&x);
	dir(&x, "hpc.slice/hpc-jobs.slice/n1_slurmstepd.scope/s1A2B3C/step_batch");
	process(&x,
		"0::/hpc.slice/hpc-jobs.slice/n1_slurmstepd.scope/s1A2B3C/"
		"step_batch/slurm\n",
		CGROUP_V2,
		"/" FS "/hpc.slice/hpc-jobs.slice/n1_slurmstepd.scope/s1A2B3C",
		"/" FS "/hpc.slice/hpc-jobs.slice/n1_slurmstepd.scope/s1A2B3C/"
		"step_batch");
	/* what only looks like a job outside of a scope is none */
	dir(&x, "system.slice/s1A2B3C/step_0");
	process(&x, "0::/system.slice/s1A2B3C/step_0\n", CGROUP_V2, "", "");
	fixture_close(&x);
}

static void v1_and_hybrid(void **state)
{
	struct fixture x;
	struct cgroup job, step;

	(void)state;
	fixture_open(&x);
	dir(&x, "freezer/slurm/uid_5/job_7/step_2");
	dir(&x, "memory/slurm/uid_5/job_7/step_2/task_0");
	dir(&x, "cpu,cpuacct/slurm/uid_5/job_7");
	dir(&x, "unified/system.slice/slurmd.service");
	/* in one controller only: the others have the same path */
	fixture_file(&x, "proc/self/cgroup",
		     "6:freezer:/slurm/uid_5/job_7/step_2\n"
		     "4:memory:/system.slice/slurmd.service\n"
		     "2:cpu,cpuacct:/\n0::/system.slice/slurmd.service\n");
	assert_true(cgroup_of_process(&x.roots, "self", &job, &step));
	assert_string_equal(job.dir[CGROUP_MEMORY],
			    "/" FS "/memory/slurm/uid_5/job_7");
	assert_string_equal(step.dir[CGROUP_MEMORY],
			    "/" FS "/memory/slurm/uid_5/job_7/step_2");
	assert_string_equal(job.dir[CGROUP_CPUACCT],
			    "/" FS "/cpu,cpuacct/slurm/uid_5/job_7");
	assert_string_equal(step.dir[CGROUP_CPUACCT], "");
	assert_string_equal(job.dir[CGROUP_BLKIO], "");
	assert_string_equal(job.dir[CGROUP_V2], "");
	assert_true(cgroup_of_process(&x.roots, "self", NULL, NULL));
	assert_false(cgroup_of_process(&x.roots, "78", &job, &step));
	assert_string_equal(job.dir[CGROUP_MEMORY], "");
	fixture_close(&x);
}

static void job_is(struct fixture *x, const struct cgroup_job *job,
		   enum cgroup_tree tree, const char *want)
{
	struct cgroup c;

	assert_int_equal(cgroup_of_job(&x->roots, job, &c), *want != '\0');
	assert_string_equal(c.dir[tree], want);
}

static void from_outside_v2(void **state)
{
	struct fixture x;

	(void)state;
	fixture_open(&x);
	dir(&x, "system.slice/slurmstepd.scope/job_12/step_0");
	dir(&x, "system.slice/slurmstepd.scope/s1A2B3C/step_0");
	dir(&x, "system.slice/other.service/job_13");
	dir(&x, "a.slice/a-b.slice/slurmstepd.scope/job_14");
	job_is(&x, &(struct cgroup_job){ 12, NULL, NULL }, CGROUP_V2,
	       "/" FS "/system.slice/slurmstepd.scope/job_12");
	job_is(&x, &(struct cgroup_job){ 99, "s1A2B3C", "n1" }, CGROUP_V2,
	       "/" FS "/system.slice/slurmstepd.scope/s1A2B3C");
	job_is(&x, &(struct cgroup_job){ 14, "", "" }, CGROUP_V2,
	       "/" FS "/a.slice/a-b.slice/slurmstepd.scope/job_14");
	job_is(&x, &(struct cgroup_job){ 13, NULL, NULL }, CGROUP_V2, "");
	job_is(&x, &(struct cgroup_job){ 1, NULL, NULL }, CGROUP_V2, "");
	fixture_close(&x);
}

static void several_nodes_of_one_machine(void **state)
{
	struct fixture x;

	(void)state;
	fixture_open(&x);
	dir(&x, "system.slice/n1_slurmstepd.scope/job_12");
	dir(&x, "system.slice/n2_slurmstepd.scope/job_12");
	dir(&x, "memory/slurm_n1/uid_5/job_12");
	dir(&x, "memory/slurm_n2/uid_0/job_3");
	dir(&x, "memory/slurm_n2/uid_5/job_12");
	job_is(&x, &(struct cgroup_job){ 12, NULL, "n2" }, CGROUP_V2,
	       "/" FS "/system.slice/n2_slurmstepd.scope/job_12");
	job_is(&x, &(struct cgroup_job){ 12, NULL, "n2" }, CGROUP_MEMORY,
	       "/" FS "/memory/slurm_n2/uid_5/job_12");
	job_is(&x, &(struct cgroup_job){ 12, NULL, "n1" }, CGROUP_MEMORY,
	       "/" FS "/memory/slurm_n1/uid_5/job_12");
	job_is(&x, &(struct cgroup_job){ 12, NULL, "n3" }, CGROUP_V2, "");
	job_is(&x, &(struct cgroup_job){ 3, NULL, "n1" }, CGROUP_MEMORY, "");
	job_is(&x, &(struct cgroup_job){ 3, NULL, NULL }, CGROUP_MEMORY,
	       "/" FS "/memory/slurm_n2/uid_0/job_3");
	fixture_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(v2),
		cmocka_unit_test(sluid_node_and_slice),
		cmocka_unit_test(v1_and_hybrid),
		cmocka_unit_test(from_outside_v2),
		cmocka_unit_test(several_nodes_of_one_machine),
	};

	return cmocka_run_group_tests_name("cgroup", tests, NULL, NULL);
}
