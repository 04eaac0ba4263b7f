/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "probes/rdma_traffic.h"

#include <inttypes.h>
#include <math.h>

#include "tests/unit/fixture.h"

#define PORT "sys/class/infiniband/mlx5_0/ports/1/"
#define GB 1000000000LL

static struct fixture x;
static struct hca hca;
static struct rdma_traffic before, after;
static struct rdma_shot how;

static int setup(void **state)
{
	(void)state;
	fixture_open(&x);
	memset(&hca, 0, sizeof(hca));
	snprintf(hca.name, sizeof(hca.name), "mlx5_0");
	hca.port_count = 1;
	hca.port[0].number = 1;
	how = (struct rdma_shot){ .mtu = 4096 };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fixture_close(&x);
	return 0;
}

static void put(const char *file, int64_t n)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), PORT "%s", file);
	snprintf(text, sizeof(text), "%" PRId64 "\n", n);
	fixture_file(&x, path, text);
}

static void look(struct rdma_traffic *t)
{
	rdma_traffic_read(&x.roots, &hca, 1, t);
}

static void show(int64_t sent_words, int64_t received_words)
{
	put("counters/port_xmit_data", sent_words);
	put("counters/port_rcv_data", received_words);
}

/* In a second in which so much was counted, and own was ours. */
static double others(int64_t sent, int64_t received, int64_t own)
{
	show(1000, 2000);
	look(&before);
	show(1000 + sent / 4, 2000 + received / 4);
	look(&after);
	after.us = before.us + 1000000;
	how.payload = own;
	return rdma_traffic_others(&before, &after, &how);
}

static void nobody_else(void **state)
{
	(void)state;
	assert_true(others(0, 0, 0) == 0);
	/* Ours, with all its headers; or not among it at all. */
	assert_true(others(40 * GB, 40 * GB, 40 * GB) == 0);
	assert_true(others(40.8 * GB, 40.8 * GB, 40 * GB) == 0);
	assert_true(others(0, 0, 40 * GB) == 0);
	/* Small packets have large headers. */
	how.mtu = 256;
	assert_true(others(50 * GB, 50 * GB, 40 * GB) == 0);
	how.mtu = -1;
	assert_true(others(50 * GB, 50 * GB, 40 * GB) == 0);
}

static void somebody_else(void **state)
{
	double v;

	(void)state;
	assert_true(others(20 * GB, 0, 0) == 20);
	assert_true(others(3 * GB, 20 * GB, 0) == 20);
	/* Of what leaves the port only: less than ours. */
	assert_true(others(20 * GB, 7 * GB, 40 * GB) == 20);
	/* More than ours one way only: ours would go both. */
	assert_true(others(2 * GB, 20 * GB, 10 * GB) == 20);
	/* Beside ours, or perhaps not. */
	v = others(20 * GB, 30 * GB, 10 * GB);
	assert_true(v > 19 && v < 20);
	v = others(52 * GB, 40.5 * GB, 40 * GB);
	assert_true(v > 10 && v < 12);
	v = others(40.5 * GB, 52 * GB, 40 * GB);
	assert_true(v > 10 && v < 12);
}

static void what_tells_nothing(void **state)
{
	(void)state;
	look(&before);		/* no files */
	look(&after);
	assert_true(isnan(rdma_traffic_others(&before, &after, &how)));
	/* Reset meanwhile. */
	assert_true(isnan(others(-400, 20 * GB, 0)));
	/* Words of 32 bits at their end: before, or only then. */
	show(UINT32_MAX, 2000);
	look(&before);
	look(&after);
	after.us = before.us + 1000000;
	assert_true(isnan(rdma_traffic_others(&before, &after, &how)));
	assert_true(isnan(others(4 * ((int64_t)UINT32_MAX - 1000), 0, 0)));
	/* There is no PMA to ask, and the kernel log says so each time. */
	hca.port[0].symbol_error.rc = EINVAL;
	assert_true(isnan(others(20 * GB, 0, 0)));
	/* The clock stands. */
	hca.port[0].symbol_error.rc = 0;
	assert_true(others(20 * GB, 0, 0) == 20);
	after.us = before.us;
	assert_true(isnan(rdma_traffic_others(&before, &after, &how)));
}

/* Other makers' drivers count bytes, at another place. */
static void the_drivers_own_counters(void **state)
{
	static const char *const names[][2] = {
		{ "hw_counters/tx_bytes", "hw_counters/rx_bytes" },
		{ "hw_counters/hw_tx_bytes_cnt", "hw_counters/hw_rx_bytes_cnt" },
	};
	int i;

	(void)state;
	for (i = 1; i >= 0; i--) {
		put(names[i][0], 5);
		put(names[i][1], 7);
		look(&before);
		put(names[i][0], 5 + 2 * GB);
		put(names[i][1], 7 + 3 * GB);
		look(&after);
		after.us = before.us + 1000000;
		assert_true(rdma_traffic_others(&before, &after, &how) == 3);
	}
	/* Those of the standard come first, and no pair is mixed. */
	assert_true(others(20 * GB, 0, 0) == 20);
	after.source = 1;
	assert_true(isnan(rdma_traffic_others(&before, &after, &how)));
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(nobody_else),
		T(somebody_else),
		T(what_tells_nothing),
		T(the_drivers_own_counters),
	};

	return cmocka_run_group_tests_name("rdma_traffic", tests, NULL, NULL);
}
