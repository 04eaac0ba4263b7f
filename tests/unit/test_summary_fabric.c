/* SPDX-License-Identifier: Apache-2.0
 * Ports, and the rest of the node. */
#include "config.h"

#include "tests/unit/told.h"

static void bytes_and_rates(void **state)
{
	struct stories *b = stories_new("n1", 4, 100);
	json_t *r;

	(void)state;
	b->s.port[1].rx_bytes = is(9000 * GB); /* the busier direction counts */
	b->traffic[1][7].peak_gbps = 42;
	b->s.port[2].retries = is(12);
	b->s.port[3].congestion = is(345);
	r = told_of(b);
	is_number(r, "fabric.port.0.mean_gbps", 1);
	is_number(r, "fabric.port.1.mean_gbps", 3);
	is_number(r, "fabric.port.1.peak_gbps", 42);
	is_number(r, "fabric.rx_bytes", 18000 * GB);
	is_number(r, "fabric.tx_bytes", 12000 * GB);
	is_number(r, "fabric.port_gbps.mean", 1.5);
	is_number(r, "fabric.port_gbps.peak", 42);
	is_number(r, "fabric.retries", 12);
	is_number(r, "fabric.congestion", 345);
	is_number(r, "fabric.error_count", 0);
	is_null(r, "fabric.slowest");
	json_decref(r);
}

static void a_port_that_fell_is_the_slowest(void **state)
{
	struct stories *b = stories_new("n1", 4, 100);
	json_t *r;

	(void)state;
	b->s.port[2].downs = is(2);
	b->s.port[1].errors = is(77);
	b->s.port[1].counters = json_pack("{s:i, s:i}", "symbol_error", 77,
					  "port_rcv_errors", 0);
	stories_sum(b);
	r = summary_node(&b->s);
	json_decref(b->s.port[1].counters);
	free(b);
	is_text(r, "fabric.slowest", "n1 mlx5_2:1");
	is_text(r, "fabric.slowest_why", "went down");
	is_number(r, "fabric.downs", 2);
	is_number(r, "fabric.port.1.error_count", 77);
	is_number(r, "fabric.port.1.errors.symbol_error", 77);
	assert_null(told(r, "fabric.port.1.errors.port_rcv_errors"));
	assert_true(told_line(r, "slowest mlx5_2:1 (went down), 2 link downs, "
				 "77 link errors"));
	json_decref(r);
}

static void a_rate_that_dropped(void **state)
{
	struct stories *b = stories_new("n1", 4, 100);
	json_t *r;

	(void)state;
	b->traffic[3][50].rate_gbit = 200;
	r = told_of(b);
	is_number(r, "fabric.port.3.rate_gbit_lowest", 200);
	is_text(r, "fabric.slowest", "n1 mlx5_3:1");
	is_text(r, "fabric.slowest_why", "fell to a lower rate");
	json_decref(r);
}

static void a_slow_port_among_its_like(void **state)
{
	struct stories *b = stories_new("n1", 5, 100);
	json_t *r;

	(void)state;
	b->s.port[1].rx_bytes = b->s.port[1].tx_bytes = is(1500 * GB);
	/* one that hardly moves anything is there for something else */
	b->s.port[4].rx_bytes = b->s.port[4].tx_bytes = is(1 * GB);
	r = told_of(b);
	is_text(r, "fabric.slowest", "n1 mlx5_1:1");
	is_text(r, "fabric.slowest_why", "mean 0.50 GB/s, median 1.00");
	json_decref(r);
}

static void of_two_ports_none_is_the_outlier(void **state)
{
	struct stories *b = stories_new("n1", 2, 100);
	json_t *r;

	(void)state;
	b->s.port[1].rx_bytes = b->s.port[1].tx_bytes = is(1500 * GB);
	r = told_of(b);
	is_null(r, "fabric.slowest");
	json_decref(r);
}

static void ports_of_a_shared_node_are_not_ours(void **state)
{
	static const char *const members[] = {
		"fabric.port.0.rx_bytes",    "fabric.port.0.tx_bytes",
		"fabric.port.0.mean_gbps",   "fabric.port.0.peak_gbps",
		"fabric.port.0.error_count", "fabric.port.0.retries",
		"fabric.port.0.congestion",  "fabric.port.0.downs",
		"fabric.rx_bytes",	     "fabric.downs",
	};
	struct stories *b = stories_new("n1", 2, 100);
	size_t i;
	json_t *r;

	(void)state;
	b->s.job.owned = false;
	b->s.port[0].downs = is(5);
	r = told_of(b);
	for (i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		is_unknown(r, members[i], "shared node");
	is_null(r, "fabric.slowest");
	/* the GPUs are */
	is_number(r, "fabric.nvlink_bytes", 2 * 100 * 6 * GB);
	is_number(r, "gpu.0.energy_j", 1800000);
	assert_true(told_line(r, "shared node: ports are not the job's"));
	json_decref(r);
}

static void port_counters_that_went_back(void **state)
{
	struct stories *b = stories_new("n1", 1, 100);
	json_t *r;

	(void)state;
	b->s.port[0].rx_bytes = is(-1);
	b->s.port[0].errors = isnt(STORY_SATURATED);
	r = told_of(b);
	is_unknown(r, "fabric.port.0.rx_bytes", "reset during the job");
	is_unknown(r, "fabric.port.0.mean_gbps", "reset during the job");
	is_unknown(r, "fabric.port.0.error_count", "saturated");
	json_decref(r);
}

static void no_ports_are_no_zeros(void **state)
{
	struct stories *b = stories_new("n1", 1, 100);
	json_t *r;

	(void)state;
	b->s.port_count = 0;
	r = told_of(b);
	is_null(r, "fabric.rx_bytes");
	assert_false(told_line(r, "ports"));
	json_decref(r);
}

static void where_in_the_fabric(void **state)
{
	struct stories *b = stories_new("n1", 1, 100);
	json_t *r;

	(void)state;
	strcpy(b->s.leaf, "leaf-7");
	strcpy(b->s.nvlink_domain, "clique-1");
	r = told_of(b);
	is_number(r, "fabric.leaf_switches", 1);
	is_number(r, "fabric.nvlink_domains", 1);
	json_decref(r);
	r = told_of(stories_new("n1", 1, 100));
	is_null(r, "fabric.leaf_switches");
	json_decref(r);
}

static void processors_and_memory(void **state)
{
	struct stories *b = stories_new("n1", 1, 100);
	json_t *r;

	(void)state;
	b->s.host.cpu_s = is(3000 * 14.5);
	b->s.host.oom_kills = is(1);
	r = told_of(b);
	is_number(r, "cpu.cores_used", 14.5);
	is_number(r, "cpu.cores_alloc", 64);
	is_number(r, "cpu.seconds", 43500);
	is_number(r, "memory.peak_bytes", 200 * GB);
	is_number(r, "memory.limit_bytes", 500 * GB);
	is_text(r, "memory.node", "n1");
	is_number(r, "storage.read_bytes", 12 * GB);
	assert_true(told_line(r, "14.5 of 64 cores, memory peak 200 GB of "
				 "500 GB, out of memory, read 12.0 GB"));
	json_decref(r);
}

static void what_the_cgroup_did_not_tell(void **state)
{
	struct stories *b = stories_new("n1", 1, 100);
	json_t *r;

	(void)state;
	b->s.host.cpu_s = isnt(STORY_UNREADABLE);
	b->s.host.mem_peak_bytes = isnt(STORY_UNREADABLE);
	b->s.host.cpus = 0;
	b->s.host.steps = -1;
	r = told_of(b);
	is_unknown(r, "cpu.cores_used", "not readable");
	is_unknown(r, "cpu.cores_alloc", "not readable");
	is_unknown(r, "memory.peak_bytes", "not readable");
	is_null(r, "memory.of");
	is_null(r, "node.0.cpu_of");
	is_null(r, "job.steps");
	json_decref(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_and_rates),
		cmocka_unit_test(a_port_that_fell_is_the_slowest),
		cmocka_unit_test(a_rate_that_dropped),
		cmocka_unit_test(a_slow_port_among_its_like),
		cmocka_unit_test(of_two_ports_none_is_the_outlier),
		cmocka_unit_test(ports_of_a_shared_node_are_not_ours),
		cmocka_unit_test(port_counters_that_went_back),
		cmocka_unit_test(no_ports_are_no_zeros),
		cmocka_unit_test(where_in_the_fabric),
		cmocka_unit_test(processors_and_memory),
		cmocka_unit_test(what_the_cgroup_did_not_tell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
