/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/alarm.h"

#include "tests/unit/gpus.h"

static struct event ev[ALARMS_MAX];

static struct driver_reading gpu(int64_t reasons)
{
	struct driver_reading r = { .round = 1 };

	gpu_all_unknown(&r.gpu, 3);
	if (reasons >= 0)
		r.gpu.throttle = known(reasons);
	return r;
}

static int look(struct alarm_gpu *a, int64_t reasons, int64_t at_s)
{
	struct driver_reading r = gpu(reasons);

	return alarm_of_gpu(a, &r, &r, at_s, ev);
}

static void held_down_for_a_minute(void **state)
{
	struct alarm_gpu a = { 0 };

	(void)state;
	assert_int_equal(look(&a, 0x40, 1000), 0);
	assert_int_equal(look(&a, 0x08, 1030), 0);
	assert_int_equal(look(&a, 0x80, 1060), 1);
	assert_int_equal(ev[0].kind, EVENT_HELD);
	assert_non_null(strstr(ev[0].text, "60 s"));
	/* Once, until it has been free. */
	assert_int_equal(look(&a, 0x80, 1200), 0);
	assert_int_equal(look(&a, 0, 1230), 0);
	assert_int_equal(look(&a, 0x80, 1260), 0);
	assert_int_equal(look(&a, 0x80, 1330), 1);
}

static void a_cap_or_idleness_is_no_alarm(void **state)
{
	struct alarm_gpu a = { 0 };

	(void)state;
	assert_int_equal(look(&a, 0x05, 1000), 0);
	assert_int_equal(look(&a, 0x25, 2000), 0);
	/* A break in between. */
	assert_int_equal(look(&a, 0x40, 2030), 0);
	assert_int_equal(look(&a, 0x04, 2060), 0);
	assert_int_equal(look(&a, 0x40, 2090), 0);
	/* What is not told is neither. */
	assert_int_equal(look(&a, -1, 2200), 0);
}

static void memory_errors(void **state)
{
	struct driver_reading a = gpu(0), b = gpu(0);
	struct alarm_gpu g = { 0 };

	(void)state;
	a.gpu.ecc_unc_volatile = known(2);
	b.gpu.ecc_unc_volatile = known(2);
	assert_int_equal(alarm_of_gpu(&g, &a, &b, 1000, ev), 0);
	b.gpu.ecc_unc_volatile = known(5);
	assert_int_equal(alarm_of_gpu(&g, &a, &b, 1000, ev), 1);
	assert_int_equal(ev[0].kind, EVENT_ECC);
	assert_non_null(strstr(ev[0].text, "3 "));
	/* The first look has nothing before it. */
	a.round = 0;
	assert_int_equal(alarm_of_gpu(&g, &a, &b, 1000, ev), 0);
}

static struct port_reading port(int state, int rate, int64_t downs)
{
	struct port_reading r = { .at_us = 1 };

	r.port.state = state;
	r.port.rate_gbit = rate;
	r.port.link_downed = known(downs);
	return r;
}

static int from_to(struct alarm_port *a, struct port_reading x,
		   struct port_reading y)
{
	return alarm_of_port(a, &x, &y, ev);
}

static void a_link_that_goes_and_comes(void **state)
{
	struct alarm_port a = { 400 };

	(void)state;
	assert_int_equal(from_to(&a, port(4, 400, 0), port(4, 400, 0)), 0);
	assert_int_equal(from_to(&a, port(4, 400, 0), port(1, 10, 1)), 1);
	assert_int_equal(ev[0].kind, EVENT_LINK_DOWN);
	assert_int_equal(from_to(&a, port(1, 10, 1), port(1, 10, 1)), 0);
	assert_int_equal(from_to(&a, port(1, 10, 1), port(4, 200, 1)), 2);
	assert_int_equal(ev[0].kind, EVENT_LINK_UP);
	assert_int_equal(ev[1].kind, EVENT_RATE_DROP);
	assert_non_null(strstr(ev[1].text, "400 to 200"));
	assert_int_equal(from_to(&a, port(4, 200, 1), port(4, 200, 1)), 0);
}

static void a_flap_between_two_looks(void **state)
{
	struct alarm_port a = { 0 };

	(void)state;
	assert_int_equal(from_to(&a, port(4, 400, 0), port(4, 400, 2)), 1);
	assert_int_equal(ev[0].kind, EVENT_LINK_DOWN);
	assert_non_null(strstr(ev[0].text, "2 times"));
}

static void nothing_is_known_at_first(void **state)
{
	struct port_reading none = { .at_us = 0 }, down = port(1, 10, 7);
	struct alarm_port a = { 0 };

	(void)state;
	assert_int_equal(alarm_of_port(&a, &none, &down, ev), 0);
	down.port.state = -1;
	assert_int_equal(from_to(&a, port(4, 400, 0), down), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(held_down_for_a_minute),
		cmocka_unit_test(a_cap_or_idleness_is_no_alarm),
		cmocka_unit_test(memory_errors),
		cmocka_unit_test(a_link_that_goes_and_comes),
		cmocka_unit_test(a_flap_between_two_looks),
		cmocka_unit_test(nothing_is_known_at_first),
	};

	return cmocka_run_group_tests_name("alarm", tests, NULL, NULL);
}
