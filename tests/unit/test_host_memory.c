/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/nodes.h"

#define GIB (1024 * 1024LL)	/* in kB */

extern const struct check check_host_memory;

static struct nodes *healthy(void)
{
	struct nodes *n = nodes_new(&check_host_memory);
	struct facts_host *h = &n->facts.host;

	strcpy(h->kernel, "6.8.0-45-generic");
	h->mem_total_kb = 2015 * GIB;
	h->mem_local_kb = -1;
	h->mem_available_kb = 1980 * GIB;
	h->edac_ue = h->edac_ce = 0;
	return n;
}

static void all_there_is_silent(void **state)
{
	struct nodes *n = healthy();

	(void)state;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	assert_int_equal(n->r.count, 0);
	assert_non_null(n->r.memory);
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	assert_null(n->r.memory);	/* nothing new to write down */
	nodes_free(n);
}

static void unknown_is_skipped(void **state)
{
	struct nodes *n = healthy();

	(void)state;
	n->facts.host.mem_total_kb = -1;
	assert_int_equal(nodes_run(n), STATUS_SKIP);
	n->facts.host.mem_total_kb = 2015 * GIB;
	n->facts.host.edac_ue = n->facts.host.edac_ce = -1;
	n->facts.host.mem_available_kb = -1;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_free(n);
}

static void less_than_configured_fails(void **state)
{
	struct nodes *n = healthy();
	struct finding *f;

	(void)state;
	nodes_config(n, "expected_mb = 2063360\n");
	assert_int_equal(nodes_run(n), STATUS_PASS);
	n->facts.host.mem_total_kb = 1980 * GIB;	/* within 2% */
	assert_int_equal(nodes_run(n), STATUS_PASS);
	n->facts.host.mem_total_kb = 1951 * GIB;	/* a DIMM of 64 GB */
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "host_memory.size", "node");
	f = &n->r.finding[0];
	assert_string_equal(f->text, "memory 1997824<2063360 MB");
	assert_int_equal(f->remedy, REMEDY_SERVICE);
	assert_string_equal(f->evidence, NODE_BOOT ":gib=1951");
	assert_true(f->value == 1997824 && f->limit == 2063360);
	nodes_free(n);
}

static void less_than_last_time_fails(void **state)
{
	struct nodes *n = healthy();

	(void)state;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	n->facts.host.mem_total_kb = 1951 * GIB;	/* 3%: a reservation? */
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	nodes_reboot(n);
	n->facts.host.mem_total_kb = 1887 * GIB;
	assert_int_equal(nodes_next(n, 60), STATUS_FAIL);
	nodes_only(n, "host_memory.lost", "node");
	/* The largest is remembered, not the last. */
	assert_int_equal(nodes_next(n, 60), STATUS_FAIL);
	/* Growing is no fault. */
	n->facts.host.mem_total_kb = 4030 * GIB;
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	nodes_free(n);
}

static void another_kernel_starts_anew(void **state)
{
	struct nodes *n = healthy();

	(void)state;
	nodes_run(n);
	strcpy(n->facts.host.kernel, "6.11.0-9-generic");
	n->facts.host.mem_total_kb = 1800 * GIB;
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	nodes_free(n);
}

/* GH200, GB200: HBM is onlined as the system's memory, or is not. */
static void gpu_memory_may_come_and_go(void **state)
{
	struct nodes *n = healthy();

	(void)state;
	n->facts.host.mem_local_kb = 480 * GIB;
	n->facts.host.mem_total_kb = 576 * GIB;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	n->facts.host.mem_total_kb = 480 * GIB;
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	n->facts.host.mem_local_kb = 440 * GIB;
	n->facts.host.mem_total_kb = 576 * GIB;
	assert_int_equal(nodes_next(n, 60), STATUS_FAIL);
	nodes_only(n, "host_memory.lost", "node");
	nodes_free(n);
}

static void uncorrectable_errors_count_once(void **state)
{
	struct nodes *n = healthy();

	(void)state;
	n->facts.host.edac_ue = 2;
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "host_memory.uncorrectable", "node");
	assert_string_equal(n->r.finding[0].text,
			    "2 uncorrectable memory errors");
	assert_string_equal(n->r.finding[0].evidence, NODE_BOOT ":ue=2");
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	n->facts.host.edac_ue = 3;
	assert_int_equal(nodes_next(n, 60), STATUS_FAIL);
	/* A new boot starts at 0; so does a reloaded module. */
	nodes_reboot(n);
	n->facts.host.edac_ue = 3;
	assert_int_equal(nodes_next(n, 60), STATUS_FAIL);
	n->facts.host.edac_ue = 1;
	assert_int_equal(nodes_next(n, 60), STATUS_FAIL);
	n->facts.host.edac_ue = 0;
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	nodes_free(n);
}

static void many_corrected_errors_warn(void **state)
{
	struct nodes *n = healthy();

	(void)state;
	n->facts.host.edac_ce = 1000;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	n->facts.host.edac_ce = 2001;
	assert_int_equal(nodes_next(n, 60), STATUS_WARN);
	nodes_only(n, "host_memory.corrected", "node");
	nodes_config(n, "max_corrected = 0\n");
	n->facts.host.edac_ce = 9000;
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	nodes_free(n);
}

static void room_for_the_job(void **state)
{
	struct nodes *n = healthy();

	(void)state;
	n->facts.host.mem_available_kb = 1 * GIB;
	assert_int_equal(nodes_run(n), STATUS_PASS);	/* nobody asked */
	nodes_config(n, "min_available_mb = 1024\n");
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_config(n, "min_available_mb = 1025\n");
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "host_memory.available", "node");
	nodes_free(n);
}

static void strange_memory_is_ignored(void **state)
{
	struct nodes *n = healthy();

	(void)state;
	n->env.memory = json_pack("{s:s s:s s:s s:f}", "boot", "x", "kernel",
				  "6.8.0-45-generic", "largest_kb", "much",
				  "ue", 1.5);
	assert_int_equal(nodes_run(n), STATUS_PASS);
	json_decref((json_t *)(uintptr_t)n->env.memory);
	n->env.memory = json_pack("[i]", 1);
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_there_is_silent),
		cmocka_unit_test(unknown_is_skipped),
		cmocka_unit_test(less_than_configured_fails),
		cmocka_unit_test(less_than_last_time_fails),
		cmocka_unit_test(another_kernel_starts_anew),
		cmocka_unit_test(gpu_memory_may_come_and_go),
		cmocka_unit_test(uncorrectable_errors_count_once),
		cmocka_unit_test(many_corrected_errors_warn),
		cmocka_unit_test(room_for_the_job),
		cmocka_unit_test(strange_memory_is_ignored),
	};

	return cmocka_run_group_tests_name("host_memory", tests, NULL, NULL);
}
