/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/figures.h"

#include <math.h>

#include "tests/unit/gpus.h"

static const struct figures_when when = { .up_s = 1060, .epoch_up_s = 1000 };

/* Nothing known but the time. */
static struct driver_reading reading(int64_t at_s)
{
	struct driver_reading r = { .at_us = (1000 + at_s) * 1000000,
				    .round = 1 };

	gpu_all_unknown(&r.gpu, 3);
	r.gpm = (struct gpm_figures){ NAN, NAN, NAN, NAN, NAN, NAN, NAN };
	return r;
}

static struct track_sample sample(const struct driver_reading *a,
				  const struct driver_reading *b)
{
	struct track_sample s;

	assert_true(figures_of_gpu(a, b, &when, &s));
	return s;
}

static bool is(float got, double want)
{
	return fabs((double)got - want) < 1e-4 * (fabs(want) + 1);
}

static void nothing_known_is_nothing_told(void **state)
{
	struct driver_reading a = reading(0), b = reading(30);
	struct track_sample s = sample(&a, &b);

	(void)state;
	assert_int_equal(s.from_s, 30);
	assert_true(is(s.length_s, 30));
	assert_true(isnan(s.busy) && isnan(s.sm) && isnan(s.tensor) &&
		    isnan(s.dram) && isnan(s.idle_s));
	assert_true(isnan(s.power_w) && isnan(s.power_max_w) &&
		    isnan(s.energy_j));
	assert_true(isnan(s.held_power_s) && isnan(s.held_thermal_s) &&
		    isnan(s.held_hw_s));
	assert_true(isnan(s.nvlink_mb) && isnan(s.pcie_mb) &&
		    isnan(s.mem_used_mib));
	assert_int_equal(s.sm_mhz, 0);
	assert_int_equal(s.temp_c, INT16_MIN);
	assert_int_equal(s.reasons, 0);
}

static void no_time_is_no_sample(void **state)
{
	struct driver_reading a = reading(30), b = reading(30);
	struct track_sample s;

	(void)state;
	assert_false(figures_of_gpu(&a, &b, &when, &s));
	b.at_us--;
	assert_false(figures_of_gpu(&a, &b, &when, &s));
}

static void a_counter_that_went_back_is_unknown(void **state)
{
	struct driver_reading a = reading(0), b = reading(30);
	struct track_sample s;

	(void)state;
	a.gpu.energy_mj = known(9000000);
	b.gpu.energy_mj = known(60000);
	a.gpu.power_mw = known(100000);
	b.gpu.power_mw = known(300000);
	a.gpu.nvlink_tx_kib = known(10);
	b.gpu.nvlink_tx_kib = known(5);
	a.gpu.nvlink_rx_kib = known(0);
	b.gpu.nvlink_rx_kib = known(1000);
	s = sample(&a, &b);
	assert_true(isnan(s.energy_j));
	assert_true(is(s.power_w, 200));	/* as told at both ends */
	assert_true(is(s.power_max_w, 300));
	assert_true(isnan(s.nvlink_mb));
	a.gpu.energy_mj = known(0);
	s = sample(&a, &b);
	assert_true(is(s.energy_j, 60) && is(s.power_w, 2));
}

static void no_more_is_held_than_there_was_time(void **state)
{
	struct driver_reading a = reading(0), b = reading(30);
	struct track_sample s;

	(void)state;
	a.gpu.held_power_ns = a.gpu.held_thermal_ns = known(0);
	b.gpu.held_power_ns = known(31000000000);
	b.gpu.held_thermal_ns = known(3000000000);
	s = sample(&a, &b);
	assert_true(is(s.held_power_s, 30));
	assert_true(is(s.held_thermal_s, 3));
	/* The newer two are asked first. */
	a.gpu.held_sw_thermal_ns = a.gpu.held_hw_thermal_ns = known(0);
	b.gpu.held_sw_thermal_ns = known(1000000000);
	b.gpu.held_hw_thermal_ns = known(1000000000);
	assert_true(is(sample(&a, &b).held_thermal_s, 2));
}

static void counts_since_boot_stand_in_for_a_pair(void **state)
{
	struct driver_reading a = reading(0), b = reading(30);
	struct track_sample s;

	(void)state;
	a.gpm.sm_cycles = a.gpm.sm_active_cycles = a.gpm.tensor_cycles = 100;
	b.gpm.sm_cycles = 1100;
	b.gpm.sm_active_cycles = 850;
	b.gpm.tensor_cycles = 350;
	s = sample(&a, &b);
	assert_true(is(s.sm, 0.75) && is(s.tensor, 0.25));
	/* In another unit than was thought: then nothing is known. */
	b.gpm.tensor_cycles = 5000;
	assert_true(isnan(sample(&a, &b).tensor));
	b.gpm.sm_cycles = 50;
	assert_true(isnan(sample(&a, &b).sm));
	b.gpm.sm = 0.6;
	assert_true(is(sample(&a, &b).sm, 0.6));
}

static void busy_by_the_pair_or_else_by_use(void **state)
{
	struct driver_reading a = reading(0), b = reading(30);
	struct track_sample s;

	(void)state;
	b.gpu.busy_pct = known(20);
	s = sample(&a, &b);
	assert_true(is(s.busy, 0.2) && is(s.idle_s, 24));
	b.gpm.busy = 0.9;
	s = sample(&a, &b);
	assert_true(is(s.busy, 0.9) && is(s.idle_s, 3));
}

static void of_two_states_the_worse(void **state)
{
	struct driver_reading a = reading(0), b = reading(30);
	struct track_sample s;

	(void)state;
	a.gpu.temp = known(80);
	b.gpu.temp = known(60);
	a.gpu.throttle = known(0x08);
	b.gpu.throttle = known(0x40);
	a.gpu.sm_clock = known(1000);
	b.gpu.sm_clock = known(2000);
	s = sample(&a, &b);
	assert_int_equal(s.temp_c, 80);
	assert_int_equal(s.reasons, 0x48);
	assert_int_equal(s.sm_mhz, 1500);
}

static struct track_host moved(const struct netfs *before,
			       const struct netfs *now)
{
	struct host_reading at[2] = { { .at_us = 1 }, { .at_us = 30000001 } };
	struct host_readings a = { &at[0], before }, b = { &at[1], now };
	struct track_host s;

	assert_true(figures_of_host(&a, &b, &when, &s));
	return s;
}

/* A client that tells no bytes has not moved none. */
static void who_tells_no_bytes_moves_an_unknown(void **state)
{
	struct netfs a = { .count = 1,
			   .mount = { { .kind = "weka", .mount = "/weka",
					.untold = true },
				      { .kind = "nfs", .mount = "/home",
					.read_bytes = 5000000,
					.write_bytes = 1000000 } } };
	struct netfs b = a;
	struct track_host s;

	(void)state;
	s = moved(&a, &b);
	assert_true(isnan(s.net_read_mb) && isnan(s.net_write_mb));
	a.count = b.count = 2;
	b.mount[1].read_bytes += 3000000;
	s = moved(&a, &b);
	assert_true(is(s.net_read_mb, 3) && is(s.net_write_mb, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_known_is_nothing_told),
		cmocka_unit_test(no_time_is_no_sample),
		cmocka_unit_test(a_counter_that_went_back_is_unknown),
		cmocka_unit_test(no_more_is_held_than_there_was_time),
		cmocka_unit_test(counts_since_boot_stand_in_for_a_pair),
		cmocka_unit_test(busy_by_the_pair_or_else_by_use),
		cmocka_unit_test(of_two_states_the_worse),
		cmocka_unit_test(who_tells_no_bytes_moves_an_unknown),
	};

	return cmocka_run_group_tests_name("figures", tests, NULL, NULL);
}
