/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include <errno.h>

#include "tests/unit/fabric.h"

extern const struct check check_ib_errors;

static struct nodes *eight(void)
{
	return fabric_of_eight(&check_ib_errors);
}

static struct ib_port *port(struct nodes *n, int i)
{
	return &n->facts.fabric.hca[i].port[0];
}

static void lifetime_counts_are_silent(void **state)
{
	struct nodes *n = eight();

	(void)state;
	port(n, 1)->link_downed.v = 7;
	port(n, 1)->symbol_error.v = 40000;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	assert_null(n->r.memory);
	nodes_free(n);
}

static void a_flap_warns_three_fail(void **state)
{
	struct nodes *n = eight();

	(void)state;
	port(n, 1)->link_downed.v = 4;
	nodes_run(n);
	port(n, 1)->link_downed.v = 5;
	assert_int_equal(nodes_next(n, 60), STATUS_WARN);
	nodes_only(n, "ib_errors.flap", "mlx5_1");
	port(n, 1)->link_downed.v = 7;
	assert_int_equal(nodes_next(n, 60), STATUS_FAIL);
	assert_string_equal(n->r.finding[0].text, "link lost 3 times");
	assert_string_equal(n->r.finding[0].evidence,
			    NODE_BOOT ":link_downed=7");
	/* The same until the window ends; then forgotten. */
	assert_int_equal(nodes_next(n, 60), STATUS_FAIL);
	assert_int_equal(nodes_next(n, 10800), STATUS_PASS);
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	nodes_free(n);
}

static void limits_within_the_window(void **state)
{
	struct nodes *n = eight();

	(void)state;
	nodes_run(n);
	port(n, 0)->symbol_error.v = 359;
	port(n, 0)->port_rcv_errors.v = 99;
	port(n, 0)->port_xmit_discards.v = 60000;	/* not judged */
	assert_int_equal(nodes_next(n, 600), STATUS_PASS);
	port(n, 0)->symbol_error.v = 360;
	assert_int_equal(nodes_next(n, 600), STATUS_FAIL);
	nodes_only(n, "ib_errors.count", "mlx5_0");
	assert_string_equal(n->r.finding[0].text, "symbol_error +360");
	nodes_config(n, "max_symbol_error = 0\nmax_port_xmit_discards = 100\n");
	assert_int_equal(nodes_next(n, 600), STATUS_FAIL);
	assert_string_equal(n->r.finding[0].text, "port_xmit_discards +60000");
	nodes_free(n);
}

static void resets_and_boots(void **state)
{
	struct nodes *n = eight();

	(void)state;
	port(n, 0)->port_rcv_errors.v = 5000;
	nodes_run(n);
	port(n, 0)->port_rcv_errors.v = 99;	/* perfquery -R */
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	port(n, 0)->port_rcv_errors.v = 150;
	assert_int_equal(nodes_next(n, 60), STATUS_FAIL);
	nodes_reboot(n);
	port(n, 0)->port_rcv_errors.v = 10000;
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	nodes_free(n);
}

static void the_clock_may_jump_back(void **state)
{
	struct nodes *n = eight();

	(void)state;
	nodes_run(n);
	port(n, 0)->port_rcv_errors.v = 5000;
	assert_int_equal(nodes_next(n, -86400), STATUS_PASS);
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	nodes_free(n);
}

static void counters_that_are_full(void **state)
{
	struct nodes *n = eight();

	(void)state;
	port(n, 2)->local_link_integrity_errors.v = 2;
	nodes_run(n);
	port(n, 2)->local_link_integrity_errors.v = 15;
	assert_int_equal(nodes_next(n, 60), STATUS_FAIL);
	assert_string_equal(n->r.finding[0].text,
			    "local_link_integrity_errors +13 or more");
	nodes_next(n, 20000);
	assert_int_equal(nodes_next(n, 60), STATUS_WARN);
	nodes_only(n, "ib_errors.saturated", "mlx5_2");
	assert_string_equal(n->r.finding[0].text,
			    "local_link_integrity_errors is stuck at 15, reset"
			    " it");
	nodes_free(n);
	/* 64 bits wide: it went past the end of 16. */
	n = eight();
	port(n, 2)->symbol_error.v = 70000;
	port(n, 2)->link_downed.v = 256;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	port(n, 2)->link_downed.v = 255;
	assert_int_equal(nodes_run(n), STATUS_WARN);
	nodes_free(n);
}

static const char *unreadable(const struct nodes *n, size_t i)
{
	const json_t *m = n->r.memory ? n->r.memory : n->env.memory;

	return json_string_value(json_array_get(
		json_object_get(m, "unreadable"), i));
}

static void refused_is_remembered(void **state)
{
	struct nodes *n = eight();

	(void)state;
	for (int i = 0; i < 8; i++)
		*fabric_val(port(n, 3), i) = (struct val){ .rc = VAL_UNASKED };
	port(n, 3)->symbol_error.rc = EINVAL;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	assert_string_equal(unreadable(n, 0), "mlx5_3:1:counters");
	assert_null(unreadable(n, 1));
	/* The gatherer did not ask again, and it stays so. */
	port(n, 3)->symbol_error.rc = VAL_UNASKED;
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	assert_null(n->r.memory);
	assert_string_equal(unreadable(n, 0), "mlx5_3:1:counters");
	nodes_reboot(n);
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	assert_null(unreadable(n, 0));
	nodes_free(n);
}

static void nothing_to_read_is_skipped(void **state)
{
	struct nodes *n = nodes_new(&check_ib_errors);
	struct hca *h = fabric_add(n, "efa_0", "EFA", "0000:10:00.0");

	(void)state;
	for (int i = 0; i < FABRIC_COUNTERS; i++)
		fabric_val(&h->port[0], i)->rc = VAL_NO_FILE;
	assert_int_equal(nodes_run(n), STATUS_SKIP);
	nodes_free(n);
}

static void excluded_ports_may_flap(void **state)
{
	struct nodes *n = eight();

	(void)state;
	nodes_config(n, "[check ib_ports]\nexclude = mlx5_5\n");
	nodes_run(n);
	port(n, 5)->link_downed.v = 9;
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	nodes_config(n, NULL);
	nodes_run(n);
	nodes_free(n);
}

static void strange_memory_is_ignored(void **state)
{
	struct nodes *n = eight();

	(void)state;
	n->env.memory = json_pack("{s:s s:[i] s:{s:{s:i s:{s:s}} s:i}}",
				  "boot", NODE_BOOT, "unreadable", 1, "ports",
				  "mlx5_0", "since", 1800000000, "at",
				  "symbol_error", "x", "mlx5_1", 5);
	port(n, 0)->symbol_error.v = 9999;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lifetime_counts_are_silent),
		cmocka_unit_test(a_flap_warns_three_fail),
		cmocka_unit_test(limits_within_the_window),
		cmocka_unit_test(resets_and_boots),
		cmocka_unit_test(the_clock_may_jump_back),
		cmocka_unit_test(counters_that_are_full),
		cmocka_unit_test(refused_is_remembered),
		cmocka_unit_test(nothing_to_read_is_skipped),
		cmocka_unit_test(excluded_ports_may_flap),
		cmocka_unit_test(strange_memory_is_ignored),
	};

	return cmocka_run_group_tests_name("ib_errors", tests, NULL, NULL);
}
