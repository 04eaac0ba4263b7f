/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/headroom.h"
#include "tests/unit/fixture.h"
#include "tests/unit/unit.h"

#define GIB (INT64_C(1) << 30)

static struct fixture x;

static int setup(void **state)
{
	(void)state;
	fixture_open(&x);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fixture_close(&x);
	return 0;
}

static void unknown_is_not_zero(void **state)
{
	(void)state;
	assert_int_equal(headroom_bytes(&x.roots), -1);
	fixture_file(&x, "proc/meminfo", "MemTotal: 1024 kB\n");
	assert_int_equal(headroom_bytes(&x.roots), -1);
}

static void the_machine_alone(void **state)
{
	(void)state;
	fixture_file(&x, "proc/meminfo",
		     "MemTotal:       33554432 kB\n"
		     "MemAvailable:   16777216 kB\n");
	assert_int_equal(headroom_bytes(&x.roots), 16 * GIB);
	/* Version 1 has no such line, the root group no limit. */
	fixture_file(&x, "proc/self/cgroup", "4:memory:/system.slice\n");
	assert_int_equal(headroom_bytes(&x.roots), 16 * GIB);
	fixture_file(&x, "proc/self/cgroup", "0::/\n");
	assert_int_equal(headroom_bytes(&x.roots), 16 * GIB);
}

static void the_tightest_group_counts(void **state)
{
	(void)state;
	fixture_file(&x, "proc/meminfo", "MemAvailable: 16777216 kB\n");
	fixture_file(&x, "proc/self/cgroup",
		     "0::/system.slice/slurmd.service\n");
	fixture_file(&x, "sys/fs/cgroup/system.slice/slurmd.service/memory.max",
		     "max\n");
	assert_int_equal(headroom_bytes(&x.roots), 16 * GIB);
	fixture_file(&x, "sys/fs/cgroup/system.slice/memory.max",
		     "4294967296\n");
	fixture_file(&x, "sys/fs/cgroup/system.slice/memory.current",
		     "1073741824\n");
	assert_int_equal(headroom_bytes(&x.roots), 3 * GIB);
	fixture_file(&x, "sys/fs/cgroup/system.slice/memory.current",
		     "5368709120\n");
	assert_int_equal(headroom_bytes(&x.roots), 0);
}

/* A node that has read a data set is not a node without memory. */
static void caches_are_given_back(void **state)
{
	(void)state;
	fixture_file(&x, "proc/meminfo", "MemAvailable: 16777216 kB\n");
	fixture_file(&x, "proc/self/cgroup", "0::/system.slice\n");
	fixture_file(&x, "sys/fs/cgroup/system.slice/memory.max",
		     "4294967296\n");
	fixture_file(&x, "sys/fs/cgroup/system.slice/memory.current",
		     "4294967296\n");
	assert_int_equal(headroom_bytes(&x.roots), 0);
	fixture_file(&x, "sys/fs/cgroup/system.slice/memory.stat",
		     "anon 1073741824\n"
		     "file 3221225472\n"
		     "workingset_refault_inactive_file 9\n"
		     "inactive_file 2147483648\n"
		     "active_file 536870912\n"
		     "slab_reclaimable 1073741824\n"
		     "slab_unreclaimable 536870912\n");
	assert_int_equal(headroom_bytes(&x.roots), 3 * GIB);
	/* More than there is, from two looks at different times. */
	fixture_file(&x, "sys/fs/cgroup/system.slice/memory.current",
		     "1073741824\n");
	assert_int_equal(headroom_bytes(&x.roots), 4 * GIB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(unknown_is_not_zero, setup,
						teardown),
		cmocka_unit_test_setup_teardown(the_machine_alone, setup,
						teardown),
		cmocka_unit_test_setup_teardown(the_tightest_group_counts,
						setup, teardown),
		cmocka_unit_test_setup_teardown(caches_are_given_back, setup,
						teardown),
	};

	return cmocka_run_group_tests_name("headroom", tests, NULL, NULL);
}
