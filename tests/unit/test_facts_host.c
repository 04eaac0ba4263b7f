/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/facts_host.h"

#include "tests/unit/fixture.h"

#define CPU "sys/devices/system/cpu/"
#define NODE "sys/devices/system/node/"

static void cpufreq(struct fixture *x, int cpu, const char *governor,
		    const char *limit)
{
	char path[128];

	snprintf(path, sizeof(path), CPU "cpu%d/cpufreq/scaling_governor", cpu);
	fixture_file(x, path, governor);
	snprintf(path, sizeof(path), CPU "cpu%d/cpufreq/scaling_max_freq", cpu);
	fixture_file(x, path, limit);
}

static void gather(struct fixture *x, const char *answers, struct facts_host *h)
{
	struct sysfacts s;
	char path[128];

	snprintf(path, sizeof(path), "%s/sysfacts.json", x->dir);
	if (answers)
		fixture_file(x, "sysfacts.json", answers);
	assert_int_equal(sysfacts_init(&s, &x->roots, answers ? path : NULL,
				       NULL), 0);
	assert_int_equal(facts_host_gather(&x->roots, &s, 0, h), 0);
	assert_int_equal(h->gather.end, GATHER_DONE);
	sysfacts_fini(&s);
}

static void an_empty_root_is_unknown(void **state)
{
	struct facts_host h;
	struct fixture x;

	(void)state;
	fixture_open(&x);
	gather(&x, NULL, &h);
	assert_int_equal(h.mem_total_kb, -1);
	assert_int_equal(h.mem_local_kb, -1);
	assert_int_equal(facts_host_memory_kb(&x.roots), -1);
	assert_int_equal(h.edac_ue, -1);
	assert_int_equal(h.cpus_online, -1);
	assert_int_equal(h.cpus_present, -1);
	assert_int_equal(h.shm_avail.rc, ENOSYS);
	assert_int_equal(h.clock_rc, -1);
	assert_int_equal(h.clock_errno, ENOSYS);
	assert_int_equal(h.task_count, 0);
	assert_string_equal(h.governor, "");
	assert_int_equal(h.base_khz, 0);
	fixture_close(&x);
}

static void memory(void **state)
{
	struct facts_host h;
	struct fixture x;

	(void)state;
	fixture_open(&x);
	fixture_file(&x, "proc/meminfo",
		     "MemTotal:       603979776 kB\nMemFree: 1 kB\n"
		     "MemAvailable:   500000000 kB\nSwapTotal: 0 kB\n"
		     "Hugetlb:         2097152 kB\n");
	fixture_file(&x, "proc/sys/kernel/osrelease", "6.8.0-45-generic\n");
	fixture_file(&x, NODE "has_cpu", "0-1\n");
	fixture_file(&x, NODE "node0/meminfo",
		     "Node 0 MemTotal:       251658240 kB\n");
	fixture_file(&x, NODE "node1/meminfo",
		     "Node 1 MemTotal:       251658241 kB\nNode 1 MemFree: 5"
		     " kB\n");
	fixture_file(&x, NODE "node2/meminfo",
		     "Node 2 MemTotal:       100663296 kB\n");
	fixture_file(&x, "sys/devices/system/edac/mc/mc0/ue_count", "1\n");
	fixture_file(&x, "sys/devices/system/edac/mc/mc0/ce_count", "20\n");
	fixture_file(&x, "sys/devices/system/edac/mc/mc1/ue_count", "2\n");
	fixture_file(&x, "sys/devices/system/edac/mc/mc1/ce_count", "junk\n");
	fixture_file(&x, "sys/devices/system/edac/mc/power/ue_count", "9\n");
	gather(&x, NULL, &h);
	assert_string_equal(h.kernel, "6.8.0-45-generic");
	assert_int_equal(h.mem_total_kb, 603979776);
	assert_int_equal(h.mem_available_kb, 500000000);
	assert_int_equal(h.swap_total_kb, 0);
	assert_int_equal(h.hugepages_kb, 2097152);
	assert_int_equal(h.mem_local_kb, 503316481);
	assert_int_equal(facts_host_memory_kb(&x.roots), 503316481);
	assert_int_equal(h.edac_ue, 3);
	assert_int_equal(h.edac_ce, 20);
	fixture_unlink(&x, NODE "node1/meminfo");
	gather(&x, NULL, &h);
	assert_int_equal(h.mem_local_kb, -1);
	assert_int_equal(facts_host_memory_kb(&x.roots), 603979776);
	fixture_close(&x);
}

static void cpus(void **state)
{
	struct facts_host h;
	struct fixture x;

	(void)state;
	fixture_open(&x);
	fixture_file(&x, CPU "present", "0-7\n");
	fixture_file(&x, CPU "online", "0-3,5-7\n");
	fixture_file(&x, CPU "smt/control", "on\n");
	for (int i = 0; i < 8; i++)
		cpufreq(&x, i, i == 6 ? "powersave\n" : "performance\n",
			i == 5 ? "1200000\n" : "3800000\n");
	fixture_file(&x, CPU "cpu0/cpufreq/base_frequency", "2000000\n");
	fixture_file(&x, CPU "cpu0/cpufreq/scaling_cur_freq", "2900000\n");
	gather(&x, NULL, &h);
	assert_int_equal(h.cpus_present, 8);
	assert_int_equal(h.cpus_online, 7);
	assert_string_equal(h.offline_list, "4");
	assert_string_equal(h.smt, "on");
	assert_string_equal(h.governor, "performance");
	assert_int_equal(h.governor_mixed, 1);
	assert_int_equal(h.base_khz, 2000000);
	assert_int_equal(h.limit_khz, 1200000);
	assert_int_equal(h.cur_khz, 2900000);
	/* AMD tells its nominal clock elsewhere, in MHz. */
	fixture_unlink(&x, CPU "cpu0/cpufreq/base_frequency");
	fixture_file(&x, CPU "cpu0/acpi_cppc/nominal_freq", "2400\n");
	gather(&x, NULL, &h);
	assert_int_equal(h.base_khz, 2400000);
	fixture_close(&x);
}

static void shm_and_clock(void **state)
{
	struct facts_host h;
	struct fixture x;

	(void)state;
	fixture_open(&x);
	gather(&x, "{\"statfs\": {\"/dev/shm\": {\"f_bsize\": 4096,"
	       " \"f_blocks\": 1000, \"f_bavail\": 10}}, \"adjtimex\": {\"rc\":"
	       " 5, \"status\": 8256, \"offset\": -3000000, \"maxerror\": 16,"
	       " \"esterror\": 7}}", &h);
	assert_int_equal(h.shm_total.v, 4096000);
	assert_int_equal(h.shm_avail.v, 40960);
	assert_int_equal(h.shm_avail.rc, 0);
	assert_int_equal(h.clock_rc, TIME_ERROR);
	/* STA_NANO: the offset came in nanoseconds. */
	assert_int_equal(h.clock_status, STA_UNSYNC | STA_NANO);
	assert_int_equal(h.clock_offset_us, -3000);
	assert_int_equal(h.clock_maxerror_us, 16);
	gather(&x, "{\"statfs\": {\"/dev/shm\": {\"errno\": 2}}, \"adjtimex\":"
	       " {\"rc\": 0, \"status\": 1, \"offset\": 250}}", &h);
	assert_int_equal(h.shm_avail.rc, ENOENT);
	assert_int_equal(h.clock_rc, 0);
	assert_int_equal(h.clock_offset_us, 250);
	fixture_close(&x);
}

/* Whatever machine this is: sane, or unknown, and soon. */
static void this_machine(void **state)
{
	struct sysfacts s;
	struct facts_host h;
	struct roots r;

	(void)state;
	assert_int_equal(roots_open(&r, "/", NULL), 0);
	assert_int_equal(sysfacts_init(&s, &r, NULL, NULL), 0);
	assert_int_equal(facts_host_gather(&r, &s, 0, &h), 0);
	assert_true(h.mem_total_kb == -1 || h.mem_total_kb > 10000);
	assert_true(h.mem_available_kb <= h.mem_total_kb);
	assert_true(h.cpus_online == -1 || h.cpus_online > 0);
	assert_true(h.task_count > 0 || h.tasks_cut);
	assert_true(h.gather.elapsed_us < 5000000);
	sysfacts_fini(&s);
	roots_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_root_is_unknown),
		cmocka_unit_test(memory),
		cmocka_unit_test(cpus),
		cmocka_unit_test(shm_and_clock),
		cmocka_unit_test(this_machine),
	};

	return cmocka_run_group_tests_name("facts_host", tests, NULL, NULL);
}
