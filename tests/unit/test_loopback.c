/* SPDX-License-Identifier: Apache-2.0
 * HCA loopback against the stand-in for libibverbs. */
#include "config.h"
#include "tests/unit/fake_verbs.h"

/* ---- what is measured ------------------------------------------------------ */

static void sound(void)
{
	const struct rdma_shot *how = &out.loopback[0];

	SAME(measured_about(measure_loopback, 10), PROBE_DONE);
	SAME(shot.corrupt, false);
	SAME(shot.partial, false);
	SAME(shot.rc, 0);
	SAME(how->qps, 2);
	SAME(how->msg_bytes, 512 << 10);
	SAME(how->depth, 64);
	SAME(how->mtu, 4096);
	SAME(how->gid_index, 1);
	SAME(strcmp(how->gid, "::ffff:10.98.0.1"), 0);
	SAME(strcmp(how->gid_type, "RoCE v2"), 0);
	SAME(how->raised_count, 0);
	SAME(strcmp(how->road, ""), 0);
	BETWEEN((double)how->bytes, 1e9, 4e9);
	BETWEEN((double)how->cpu_us, 0, 400e3);
}

static void a_sound_port(void **state)
{
	(void)state;
	play(DEVICE(""), sound);
}

/* The repeat is measured on the same open device, by another payload. */
static void both_shots(void)
{
	double first;

	SAME(open_port(), 0);
	port.until_ms = clock_mono_ms() + budget_ms;
	measure_loopback(&port, &out, &shot, 0);
	SAME(shot.end, PROBE_DONE);
	first = shot.figure[0];
	measure_loopback(&port, &out, &shot, 1);
	SAME(shot.end, PROBE_DONE);
	BETWEEN(first, 0, shot.figure[0]);
	SAME(out.loopback[1].msg_bytes, 512 << 10);
	rdma_close(&port);
	left_nothing();
}

static void a_repeat(void **state)
{
	(void)state;
	play("{\"verbs\": {\"devices\": [{\"name\": \"mlx5_0\", "
	     "\"write_gbps\": {\"seq\": [3, 10]}}]}}", both_shots);
}

/* It is not given 128 MiB at once. */
static void very_slow(void)
{
	SAME(measured_about(measure_loopback, 0.02), PROBE_DONE);
	SAME(out.loopback[0].msg_bytes, 64 << 10);
	SAME(out.loopback[0].depth, 4);
	SAME(shot.corrupt, false);
}

static void a_port_that_crawls(void **state)
{
	(void)state;
	play("{\"verbs\": {\"devices\": [{\"name\": \"mlx5_0\", "
	     "\"write_gbps\": 0.02}]}}", very_slow);
}

static void relaxed(void)
{
	SAME(measured_about(measure_loopback, 10), PROBE_DONE);
	SAME(out.loopback[0].relaxed, 1);
}

static void strict(void)
{
	SAME(measured_about(measure_loopback, 4), PROBE_DONE);
	SAME(out.loopback[0].relaxed, 0);
}

static void in_any_order_where_that_is_taken(void **state)
{
	(void)state;
	play(DEVICE(", \"strict_gbps\": 4"), relaxed);
	play(DEVICE(", \"strict_gbps\": 4, \"relaxed_ordering\": "
		    "{\"rc\": 95}"), strict);
}

/* The counters of a port beside its writes. */
static const char *traffic(const char *more)
{
	static char text[2600];
	char sent[1024], received[1024];

	fixture_file(&x, SYS "counters/port_xmit_data", "100\n");
	fixture_file(&x, SYS "counters/port_rcv_data", "100\n");
	snprintf(text, sizeof(text),
		 DEVICE(", \"traffic\": {\"files\": [\"%.990s\", \"%.990s\"]%s}"),
		 fixture_path(&x, SYS "counters/port_xmit_data", sent),
		 fixture_path(&x, SYS "counters/port_rcv_data", received),
		 more);
	return text;
}

static void alone(void)
{
	SAME(measured_about(measure_loopback, 10), PROBE_DONE);
	BETWEEN(out.loopback[0].other_gbps, 0, 0.2);
	BETWEEN((double)out.loopback[0].payload, 1e9, 1e11);
}

static void with_others(void)
{
	int i;

	for (i = 0; i < TRIES; i++) {
		SAME(measured(measure_loopback), PROBE_DONE);
		if (IS_ABOUT(out.loopback[0].other_gbps, 20))
			break;
	}
	BETWEEN(out.loopback[0].other_gbps, 18, 22);
}

static void nobody_tells(void)
{
	SAME(measured(measure_loopback), PROBE_DONE);
	SAME(!isnan(out.loopback[0].other_gbps), 0);
}

/* Whether the device counts what does not leave it, or not. */
static void what_others_move_is_told(void **state)
{
	(void)state;
	play(traffic(", \"own\": 1"), alone);
	play(traffic(", \"own\": 0"), alone);
	play(traffic(", \"own\": 1.01, \"gbps\": [20, 2]"), with_others);
	play(traffic(", \"own\": 0, \"gbps\": [2, 20]"), with_others);
	unlink(fixture_path(&x, SYS "counters/port_rcv_data",
			    (char[1024]){ 0 }));
	play(DEVICE(""), nobody_tells);
}

/* Whatever was measured until nobody waits any more. */
static void cut(void)
{
	int64_t began = clock_mono_ms();

	budget_ms = 450;
	SAME(measured_about(measure_loopback, 10), PROBE_DONE);
	SAME(shot.partial, true);
	BETWEEN((double)(clock_mono_ms() - began), 0, TRIES * 2000);
}

static void little_time(void **state)
{
	(void)state;
	play(DEVICE(""), cut);
}

static void in_no_time(void)
{
	budget_ms = 100;
	SAME(measured(measure_loopback), PROBE_NONE);
	TOLD("no time");
}

static void no_time(void **state)
{
	(void)state;
	play(DEVICE(""), in_no_time);
}

/* ---- how it is addressed --------------------------------------------------- */

static void by_lid(void)
{
	SAME(measured(measure_loopback), PROBE_DONE);
	SAME(out.loopback[0].gid_index, -1);
	SAME(strcmp(out.loopback[0].gid_type, ""), 0);
	SAME(out.loopback[0].mtu, 2048);
}

static void by_lid_and_gid(void)
{
	SAME(measured(measure_loopback), PROBE_DONE);
	SAME(out.loopback[0].gid_index, 0);
}

#define PORTS(more) ", \"ports\": [{\"link_layer\": \"InfiniBand\"" more "}]"

static void infiniband(void **state)
{
	(void)state;
	play(DEVICE(PORTS(", \"lid\": 12, \"mtu\": 2048")), by_lid);
	play(DEVICE(PORTS(", \"lid\": 12, \"grh\": true")), by_lid_and_gid);
	play(DEVICE(PORTS("")), by_lid_and_gid);
}

static void without_gid(void)
{
	SAME(measured(measure_loopback), PROBE_UNABLE);
	TOLD("no GID");
}

static void no_gid(void **state)
{
	(void)state;
	fixture_unlink(&x, SYS "gids/0");
	fixture_unlink(&x, SYS "gids/1");
	play(DEVICE(""), without_gid);
	play(DEVICE(PORTS(", \"lid\": 12, \"mtu\": 2048")), by_lid);
}

static void full_member(void)
{
	SAME(measured(measure_loopback), PROBE_DONE);
}

static void limited_member(void)
{
	SAME(measured(measure_loopback), PROBE_UNABLE);
	TOLD("PKey");
}

static void partitions(void **state)
{
	(void)state;
	play(DEVICE(", \"ports\": [{\"pkeys\": [0, \"0x7fff\", \"0x8012\"]}]"),
	     full_member);
	play(DEVICE(", \"ports\": [{\"pkeys\": [\"0x7fff\", 0]}]"),
	     limited_member);
	play(DEVICE(", \"ports\": [{\"pkeys\": []}]"), limited_member);
}

/* ---- what it finds --------------------------------------------------------- */

static void corrupt(void)
{
	SAME(measured(measure_loopback), PROBE_DONE);
	SAME(shot.corrupt, true);
}

static void a_changed_payload(void **state)
{
	(void)state;
	play(DEVICE(", \"corrupt\": {\"flip_bit\": 4194303}"), corrupt);
	play(DEVICE(", \"corrupt\": {\"flip_bit\": 0, \"after\": 1000}"),
	     corrupt);
}

/* It said that it wrote, and did not: what an earlier write left is there. */
static void a_lost_payload(void **state)
{
	(void)state;
	play(DEVICE(", \"lost\": {\"after\": 16}"), corrupt);
	play(DEVICE(", \"lost\": {\"after\": 1500}"), corrupt);
}

static void raised(void)
{
	SAME(measured(measure_loopback), PROBE_DONE);
	SAME(out.loopback[0].raised_count, 1);
	SAME(strcmp(out.loopback[0].raised[0].counter, "symbol_error"), 0);
	SAME(out.loopback[0].raised[0].by, 5);
}

static void a_counter_that_rises(void **state)
{
	char text[512];

	(void)state;
	snprintf(text, sizeof(text),
		 DEVICE(", \"raise\": {\"after\": 40, \"by\": 5, \"path\": "
			"\"%s/" SYS "counters/symbol_error\"}"),
		 x.dir);
	play(text, raised);
}

static void failed_write(void)
{
	SAME(measured(measure_loopback), PROBE_FAULT);
	SAME(shot.rc, 12);
	SAME(strcmp(shot.call, "RDMA write"), 0);
	TOLD("RETRY_EXC_ERR");
	SAME(isnan(shot.figure[0]), 1);
}

static void a_write_that_fails(void **state)
{
	(void)state;
	play(DEVICE(", \"wc\": {\"status\": 12}"), failed_write);
	play(DEVICE(", \"wc\": {\"after\": 77, \"status\": 12}"),
	     failed_write);
	play(DEVICE(", \"wc\": {\"after\": 1024, \"status\": 12}"),
	     failed_write);
}

static void no_answer(void)
{
	int64_t began = clock_mono_ms();

	SAME(measured(measure_loopback), PROBE_TIMEOUT);
	SAME(strcmp(shot.call, "RDMA write"), 0);
	TOLD("in time");
	BETWEEN((double)(clock_mono_ms() - began), 0, 4000);
}

static void no_answer_and_little_time(void)
{
	budget_ms = 700;
	no_answer();
}

static void a_write_that_never_ends(void **state)
{
	(void)state;
	play(DEVICE(", \"hang\": {\"after\": 0}"), no_answer_and_little_time);
	play(DEVICE(", \"hang\": {\"after\": 500}"), no_answer);
}

static void went_down(void)
{
	SAME(measured(measure_loopback), PROBE_FAULT);
	TOLD("went down");
}

static void fatal(void)
{
	SAME(measured(measure_loopback), PROBE_FAULT);
	TOLD("fatal");
}

static void queue_failed(void)
{
	SAME(measured(measure_loopback), PROBE_FAULT);
	TOLD("queue failed");
}

static void not_ours(void)
{
	SAME(measured(measure_loopback), PROBE_DONE);
}

#define EVENT(type) ", \"event\": {\"after\": 90, \"type\": \"" type "\"}"

static void what_is_reported_meanwhile(void **state)
{
	(void)state;
	play(DEVICE(EVENT("port_err")), went_down);
	play(DEVICE(EVENT("device_fatal")), fatal);
	play(DEVICE(EVENT("qp_fatal")), queue_failed);
	play(DEVICE(EVENT("gid_change")), not_ours);
	play(DEVICE(EVENT("other_port_err")), not_ours);
}

/* A device that has left the system is not asked what is the matter. */
static void gone(void)
{
	SAME(open_port(), 0);
	SAME(rename(fixture_path(&x, "sys", (char[1024]){ 0 }),
		    fixture_path(&x, "away", (char[1024]){ 0 })), 0);
	port.until_ms = clock_mono_ms() + budget_ms;
	plan.port[0].number = 1;
	measure_loopback(&port, &out, &shot, 0);
	rdma_close(&port);
	left_nothing();
	SAME(shot.end, PROBE_FAULT);
	TOLD("has gone");
}

static void a_device_that_goes(void **state)
{
	(void)state;
	play(DEVICE(PORTS(", \"lid\": 3") EVENT("device_fatal")), gone);
	assert_int_equal(rename(fixture_path(&x, "away", (char[1024]){ 0 }),
				fixture_path(&x, "sys", (char[1024]){ 0 })), 0);
	play(DEVICE(PORTS(", \"lid\": 3") ", \"create_qp\": {\"rc\": 5}"), gone);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		V(a_sound_port),
		V(a_repeat),
		V(a_port_that_crawls),
		V(in_any_order_where_that_is_taken),
		V(what_others_move_is_told),
		V(little_time),
		V(no_time),
		V(infiniband),
		V(no_gid),
		V(partitions),
		V(a_changed_payload),
		V(a_lost_payload),
		V(a_counter_that_rises),
		V(a_write_that_fails),
		V(a_write_that_never_ends),
		V(what_is_reported_meanwhile),
		V(a_device_that_goes),
	};

	return cmocka_run_group_tests_name("loopback", tests, NULL, NULL);
}
