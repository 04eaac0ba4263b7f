/* SPDX-License-Identifier: Apache-2.0
 * The numbers of a cgroup: each file of both kinds, and why one is unknown. */
#include "config.h"
#include "lib/cgroup.h"

#include "tests/unit/fixture.h"

#define V2 "/sys/fs/cgroup/system.slice/slurmstepd.scope/job_1"
#define MEMORY "/sys/fs/cgroup/memory/slurm/uid_5/job_1"
#define CPUACCT "/sys/fs/cgroup/cpuacct/slurm/uid_5/job_1"
#define BLKIO "/sys/fs/cgroup/blkio/slurm/uid_5/job_1"

static const struct cgroup in_v2 = { .dir = { [CGROUP_V2] = V2 } };
static const struct cgroup in_v1 = { .dir = { [CGROUP_MEMORY] = MEMORY,
					      [CGROUP_CPUACCT] = CPUACCT,
					      [CGROUP_BLKIO] = BLKIO } };

static void known(const struct cgroup_usage *u, enum cgroup_number number,
		  uint64_t n)
{
	assert_null(u->value[number].why);
	assert_int_equal(u->value[number].n, n);
}

static void unknown(const struct cgroup_usage *u, enum cgroup_number number,
		    const char *why)
{
	assert_non_null(u->value[number].why);
	assert_string_equal(u->value[number].why, why);
	assert_int_equal(u->value[number].n, 0);
}

static void v2(void **state)
{
	struct cgroup_usage u;
	struct fixture x;

	(void)state;
	fixture_open(&x);
	fixture_file(&x, V2 "/cpu.stat",
		     "usage_usec 7500000\nuser_usec 1\nsystem_usec 2\n");
	fixture_file(&x, V2 "/memory.peak", "4096000\n");
	fixture_file(&x, V2 "/memory.max", "8192000\n");
	fixture_file(&x, V2 "/memory.events",
		     "low 0\nhigh 0\nmax 9\noom 4\noom_kill 2\n"
		     "oom_group_kill 1\n");
	fixture_file(&x, V2 "/io.stat",
		     "8:0 rbytes=100 wbytes=20 rios=1 wios=1 dbytes=7 dios=0\n"
		     "259:1 \n259:2 rbytes=1000 wbytes=200 rios=1 wios=1\n");
	cgroup_read(&x.roots, &in_v2, &u);
	known(&u, CGROUP_CPU_US, 7500000);
	known(&u, CGROUP_MEM_PEAK_BYTES, 4096000);
	known(&u, CGROUP_MEM_LIMIT_BYTES, 8192000);
	known(&u, CGROUP_OOM_KILLS, 2);
	known(&u, CGROUP_IO_READ_BYTES, 1100);
	known(&u, CGROUP_IO_WRITE_BYTES, 220);
	fixture_close(&x);
}

static void what_is_not_there_says_why(void **state)
{
	struct cgroup_usage u;
	struct fixture x;

	(void)state;
	fixture_open(&x);
	fixture_file(&x, V2 "/memory.current", "1\n");
	fixture_file(&x, V2 "/memory.max", "max\n");
	fixture_file(&x, V2 "/memory.events", "oom 4\n");
	fixture_file(&x, V2 "/cpu.stat", "usage_usec -3\n");
	fixture_file(&x, V2 "/io.stat", "");
	cgroup_read(&x.roots, &in_v2, &u);
	unknown(&u, CGROUP_CPU_US, CGROUP_UNREADABLE);
	unknown(&u, CGROUP_MEM_PEAK_BYTES, CGROUP_TOO_OLD);
	unknown(&u, CGROUP_MEM_LIMIT_BYTES, CGROUP_NO_LIMIT);
	unknown(&u, CGROUP_OOM_KILLS, CGROUP_UNREADABLE);
	known(&u, CGROUP_IO_READ_BYTES, 0);
	fixture_unlink(&x, V2 "/io.stat");
	fixture_unlink(&x, V2 "/memory.current");
	fixture_unlink(&x, V2 "/cpu.stat");
	fixture_dir(&x, V2 "/cpu.stat");
	cgroup_read(&x.roots, &in_v2, &u);
	unknown(&u, CGROUP_CPU_US, CGROUP_UNREADABLE);
	unknown(&u, CGROUP_MEM_PEAK_BYTES, CGROUP_NOT_USED);
	unknown(&u, CGROUP_IO_READ_BYTES, CGROUP_NOT_USED);
	cgroup_read(&x.roots, &(struct cgroup){ 0 }, &u);
	unknown(&u, CGROUP_CPU_US, CGROUP_NO_CGROUP);
	unknown(&u, CGROUP_IO_WRITE_BYTES, CGROUP_NO_CGROUP);
	fixture_close(&x);
}

/* A step's own directory has none: Slurm limits that of its tasks. */
static void the_limit_of_a_step(void **state)
{
	struct cgroup_usage u;
	struct fixture x;

	(void)state;
	fixture_open(&x);
	fixture_file(&x, V2 "/memory.max", "max\n");
	fixture_file(&x, V2 "/user/memory.max", "8192\n");
	cgroup_read(&x.roots, &in_v2, &u);
	known(&u, CGROUP_MEM_LIMIT_BYTES, 8192);
	fixture_file(&x, V2 "/memory.max", "4096\n");
	cgroup_read(&x.roots, &in_v2, &u);
	known(&u, CGROUP_MEM_LIMIT_BYTES, 4096);
	fixture_file(&x, V2 "/memory.max", "max\n");
	fixture_file(&x, V2 "/user/memory.max", "max\n");
	cgroup_read(&x.roots, &in_v2, &u);
	unknown(&u, CGROUP_MEM_LIMIT_BYTES, CGROUP_NO_LIMIT);
	fixture_close(&x);
}

static void v1(void **state)
{
	struct cgroup_usage u;
	struct fixture x;

	(void)state;
	fixture_open(&x);
	fixture_file(&x, CPUACCT "/cpuacct.usage", "7500000999\n");
	fixture_file(&x, MEMORY "/memory.max_usage_in_bytes", "4096\n");
	fixture_file(&x, MEMORY "/memory.limit_in_bytes",
		     "9223372036854771712\n");
	fixture_file(&x, BLKIO "/blkio.throttle.io_service_bytes_recursive",
		     "8:0 Read 100\n8:0 Write 20\n8:0 Sync 1\n8:0 Total 120\n"
		     "9:0 Read 7\n9:0 Write 8\nTotal 135\n");
	cgroup_read(&x.roots, &in_v1, &u);
	known(&u, CGROUP_CPU_US, 7500000);
	known(&u, CGROUP_MEM_PEAK_BYTES, 4096);
	unknown(&u, CGROUP_MEM_LIMIT_BYTES, CGROUP_NO_LIMIT);
	unknown(&u, CGROUP_OOM_KILLS, CGROUP_NOT_USED);
	known(&u, CGROUP_IO_READ_BYTES, 107);
	known(&u, CGROUP_IO_WRITE_BYTES, 28);
	fixture_file(&x, MEMORY "/memory.limit_in_bytes", "65536\n");
	cgroup_read(&x.roots, &in_v1, &u);
	known(&u, CGROUP_MEM_LIMIT_BYTES, 65536);
	fixture_close(&x);
}

/* Of each, v1 counts its own kills only. */
static void kills_below_count(void **state)
{
#define OOM(n) "oom_kill_disable 0\nunder_oom 0\noom_kill " n "\n"
	struct cgroup_usage u;
	struct fixture x;

	(void)state;
	fixture_open(&x);
	fixture_file(&x, MEMORY "/memory.oom_control", OOM("1"));
	fixture_file(&x, MEMORY "/step_0/cgroup.procs", "");
	fixture_file(&x, MEMORY "/step_0/memory.oom_control", OOM("2"));
	fixture_file(&x, MEMORY "/step_0/task_0/cgroup.procs", "");
	fixture_file(&x, MEMORY "/step_0/task_0/memory.oom_control", OOM("4"));
	fixture_file(&x, MEMORY "/step_1/cgroup.procs", "");
	fixture_file(&x, MEMORY "/step_1/memory.oom_control", OOM("8"));
	fixture_file(&x, MEMORY "/none/memory.oom_control", OOM("16"));
	cgroup_read(&x.roots, &in_v1, &u);
	known(&u, CGROUP_OOM_KILLS, 15);
	/* an old kernel does not count */
	fixture_file(&x, MEMORY "/memory.oom_control",
		     "oom_kill_disable 0\nunder_oom 0\n");
	fixture_file(&x, MEMORY "/step_0/memory.oom_control", "under_oom 0\n");
	fixture_file(&x, MEMORY "/step_0/task_0/memory.oom_control", "");
	fixture_file(&x, MEMORY "/step_1/memory.oom_control", "");
	cgroup_read(&x.roots, &in_v1, &u);
	unknown(&u, CGROUP_OOM_KILLS, CGROUP_UNREADABLE);
	fixture_close(&x);
}

static void a_volume_on_disks_counts_once(void **state)
{
	struct cgroup_usage u;
	struct fixture x;

	(void)state;
	fixture_open(&x);
	fixture_dir(&x, "sys/dev/block/8:0/slaves");
	fixture_dir(&x, "sys/dev/block/253:0/slaves/sda");
	fixture_file(&x, V2 "/io.stat",
		     "253:0 rbytes=100 wbytes=20\n8:0 rbytes=100 wbytes=20\n");
	cgroup_read(&x.roots, &in_v2, &u);
	known(&u, CGROUP_IO_READ_BYTES, 100);
	known(&u, CGROUP_IO_WRITE_BYTES, 20);
	fixture_close(&x);
}

static void numbers_have_names(void **state)
{
	(void)state;
	assert_string_equal(cgroup_number_name(CGROUP_CPU_US), "cpu_us");
	assert_string_equal(cgroup_number_name(CGROUP_IO_WRITE_BYTES),
			    "io_write_bytes");
	assert_string_equal(cgroup_tree_name(CGROUP_V2), "v2");
	assert_string_equal(cgroup_tree_name(CGROUP_BLKIO), "blkio");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(v2),
		cmocka_unit_test(what_is_not_there_says_why),
		cmocka_unit_test(the_limit_of_a_step),
		cmocka_unit_test(v1),
		cmocka_unit_test(kills_below_count),
		cmocka_unit_test(a_volume_on_disks_counts_once),
		cmocka_unit_test(numbers_have_names),
	};

	return cmocka_run_group_tests_name("cgroup_read", tests, NULL, NULL);
}
