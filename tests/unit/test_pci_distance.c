/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/pci_distance.h"

#include "tests/unit/fixture.h"

static struct fixture x;

/* A device at the end of a path below sys/devices/, on that NUMA node. */
static struct pci_place place(const char *path, const char *numa_node)
{
	const char *addr = strrchr(path, '/') + 1;
	struct pci_place p;
	char link[128], target[256], file[256];

	snprintf(link, sizeof(link), "sys/bus/pci/devices/%s", addr);
	snprintf(target, sizeof(target), "../../../devices/%s", path);
	snprintf(file, sizeof(file), "sys/devices/%s/numa_node", path);
	fixture_file(&x, file, numa_node);
	fixture_link(&x, link, target);
	pci_place_read(&x.roots, addr, &p);
	assert_string_equal(p.addr, addr);
	return p;
}

static int setup(void **state)
{
	(void)state;
	fixture_open(&x);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fixture_close(&x);
	return 0;
}

static void is_far(const struct pci_place *a, const struct pci_place *b,
		   const char *name, bool share)
{
	assert_string_equal(pci_near_name(pci_distance(a, b)), name);
	assert_string_equal(pci_near_name(pci_distance(b, a)), name);
	assert_int_equal(pci_share_link(a, b), share);
	assert_int_equal(pci_share_link(b, a), share);
}

#define ROOT "pci0000:15/0000:15:01.0"
#define UP ROOT "/0000:16:00.0"

static void one_switch(void **state)
{
	struct pci_place gpu = place(UP "/0000:17:00.0/0000:18:00.0", "0\n");
	struct pci_place hca = place(UP "/0000:17:01.0/0000:19:00.0", "0\n");
	struct pci_place second = place(UP "/0000:17:01.0/0000:19:00.1", "0\n");

	(void)state;
	assert_int_equal(gpu.bridges, 3);
	assert_string_equal(gpu.root, "pci0000:15");
	assert_int_equal(gpu.numa_node, 0);
	is_far(&gpu, &hca, "PIX", true);
	is_far(&hca, &second, "PIX", true);
	assert_true(pci_same_slot(&hca, &second));
	assert_false(pci_same_slot(&gpu, &hca));
}

static void a_switch_behind_a_switch(void **state)
{
	struct pci_place near = place(UP "/0000:17:00.0/0000:18:00.0", "0\n");
	struct pci_place far = place(UP "/0000:17:01.0/0000:20:00.0/"
				     "0000:21:00.0/0000:22:00.0", "0\n");

	(void)state;
	is_far(&near, &far, "PXB", true);
}

static void no_switch_in_common(void **state)
{
	struct pci_place a = place("pci0000:15/0000:15:01.0/0000:16:00.0",
				   "0\n");
	struct pci_place b = place("pci0000:15/0000:15:02.0/0000:30:00.0",
				   "0\n");
	struct pci_place c = place("pci0000:40/0000:40:01.0/0000:41:00.0",
				   "0\n");
	struct pci_place d = place("pci0000:80/0000:80:01.0/0000:81:00.0",
				   "1\n");

	(void)state;
	is_far(&a, &b, "PHB", false);
	is_far(&a, &c, "NODE", false);
	is_far(&a, &d, "SYS", false);
	d.numa_node = -1;
	is_far(&a, &d, "", false);
}

/* Behind a host bridge that is a PCI device itself. */
static void the_nearest_host_bridge(void **state)
{
	struct pci_place a = place("pci0000:64/0000:64:05.5/pci10000:00/"
				   "10000:00:02.0/10000:01:00.0", "0\n");

	(void)state;
	assert_string_equal(a.root, "pci10000:00");
	assert_int_equal(a.bridges, 1);
}

static void what_is_no_pci_device_is_nowhere(void **state)
{
	struct pci_place a, b = place("pci0000:15/0000:15:01.0/0000:16:00.0",
				      "0\n");

	(void)state;
	pci_place_read(&x.roots, "", &a);
	assert_string_equal(a.addr, "");
	assert_int_equal(a.numa_node, -1);
	is_far(&a, &b, "", false);
	is_far(&a, &a, "", false);
	assert_false(pci_same_slot(&a, &a));
	pci_place_read(&x.roots, "0000:99:00.0", &a);	/* not there */
	assert_string_equal(a.root, "");
	is_far(&a, &b, "", false);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(one_switch),
		T(a_switch_behind_a_switch),
		T(no_switch_in_common),
		T(the_nearest_host_bridge),
		T(what_is_no_pci_device_is_nowhere),
	};

	return cmocka_run_group_tests_name("pci_distance", tests, NULL, NULL);
}
