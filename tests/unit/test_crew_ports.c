/* SPDX-License-Identifier: Apache-2.0
 * Ports of RDMA devices in a round of probes. */
#include "config.h"

#include "tests/unit/crews.h"

static struct facts_fabric fabric;

/* mlx5_0 with two ports, mlx5_1 with one. No library to measure them by. */
static int setup_ports(void **state)
{
	int i;

	setup(state);
	memset(&fabric, 0, sizeof(fabric));
	fabric.hca_count = 2;
	for (i = 0; i < 2; i++)
		snprintf(fabric.hca[i].name, sizeof(fabric.hca[i].name),
			 "mlx5_%d", i);
	fabric.hca[0].port_count = 2;
	fabric.hca[1].port_count = 1;
	plan.fabric = &fabric;
	plan.verbs_path = "/nonexistent/libibverbs.so.1";
	plan.port_count = 3;
	plan.port[0] = (struct crew_port){ 0, 1 };
	plan.port[1] = (struct crew_port){ 0, 2 };
	plan.port[2] = (struct crew_port){ 1, 1 };
	memset(plan.chosen, 0, sizeof(plan.chosen));
	memset(plan.probe, 0, sizeof(plan.probe));
	plan.probe[PROBE_loopback] = true;
	for (i = 0; i < 3; i++) {
		plan.chosen[PROBE_PLACE_PORT(i)] = true;
		plan.order[GPUS + i] = PROBE_PLACE_PORT(i);
		plan.wave[PROBE_PLACE_PORT(i)] = i % 2;
	}
	return 0;
}

static const struct probe_shot *port_shot(int port, enum probe p, int n)
{
	return &out.port[port].probe[p].shot[n];
}

static void a_port_that_cannot_be_opened_says_why(void **state)
{
	const struct probe_shot *s;
	int i;

	(void)state;
	plan.chosen[PROBE_PLACE_PORT(1)] = false;
	run(0);
	assert_true(out.ran);
	assert_int_equal(out.port_count, 3);
	assert_string_equal(out.port[0].name, "mlx5_0:1");
	assert_string_equal(out.port[1].name, "mlx5_0:2");
	assert_string_equal(out.port[2].name, "mlx5_1");
	assert_false(out.port[1].chosen);
	assert_int_equal(port_shot(1, PROBE_loopback, 0)->end, PROBE_NONE);
	for (i = 0; i < 3; i += 2) {
		s = port_shot(i, PROBE_loopback, 0);
		assert_true(out.port[i].chosen);
		assert_true(s->end == PROBE_UNABLE || s->end == PROBE_BROKEN);
		assert_true(s->why[0]);
		assert_true(isnan(s->figure[0]));
		assert_int_equal(port_shot(i, PROBE_latency, 0)->end, PROBE_NONE);
	}
}

static void ports_take_no_gpu(void **state)
{
	int i;

	(void)state;
	plan.cuda_path = "/nonexistent/libcuda.so.1";
	run(0);
	for (i = 0; i < GPUS; i++) {
		assert_false(out.gpu[i].chosen);
		assert_int_equal(shot(i, PROBE_context, 0)->end, PROBE_NONE);
	}
	assert_int_equal(plan.stuck_count, 0);
}

static void no_gpu_at_all(void **state)
{
	(void)state;
	gpus.count = 0;
	plan.order[0] = PROBE_PLACE_PORT(0);
	plan.order[1] = PROBE_PLACE_PORT(1);
	plan.order[2] = PROBE_PLACE_PORT(2);
	run(0);
	assert_true(port_shot(2, PROBE_loopback, 0)->why[0]);
}

/* Writing a GPU's memory takes a port. */
static void no_port_no_gdr(void **state)
{
	(void)state;
	plan.chosen[0] = true;
	memset(&plan.chosen[PROBE_GPUS_MAX], 0, PROBE_PORTS_MAX);
	plan.probe[PROBE_gdr] = true;
	plan.gpu_port[0] = -1;
	run(0);
	assert_int_equal(out.gpu[0].port, -1);
	assert_int_equal(shot(0, PROBE_gdr, 0)->end, PROBE_UNABLE);
	assert_string_equal(shot(0, PROBE_gdr, 0)->why,
			    "no RDMA port that is active");
}

#define P(f) cmocka_unit_test_setup_teardown(f, setup_ports, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		P(a_port_that_cannot_be_opened_says_why),
		P(ports_take_no_gpu),
		P(no_gpu_at_all),
		P(no_port_no_gdr),
	};

	return cmocka_run_group_tests_name("crew_ports", tests, NULL, NULL);
}
