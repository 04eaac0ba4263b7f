/* SPDX-License-Identifier: Apache-2.0
 * What the fixture roots tell of adapters and their interfaces. */
#include "config.h"
#include "lib/facts_netdev.h"

#include <stdlib.h>

#include "lib/facts_fabric.h"
#include "tests/unit/fixture.h"

static void gather(const char *root, struct facts_fabric *f)
{
	const char *src = getenv("SRCDIR");
	struct roots r;
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/fixtures/roots/%s",
		 src ? src : ".", root);
	assert_int_equal(roots_open(&r, path, NULL), 0);
	assert_int_equal(facts_fabric_gather(&r, NULL, f), 0);
	assert_int_equal(f->gather.end, GATHER_DONE);
	roots_close(&r);
}

static const struct hca *hca_of(const struct facts_fabric *f, const char *name)
{
	for (int i = 0; i < f->hca_count; i++)
		if (!strcmp(f->hca[i].name, name))
			return &f->hca[i];
	fail_msg("no %s", name);
	return NULL;
}

/* One device of each root, as it must come out. */
static const struct {
	const char *root;
	int hcas, parts;
	const char *name, *bus_id, *board, *netdev;
	int state, rate_gbit;
} table[] = {
	{ "ib-cx5", 8, 0, "mlx5_0", "0000:3b:00.0", "MT_0000000008", "ib0", 4,
	  100 },
	{ "ib-cx5", 8, 0, "mlx5_7", "0000:d8:00.1", "MT_0000000008", "ib7", 1,
	  10 },
	{ "ib-cx6", 4, 0, "ibp157s0", "0000:9d:00.0", "MT_0000000223",
	  "ibp157s0", 4, 200 },
	{ "ib-cx7-mixed", 12, 0, "mlx5_11", "0000:dc:00.0", "MT_0000000838",
	  "", 4, 400 },
	{ "ib-cx7-mixed", 12, 0, "mlx5_8", "0000:aa:00.1", "MT_0000000359",
	  "ens4f1np1", 1, 40 },
	{ "ib-cx8", 4, 2, "mlx5_1", "0000:43:00.0", "MT_0000001069", "", 4,
	  800 },
	{ "roce-sriov", 2, 3, "rocep59s0f1", "0000:3b:00.1", "MT_0000000359",
	  "ens1f1np1", 4, 100 },
	{ "roce-lag", 2, 0, "mlx5_bond_1", "0000:af:00.0", "MT_0000000359",
	  "bond1", 4, 100 },
	{ "roce-switchdev", 3, 0, "rocep134s0", "0000:86:00.0",
	  "MT_0000000359", "ens2np0", 4, 100 },
	{ "guest-vf", 6, 0, "mlx5_ib3", "0104:00:00.0", "MT_0000000838", "ib3",
	  4, 400 },
	{ "guest-vf", 6, 0, "mana_0", "7870:00:00.0", "1414:00ba 1414:00b9",
	  "enP30832s1", 4, 100 },
	{ "efa", 4, 0, "rdmap79s0", "0000:4f:00.0", "1d0f:efa2 1d0f:efa2", "",
	  4, 100 },
	{ "bluefield", 4, 0, "mlx5_2", "0000:a3:00.0", "MT_0000000884",
	  "ens5f0np0", 4, 200 },
	{ "other-makers", 8, 0, "bnxt_re1", "0000:01:00.1",
	  "14e4:16d8 14e4:1000", "eno2", 1, 2 },
	{ "other-makers", 8, 0, "rocep81s0f0", "0000:51:00.0",
	  "8086:1592 8086:0002", "enp81s0f0", 4, 100 },
	{ "omni-path", 3, 0, "hfi1_2", "0000:af:00.0",
	  "Intel Omni-Path Host Fabric Int", "ib2", 4, 100 },
};

static void devices_of_each_root(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct facts_fabric f;
		const struct hca *h;

		print_message("%s %s\n", table[i].root, table[i].name);
		gather(table[i].root, &f);
		assert_int_equal(f.hca_count, table[i].hcas);
		assert_int_equal(f.part_count, table[i].parts);
		h = hca_of(&f, table[i].name);
		assert_string_equal(h->bus_id, table[i].bus_id);
		assert_string_equal(h->board, table[i].board);
		assert_false(h->no_device_link);
		assert_int_equal(h->port_count, 1);
		assert_string_equal(h->port[0].netdev, table[i].netdev);
		assert_int_equal(h->port[0].state, table[i].state);
		assert_int_equal(h->port[0].rate_gbit, table[i].rate_gbit);
	}
}

static void natural_order(void **state)
{
	static const char *const names[] = { "mlx5_0", "mlx5_1", "mlx5_2",
					     "mlx5_3", "mlx5_4", "mlx5_5",
					     "mlx5_6", "mlx5_7", "mlx5_8",
					     "mlx5_9", "mlx5_10", "mlx5_11" };
	struct facts_fabric f;

	(void)state;
	gather("ib-cx7-mixed", &f);
	for (int i = 0; i < 12; i++)
		assert_string_equal(f.hca[i].name, names[i]);
	gather("ib-cx6", &f);
	assert_string_equal(f.hca[0].name, "ibp26s0");
	assert_string_equal(f.hca[3].name, "ibp206s0");
}

static void subnets(void **state)
{
	struct facts_fabric f;

	(void)state;
	gather("ib-cx7-mixed", &f);
	assert_true(hca_of(&f, "mlx5_3")->port[0].subnet ==
		    0xfe80000000000001u);
	assert_true(hca_of(&f, "mlx5_1")->port[0].subnet == 0);
	gather("ib-cx5", &f);
	assert_true(f.hca[0].port[0].subnet == 0xfe80000000000000u);
}

static void a_bond_and_its_links(void **state)
{
	struct facts_fabric f;
	const struct ib_port *p;

	(void)state;
	gather("roce-lag", &f);
	p = &hca_of(&f, "mlx5_bond_0")->port[0];
	assert_int_equal(p->leg_count, 2);
	assert_string_equal(p->leg[1].netdev, "ens1f1np1");
	assert_string_equal(p->leg[1].bus_id, "0000:3b:00.1");
	assert_true(p->leg[0].up && p->leg[1].up);
	gather("roce-sriov", &f);
	assert_int_equal(f.hca[0].port[0].leg_count, 0);
}

static void put_port(struct fixture *x, const char *name, int port)
{
	char path[256];

	snprintf(path, sizeof(path), "sys/class/infiniband/%s/ports/%d/state",
		 name, port);
	fixture_file(x, path, "4: ACTIVE\n");
	snprintf(path, sizeof(path),
		 "sys/class/infiniband/%s/ports/%d/link_layer", name, port);
	fixture_file(x, path, "Ethernet\n");
}

static void strange_bonds(void **state)
{
	struct facts_fabric f;
	const struct ib_port *p = &f.hca[0].port[0];
	struct fixture x;

	(void)state;
	fixture_open(&x);
	put_port(&x, "mlx5_bond_0", 1);
	fixture_file(&x,
		     "sys/class/infiniband/mlx5_bond_0/ports/1/gid_attrs/ndevs/0",
		     "bond0\n");
	fixture_file(&x, "sys/class/net/bond0/bonding/slaves",
		     "a ../../x b c an-interface-of-a-long-name d e f\n");
	fixture_file(&x, "sys/class/net/a/operstate", "lowerlayerdown\n");
	fixture_file(&x, "sys/class/net/b/operstate", "unknown\n");
	fixture_link(&x, "sys/class/net/c/device", "../../../virtio3");
	assert_int_equal(facts_fabric_gather(&x.roots, NULL, &f), 0);
	assert_int_equal(p->leg_count, FACTS_LEGS_MAX);
	assert_string_equal(p->leg[3].netdev, "d");
	assert_false(p->leg[0].up);
	assert_true(p->leg[1].up && p->leg[2].up);
	assert_string_equal(p->leg[2].bus_id, "");
	fixture_close(&x);
}

/* mlx4: one device, two ports, two interfaces. */
static void an_interface_for_each_port(void **state)
{
	struct facts_fabric f;
	struct fixture x;

	(void)state;
	fixture_open(&x);
	put_port(&x, "mlx4_0", 1);
	put_port(&x, "mlx4_0", 2);
	for (int i = 0; i < 2; i++) {
		const char *net[] = { "sys/class/infiniband/mlx4_0/device/net/e1",
				      "sys/class/infiniband/mlx4_0/device/net/e2" };
		const char *dev_port[] = { "sys/class/net/e1/dev_port",
					   "sys/class/net/e2/dev_port" };

		fixture_dir(&x, net[i]);
		fixture_file(&x, dev_port[i], i ? "1\n" : "0\n");
	}
	assert_int_equal(facts_fabric_gather(&x.roots, NULL, &f), 0);
	assert_int_equal(f.hca[0].port_count, 2);
	assert_string_equal(f.hca[0].port[0].netdev, "e1");
	assert_string_equal(f.hca[0].port[1].netdev, "e2");
	/* Representors beside it: only the wire's port is left. */
	fixture_file(&x, "sys/class/net/e1/phys_port_name", "c0pf0vf12\n");
	fixture_file(&x, "sys/class/net/e2/phys_port_name", "p1\n");
	fixture_file(&x, "sys/class/net/e2/operstate", "down\n");
	fixture_file(&x, "sys/class/net/e2/speed", "-1\n");
	assert_int_equal(facts_fabric_gather(&x.roots, NULL, &f), 0);
	assert_int_equal(f.hca[0].port_count, 1);
	assert_string_equal(f.hca[0].port[0].netdev, "e2");
	assert_int_equal(f.hca[0].port[0].state, 1);
	assert_int_equal(f.hca[0].port[0].rate_gbit, -1);
	fixture_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_of_each_root),
		cmocka_unit_test(natural_order),
		cmocka_unit_test(subnets),
		cmocka_unit_test(a_bond_and_its_links),
		cmocka_unit_test(strange_bonds),
		cmocka_unit_test(an_interface_for_each_port),
	};

	return cmocka_run_group_tests_name("facts_netdev", tests, NULL, NULL);
}
