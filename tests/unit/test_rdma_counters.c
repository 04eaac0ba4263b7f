/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "probes/rdma_counters.h"
#include "lib/clock.h"
#include "tests/unit/fixture.h"

#define PORT "sys/class/infiniband/mlx5_0/ports/1/"

static struct fixture x;
static struct hca hca;
static struct rdma_counters before, after;
static struct rdma_shot shot;

static int setup(void **state)
{
	(void)state;
	fixture_open(&x);
	memset(&hca, 0, sizeof(hca));
	memset(&shot, 0, sizeof(shot));
	snprintf(hca.name, sizeof(hca.name), "mlx5_0");
	hca.port_count = 1;
	hca.port[0].number = 1;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fixture_close(&x);
	return 0;
}

static void look(struct rdma_counters *c)
{
	rdma_counters_read(&x.roots, &hca, 1, c);
}

static void compare(void)
{
	rdma_counters_raised(&before, &after, &shot);
}

static void what_rose_is_told(void **state)
{
	(void)state;
	fixture_file(&x, PORT "counters/symbol_error", "3\n");
	fixture_file(&x, PORT "counters/link_downed", "1\n");
	fixture_file(&x, PORT "hw_counters/packet_seq_err", "0\n");
	look(&before);
	fixture_file(&x, PORT "counters/symbol_error", "5\n");
	fixture_file(&x, PORT "hw_counters/packet_seq_err", "70\n");
	look(&after);
	compare();
	assert_int_equal(shot.raised_count, 2);
	assert_string_equal(shot.raised[0].counter, "packet_seq_err");
	assert_int_equal(shot.raised[0].by, 70);
	assert_string_equal(shot.raised[1].counter, "symbol_error");
	assert_int_equal(shot.raised[1].by, 2);
}

/* Traffic is no error. */
static void what_may_rise_is_silent(void **state)
{
	(void)state;
	fixture_file(&x, PORT "counters/symbol_error", "3\n");
	fixture_file(&x, PORT "counters/port_xmit_data", "1000\n");
	fixture_file(&x, PORT "counters/port_xmit_wait", "1\n");
	fixture_file(&x, PORT "hw_counters/np_cnp_sent", "1\n");
	look(&before);
	fixture_file(&x, PORT "counters/port_xmit_data", "9000\n");
	fixture_file(&x, PORT "counters/port_xmit_wait", "200\n");
	fixture_file(&x, PORT "hw_counters/np_cnp_sent", "44\n");
	look(&after);
	compare();
	assert_int_equal(shot.raised_count, 0);
}

static void a_reset_or_a_new_file_tells_nothing(void **state)
{
	(void)state;
	fixture_file(&x, PORT "counters/symbol_error", "3\n");
	look(&before);
	fixture_file(&x, PORT "counters/symbol_error", "1\n");
	fixture_file(&x, PORT "counters/link_downed", "8\n");
	look(&after);
	compare();
	assert_int_equal(shot.raised_count, 0);
}

static void a_refused_group_is_not_asked_again(void **state)
{
	(void)state;
	fixture_file(&x, PORT "counters/symbol_error", "N/A (no PMA)\n");
	fixture_file(&x, PORT "counters/link_downed", "3\n");
	fixture_file(&x, PORT "hw_counters/packet_seq_err", "1\n");
	look(&before);
	fixture_file(&x, PORT "counters/symbol_error", "7\n");
	fixture_file(&x, PORT "counters/link_downed", "4\n");
	fixture_file(&x, PORT "hw_counters/packet_seq_err", "2\n");
	look(&after);
	compare();
	assert_int_equal(shot.raised_count, 1);
	assert_string_equal(shot.raised[0].counter, "packet_seq_err");
}

/* What was found out before, or was not asked for that reason. */
static void nor_one_that_the_facts_know(void **state)
{
	(void)state;
	fixture_file(&x, PORT "counters/symbol_error", "0\n");
	hca.port[0].symbol_error.rc = EINVAL;
	look(&before);
	fixture_file(&x, PORT "counters/symbol_error", "7\n");
	look(&after);
	compare();
	assert_int_equal(shot.raised_count, 0);
	hca.port[0].symbol_error.rc = VAL_NO_FILE;
	look(&before);
	fixture_file(&x, PORT "counters/symbol_error", "8\n");
	look(&after);
	compare();
	assert_int_equal(shot.raised_count, 1);
}

static void only_so_many_but_the_highest(void **state)
{
	static const char *const names[] = {
		"symbol_error", "link_error_recovery", "link_downed",
		"port_rcv_errors", "port_rcv_remote_physical_errors",
		"port_rcv_constraint_errors", "port_xmit_constraint_errors",
		"port_xmit_discards", "local_link_integrity_errors",
		"excessive_buffer_overrun_errors"
	};
	char path[128], text[16];
	int pass, i;

	(void)state;
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < 10; i++) {
			snprintf(path, sizeof(path), PORT "counters/%s",
				 names[i]);
			snprintf(text, sizeof(text), "%d\n",
				 pass ? 10 + i : 0);
			fixture_file(&x, path, text);
		}
		look(pass ? &after : &before);
	}
	compare();
	assert_int_equal(shot.raised_count, RDMA_RAISED_MAX);
	assert_string_equal(shot.raised[0].counter, names[9]);
	assert_int_equal(shot.raised[7].by, 12);
}

static int64_t settled_ms(void)
{
	int64_t began = clock_mono_ms();

	rdma_counters_settle(&x.roots, &hca, 1);
	return clock_mono_ms() - began;
}

static void the_kernels_cache_is_waited_for(void **state)
{
	(void)state;
	assert_true(settled_ms() >= 10);
	fixture_file(&x, PORT "hw_counters/lifespan", "60\n");
	assert_true(settled_ms() >= 60);
	fixture_file(&x, PORT "hw_counters/lifespan", "0\n");
	assert_true(settled_ms() >= 10);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(what_rose_is_told),
		T(what_may_rise_is_silent),
		T(a_reset_or_a_new_file_tells_nothing),
		T(a_refused_group_is_not_asked_again),
		T(nor_one_that_the_facts_know),
		T(only_so_many_but_the_highest),
		T(the_kernels_cache_is_waited_for),
	};

	return cmocka_run_group_tests_name("rdma_counters", tests, NULL, NULL);
}
