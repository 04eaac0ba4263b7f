/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/probing_ports.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checks/gather.h"
#include "checks/places.h"
#include "checks/schema.h"
#include "lib/pci_distance.h"
#include "tests/unit/fixture.h"

#define PORT(k) PROBE_PLACE_PORT(k)
#define GPUS 4
#define HCAS 4

static struct fixture x;
static struct run r;
static struct session session;
static struct job job;
static struct crew_plan plan;
static struct facts_probes probes;

static void configure(const char *text)
{
	char path[] = "/tmp/assay-ports-XXXXXX";
	struct err e = { "" };
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_true(dprintf(fd, "[paths]\nprofiles = /nonexistent\n%s", text) > 0);
	close(fd);
	cfg_destroy(session.cfg);
	session.cfg = cfg_load(path, schema_sections(), NULL, &e);
	unlink(path);
	assert_non_null(session.cfg);
	assert_null(cfg_complaint(session.cfg));
}

/* A switch below the root port of one host bridge (of 2, on a NUMA node each),
 * and on it so many devices. addr: where the next one is. */
static void put(int host, int slot, char addr[16])
{
	char dir[160], path[256], target[256];

	snprintf(addr, 16, "0000:%02x:00.0", 0x20 + 16 * host + slot);
	snprintf(dir, sizeof(dir),
		 "sys/devices/pci0000:%d0/0000:%d0:01.0/0000:%d1:00.0/"
		 "0000:%d2:%02x.0/%s",
		 host, host, host, host, slot, addr);
	snprintf(path, sizeof(path), "%s/numa_node", dir);
	fixture_file(&x, path, host ? "1\n" : "0\n");
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s", addr);
	snprintf(target, sizeof(target), "../../../%s", dir + 4);
	fixture_link(&x, path, target);
}

/* GPU and HCA 0 and 1 on the first switch, 2 and 3 on the second. */
static int setup(void **state)
{
	struct facts_fabric *f;
	struct hca *h;
	char addr[16];
	int i;

	(void)state;
	fixture_open(&x);
	memset(&r, 0, sizeof(r));
	memset(&plan, 0, sizeof(plan));
	memset(&probes, 0, sizeof(probes));
	r.s = &session;
	session.job = &job;
	session.roots = x.roots;
	session.run_dir = open(x.dir, O_RDONLY | O_DIRECTORY);
	r.probes = &probes;
	r.facts = calloc(1, sizeof(*r.facts));
	if (!r.facts)
		return -1;
	f = &r.facts->fabric;
	f->hca_count = HCAS;
	r.facts->gpus.count = GPUS;
	for (i = 0; i < GPUS; i++) {
		put(i / 2, i % 2, addr);
		snprintf(r.facts->gpus.gpu[i].bus_id, 24, "%s", addr);
		h = &f->hca[i];
		put(i / 2, 8 + i % 2, addr);
		snprintf(h->bus_id, sizeof(h->bus_id), "%s", addr);
		snprintf(h->name, sizeof(h->name), "mlx5_%d", i);
		strcpy(h->driver, "mlx5_core");
		h->port_count = 1;
		h->port[0] = (struct ib_port){ .number = 1, .state = 4,
					       .rate_gbit = 400 };
	}
	configure("");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(r.facts);
	close(session.run_dir);
	cfg_destroy(session.cfg);
	memset(&session, 0, sizeof(session));
	fixture_close(&x);
	return 0;
}

static struct hca *hca(int i)
{
	return &r.facts->fabric.hca[i];
}

/* The last first? */
static bool backwards;

static void set_order(void)
{
	int n = GPUS + plan.port_count;
	int i, place;

	for (i = 0; i < n; i++) {
		place = i < GPUS ? i : PORT(i - GPUS);
		plan.order[backwards ? n - 1 - i : i] = place;
	}
}

static void make_plan(void)
{
	int i;

	memset(&plan, 0, sizeof(plan));
	plan.gpus = &r.facts->gpus;
	PLACE_EACH(i, r.facts, PROBE_loopback)
		plan.chosen[i] = !probing_port_unfit(&r, i);
	PLACE_EACH(i, r.facts, PROBE_gdr)
		plan.chosen[i] = true;
	probing_ports_list(&r, &plan);
	set_order();
	probing_ports_plan(&r, &plan);
}

static void ports_are_listed_device_after_device(void **state)
{
	(void)state;
	hca(0)->port_count = 2;
	hca(0)->port[1] = hca(0)->port[0];
	hca(0)->port[1].number = 2;
	make_plan();
	assert_int_equal(plan.port_count, 5);
	assert_int_equal(plan.port[1].hca, 0);
	assert_int_equal(plan.port[1].number, 2);
	assert_int_equal(plan.port[4].hca, 3);
	assert_ptr_equal(plan.fabric, &r.facts->fabric);
}

static void who_is_not_fit_says_why(void **state)
{
	char buf[160];

	(void)state;
	assert_null(probing_port_unfit(&r, PORT(0)));
	assert_null(probing_ports_none(&r, buf, sizeof(buf)));
	hca(0)->port[0].state = 2;
	assert_string_equal(probing_port_unfit(&r, PORT(0)),
			    "the port is not active");
	strcpy(hca(1)->driver, "efa");
	assert_string_equal(probing_port_unfit(&r, PORT(1)),
			    "EFA has no RC queue pairs");
	configure("[check ib_ports]\nexclude = mlx5_2 mlx5_3:1\n");
	assert_string_equal(probing_port_unfit(&r, PORT(2)),
			    "excluded by [check ib_ports]");
	assert_non_null(probing_port_unfit(&r, PORT(3)));
	assert_string_equal(probing_ports_none(&r, buf, sizeof(buf)),
			    "mlx5_0: the port is not active");
	r.facts->fabric.hca_count = 0;
	assert_string_equal(probing_ports_none(&r, buf, sizeof(buf)),
			    "no RDMA device here");
}

static void who_hangs_is_left_alone(void **state)
{
	struct gather_stuck n = { .pid = getpid(), .hca = "mlx5_1" };

	(void)state;
	gather_stuck_note(&session, &n);
	assert_null(probing_port_unfit(&r, PORT(0)));
	assert_string_equal(probing_port_unfit(&r, PORT(1)),
			    "an earlier worker is stuck in its driver");
}

static void who_is_left_out_is_told(void **state)
{
	(void)state;
	hca(1)->port[0].state = 1;
	make_plan();
	probing_ports_finish(&r, &plan);
	assert_string_equal(probes.port[0].probe[PROBE_loopback].shot[0].why,
			    "");
	assert_string_equal(probes.port[1].probe[PROBE_loopback].shot[0].why,
			    "the port is not active");
	assert_string_equal(probes.port[1].probe[PROBE_latency].shot[0].why,
			    "the port is not active");
}

static void neighbours_on_a_switch_take_turns(void **state)
{
	(void)state;
	make_plan();
	assert_int_equal(plan.wave[PORT(0)], 0);
	assert_int_equal(plan.wave[PORT(1)], 1);
	assert_int_equal(plan.wave[PORT(2)], 0);
	assert_int_equal(plan.wave[PORT(3)], 1);
	/* Who is not measured is in nobody's way. */
	hca(0)->port[0].state = 1;
	make_plan();
	assert_int_equal(plan.wave[PORT(1)], 0);
}

/* The time may be over behind the first wave. */
static void who_goes_first_is_in_the_first_wave(void **state)
{
	int i;

	(void)state;
	backwards = true;
	make_plan();
	for (i = 0; i < HCAS; i++)
		assert_int_equal(plan.wave[PORT(i)], 1 - i % 2);
	for (i = 0; i < GPUS; i++)
		assert_int_equal(plan.wave[i], 1 - i % 2);
	backwards = false;
}

static void ports_of_a_device_take_turns(void **state)
{
	(void)state;
	r.facts->fabric.hca_count = 1;
	hca(0)->port_count = 3;
	hca(0)->port[1] = hca(0)->port[2] = hca(0)->port[0];
	make_plan();
	assert_int_equal(plan.wave[PORT(0)], 0);
	assert_int_equal(plan.wave[PORT(1)], 1);
	assert_int_equal(plan.wave[PORT(2)], 2);
}

/* A virtual machine shows no bridges: every other one. */
static void without_a_tree_every_other_one(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < HCAS; i++)
		snprintf(hca(i)->bus_id, sizeof(hca(i)->bus_id),
			 "0000:00:%02x.0", 5 + i);
	make_plan();
	for (i = 0; i < HCAS; i++)
		assert_int_equal(plan.wave[PORT(i)], i % 2);
	/* Two functions of one card. */
	strcpy(hca(2)->bus_id, "0000:00:05.1");
	make_plan();
	assert_int_equal(plan.wave[PORT(0)], 0);
	assert_int_equal(plan.wave[PORT(1)], 1);
	assert_int_equal(plan.wave[PORT(2)], 2);
}

static void what_the_kernel_emulates_takes_turns(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < HCAS; i++) {
		hca(i)->no_device_link = true;
		hca(i)->bus_id[0] = '\0';
	}
	make_plan();
	for (i = 0; i < HCAS; i++)
		assert_int_equal(plan.wave[PORT(i)], i);
	assert_int_equal(plan.gpu_port[0], -1);
	assert_false(probing_ports_can(&r, PROBE_gdr));
	assert_true(probing_ports_can(&r, PROBE_loopback));
}

static void gpus_take_the_nearest_port(void **state)
{
	int i;

	(void)state;
	assert_true(probing_ports_can(&r, PROBE_gdr));
	make_plan();
	/* The neighbours share two ports as near. */
	for (i = 0; i < GPUS; i++) {
		assert_int_equal(plan.gpu_port[i], i);
		assert_int_equal(plan.gpu_port_near[i], PCI_NEAR_PIX);
		assert_int_equal(plan.wave[i], i % 2);
	}
	/* One left on that switch, and a slower one elsewhere. */
	hca(3)->port[0].state = 1;
	hca(1)->port[0].rate_gbit = 100;
	make_plan();
	assert_int_equal(plan.gpu_port[0], 0);
	assert_int_equal(plan.gpu_port[1], 0);
	assert_int_equal(plan.gpu_port[2], 2);
	assert_int_equal(plan.gpu_port[3], 2);
	/* Through one port they cannot be at once. */
	assert_int_equal(plan.wave[2], 0);
	assert_int_equal(plan.wave[3], 1);
	hca(2)->port[0].state = 1;
	make_plan();
	assert_int_equal(plan.gpu_port[2], 0);
	assert_int_equal(plan.gpu_port_near[2], PCI_NEAR_SYS);
	assert_int_equal(plan.wave[2], 2);
	for (i = 0; i < HCAS; i++)
		hca(i)->port[0].state = 1;
	make_plan();
	assert_int_equal(plan.gpu_port[0], -1);
	assert_false(probing_ports_can(&r, PROBE_gdr));
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(ports_are_listed_device_after_device),
		T(who_is_not_fit_says_why),
		T(who_hangs_is_left_alone),
		T(who_is_left_out_is_told),
		T(neighbours_on_a_switch_take_turns),
		T(who_goes_first_is_in_the_first_wave),
		T(ports_of_a_device_take_turns),
		T(without_a_tree_every_other_one),
		T(what_the_kernel_emulates_takes_turns),
		T(gpus_take_the_nearest_port),
	};

	return cmocka_run_group_tests_name("probing_ports", tests, NULL, NULL);
}
