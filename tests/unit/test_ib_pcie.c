/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/fabric.h"

extern const struct check check_ib_pcie;

static struct nodes *eight(void)
{
	return fabric_of_eight(&check_ib_pcie);
}

static struct hca *hca(struct nodes *n, int i)
{
	return &n->facts.fabric.hca[i];
}

static void full_links_are_silent(void **state)
{
	struct nodes *n = eight();

	(void)state;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	/* A slot of x8 is how the machine was built. */
	hca(n, 7)->width = hca(n, 7)->path_width = 8;
	hca(n, 7)->parent_width_max = 8;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_free(n);
}

static void fewer_lanes_among_equals(void **state)
{
	struct nodes *n = eight();

	(void)state;
	hca(n, 2)->width = hca(n, 2)->path_width = 8;
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "ib_pcie.width", "mlx5_2");
	assert_string_equal(n->r.finding[0].text, "PCIe x8<x16");
	assert_int_equal(n->r.finding[0].remedy, REMEDY_SERVICE);
	assert_string_equal(n->r.finding[0].evidence, NODE_BOOT ":now=8");
	assert_int_equal(check_ib_pcie.def, ACTION_DRAIN_AFTER);
	nodes_free(n);
}

/* The device's own link is fine, the switch's link to the CPU is not. */
static void a_link_on_the_way_up(void **state)
{
	struct nodes *n = eight();

	(void)state;
	hca(n, 2)->path_speed_mt = 8000;
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "ib_pcie.speed", "mlx5_2");
	assert_string_equal(n->r.finding[0].text, "PCIe 8.0<32.0 GT/s");
	assert_true(n->r.finding[0].value == 8);
	nodes_free(n);
}

static void what_all_have_only_warns(void **state)
{
	struct nodes *n = eight();

	(void)state;
	for (int i = 0; i < 8; i++)
		hca(n, i)->speed_mt = 16000;
	assert_int_equal(nodes_run(n), STATUS_WARN);
	assert_int_equal(n->r.count, 8);
	nodes_config(n, "expected_speed_gt = 16\n");
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_config(n, "expected_speed_gt = 32\n");
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_free(n);
}

static void a_lone_device_only_warns(void **state)
{
	struct nodes *n = nodes_new(&check_ib_pcie);
	struct hca *h = fabric_add(n, "mlx5_0", "MT_1", "0000:10:00.0");

	(void)state;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	h->width = 8;
	assert_int_equal(nodes_run(n), STATUS_WARN);
	nodes_config(n, "expected_width = 16\n");
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_config(n, "expected_width = 8\n");
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_free(n);
}

static void others_are_not_equals(void **state)
{
	struct nodes *n = eight();
	struct hca *h = fabric_add(n, "mlx5_8", "MT_2", "0000:40:00.0");

	(void)state;
	h->width = h->path_width = 8;
	assert_int_equal(nodes_run(n), STATUS_WARN);
	nodes_free(n);
}

/* Virtual machines invent bridges, soft devices have none. */
static void invented_and_unknown(void **state)
{
	struct nodes *n = eight();

	(void)state;
	for (int i = 0; i < 8; i++) {
		hca(n, i)->path_width = hca(n, i)->parent_width_max = 1;
		hca(n, i)->path_speed_mt = 2500;
		hca(n, i)->parent_speed_max_mt = 2500;
	}
	assert_int_equal(nodes_run(n), STATUS_PASS);
	for (int i = 0; i < 8; i++) {
		hca(n, i)->width = hca(n, i)->width_max = 0;
		hca(n, i)->speed_mt = hca(n, i)->speed_max_mt = 0;
	}
	assert_int_equal(nodes_run(n), STATUS_SKIP);
	nodes_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(full_links_are_silent),
		cmocka_unit_test(fewer_lanes_among_equals),
		cmocka_unit_test(a_link_on_the_way_up),
		cmocka_unit_test(what_all_have_only_warns),
		cmocka_unit_test(a_lone_device_only_warns),
		cmocka_unit_test(others_are_not_equals),
		cmocka_unit_test(invented_and_unknown),
	};

	return cmocka_run_group_tests_name("ib_pcie", tests, NULL, NULL);
}
