/* SPDX-License-Identifier: Apache-2.0
 * Ports of RDMA devices in a round of probes. */
#include "config.h"

#include "lib/clock.h"
#include "tests/unit/crews.h"

#define NOT_THERE "/nonexistent/libibverbs.so.1"

static struct facts_fabric fabric;
static char verbs[512];

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
	plan.verbs_path = NOT_THERE;
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

/* ---- by the stand-in for the library --------------------------------------- */

#define PORT(k) PROBE_PLACE_PORT(k)

static void rdma(const char *first, const char *second)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 ", \"verbs\": {\"devices\": [{\"name\": \"mlx5_0\", "
		 "\"write_gbps\": 10%s}, {\"name\": \"mlx5_1\", "
		 "\"write_gbps\": 10%s}]}", first, second);
	scenario_with("", text);
}

/* For it to be there. */
static void need_verbs(void)
{
#ifndef HAVE_VERBS
	skip();
#endif
}

/* One port on each of two devices, addressed by GIDs. */
static int setup_rdma(void **state)
{
	char path[128];
	int i;

	setup_ports(state);
	fabric.hca[0].port_count = 1;
	plan.port_count = 2;
	plan.port[1] = (struct crew_port){ 1, 1 };
	plan.chosen[PORT(2)] = false;
	snprintf(verbs, sizeof(verbs), "%s/tests/fake/.libs/libibverbs.so.1",
		 getenv("BUILD"));
	plan.verbs_path = verbs;
	for (i = 0; i < 2; i++) {
		fabric.hca[i].port[0].number = 1;
		snprintf(path, sizeof(path),
			 "sys/class/infiniband/mlx5_%d/ports/1/gids/0", i);
		fixture_file(&x, path,
			     "0000:0000:0000:0000:0000:ffff:0a62:0001\n");
		snprintf(path, sizeof(path), "sys/class/infiniband/mlx5_%d/"
			 "ports/1/gid_attrs/types/0", i);
		fixture_file(&x, path, "RoCE v2\n");
	}
	rdma("", "");
	return 0;
}

static void all_ports_are_measured(void **state)
{
	int i;

	(void)state;
	need_verbs();
	plan.probe[PROBE_latency] = true;
	run(0);
	for (i = 0; i < 2; i++) {
		assert_int_equal(port_shot(i, PROBE_context, 0)->end,
				 PROBE_DONE);
		assert_int_equal(port_shot(i, PROBE_loopback, 0)->end,
				 PROBE_DONE);
		assert_true(port_shot(i, PROBE_loopback, 0)->figure[0] > 0);
		assert_false(port_shot(i, PROBE_loopback, 0)->corrupt);
		assert_true(out.port[i].loopback[0].bytes > 0);
		assert_int_equal(port_shot(i, PROBE_latency, 0)->end,
				 PROBE_DONE);
		assert_true(out.port[i].latency[0].msg_bytes < 100);
	}
	assert_true(out.phase_us[PROBE_loopback] > 0);
	assert_true(out.phase_us[PROBE_latency] > 0);
}

/* What waves are there for: no two of them overlap. */
static void waves_go_one_after_the_other(void **state)
{
	(void)state;
	need_verbs();
	plan.wave[PORT(1)] = 3;		/* none in between */
	run(0);
	assert_int_equal(port_shot(1, PROBE_loopback, 0)->end, PROBE_DONE);
	assert_true(out.phase_us[PROBE_loopback] >=
		    port_shot(0, PROBE_loopback, 0)->elapsed_us +
			    port_shot(1, PROBE_loopback, 0)->elapsed_us);
}

static bool doubt_second(enum probe p, int place, void *arg)
{
	(void)arg;
	return p == PROBE_loopback && place == PORT(1);
}

static void a_doubted_port_is_repeated(void **state)
{
	(void)state;
	need_verbs();
	plan.doubts = doubt_second;
	run(0);
	assert_int_equal(port_shot(0, PROBE_loopback, 1)->end, PROBE_NONE);
	assert_int_equal(port_shot(1, PROBE_loopback, 1)->end, PROBE_DONE);
	assert_true(out.port[1].loopback[1].bytes > 0);
}

static bool doubt_first(enum probe p, int place, void *arg)
{
	(void)arg;
	return p == PROBE_loopback && place == PORT(0);
}

/* What took one so long that half the budget is gone is not begun again: it
 * would only be cut off, and look as if it hung. */
static void what_takes_longer_than_what_is_left_is_not_begun(void **state)
{
	int i;

	(void)state;
	need_verbs();
	plan.budget_ms = 2200;
	plan.wave[PORT(1)] = 1;
	plan.doubts = doubt_first;
	rdma(", \"create_qp\": {\"hang_ms\": 200}",
	     ", \"create_qp\": {\"hang_ms\": 200}");
	run(0);
	assert_int_equal(port_shot(0, PROBE_loopback, 0)->end, PROBE_DONE);
	for (i = 0; i < 2; i++) {
		assert_int_equal(port_shot(1 - i, PROBE_loopback, i)->end,
				 PROBE_NONE);
		assert_string_equal(port_shot(1 - i, PROBE_loopback, i)->why,
				    "no time left");
	}
}

static void no_time_at_all(void **state)
{
	int i;

	(void)state;
	need_verbs();
	plan.budget_ms = 0;
	run(0);
	assert_true(out.ran);
	for (i = 0; i < 2; i++) {
		assert_int_equal(port_shot(i, PROBE_context, 0)->end,
				 PROBE_NONE);
		assert_string_equal(port_shot(i, PROBE_loopback, 0)->why,
				    "no time left");
	}
}

/* Both in the library for ever, deaf to all but SIGKILL. */
static void who_hangs_at_the_end_is_ended(void **state)
{
	(void)state;
	need_verbs();
	rdma(", \"close_device\": {\"hang_ms\": -1}",
	     ", \"close_device\": {\"hang_ms\": -1}");
	plan.budget_ms = 3000;
	run(0);
	assert_int_equal(port_shot(0, PROBE_loopback, 0)->end, PROBE_DONE);
	assert_int_equal(port_shot(1, PROBE_loopback, 0)->end, PROBE_DONE);
	assert_int_equal(plan.stuck_count, 0);
}

static void a_port_that_fails_is_left_alone(void **state)
{
	const struct probe_shot *s;

	(void)state;
	need_verbs();
	plan.probe[PROBE_latency] = true;
	rdma(", \"event\": {\"after\": 20, \"type\": \"device_fatal\"}", "");
	run(0);
	s = port_shot(0, PROBE_loopback, 0);
	assert_int_equal(s->end, PROBE_FAULT);
	assert_int_equal(s->rc, RDMA_RC_FATAL);
	assert_true(probe_rc_is_rdma(s));
	assert_int_equal(port_shot(0, PROBE_latency, 0)->end, PROBE_NONE);
	assert_string_equal(port_shot(0, PROBE_latency, 0)->why,
			    "not after an earlier probe failed");
	assert_int_equal(port_shot(1, PROBE_latency, 0)->end, PROBE_DONE);
}

/* In a call of the library, and deaf to SIGTERM there: it is in no GPU's driver
 * and can be killed. */
static void a_hung_port_costs_itself_only(void **state)
{
	(void)state;
	need_verbs();
	plan.budget_ms = 4000;
	rdma(", \"open_device\": {\"hang_ms\": -1}", "");
	run(0);
	assert_int_equal(port_shot(0, PROBE_context, 0)->end, PROBE_TIMEOUT);
	assert_int_equal(port_shot(0, PROBE_loopback, 0)->end, PROBE_TIMEOUT);
	assert_non_null(strstr(port_shot(0, PROBE_loopback, 0)->why,
			       "ibv_open_device"));
	assert_int_equal(port_shot(1, PROBE_loopback, 0)->end, PROBE_DONE);
	assert_int_equal(plan.stuck_count, 0);
}

static bool soon(void *arg)
{
	int64_t *until = arg;

	return clock_mono_ms() >= *until;
}

static void a_job_ends_it(void **state)
{
	int64_t until = clock_mono_ms() + 200;

	(void)state;
	need_verbs();
	rdma(", \"hang\": {\"after\": 20}", ", \"hang\": {\"after\": 20}");
	plan.cancelled = soon;
	plan.arg = &until;
	run(-1);
	assert_false(out.ran);
	assert_int_equal(plan.stuck_count, 0);
	assert_true(clock_mono_ms() - until < 2000);
}

#define P(f) cmocka_unit_test_setup_teardown(f, setup_ports, teardown)
#define R(f) cmocka_unit_test_setup_teardown(f, setup_rdma, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		P(a_port_that_cannot_be_opened_says_why),
		P(ports_take_no_gpu),
		P(no_gpu_at_all),
		P(no_port_no_gdr),
		R(all_ports_are_measured),
		R(waves_go_one_after_the_other),
		R(a_doubted_port_is_repeated),
		R(what_takes_longer_than_what_is_left_is_not_begun),
		R(no_time_at_all),
		R(who_hangs_at_the_end_is_ended),
		R(a_port_that_fails_is_left_alone),
		R(a_hung_port_costs_itself_only),
		R(a_job_ends_it),
	};

	return cmocka_run_group_tests_name("crew_ports", tests, NULL, NULL);
}
