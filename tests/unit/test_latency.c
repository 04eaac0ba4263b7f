/* SPDX-License-Identifier: Apache-2.0
 * Latency of a port against the stand-in for libibverbs. */
#include "config.h"
#include "tests/unit/fake_verbs.h"

#define LATENCY(us, more) \
	"{\"verbs\": {\"devices\": [{\"name\": \"mlx5_0\", " \
	"\"write_gbps\": 10, \"latency_us\": " us more "}]}}"

/* One at a time and never faster than the port. */
static void sound(void)
{
	SAME(measured(measure_latency), PROBE_DONE);
	BETWEEN(shot.figure[0], 20, 400);
	BETWEEN(shot.figure[1], shot.figure[0], 1e6);
	SAME(shot.corrupt, false);
	SAME(shot.partial, false);
	SAME(out.latency[0].qps, 1);
	SAME(out.latency[0].depth, 1);
	SAME(out.latency[0].msg_bytes, 8);
	SAME(out.latency[0].gid_index, 1);
	SAME(out.latency[0].raised_count, 0);
}

static void a_sound_port(void **state)
{
	(void)state;
	play(LATENCY("20", ""), sound);
}

/* One in fifty is far off: that is in the 99th percentile, not in the median. */
static void with_a_tail(void)
{
	SAME(measured(measure_latency), PROBE_DONE);
	BETWEEN(shot.figure[1], 3000, 1e6);
	BETWEEN(shot.figure[0], 20, 2000);
}

static void a_tail(void **state)
{
	(void)state;
	play(LATENCY("20", ", \"tail\": {\"every\": 50, \"us\": 3000}"),
	     with_a_tail);
}

/* So slow that few come in the time there is. */
static void slow(void)
{
	int64_t began = clock_mono_ms();

	SAME(measured(measure_latency), PROBE_DONE);
	BETWEEN(shot.figure[0], 20000, 1e6);
	SAME(shot.partial, true);
	BETWEEN((double)(clock_mono_ms() - began), 0, 3000);
}

static void a_slow_port(void **state)
{
	(void)state;
	play(LATENCY("20000", ""), slow);
}

static void corrupt(void)
{
	SAME(measured(measure_latency), PROBE_DONE);
	SAME(shot.corrupt, true);
}

static void what_does_not_arrive_whole(void **state)
{
	(void)state;
	play(LATENCY("5", ", \"corrupt\": {\"flip_bit\": 63}"), corrupt);
	play(LATENCY("5", ", \"lost\": {\"after\": 300}"), corrupt);
}

static void failed(void)
{
	SAME(measured(measure_latency), PROBE_FAULT);
	SAME(shot.rc, 10);
	TOLD("REM_ACCESS_ERR");
}

static void no_answer(void)
{
	SAME(measured(measure_latency), PROBE_TIMEOUT);
	TOLD("in time");
}

static void went_down(void)
{
	SAME(measured(measure_latency), PROBE_FAULT);
	TOLD("went down");
}

static void what_fails(void **state)
{
	(void)state;
	play(LATENCY("5", ", \"wc\": {\"after\": 50, \"status\": 10}"),
	     failed);
	budget_ms = 800;
	play(LATENCY("5", ", \"hang\": {\"after\": 50}"), no_answer);
	play(LATENCY("5", ", \"event\": {\"after\": 50, "
			  "\"type\": \"port_err\"}"), went_down);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		V(a_sound_port),
		V(a_tail),
		V(a_slow_port),
		V(what_does_not_arrive_whole),
		V(what_fails),
	};

	return cmocka_run_group_tests_name("latency", tests, NULL, NULL);
}
