/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/fabric.h"

extern const struct check check_ib_ports;

#define EXPECT_8 "expected_ports = 8\nexpected_rate_gbit = 400\n"

static struct nodes *eight(void)
{
	return fabric_of_eight(&check_ib_ports);
}

static struct hca *hca(struct nodes *n, int i)
{
	return &n->facts.fabric.hca[i];
}

static void healthy_is_silent(void **state)
{
	struct nodes *n = eight();

	(void)state;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	assert_int_equal(n->r.count, 0);
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	assert_null(n->r.memory);
	nodes_config(n, EXPECT_8);
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	nodes_free(n);
}

static void half_rate_is_named(void **state)
{
	struct nodes *n = eight();
	struct finding *f;

	(void)state;
	nodes_config(n, EXPECT_8);
	hca(n, 4)->port[0].rate_gbit = 200;
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "ib_ports.rate", "mlx5_4");
	f = &n->r.finding[0];
	assert_string_equal(f->text, "200<400 Gb/s");
	assert_true(f->value == 200 && f->limit == 400);
	assert_string_equal(f->unit, "Gb/s");
	assert_int_equal(f->remedy, REMEDY_CHECK_CABLE);
	assert_int_equal(f->at_most, ACTION_DRAIN);
	assert_true(f->grace);
	assert_string_equal(f->evidence, NODE_BOOT ":rate=200");
	assert_int_equal(check_ib_ports.def, ACTION_DRAIN_AFTER);
	/* The majority says the same without any configuration. */
	nodes_config(n, NULL);
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "ib_ports.rate", "mlx5_4");
	nodes_free(n);
}

static void a_rate_that_all_have(void **state)
{
	struct nodes *n = eight();

	(void)state;
	for (int i = 0; i < 8; i++)
		hca(n, i)->port[0].rate_gbit = 200;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	for (int i = 0; i < 8; i++)
		hca(n, i)->port[0].rate_gbit = 400;
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	for (int i = 0; i < 8; i++)
		hca(n, i)->port[0].rate_gbit = 200;
	/* It was better before: worth a word, no more. */
	assert_int_equal(nodes_next(n, 60), STATUS_WARN);
	assert_int_equal(n->r.count, 8);
	nodes_config(n, EXPECT_8);
	assert_int_equal(nodes_next(n, 60), STATUS_FAIL);
	nodes_free(n);
}

static void half_against_half_is_no_majority(void **state)
{
	struct nodes *n = eight();

	(void)state;
	for (int i = 0; i < 4; i++)
		hca(n, i)->port[0].rate_gbit = 200;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	for (int i = 0; i < 4; i++)
		port_down(hca(n, i));
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_free(n);
}

static void down_among_equals(void **state)
{
	struct nodes *n = eight();

	(void)state;
	port_down(hca(n, 3));
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "ib_ports.state", "mlx5_3");
	assert_string_equal(n->r.finding[0].text, "port DOWN (Polling)");
	assert_int_equal(n->r.finding[0].remedy, REMEDY_CHECK_CABLE);
	assert_string_equal(n->r.finding[0].evidence, NODE_BOOT ":state=1");
	nodes_config(n, EXPECT_8);
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "ib_ports.state", "mlx5_3");
	/* Seven are enough where the site says so. */
	nodes_config(n, "expected_ports = 7\n");
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_config(n, "exclude = mlx5_9 mlx5_3\n");
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_config(n, "exclude = mlx5_3:1\n");
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_free(n);
}

static void stuck_in_init(void **state)
{
	struct nodes *n = eight();

	(void)state;
	hca(n, 0)->port[0].state = 2;
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "ib_ports.state", "mlx5_0");
	assert_string_equal(n->r.finding[0].text,
			    "port INIT, waits for the subnet manager");
	/* All of them: the fabric's fault. Never a drain. */
	for (int i = 0; i < 8; i++)
		hca(n, i)->port[0].state = i % 2 ? 2 : 3;
	nodes_config(n, EXPECT_8);
	assert_int_equal(nodes_run(n), STATUS_WARN);
	nodes_only(n, "ib_ports.subnet_manager", "node");
	assert_int_equal(n->r.finding[0].at_most, ACTION_WARN);
	nodes_free(n);
}

static void all_down(void **state)
{
	struct nodes *n = eight();

	(void)state;
	nodes_run(n);
	for (int i = 0; i < 8; i++)
		port_down(hca(n, i));
	/* Never seen up: nobody uses them. */
	assert_int_equal(nodes_run(n), STATUS_PASS);
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	nodes_free(n);
	n = eight();
	nodes_run(n);
	for (int i = 0; i < 8; i++)
		port_down(hca(n, i));
	assert_int_equal(nodes_next(n, 60), STATUS_WARN);
	nodes_only(n, "ib_ports.none", "node");
	nodes_config(n, EXPECT_8);
	assert_int_equal(nodes_next(n, 60), STATUS_FAIL);
	assert_int_equal(n->r.count, 8);
	nodes_free(n);
}

/* A board with two ports, of which one has no cable, beside the others. */
static void a_spare_second_port(void **state)
{
	struct nodes *n = eight();
	struct hca *spare;

	(void)state;
	fabric_add(n, "mlx5_8", "MT_0000000838", "0000:40:00.0");
	spare = fabric_add(n, "mlx5_9", "MT_0000000838", "0000:40:00.1");
	port_down(spare);
	assert_int_equal(nodes_run(n), STATUS_PASS);
	/* Once it was up, it is not spare. */
	spare->port[0].state = 4;
	spare->port[0].rate_gbit = 400;
	nodes_run(n);
	port_down(spare);
	assert_int_equal(nodes_next(n, 60), STATUS_FAIL);
	nodes_only(n, "ib_ports.state", "mlx5_9");
	nodes_free(n);
}

/* Ports without a cable do not outvote those that have one. */
static void spare_ports_are_no_witnesses(void **state)
{
	struct nodes *n = nodes_new(&check_ib_ports);

	(void)state;
	n->facts.fabric.gather.end = GATHER_DONE;
	for (int i = 0; i < 8; i++) {
		char name[16], bus_id[24];

		snprintf(name, sizeof(name), "mlx5_%d", i);
		snprintf(bus_id, sizeof(bus_id), "0000:%02x:00.%d", 16 + i / 2,
			 i % 2);
		fabric_add(n, name, "MT_0000000008", bus_id);
		if (i % 2)
			port_down(hca(n, i));
	}
	assert_int_equal(nodes_run(n), STATUS_PASS);
	hca(n, 4)->port[0].state = 2;
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "ib_ports.state", "mlx5_4");
	nodes_free(n);
}

/* No majority says so, but it was up. */
static void one_of_two(void **state)
{
	struct nodes *n = eight();

	(void)state;
	n->facts.fabric.hca_count = 2;
	port_down(hca(n, 1));
	assert_int_equal(nodes_run(n), STATUS_PASS);
	hca(n, 1)->port[0].state = 4;
	/* A rate that nobody knows is no reason to forget that. */
	hca(n, 1)->port[0].rate_gbit = -1;
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	port_down(hca(n, 1));
	assert_int_equal(nodes_next(n, 60), STATUS_WARN);
	nodes_only(n, "ib_ports.state", "mlx5_1");
	nodes_free(n);
	/* Software is what its owner makes of it. */
	n = eight();
	n->facts.fabric.hca_count = 2;
	hca(n, 0)->no_device_link = hca(n, 1)->no_device_link = true;
	nodes_run(n);
	port_down(hca(n, 1));
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	nodes_free(n);
}

static void two_fabrics(void **state)
{
	struct nodes *n = eight();
	struct hca *h;

	(void)state;
	h = fabric_add(n, "mlx5_8", "MT_0000000838", "0000:40:00.0");
	h->port[0].rate_gbit = 200;
	strcpy(h->port[0].rate_text, "200 Gb/sec (2X NDR)");
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "ib_ports.rate", "mlx5_8");
	assert_string_equal(n->r.finding[0].text, "200<400 Gb/s (2X NDR)");
	for (int i = 0; i < 9; i++)
		hca(n, i)->port[0].subnet = 0xfe80000000000000u;
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	h->port[0].subnet++;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_free(n);
}

/* A RoCE node with ports of the main board, which are slower. */
static void slower_kinds_are_not_meant(void **state)
{
	struct nodes *n = eight();

	(void)state;
	for (int i = 0; i < 2; i++) {
		fabric_add(n, i ? "bnxt_re1" : "bnxt_re0", "14e4:16d8",
			   i ? "0000:01:00.1" : "0000:01:00.0");
		hca(n, 8 + i)->port[0].rate_gbit = 25;
	}
	for (int i = 0; i < 10; i++)
		strcpy(hca(n, i)->port[0].layer, "Ethernet");
	nodes_config(n, EXPECT_8);
	assert_int_equal(nodes_run(n), STATUS_PASS);
	/* They do not stand in for one that is down or slow. */
	port_down(hca(n, 6));
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "ib_ports.state", "mlx5_6");
	hca(n, 6)->port[0].state = 4;
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "ib_ports.rate", "mlx5_6");
	/* Nobody has the rate: then all are looked at. */
	for (int i = 0; i < 8; i++)
		hca(n, i)->port[0].rate_gbit = 200;
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	assert_int_equal(n->r.count, 10);
	nodes_free(n);
}

static struct ib_port *bond(struct hca *h, const char *other, bool up)
{
	struct ib_port *p = &h->port[0];

	strcpy(p->layer, "Ethernet");
	strcpy(p->netdev, "bond7");
	p->leg_count = 2;
	strcpy(p->leg[0].netdev, "ens1f0np0");
	strcpy(p->leg[0].bus_id, h->bus_id);
	p->leg[0].up = true;
	strcpy(p->leg[1].netdev, "ens1f1np1");
	strcpy(p->leg[1].bus_id, other);
	p->leg[1].up = up;
	return p;
}

static void a_bond_that_lost_a_link(void **state)
{
	struct nodes *n = eight();
	struct ib_port *p;

	(void)state;
	n->facts.fabric.hca_count = 1;
	p = bond(hca(n, 0), "0000:10:00.1", true);
	assert_int_equal(nodes_run(n), STATUS_PASS);
	p->leg[1].up = false;
	assert_int_equal(nodes_run(n), STATUS_WARN);
	nodes_only(n, "ib_ports.leg", "mlx5_0");
	assert_string_equal(n->r.finding[0].text,
			    "bond7 has 1<2 links, ens1f1np1 is down");
	/* A port that is down is told as such. */
	port_down(hca(n, 0));
	nodes_run(n);
	assert_int_equal(n->r.count, 0);
	nodes_free(n);
	n = eight();
	for (int i = 0; i < 8; i++)
		bond(hca(n, i), "", i != 5);
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "ib_ports.leg", "mlx5_5");
	nodes_free(n);
}

/* Two devices become one, and two again. */
static void bonding_loses_nothing(void **state)
{
	struct nodes *n = eight();

	(void)state;
	n->facts.fabric.hca_count = 0;
	fabric_add(n, "mlx5_0", "MT_0000000359", "0000:3b:00.0");
	fabric_add(n, "mlx5_1", "MT_0000000359", "0000:3b:00.1");
	for (int i = 0; i < 2; i++)
		strcpy(hca(n, i)->port[0].layer, "Ethernet");
	assert_int_equal(nodes_run(n), STATUS_PASS);
	n->facts.fabric.hca_count = 1;
	strcpy(hca(n, 0)->name, "mlx5_bond_0");
	bond(hca(n, 0), "0000:3b:00.1", true);
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	assert_int_equal(json_array_size(json_object_get(
		n->r.memory ? n->r.memory : n->env.memory, "devices")), 2);
	/* The bond went, and with it the second card. */
	hca(n, 0)->port[0].leg_count = 0;
	assert_int_equal(nodes_next(n, 60), STATUS_FAIL);
	nodes_only(n, "ib_ports.missing", "mlx5_1");
	n->facts.fabric.hca_count = 2;
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	nodes_free(n);
	/* The other half may be an adapter that never had RDMA. */
	n = eight();
	n->facts.fabric.hca_count = 1;
	bond(hca(n, 0), "0000:01:00.0", true);
	assert_int_equal(nodes_run(n), STATUS_PASS);
	hca(n, 0)->port[0].leg_count = 0;
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	nodes_free(n);
}

static void storage_ports_are_another_kind(void **state)
{
	struct nodes *n = eight();
	struct hca *h;

	(void)state;
	for (int i = 0; i < 3; i++) {
		char name[16];

		snprintf(name, sizeof(name), "mlx5_%d", 8 + i);
		h = fabric_add(n, name, "MT_0000000359", "");
		strcpy(h->port[0].layer, "Ethernet");
		strcpy(h->port[0].netdev, "ens9");
		h->port[0].rate_gbit = 100;
		if (i)
			port_down(h);
	}
	assert_int_equal(nodes_run(n), STATUS_PASS);
	/* Neither do they count towards what is expected. */
	nodes_config(n, EXPECT_8);
	assert_int_equal(nodes_run(n), STATUS_PASS);
	port_down(hca(n, 0));
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "ib_ports.state", "mlx5_0");
	nodes_free(n);
}

static void roce(void **state)
{
	struct nodes *n = eight();

	(void)state;
	for (int i = 0; i < 8; i++) {
		strcpy(hca(n, i)->port[0].layer, "Ethernet");
		snprintf(hca(n, i)->port[0].netdev, 20, "ens%dnp0", i);
	}
	nodes_config(n, EXPECT_8);
	assert_int_equal(nodes_run(n), STATUS_PASS);
	port_down(hca(n, 6));
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "ib_ports.state", "mlx5_6");
	nodes_config(n, "exclude = ens6np0\n");
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_free(n);
}

static void fewer_devices_than_expected(void **state)
{
	struct nodes *n = eight();

	(void)state;
	nodes_config(n, EXPECT_8);
	fabric_remove(n, 2);
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "ib_ports.count", "node");
	assert_string_equal(n->r.finding[0].text, "7<8 ports up, 7 devices");
	n->facts.fabric.hca_count = 0;
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_config(n, NULL);
	assert_int_equal(nodes_run(n), STATUS_SKIP);
	nodes_free(n);
}

static void a_device_that_was_here(void **state)
{
	struct nodes *n = eight();

	(void)state;
	nodes_run(n);
	fabric_remove(n, 2);
	nodes_reboot(n);
	assert_int_equal(nodes_next(n, 60), STATUS_FAIL);
	nodes_only(n, "ib_ports.missing", "mlx5_2");
	assert_string_equal(n->r.finding[0].text, "device is gone, 7<8 left");
	/* It stays missing, until the site says that this is right. */
	assert_int_equal(nodes_next(n, 60), STATUS_FAIL);
	nodes_config(n, "exclude = mlx5_2\n");
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	nodes_config(n, "expected_ports = 7\n");
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	nodes_free(n);
}

static void new_names_are_no_loss(void **state)
{
	struct nodes *n = eight();

	(void)state;
	nodes_run(n);
	for (int i = 0; i < 8; i++)
		snprintf(hca(n, i)->name, 32, "ibp%ds0", 16 + i);
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	nodes_free(n);
	n = eight();
	nodes_run(n);
	fabric_remove(n, 0);
	for (int i = 0; i < 7; i++)
		snprintf(hca(n, i)->name, 32, "mlx5_%d", i);
	/* The one that went had a name that now is another's. */
	assert_int_equal(nodes_next(n, 60), STATUS_FAIL);
	nodes_only(n, "ib_ports.missing", "0000:10:00.0");
	assert_string_equal(n->r.finding[0].text, "device is gone, 7<8 left");
	/* And if no other is where it was, nobody knows which. */
	for (int i = 0; i < 7; i++)
		snprintf(hca(n, i)->bus_id, 24, "0000:%02x:00.0", 80 + i);
	assert_int_equal(nodes_next(n, 60), STATUS_FAIL);
	nodes_only(n, "ib_ports.missing", "node");
	nodes_free(n);
}

/* A card for the network, in a node whose jobs use others. */
static void devices_that_are_not_for_jobs(void **state)
{
	struct nodes *n = eight();
	struct hca *h;

	(void)state;
	h = fabric_add(n, "mlx5_an0", "MSF0000000012", "f8c5:00:02.0");
	strcpy(h->port[0].layer, "Ethernet");
	port_down(h);
	nodes_run(n);
	fabric_remove(n, 8);
	/* Never up: nobody misses it. */
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	nodes_free(n);
	n = eight();
	h = fabric_add(n, "mlx5_an0", "MSF0000000012", "f8c5:00:02.0");
	strcpy(h->port[0].layer, "Ethernet");
	nodes_run(n);
	port_down(h);
	nodes_next(n, 60);
	fabric_remove(n, 8);
	assert_int_equal(nodes_next(n, 60), STATUS_WARN);
	nodes_only(n, "ib_ports.missing", "mlx5_an0");
	nodes_free(n);
}

static void all_gone_at_once(void **state)
{
	struct nodes *n = eight();

	(void)state;
	nodes_run(n);
	n->facts.fabric.hca_count = 0;
	assert_int_equal(nodes_next(n, 60), STATUS_FAIL);
	assert_int_equal(n->r.finding[0].at_most, ACTION_WARN);
	nodes_free(n);
}

static void soft_and_strange_devices(void **state)
{
	struct nodes *n = nodes_new(&check_ib_ports);
	struct hca *h;

	(void)state;
	for (int i = 0; i < 3; i++) {
		char name[16];

		snprintf(name, sizeof(name), "rxe%d", i);
		h = fabric_add(n, name, "", "");
		strcpy(h->port[0].layer, "Ethernet");
		h->no_device_link = true;
		h->port[0].rate_gbit = i ? 40 : 10;
	}
	port_down(&n->facts.fabric.hca[2]);
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_config(n, "expected_ports = 2\n");
	assert_int_equal(nodes_run(n), STATUS_PASS);
	/* A state that cannot be read is not DOWN. */
	nodes_config(n, NULL);
	for (int i = 0; i < 3; i++) {
		n->facts.fabric.hca[i].no_device_link = false;
		n->facts.fabric.hca[i].port[0].rate_gbit = -1;
	}
	n->facts.fabric.hca[2].port[0].state = -1;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_free(n);
}

static void strange_memory_is_ignored(void **state)
{
	struct nodes *n = eight();

	(void)state;
	n->env.memory = json_pack("{s:[i,s,{}] s:{s:s}}", "devices", 1, "x",
				  "ports", "mlx5_0 MT_0000000838", "fast");
	assert_int_equal(nodes_run(n), STATUS_PASS);
	json_decref((json_t *)(uintptr_t)n->env.memory);
	n->env.memory = json_pack("{s:s s:i}", "devices", "x", "ports", 3);
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_is_silent),
		cmocka_unit_test(half_rate_is_named),
		cmocka_unit_test(a_rate_that_all_have),
		cmocka_unit_test(half_against_half_is_no_majority),
		cmocka_unit_test(down_among_equals),
		cmocka_unit_test(stuck_in_init),
		cmocka_unit_test(all_down),
		cmocka_unit_test(a_spare_second_port),
		cmocka_unit_test(spare_ports_are_no_witnesses),
		cmocka_unit_test(one_of_two),
		cmocka_unit_test(two_fabrics),
		cmocka_unit_test(slower_kinds_are_not_meant),
		cmocka_unit_test(a_bond_that_lost_a_link),
		cmocka_unit_test(bonding_loses_nothing),
		cmocka_unit_test(storage_ports_are_another_kind),
		cmocka_unit_test(roce),
		cmocka_unit_test(fewer_devices_than_expected),
		cmocka_unit_test(a_device_that_was_here),
		cmocka_unit_test(new_names_are_no_loss),
		cmocka_unit_test(devices_that_are_not_for_jobs),
		cmocka_unit_test(all_gone_at_once),
		cmocka_unit_test(soft_and_strange_devices),
		cmocka_unit_test(strange_memory_is_ignored),
	};

	return cmocka_run_group_tests_name("ib_ports", tests, NULL, NULL);
}
