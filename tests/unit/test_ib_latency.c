/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/probes.h"

extern const struct check check_ib_latency;

#define PORT(k) PROBE_PLACE_PORT(k)

static struct probes *healthy(int count)
{
	struct probes *t = probes_healthy(&check_ib_latency, 0);

	probes_add_ports(t, count);
	return t;
}

/* Median and p99 of the first shot, and of a repeat if there is one. */
static void set(struct probes *t, int port, double median, double p99,
		bool repeat)
{
	struct probe_shot *s = probes_shot(t, PORT(port), 0);

	s[0].figure[0] = median;
	s[0].figure[1] = p99;
	memset(&s[1], 0, sizeof(s[1]));
	if (repeat)
		s[1] = s[0];
}

static void equal_ports_pass(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	assert_int_equal(probes_run(t), STATUS_PASS);
	assert_false(probes_doubts(t, PORT(0)));
	probes_free(t);
}

/* A high time is bad, and is told as a time. */
static void a_slow_port_fails_when_it_is_slow_twice(void **state)
{
	struct probes *t = healthy(8);
	const struct finding *f;

	(void)state;
	set(t, 3, 4, 5, false);
	assert_true(probes_doubts(t, PORT(3)));
	assert_int_equal(probes_run(t), STATUS_WARN);
	f = probes_finding(t, 0);
	assert_string_equal(f->code, "ib_latency.median");
	assert_string_equal(f->subject, "mlx5_3");
	assert_string_equal(f->text, "4.0>2.6 us, to be repeated");
	set(t, 3, 4, 5, true);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	f = probes_finding(t, 0);
	assert_string_equal(f->text, "4.0>2.6 us");
	assert_true(fabs(f->value - 4) < 1e-9 && fabs(f->limit - 2.56) < 0.01);
	assert_string_equal(f->unit, "us");
	probes_shot(t, PORT(3), 1)->figure[0] = 2.1;
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_string_equal(probes_finding(t, 0)->text,
			    "unconfirmed: 4.0, then 2.1 us");
	probes_free(t);
}

static void quick_is_never_bad(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	set(t, 3, 0.5, 0.6, false);
	assert_int_equal(probes_run(t), STATUS_PASS);
	probes_free(t);
}

/* The slowest of a hundred is the host's doing, too. */
static void the_slowest_have_more_room(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	set(t, 3, 2, 8, true);
	assert_int_equal(probes_run(t), STATUS_PASS);
	set(t, 3, 2, 12, true);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_string_equal(probes_finding(t, 0)->code, "ib_latency.p99");
	assert_string_equal(probes_finding(t, 0)->text, "12.0>9.1 us");
	probes_free(t);
}

static void the_sites_figures_are_nanoseconds(void **state)
{
	struct probes *t = healthy(1);

	(void)state;
	set(t, 0, 2, 3, true);
	probes_config(t, "expected_median_ns = 1900\n");
	assert_int_equal(probes_run(t), STATUS_PASS);
	probes_config(t, "expected_median_ns = 1700\n");
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_string_equal(probes_finding(t, 0)->text,
			    "2.0>1.9 us, by the site's figure alone");
	probes_config(t, "expected_median_ns = 1300\n");	/* by far */
	assert_int_equal(probes_run(t), STATUS_FAIL);
	probes_config(t, "expected_p99_ns = 2000\n");
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_string_equal(probes_finding(t, 0)->code, "ib_latency.p99");
	probes_free(t);
}

static void its_own_history(void **state)
{
	struct probes *t = healthy(1);

	(void)state;
	probes_days(t, 6);
	set(t, 0, 2.2, 3, true);
	assert_int_equal(probes_next(t), STATUS_PASS);
	set(t, 0, 2.7, 3, true);
	assert_int_equal(probes_next(t), STATUS_WARN);
	assert_string_equal(probes_finding(t, 0)->text,
			    "2.7>2.5 us, by its own history alone");
	probes_free(t);
}

static void what_it_raises_counts(void **state)
{
	struct probes *t = healthy(2);
	struct rdma_shot *s = t->p.port[1].latency;

	(void)state;
	s[0].raised_count = 1;
	s[0].raised[0] = (struct rdma_raised){ "symbol_error", 3 };
	assert_true(probes_doubts(t, PORT(1)));
	s[1] = s[0];
	set(t, 1, 2, 3, true);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_string_equal(probes_finding(t, 0)->code,
			    "ib_latency.symbol_error");
	assert_int_equal(probes_finding(t, 0)->remedy, REMEDY_CHECK_CABLE);
	probes_free(t);
}

static void a_changed_payload_is_a_hard_fault(void **state)
{
	struct probes *t = healthy(2);
	struct probe_shot *s = probes_shot(t, PORT(1), 0);

	(void)state;
	s[0].corrupt = true;
	assert_true(probes_doubts(t, PORT(1)));
	s[1] = s[0];
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_string_equal(probes_finding(t, 0)->code, "ib_latency.corrupt");
	assert_true(probes_finding(t, 0)->hard);
	probes_free(t);
}

static void the_record_has_times(void **state)
{
	struct probes *t = healthy(1);
	const json_t *one;

	(void)state;
	assert_int_equal(probes_run(t), STATUS_PASS);
	one = json_array_get(t->s->r.measured, 0);
	assert_true(json_number_value(json_object_get(one, "median_us")) == 2);
	assert_true(json_number_value(json_object_get(one, "p99_us")) == 3);
	probes_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_ports_pass),
		cmocka_unit_test(a_slow_port_fails_when_it_is_slow_twice),
		cmocka_unit_test(quick_is_never_bad),
		cmocka_unit_test(the_slowest_have_more_room),
		cmocka_unit_test(the_sites_figures_are_nanoseconds),
		cmocka_unit_test(its_own_history),
		cmocka_unit_test(what_it_raises_counts),
		cmocka_unit_test(a_changed_payload_is_a_hard_fault),
		cmocka_unit_test(the_record_has_times),
	};

	return cmocka_run_group_tests_name("ib_latency", tests, NULL, NULL);
}
