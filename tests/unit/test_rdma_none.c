/* SPDX-License-Identifier: Apache-2.0
 * A build without libibverbs's header: each probe of a port says so. */
#include "config.h"
#include "probes/rdma.h"
#include "tests/unit/unit.h"

#include <string.h>

static struct probe_shot shot;
static struct rdma_port port;

static int begin(void **state)
{
	(void)state;
	measure_begin(NULL, &shot);
	return 0;
}

static void assert_told(void)
{
	assert_int_equal(shot.end, PROBE_UNABLE);
	assert_non_null(strstr(shot.why, "without verbs"));
	assert_true(shot.never);
}

static void a_port_is_not_opened(void **state)
{
	(void)state;
	assert_int_equal(rdma_open(&port, NULL, 0, &shot), -1);
	assert_told();
	rdma_close(&port);
}

static void nothing_is_measured(void **state)
{
	static struct port_probes out;

	(void)state;
	measure_loopback(&port, &out, &shot, 0);
	assert_told();
	begin(state);
	measure_latency(&port, &out, &shot, 0);
	assert_told();
	begin(state);
	measure_gdr(NULL, NULL, &shot, 0);
	assert_told();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_port_is_not_opened, begin),
		cmocka_unit_test_setup(nothing_is_measured, begin),
	};

	return cmocka_run_group_tests_name("rdma_none", tests, NULL, NULL);
}
