/* SPDX-License-Identifier: Apache-2.0
 * Which jobs a node can be seen to have. */
#include "config.h"
#include "checks/session.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/clock.h"
#include "tests/unit/fixture.h"

static struct fixture x;
static struct job job;
static struct session s;

static int setup(void **state)
{
	(void)state;
	fixture_open(&x);
	job = (struct job){ .id = 7 };
	s = (struct session){ .job = &job, .roots = x.roots, .run_dir = -1 };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fixture_close(&x);
	return 0;
}

static void nothing_tells(void **state)
{
	(void)state;
	assert_int_equal(session_other_jobs(&s), -1);
	assert_int_equal(session_steps(&s), 0);
}

static void one_tree(void **state)
{
	(void)state;
	fixture_file(&x, "sys/fs/cgroup/system.slice/slurmstepd.scope/job_8/x",
		     "");
	fixture_file(&x, "sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/x",
		     "");
	fixture_file(&x, "sys/fs/cgroup/system.slice/ssh.service/job_9/x", "");
	assert_int_equal(session_other_jobs(&s), 1);
}

static void jobs_by_sluid(void **state)
{
	const char *scope = "sys/fs/cgroup/system.slice/slurmstepd.scope";
	char path[128];

	(void)state;
	strcpy(job.sluid, "s4CPV1PZXCQG00");
	snprintf(path, sizeof(path), "%s/system/cgroup.procs", scope);
	fixture_file(&x, path, "");
	snprintf(path, sizeof(path), "%s/%s/x", scope, job.sluid);
	fixture_file(&x, path, "");
	assert_int_equal(session_other_jobs(&s), -1);
	snprintf(path, sizeof(path), "%s/s4CPV1PZXCQG01/x", scope);
	fixture_file(&x, path, "");
	assert_int_equal(session_other_jobs(&s), 1);
	job.sluid[0] = '\0';
	assert_int_equal(session_other_jobs(&s), 2);
}

/* Each controller has a tree of its own, with the same jobs in it. */
static void a_tree_for_each_controller(void **state)
{
	(void)state;
	fixture_file(&x, "sys/fs/cgroup/freezer/slurm/uid_10/job_8/tasks", "");
	fixture_file(&x, "sys/fs/cgroup/freezer/slurm/uid_11/job_9/tasks", "");
	fixture_file(&x, "sys/fs/cgroup/memory/slurm/uid_10/job_8/tasks", "");
	assert_int_equal(session_other_jobs(&s), 2);
	fixture_file(&x, "sys/fs/cgroup/cpuset/slurm_n1/uid_10/job_7/tasks",
		     "");
	fixture_file(&x, "sys/fs/cgroup/cpuset/docker/uid_10/job_12/tasks",
		     "");
	assert_int_equal(session_other_jobs(&s), 2);
}

static void dated(const char *name, int64_t at_s)
{
	struct timespec t[2] = { { .tv_sec = at_s }, { .tv_sec = at_s } };

	fixture_file(&x, name, "");
	assert_int_equal(utimensat(s.run_dir, name + strlen("run/"), t, 0), 0);
}

/* It was killed, or hangs: its job counts for a while, not for ever. */
static void an_epilog_that_never_came_back(void **state)
{
	int64_t now_s = clock_wall_s();
	char path[1024];

	(void)state;
	fixture_dir(&x, "run");
	s.run_dir = open(fixture_path(&x, "run", path), O_RDONLY | O_DIRECTORY);
	assert_true(s.run_dir >= 0);
	fixture_file(&x, "run/8/job.json", "{}");
	assert_int_equal(session_other_jobs(&s), 1);
	dated("run/8/over", now_s - SESSION_KEEP_S / 2);
	assert_int_equal(session_other_jobs(&s), 1);
	session_jobs_purge(&s, now_s);
	assert_int_equal(faccessat(s.run_dir, "8/job.json", F_OK, 0), 0);
	dated("run/8/over", now_s - SESSION_KEEP_S);
	assert_int_equal(session_other_jobs(&s), 0);
	session_jobs_purge(&s, now_s);
	assert_int_equal(faccessat(s.run_dir, "8", F_OK, 0), -1);
	close(s.run_dir);
}

static void step(void)
{
	fixture_file(&x, "proc/13/comm", "slurmstepd\n");
	fixture_file(&x, "proc/13/cmdline", "slurmstepd: [8.batch]");
}

static void steps_by_name(void **state)
{
	(void)state;
	fixture_file(&x, "proc/11/comm", "slurmstepd\n");
	fixture_file(&x, "proc/11/cmdline", "slurmstepd infinity");
	fixture_file(&x, "proc/12/comm", "slurmd\n");
	fixture_file(&x, "proc/12/cmdline", "slurmd -D");
	assert_int_equal(session_steps(&s), 0);
	step();
	assert_int_equal(session_steps(&s), 1);
	assert_int_equal(session_steps_of(&s, 8), 1);
	assert_int_equal(session_steps_of(&s, 80), 0);
	fixture_file(&x, "proc/14/comm", "slurmstepd\n");
	fixture_file(&x, "proc/14/cmdline", "slurmstepd: [80.0]");
	assert_int_equal(session_steps(&s), 2);
	assert_int_equal(session_steps_of(&s, 8), 1);
	assert_int_equal(session_steps_of(&s, 80), 1);
	fixture_unlink(&x, "proc/14/cmdline");
	fixture_file(&x, "proc/13/status",
		     "Name:\tslurmstepd\nUid:\t0\t1000\t0\t0\n");
	assert_int_equal(session_steps(&s), 1);
	/* A user's process that says it is one. */
	fixture_file(&x, "proc/13/status",
		     "Name:\tslurmstepd\nUid:\t1000\t1000\t1000\t1000\n");
	assert_int_equal(session_steps(&s), geteuid() == 1000);
}

static void who_comes_is_seen(void **state)
{
	struct session_watch w = { 0 };

	(void)state;
	assert_false(session_job_came(&s, &w, 1000));
	fixture_file(&x, "sys/fs/cgroup/system.slice/slurmstepd.scope/job_8/x",
		     "");
	assert_false(session_job_came(&s, &w, 1000 + SESSION_JOBS_MS - 1));
	assert_true(session_job_came(&s, &w, 1000 + SESSION_JOBS_MS));
}

/* Without a directory and a cgroup, too, but not as fast. */
static void who_comes_unannounced_is_seen(void **state)
{
	struct session_watch w = { 0 };

	(void)state;
	job.id = 0;
	assert_false(session_job_came(&s, &w, 1000));
	step();
	assert_false(session_job_came(&s, &w, 1000 + SESSION_STEPS_MS - 1));
	assert_true(session_job_came(&s, &w, 1000 + SESSION_STEPS_MS));
	/* The own job's, for all that is known. */
	job.id = 7;
	assert_false(session_job_came(&s, &w, 1000 + 2 * SESSION_STEPS_MS));
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(nothing_tells),
		T(one_tree),
		T(jobs_by_sluid),
		T(a_tree_for_each_controller),
		T(an_epilog_that_never_came_back),
		T(steps_by_name),
		T(who_comes_is_seen),
		T(who_comes_unannounced_is_seen),
	};

	return cmocka_run_group_tests_name("session_jobs", tests, NULL,
					   NULL);
}
