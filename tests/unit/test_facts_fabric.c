/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/facts_fabric.h"

#include "tests/unit/fixture.h"

#define BOOT "5f0c0a2e-0000-4000-8000-000000000001"

static void put(struct fixture *x, const char *hca, const char *file,
		const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "sys/class/infiniband/%s/%s", hca, file);
	fixture_file(x, path, text);
}

static void zero_counters(struct fixture *x, const char *hca)
{
	for (int i = 0; i < FABRIC_COUNTERS; i++) {
		char file[128];

		snprintf(file, sizeof(file), "ports/1/%scounters/%s",
			 fabric_counters[i].hw ? "hw_" : "",
			 fabric_counters[i].file);
		put(x, hca, file, "0\n");
	}
}

static void ndr_port(struct fixture *x, const char *hca)
{
	put(x, hca, "board_id", "MT_0000000838\n");
	put(x, hca, "fw_ver", "28.39.1002\n");
	put(x, hca, "ports/1/state", "4: ACTIVE\n");
	put(x, hca, "ports/1/phys_state", "5: LinkUp\n");
	put(x, hca, "ports/1/rate", "400 Gb/sec (4X NDR)\n");
	put(x, hca, "ports/1/link_layer", "InfiniBand\n");
	zero_counters(x, hca);
}

/* As sysfs really is: the class entry is a link into the device tree. */
static void real_hca(struct fixture *x, const char *name, const char *bus)
{
	char path[256], target[256];

	snprintf(path, sizeof(path),
		 "sys/devices/pci0000:15/0000:15:01.0/%s/infiniband/%s", bus,
		 name);
	fixture_dir(x, path);
	snprintf(target, sizeof(target),
		 "../../devices/pci0000:15/0000:15:01.0/%s/infiniband/%s", bus,
		 name);
	snprintf(path, sizeof(path), "sys/class/infiniband/%s", name);
	fixture_link(x, path, target);
	snprintf(target, sizeof(target), "../../../%s", bus);
	snprintf(path, sizeof(path),
		 "sys/devices/pci0000:15/0000:15:01.0/%s/infiniband/%s/device",
		 bus, name);
	fixture_link(x, path, target);
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s", bus);
	snprintf(target, sizeof(target),
		 "../../../devices/pci0000:15/0000:15:01.0/%s", bus);
	fixture_link(x, path, target);
}

static void link_of(struct fixture *x, const char *dir, const char *width)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/current_link_width", dir);
	fixture_file(x, path, width);
	snprintf(path, sizeof(path), "%s/max_link_width", dir);
	fixture_file(x, path, "16\n");
	snprintf(path, sizeof(path), "%s/current_link_speed", dir);
	fixture_file(x, path, "32.0 GT/s PCIe\n");
	snprintf(path, sizeof(path), "%s/max_link_speed", dir);
	fixture_file(x, path, "32.0 GT/s PCIe\n");
}

static void nothing_there(void **state)
{
	struct facts_fabric f;
	struct fixture x;

	(void)state;
	fixture_open(&x);
	assert_int_equal(facts_fabric_gather(&x.roots, NULL, &f), 0);
	assert_int_equal(f.gather.end, GATHER_DONE);
	assert_int_equal(f.hca_count, 0);
	assert_int_equal(f.dmabuf, -1);
	assert_false(f.module_peermem);
	fixture_close(&x);
}

static void infiniband(void **state)
{
	struct facts_fabric f;
	struct fixture x;
	struct hca *h;

	(void)state;
	fixture_open(&x);
	real_hca(&x, "mlx5_10", "0000:9a:00.0");
	real_hca(&x, "mlx5_2", "0000:16:00.0");
	ndr_port(&x, "mlx5_10");
	ndr_port(&x, "mlx5_2");
	link_of(&x, "sys/bus/pci/devices/0000:16:00.0", "16\n");
	link_of(&x, "sys/devices/pci0000:15/0000:15:01.0", "8\n");
	fixture_link(&x, "sys/bus/pci/devices/0000:15:01.0",
		     "../../../devices/pci0000:15/0000:15:01.0");
	fixture_file(&x, "sys/bus/pci/devices/0000:16:00.0/numa_node", "1\n");
	fixture_file(&x, "sys/bus/pci/devices/0000:9a:00.0/numa_node", "-1\n");
	fixture_link(&x, "sys/bus/pci/devices/0000:16:00.0/driver",
		     "../../../../bus/pci/drivers/mlx5_core");
	assert_int_equal(facts_fabric_gather(&x.roots, NULL, &f), 0);
	assert_int_equal(f.hca_count, 2);
	h = &f.hca[0];
	assert_string_equal(h->name, "mlx5_2");
	assert_string_equal(f.hca[1].name, "mlx5_10");
	assert_string_equal(h->bus_id, "0000:16:00.0");
	assert_string_equal(h->board, "MT_0000000838");
	assert_string_equal(h->driver, "mlx5_core");
	assert_false(h->no_device_link);
	assert_int_equal(h->numa_node, 1);
	assert_int_equal(f.hca[1].numa_node, -1);
	assert_int_equal(h->width, 16);
	assert_int_equal(h->path_width, 8);
	assert_int_equal(h->parent_width_max, 16);
	assert_int_equal(h->path_speed_mt, 32000);
	assert_int_equal(h->port_count, 1);
	assert_int_equal(h->port[0].state, 4);
	assert_int_equal(h->port[0].phys_state, 5);
	assert_int_equal(h->port[0].rate_gbit, 400);
	assert_string_equal(h->port[0].rate_text, "400 Gb/sec (4X NDR)");
	assert_string_equal(h->port[0].layer, "InfiniBand");
	for (int i = 0; i < FABRIC_COUNTERS; i++) {
		assert_int_equal(fabric_counter_of(&h->port[0], i)->rc, 0);
		assert_int_equal(fabric_counter_of(&h->port[0], i)->v, 0);
	}
	fixture_close(&x);
}

static void others(void **state)
{
	struct facts_fabric f;
	struct fixture x;

	(void)state;
	fixture_open(&x);
	/* EFA: no counters, no link layer to speak of. */
	put(&x, "efa_0", "hca_type", "EFA\n");
	put(&x, "efa_0", "ports/1/state", "4: ACTIVE\n");
	put(&x, "efa_0", "ports/1/rate", "100 Gb/sec (4X EDR)\n");
	put(&x, "efa_0", "ports/1/link_layer", "Unspecified\n");
	fixture_dir(&x, "sys/class/infiniband/efa_0/device");
	/* RoCE. */
	put(&x, "mlx5_bond_0", "ports/1/state", "4: ACTIVE\n");
	put(&x, "mlx5_bond_0", "ports/1/link_layer", "Ethernet\n");
	put(&x, "mlx5_bond_0", "ports/1/gid_attrs/ndevs/0", "bond0\n");
	put(&x, "roce0", "ports/1/state", "1: DOWN\n");
	put(&x, "roce0", "ports/1/link_layer", "Ethernet\n");
	fixture_dir(&x, "sys/class/infiniband/roce0/device/net/ens3");
	/* Software: without a device behind it, or with that of its parent. */
	put(&x, "rxe0", "ports/1/state", "4: ACTIVE\n");
	put(&x, "rxe1", "parent", "ens3\n");
	put(&x, "rxe1", "device/vendor", "0x15b3\n");
	put(&x, "rxe1", "device/device", "0x1021\n");
	/* A virtual function, a subfunction. */
	fixture_dir(&x, "sys/class/infiniband/mlx5_7/device/physfn");
	put(&x, "mlx5_8", "device/sfnum", "88\n");
	assert_int_equal(facts_fabric_gather(&x.roots, NULL, &f), 0);
	assert_int_equal(f.hca_count, 5);
	assert_int_equal(f.part_count, 2);
	assert_string_equal(f.hca[0].name, "efa_0");
	assert_string_equal(f.hca[0].board, "EFA");
	assert_int_equal(f.hca[0].port[0].symbol_error.rc, VAL_NO_FILE);
	assert_int_equal(f.hca[0].port[0].phys_state, -1);
	assert_string_equal(f.hca[1].port[0].netdev, "bond0");
	assert_string_equal(f.hca[2].port[0].netdev, "ens3");
	assert_int_equal(f.hca[2].port[0].state, 1);
	assert_int_equal(f.hca[2].port[0].rate_gbit, -1);
	assert_true(f.hca[3].no_device_link);
	assert_true(f.hca[4].no_device_link);
	assert_string_equal(f.hca[4].board, "");
	fixture_close(&x);
}

/* Unreadable is our trouble, not a lost device. */
static void ports_that_cannot_be_listed_are_an_error(void **state)
{
	struct facts_fabric f;
	struct fixture x;

	(void)state;
	fixture_open(&x);
	real_hca(&x, "mlx5_2", "0000:16:00.0");
	ndr_port(&x, "mlx5_2");
	assert_int_equal(facts_fabric_gather(&x.roots, NULL, &f), 0);
	fixture_link(&x, "sys/class/infiniband/mlx5_3/ports", "ports");
	assert_int_equal(facts_fabric_gather(&x.roots, NULL, &f), -1);
	assert_int_equal(f.gather.end, GATHER_ERROR);
	fixture_close(&x);
}

static void a_name_that_is_too_long_is_an_error(void **state)
{
	struct facts_fabric f;
	struct fixture x;

	(void)state;
	fixture_open(&x);
	ndr_port(&x, "mlx5_2");
	fixture_dir(&x, "sys/class/infiniband/rdma-of-a-name-of-32-characters-");
	assert_int_equal(facts_fabric_gather(&x.roots, NULL, &f), -1);
	assert_int_equal(f.gather.end, GATHER_ERROR);
	assert_non_null(strstr(f.gather.why, "too long"));
	fixture_close(&x);
}

static void rubbish_is_unknown(void **state)
{
	struct facts_fabric f;
	struct fixture x;

	(void)state;
	fixture_open(&x);
	put(&x, "mlx5_0", "ports/1/state", "\xff\xfe\n");
	put(&x, "mlx5_0", "ports/1/phys_state", "");
	put(&x, "mlx5_0", "ports/1/rate", "fast\n");
	put(&x, "mlx5_0", "ports/1/counters/symbol_error", "12x\n");
	put(&x, "mlx5_0", "ports/x/state", "4: ACTIVE\n");
	put(&x, "mlx5_0", "board_id", "MT\x01\x02\n");
	assert_int_equal(facts_fabric_gather(&x.roots, NULL, &f), 0);
	assert_int_equal(f.hca[0].port_count, 1);
	assert_int_equal(f.hca[0].port[0].state, -1);
	assert_int_equal(f.hca[0].port[0].phys_state, -1);
	assert_int_equal(f.hca[0].port[0].rate_gbit, -1);
	assert_int_equal(f.hca[0].port[0].symbol_error.rc, EINVAL);
	assert_string_equal(f.hca[0].board, "MT??");
	fixture_close(&x);
}

static void unreadable_is_asked_once(void **state)
{
	struct facts_fabric f;
	struct fixture x;
	json_t *m;

	(void)state;
	fixture_open(&x);
	fixture_file(&x, "proc/sys/kernel/random/boot_id", BOOT "\n");
	ndr_port(&x, "mlx5_0");
	put(&x, "mlx5_0", "ports/1/counters/symbol_error", "N/A (no PMA)\n");
	facts_fabric_gather(&x.roots, NULL, &f);
	assert_int_equal(f.hca[0].port[0].symbol_error.rc, EINVAL);
	assert_int_equal(f.hca[0].port[0].link_downed.rc, VAL_UNASKED);
	assert_int_equal(f.hca[0].port[0].hw_rx_icrc_encapsulated.rc, 0);
	m = json_pack("{s:s s:[s]}", "boot", BOOT, "unreadable",
		      "mlx5_0:1:counters");
	facts_fabric_gather(&x.roots, m, &f);
	assert_int_equal(f.hca[0].port[0].symbol_error.rc, VAL_UNASKED);
	assert_int_equal(f.hca[0].port[0].hw_rx_icrc_encapsulated.rc, 0);
	json_decref(m);
	/* Another boot asks again. */
	m = json_pack("{s:s s:[s]}", "boot", "other", "unreadable",
		      "mlx5_0:1:counters");
	facts_fabric_gather(&x.roots, m, &f);
	assert_int_equal(f.hca[0].port[0].symbol_error.rc, EINVAL);
	json_decref(m);
	fixture_close(&x);
}

static void version(struct fixture *x, const char *flavour, const char *kernel)
{
	char text[128];

	snprintf(text, sizeof(text), "NVRM version: NVIDIA UNIX %s  580.95.05"
		 "  Release Build\n", flavour);
	fixture_file(x, "proc/driver/nvidia/version", text);
	fixture_file(x, "proc/sys/kernel/osrelease", kernel);
}

static void gpudirect(void **state)
{
	struct facts_fabric f;
	struct fixture x;

	(void)state;
	fixture_open(&x);
	version(&x, "Open Kernel Module for x86_64", "6.8.0-45-generic\n");
	facts_fabric_gather(&x.roots, NULL, &f);
	assert_int_equal(f.dmabuf, 1);
	version(&x, "Open Kernel Module for x86_64", "4.18.0-553.el8\n");
	facts_fabric_gather(&x.roots, NULL, &f);
	assert_int_equal(f.dmabuf, -1);
	version(&x, "x86_64 Kernel Module", "6.8.0-45-generic\n");
	facts_fabric_gather(&x.roots, NULL, &f);
	assert_int_equal(f.dmabuf, 0);
	assert_false(f.module_peermem);
	fixture_file(&x, "sys/kernel/mm/memory_peers/nv_mem/version", "1.1\n");
	facts_fabric_gather(&x.roots, NULL, &f);
	assert_true(f.module_peermem);
	fixture_close(&x);
}

static void acs_needs_root(void **state)
{
	struct facts_fabric f;
	struct fixture x;
	char little[64] = { 0 };

	(void)state;
	fixture_open(&x);
	real_hca(&x, "mlx5_0", "0000:16:00.0");
	fixture_link(&x, "sys/bus/pci/devices/0000:15:01.0",
		     "../../../devices/pci0000:15/0000:15:01.0");
	fixture_bytes(&x, "sys/devices/pci0000:15/0000:15:01.0/config", little,
		      sizeof(little));
	facts_fabric_gather(&x.roots, NULL, &f);
	assert_int_equal(f.acs_bridges, -1);
	fixture_close(&x);
}

static int iommu(struct fixture *x, const char *type)
{
	struct facts_fabric f;

	if (type)
		fixture_file(x, "sys/bus/pci/devices/0000:16:00.0/iommu_group/"
				"type", type);
	facts_fabric_gather(&x->roots, NULL, &f);
	return f.iommu;
}

static void an_iommu_translates_or_not(void **state)
{
	struct fixture x;

	(void)state;
	fixture_open(&x);
	assert_int_equal(iommu(&x, NULL), -1);	/* nothing to ask about */
	real_hca(&x, "mlx5_0", "0000:16:00.0");
	assert_int_equal(iommu(&x, NULL), 0);	/* in no group */
	assert_int_equal(iommu(&x, "identity\n"), 0);
	assert_int_equal(iommu(&x, "DMA-FQ\n"), 1);
	assert_int_equal(iommu(&x, "DMA\n"), 1);
	fixture_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_there),
		cmocka_unit_test(infiniband),
		cmocka_unit_test(others),
		cmocka_unit_test(ports_that_cannot_be_listed_are_an_error),
		cmocka_unit_test(a_name_that_is_too_long_is_an_error),
		cmocka_unit_test(rubbish_is_unknown),
		cmocka_unit_test(unreadable_is_asked_once),
		cmocka_unit_test(gpudirect),
		cmocka_unit_test(acs_needs_root),
		cmocka_unit_test(an_iommu_translates_or_not),
	};

	return cmocka_run_group_tests_name("facts_fabric", tests, NULL, NULL);
}
