/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/fabric.h"

extern const struct check check_ib_gdr;

static struct nodes *eight(void)
{
	struct nodes *n = fabric_of_eight(&check_ib_gdr);

	n->facts.gpus.count = 8;
	n->facts.fabric.module_peermem = true;
	n->facts.fabric.acs_bridges = -1;
	return n;
}

static void either_way_is_silent(void **state)
{
	struct nodes *n = eight();

	(void)state;
	n->facts.fabric.dmabuf = 0;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	n->facts.fabric.module_peermem = false;
	n->facts.fabric.dmabuf = 1;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	n->facts.fabric.dmabuf = -1;	/* nobody knows */
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_free(n);
}

static void neither_fails(void **state)
{
	struct nodes *n = eight();

	(void)state;
	n->facts.fabric.module_peermem = false;
	n->facts.fabric.dmabuf = 0;
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "ib_gdr.path", "node");
	assert_int_equal(n->r.finding[0].remedy, REMEDY_CONFIG);
	assert_int_equal(check_ib_gdr.def, ACTION_WARN);
	nodes_free(n);
}

static void acs_warns(void **state)
{
	struct nodes *n = eight();

	(void)state;
	n->facts.fabric.acs_bridges = 4;
	strcpy(n->facts.fabric.acs_bridge, "0000:17:00.0");
	assert_int_equal(nodes_run(n), STATUS_WARN);
	nodes_only(n, "ib_gdr.acs", "0000:17:00.0");
	n->facts.fabric.acs_bridges = 0;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_free(n);
}

static void not_for_everybody(void **state)
{
	struct nodes *n = eight();

	(void)state;
	n->facts.fabric.module_peermem = false;
	n->facts.fabric.dmabuf = 0;
	n->facts.gpus.count = 0;
	assert_int_equal(nodes_run(n), STATUS_SKIP);
	n->facts.gpus.count = 8;
	for (int i = 0; i < 8; i++)
		strcpy(n->facts.fabric.hca[i].driver, "efa");
	assert_int_equal(nodes_run(n), STATUS_SKIP);
	n->facts.fabric.hca[0].driver[0] = '\0';
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	n->facts.fabric.hca[0].no_device_link = true;
	assert_int_equal(nodes_run(n), STATUS_SKIP);
	nodes_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(either_way_is_silent),
		cmocka_unit_test(neither_fails),
		cmocka_unit_test(acs_warns),
		cmocka_unit_test(not_for_everybody),
	};

	return cmocka_run_group_tests_name("ib_gdr", tests, NULL, NULL);
}
