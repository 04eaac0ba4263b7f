/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/facts_port.h"

#include "tests/unit/fixture.h"

#define PORT FABRIC_CLASS "/mlx5_0/ports/1/"

static const struct {
	const char *text;
	int gbit;
} rates[] = {
	{ "2.5 Gb/sec (1X SDR)\n", 2 },
	{ "10 Gb/sec (4X)\n", 10 },	/* kernels of old */
	{ "10 Gb/sec (4X SDR)\n", 10 },
	{ "14 Gb/sec (1X FDR)\n", 14 },
	{ "40 Gb/sec (4X FDR10)\n", 40 },
	{ "56 Gb/sec (4X FDR)\n", 56 },
	{ "25 Gb/sec (1X EDR)\n", 25 },
	{ "100 Gb/sec (2X HDR)\n", 100 },
	{ "200 Gb/sec (2X NDR)\n", 200 },
	{ "800 Gb/sec (4X XDR)\n", 800 },
	{ "", -1 },
	{ "-10 Gb/sec (4X SDR)\n", -1 },
	{ "0 Gb/sec (0X SDR)\n", -1 },
	{ "nan Gb/sec (4X SDR)\n", -1 },
	{ "Unknown\n", -1 },
	{ "400 GB/s\n", -1 },
	{ "400\n", -1 },
};

static void rates_as_kernels_write_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		struct hca h = { .name = "mlx5_0" };
		struct fixture x;

		fixture_open(&x);
		fixture_file(&x, PORT "rate", rates[i].text);
		assert_int_equal(facts_port_gather(&x.roots, NULL, &h), 0);
		assert_int_equal(h.port_count, 1);
		assert_int_equal(h.port[0].rate_gbit, rates[i].gbit);
		fixture_close(&x);
	}
}

static const struct {
	const char *state, *phys_state;
	int is, phys_is;
} states[] = {
	{ "0: NOP\n", "0: <unknown>\n", 0, 0 },
	{ "1: DOWN\n", "2: Polling\n", 1, 2 },
	{ "2: INIT\n", "5: LinkUp\n", 2, 5 },
	{ "3: ARMED\n", "5: LinkUp\n", 3, 5 },
	{ "4: ACTIVE\n", "7: Phy Test\n", 4, 7 },
	{ "5: ACTIVE_DEFER\n", "4: PortConfigurationTraining\n", 5, 4 },
	{ "ACTIVE\n", "LinkUp\n", -1, -1 },
	{ "-1: UNKNOWN\n", "4\n", -1, 4 },
};

static void states_as_kernels_write_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		struct hca h = { .name = "mlx5_0" };
		struct fixture x;

		fixture_open(&x);
		fixture_file(&x, PORT "state", states[i].state);
		fixture_file(&x, PORT "phys_state", states[i].phys_state);
		assert_int_equal(facts_port_gather(&x.roots, NULL, &h), 0);
		assert_int_equal(h.port[0].state, states[i].is);
		assert_int_equal(h.port[0].phys_state, states[i].phys_is);
		fixture_close(&x);
	}
}

static void the_subnet_of_a_gid(void **state)
{
	struct hca h = { .name = "mlx5_0" };
	struct fixture x;

	(void)state;
	fixture_open(&x);
	fixture_file(&x, PORT "link_layer", "InfiniBand\n");
	fixture_file(&x, PORT "gids/0",
		     "fec0:0000:0000:0a01:b859:9f03:00d4:0000\n");
	assert_int_equal(facts_port_gather(&x.roots, NULL, &h), 0);
	assert_true(h.port[0].subnet == 0xfec0000000000a01u);
	fixture_file(&x, PORT "gids/0", "fec0:zzzz\n");
	memset(&h.port, 0, sizeof(h.port));
	h.port_count = 0;
	assert_int_equal(facts_port_gather(&x.roots, NULL, &h), 0);
	assert_true(h.port[0].subnet == 0);
	fixture_close(&x);
}

static void no_more_ports_than_fit(void **state)
{
	struct hca h = { .name = "mlx5_0" };
	struct fixture x;

	(void)state;
	fixture_open(&x);
	assert_int_equal(facts_port_gather(&x.roots, NULL, &h), 0);
	assert_int_equal(h.port_count, 0);
	for (int i = 1; i <= FACTS_PORTS_MAX + 2; i++) {
		char path[64];

		snprintf(path, sizeof(path), FABRIC_CLASS "/mlx5_0/ports/%d", i);
		fixture_dir(&x, path);
	}
	assert_int_equal(facts_port_gather(&x.roots, NULL, &h), 0);
	assert_int_equal(h.port_count, FACTS_PORTS_MAX);
	assert_int_equal(h.port[3].number, 4);
	fixture_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_as_kernels_write_them),
		cmocka_unit_test(states_as_kernels_write_them),
		cmocka_unit_test(the_subnet_of_a_gid),
		cmocka_unit_test(no_more_ports_than_fit),
	};

	return cmocka_run_group_tests_name("facts_port", tests, NULL, NULL);
}
