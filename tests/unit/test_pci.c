/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/pci.h"

#include <math.h>

#include "tests/unit/fixture.h"

#define DEV "sys/devices/pci0000:15/0000:15:01.0"
#define GPU DEV "/0000:16:00.0/0000:17:00.0/0000:18:00.0"

static void link_files(struct fixture *x, const char *dir, const char *width,
		       const char *width_max, const char *speed,
		       const char *speed_max)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/current_link_width", dir);
	fixture_file(x, path, width);
	snprintf(path, sizeof(path), "%s/max_link_width", dir);
	fixture_file(x, path, width_max);
	snprintf(path, sizeof(path), "%s/current_link_speed", dir);
	fixture_file(x, path, speed);
	snprintf(path, sizeof(path), "%s/max_link_speed", dir);
	fixture_file(x, path, speed_max);
}

/* A root port, a switch's upstream and downstream port, a device. */
static void tree(struct fixture *x)
{
	fixture_open(x);
	link_files(x, DEV, "8\n", "16\n", "32.0 GT/s PCIe\n",
		   "32.0 GT/s PCIe\n");
	link_files(x, DEV "/0000:16:00.0", "8\n", "16\n", "32.0 GT/s PCIe\n",
		   "32.0 GT/s PCIe\n");
	link_files(x, DEV "/0000:16:00.0/0000:17:00.0", "16\n", "16\n",
		   "16.0 GT/s PCIe\n", "16.0 GT/s PCIe\n");
	link_files(x, GPU, "16\n", "16\n", "16.0 GT/s PCIe\n",
		   "32.0 GT/s PCIe\n");
	fixture_link(x, "sys/bus/pci/devices/0000:15:01.0",
		     "../../../devices/pci0000:15/0000:15:01.0");
	fixture_link(x, "sys/bus/pci/devices/0000:16:00.0",
		     "../../../devices/pci0000:15/0000:15:01.0/0000:16:00.0");
	fixture_link(x, "sys/bus/pci/devices/0000:17:00.0",
		     "../../../devices/pci0000:15/0000:15:01.0/0000:16:00.0/"
		     "0000:17:00.0");
	fixture_link(x, "sys/bus/pci/devices/0000:18:00.0",
		     "../../../devices/pci0000:15/0000:15:01.0/0000:16:00.0/"
		     "0000:17:00.0/0000:18:00.0");
}

static void addresses(void **state)
{
	(void)state;
	assert_true(pci_is_address("0000:3d:00.0"));
	assert_true(pci_is_address("00000000:3D:1f.7"));
	assert_false(pci_is_address("pci0000:15"));
	assert_false(pci_is_address("0000:3d:00"));
	assert_false(pci_is_address("0000:3d:00.0 "));
	assert_false(pci_is_address("000:3d:00.0"));
	assert_false(pci_is_address(""));
	assert_false(pci_is_address("virtio1"));
}

static void speeds(void **state)
{
	(void)state;
	assert_int_equal(pci_speed_mt("32.0 GT/s PCIe"), 32000);
	assert_int_equal(pci_speed_mt("2.5 GT/s"), 2500);
	assert_int_equal(pci_speed_mt("8 GT/s"), 8000);
	assert_int_equal(pci_speed_mt("Unknown speed"), 0);
	assert_int_equal(pci_speed_mt("Unknown"), 0);
	assert_int_equal(pci_speed_mt(""), 0);
	assert_int_equal(pci_speed_mt("32.0"), 0);
	assert_int_equal(pci_speed_mt("nan GT/s"), 0);
}

static void generations(void **state)
{
	(void)state;
	assert_int_equal(pci_generation(2500), 1);
	assert_int_equal(pci_generation(32000), 5);
	assert_int_equal(pci_generation(0), 0);
	assert_int_equal(pci_generation(33000), 0);
	assert_true(fabs(pci_gbps(5, 16) - 63.04) < 0.001);
	assert_true(fabs(pci_gbps(1, 1) - 0.25) < 0.001);
	assert_true(isnan(pci_gbps(0, 16)));
	assert_true(isnan(pci_gbps(7, 16)));
	assert_true(isnan(pci_gbps(4, 0)));
}

static void links(void **state)
{
	struct fixture x;
	struct pci_link l;

	(void)state;
	tree(&x);
	pci_link_read(&x.roots, "sys/bus/pci/devices/0000:18:00.0", &l);
	assert_int_equal(l.width, 16);
	assert_int_equal(l.speed_mt, 16000);
	assert_int_equal(l.speed_max_mt, 32000);
	/* Fallen off the bus: all ones. */
	link_files(&x, GPU, "63\n", "255\n", "Unknown\n", "Unknown\n");
	pci_link_read(&x.roots, "sys/bus/pci/devices/0000:18:00.0", &l);
	assert_int_equal(l.width, 0);
	assert_int_equal(l.width_max, 0);
	assert_int_equal(l.speed_mt, 0);
	pci_link_read(&x.roots, "sys/bus/pci/devices/0000:99:00.0", &l);
	assert_int_equal(l.width, 0);
	fixture_close(&x);
}

static void the_way_up(void **state)
{
	char up[PCI_PARENTS_MAX][PCI_ADDR_SIZE];
	struct fixture x;
	struct pci_link l;

	(void)state;
	tree(&x);
	assert_int_equal(pci_parents(&x.roots, "0000:18:00.0", up), 3);
	assert_string_equal(up[0], "0000:17:00.0");
	assert_string_equal(up[2], "0000:15:01.0");
	assert_int_equal(pci_parents(&x.roots, "0000:15:01.0", up), 0);
	assert_int_equal(pci_parents(&x.roots, "0000:99:00.0", up), 0);
	assert_int_equal(pci_parents(&x.roots, "../../etc", up), 0);
	pci_path_read(&x.roots, "0000:18:00.0", &l);
	assert_int_equal(l.width, 8);
	assert_int_equal(l.width_max, 16);
	assert_int_equal(l.speed_mt, 16000);
	assert_int_equal(l.speed_max_mt, 16000);
	fixture_close(&x);
}

/* A switch's downstream port whose ACS control register is control. */
static void config_space(unsigned char b[4096], unsigned char type,
			 unsigned char control)
{
	memset(b, 0, 4096);
	b[0x34] = 0x40;
	b[0x40] = 0x01;			/* power management */
	b[0x41] = 0x60;
	b[0x60] = 0x10;			/* PCI Express */
	b[0x62] = (unsigned char)(type << 4);
	b[0x100] = 0x01;		/* AER, next at 0x148 */
	b[0x102] = 0x01;
	b[0x103] = 0x14;
	b[0x102] |= 0x80;
	b[0x148] = 0x0d;		/* ACS */
	b[0x14a] = 0x01;
	b[0x14e] = control;
}

static void acs(void **state)
{
	unsigned char b[4096];
	struct fixture x;

	(void)state;
	tree(&x);
	assert_int_equal(pci_acs_redirects(&x.roots, "0000:17:00.0"), -1);
	config_space(b, 6, 0x1d);
	fixture_bytes(&x, DEV "/0000:16:00.0/0000:17:00.0/config", b, 4096);
	assert_int_equal(pci_acs_redirects(&x.roots, "0000:17:00.0"), 1);
	/* Source validation alone sends nothing up. */
	config_space(b, 6, 0x01);
	fixture_bytes(&x, DEV "/0000:16:00.0/0000:17:00.0/config", b, 4096);
	assert_int_equal(pci_acs_redirects(&x.roots, "0000:17:00.0"), 0);
	/* Root ports have nowhere else to send it. */
	config_space(b, 4, 0x1d);
	fixture_bytes(&x, DEV "/0000:16:00.0/0000:17:00.0/config", b, 4096);
	assert_int_equal(pci_acs_redirects(&x.roots, "0000:17:00.0"), 0);
	/* What a user gets to read. */
	config_space(b, 6, 0x1d);
	fixture_bytes(&x, DEV "/0000:16:00.0/0000:17:00.0/config", b, 64);
	assert_int_equal(pci_acs_redirects(&x.roots, "0000:17:00.0"), -1);
	memset(b, 0xff, sizeof(b));
	fixture_bytes(&x, DEV "/0000:16:00.0/0000:17:00.0/config", b, 4096);
	assert_int_equal(pci_acs_redirects(&x.roots, "0000:17:00.0"), -1);
	fixture_close(&x);
}

static void a_list_in_a_circle_ends(void **state)
{
	unsigned char b[4096];
	struct fixture x;

	(void)state;
	tree(&x);
	memset(b, 0, sizeof(b));
	b[0x34] = 0x40;
	b[0x41] = 0x40;
	fixture_bytes(&x, DEV "/config", b, 4096);
	assert_int_equal(pci_acs_redirects(&x.roots, "0000:15:01.0"), -1);
	config_space(b, 6, 0);
	b[0x148] = 0x0e;
	b[0x14b] = 0x14;
	b[0x14a] = 0x81;
	fixture_bytes(&x, DEV "/config", b, 4096);
	assert_int_equal(pci_acs_redirects(&x.roots, "0000:15:01.0"), 0);
	fixture_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses),
		cmocka_unit_test(speeds),
		cmocka_unit_test(generations),
		cmocka_unit_test(links),
		cmocka_unit_test(the_way_up),
		cmocka_unit_test(acs),
		cmocka_unit_test(a_list_in_a_circle_ends),
	};

	return cmocka_run_group_tests_name("pci", tests, NULL, NULL);
}
