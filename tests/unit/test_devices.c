/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

#define UUID(n) "GPU-5a5b1c3" #n "-0001-4f1e-9d7b-1d2c3b4a5f60"

static struct facts_gpus gpus;
static struct job job;
static struct gres_conf gres;
static struct devices dev;

static const int in_order[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
/* A board whose device files do not follow the PCI bus. */
static const int mixed[] = { 2, 3, 0, 1, 6, 7, 4, 5 };

static void node(int count, const int *minors)
{
	int i;

	memset(&gpus, 0, sizeof(gpus));
	memset(&job, 0, sizeof(job));
	memset(&gres, 0, sizeof(gres));
	gpus.count = count;
	for (i = 0; i < count; i++) {
		gpus.gpu[i].index = i;
		gpus.gpu[i].minor = minors[i];
		gpus.gpu[i].mig_mode.rc = VAL_UNASKED;
		snprintf(gpus.gpu[i].uuid, sizeof(gpus.gpu[i].uuid),
			 "GPU-5a5b1c3%d-0001-4f1e-9d7b-1d2c3b4a5f60", i);
	}
}

static void positions(int n, const int *pos)
{
	job.has_gpus = true;
	job.gpu_count = n;
	memcpy(job.gpu_pos, pos, (size_t)n * sizeof(*pos));
}

static void uuids(int n, const char *const *uuid)
{
	int i;

	job.uuid_count = n;
	for (i = 0; i < n; i++)
		strcpy(job.uuid[i], uuid[i]);
}

#define POS(...) \
	positions(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int), \
		  (int[]){ __VA_ARGS__ })
#define UUIDS(...) \
	uuids(sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *), \
	      (const char *[]){ __VA_ARGS__ })

/* Which GPUs, as text; how is checked on the way. */
static const char *which(const struct gres_conf *g, enum gres_order order,
			 enum devices_how how)
{
	static char buf[64];
	size_t len = 0;
	int i, n = 0;

	devices_of_job(&job, &gpus, g, order, &dev);
	assert_int_equal(dev.how, how);
	buf[0] = 0;
	for (i = 0; i < FACTS_GPUS_MAX; i++) {
		if (!dev.gpu[i])
			continue;
		n++;
		len += (size_t)snprintf(buf + len, sizeof(buf) - len, "%d ", i);
	}
	assert_int_equal(dev.count, n);
	if (len)
		buf[len - 1] = 0;
	return buf;
}

static void no_gres_no_devices(void **state)
{
	(void)state;
	node(8, in_order);
	UUIDS(UUID(1));
	assert_string_equal(which(NULL, GRES_ORDER_AUTO, DEVICES_NONE), "");
	assert_false(dev.sure);
	assert_string_equal(dev.why, "no SLURM_JOB_GPUS");
}

static void uuids_win(void **state)
{
	(void)state;
	node(8, mixed);
	POS(0, 1);
	UUIDS(UUID(5), UUID(7));
	assert_string_equal(which(NULL, GRES_ORDER_LIST, DEVICES_UUID), "5 7");
	assert_true(dev.sure);
	assert_false(dev.unmapped);
	/* Other case, and the shortest prefix that is allowed. */
	POS(0);
	UUIDS("gpu-5A5B1c35");
	assert_string_equal(which(NULL, GRES_ORDER_NVML, DEVICES_UUID), "5");
}

static void an_unclear_uuid_names_nobody(void **state)
{
	(void)state;
	node(8, in_order);
	POS(3);
	UUIDS("GPU-5a5b1");		/* eight GPUs start so */
	assert_string_equal(which(NULL, GRES_ORDER_NVML, DEVICES_ORDER), "3");
	memset(gpus.gpu[4].uuid, 0, sizeof(gpus.gpu[4].uuid));
	strcpy(gpus.gpu[4].uuid, "GPU-77770000-0001-4f1e-9d7b-1d2c3b4a5f60");
	UUIDS("GPU-777");		/* too short */
	assert_string_equal(which(NULL, GRES_ORDER_NVML, DEVICES_ORDER), "3");
	UUIDS("GPU-7777");
	assert_string_equal(which(NULL, GRES_ORDER_NVML, DEVICES_UUID), "4");
}

static void a_lost_uuid_leaves_the_others_sure(void **state)
{
	(void)state;
	node(8, in_order);
	POS(0, 1);
	UUIDS(UUID(0), "GPU-99999999-0001-4f1e-9d7b-1d2c3b4a5f60");
	assert_string_equal(which(NULL, GRES_ORDER_NVML, DEVICES_UUID), "0");
	assert_true(dev.sure);
	assert_true(dev.unmapped);
	/* A job on all GPUs needs no UUID of the one that has lost its own. */
	node(2, in_order);
	POS(0, 1);
	UUIDS(UUID(0), UUID(1));
	gpus.gpu[1].uuid[0] = 0;
	assert_string_equal(which(NULL, GRES_ORDER_NVML, DEVICES_ALL), "0 1");
	assert_true(dev.sure);
	assert_false(dev.unmapped);
}

static void all_gpus_need_no_map(void **state)
{
	(void)state;
	node(8, mixed);
	POS(0, 1, 2, 3, 4, 5, 6, 7);
	assert_string_equal(which(NULL, GRES_ORDER_AUTO, DEVICES_ALL),
			    "0 1 2 3 4 5 6 7");
	assert_true(dev.sure);
	assert_string_equal(dev.why, "all 8 GPUs of the node");
}

static void each_order_maps_its_way(void **state)
{
	(void)state;
	node(8, mixed);
	POS(0, 5);
	assert_string_equal(which(NULL, GRES_ORDER_NVML, DEVICES_ORDER), "0 5");
	assert_string_equal(which(NULL, GRES_ORDER_FILE, DEVICES_ORDER), "2 7");
	assert_true(dev.sure);
	/* File=/dev/nvidia[0-2,4-7]: the gap moves position 5 to minor 6. */
	gres.count = 7;
	memcpy(gres.minor, ((int[]){ 0, 1, 2, 4, 5, 6, 7 }), 7 * sizeof(int));
	assert_string_equal(which(&gres, GRES_ORDER_LIST, DEVICES_ORDER),
			    "2 4");
	assert_true(dev.sure);
}

static void auto_asks_gres_conf(void **state)
{
	(void)state;
	node(8, mixed);
	POS(0);
	gres.autodetect = GRES_AUTO_NVML;
	assert_string_equal(which(&gres, GRES_ORDER_AUTO, DEVICES_ORDER), "0");
	gres.autodetect = GRES_AUTO_NVIDIA;
	assert_string_equal(which(&gres, GRES_ORDER_AUTO, DEVICES_ORDER), "2");
	gres.autodetect = GRES_AUTO_NONE;
	gres.count = 1;
	gres.minor[0] = 7;
	assert_string_equal(which(&gres, GRES_ORDER_AUTO, DEVICES_ORDER), "5");
	gres.autodetect = GRES_AUTO_OTHER;
	assert_string_equal(which(&gres, GRES_ORDER_AUTO, DEVICES_AMBIGUOUS),
			    "0 2");
	/* No File= lines here: not the gres.conf that slurmd has read. */
	gres.autodetect = GRES_AUTO_NONE;
	gres.count = 0;
	which(&gres, GRES_ORDER_AUTO, DEVICES_AMBIGUOUS);
}

static void without_gres_conf_the_orders_must_agree(void **state)
{
	(void)state;
	node(8, in_order);
	POS(2, 3);
	assert_string_equal(which(NULL, GRES_ORDER_AUTO, DEVICES_ORDER), "2 3");
	assert_true(dev.sure);
	node(8, mixed);
	POS(0, 1, 2, 3);	/* the same set by either order */
	assert_string_equal(which(NULL, GRES_ORDER_AUTO, DEVICES_ORDER),
			    "0 1 2 3");
	assert_true(dev.sure);
	POS(0, 1);
	assert_string_equal(which(NULL, GRES_ORDER_AUTO, DEVICES_AMBIGUOUS),
			    "0 1 2 3");
	assert_false(dev.sure);
	gpus.gpu[6].minor = -1;
	assert_string_equal(which(NULL, GRES_ORDER_AUTO, DEVICES_AMBIGUOUS),
			    "0 1");
}

static void positions_without_a_gpu(void **state)
{
	(void)state;
	node(7, in_order);	/* of eight, one has vanished */
	POS(6, 7);
	assert_string_equal(which(NULL, GRES_ORDER_NVML, DEVICES_ORDER), "6");
	assert_true(dev.unmapped);
	assert_false(dev.sure);
	which(NULL, GRES_ORDER_AUTO, DEVICES_ORDER);
	assert_false(dev.sure);
	gres.count = 8;
	memcpy(gres.minor, in_order, sizeof(in_order));
	assert_string_equal(which(&gres, GRES_ORDER_LIST, DEVICES_ORDER), "6");
	assert_true(dev.unmapped);
	assert_true(dev.sure);
	POS(100);
	assert_string_equal(which(NULL, GRES_ORDER_NVML, DEVICES_AMBIGUOUS),
			    "0 1 2 3 4 5 6");
	assert_true(dev.unmapped);
	which(NULL, GRES_ORDER_LIST, DEVICES_AMBIGUOUS);
	which(NULL, GRES_ORDER_AUTO, DEVICES_AMBIGUOUS);
	node(0, in_order);
	POS(0);
	assert_string_equal(which(NULL, GRES_ORDER_NVML, DEVICES_ORDER), "");
	assert_false(dev.sure);
	assert_true(dev.unmapped);
}

static void the_older_mig_names_tell_their_gpu(void **state)
{
	(void)state;
	node(4, in_order);
	POS(8, 9);
	UUIDS("MIG-" UUID(2) "/3/0", "MIG-" UUID(2) "/4/0");
	assert_string_equal(which(NULL, GRES_ORDER_AUTO, DEVICES_UUID), "2");
	assert_true(dev.sure);
	assert_true(dev.mig);
	assert_false(dev.unmapped);
}

static void newer_mig_names_need_the_list(void **state)
{
	(void)state;
	node(4, in_order);
	gpus.gpu[1].mig_mode = (struct val){ .v = 1 };
	POS(2, 3);
	UUIDS("MIG-1b2c3d4e-0001-4f1e-9d7b-1d2c3b4a5f60",
	      "MIG-1b2c3d4e-0002-4f1e-9d7b-1d2c3b4a5f60");
	assert_string_equal(which(NULL, GRES_ORDER_AUTO, DEVICES_AMBIGUOUS),
			    "1");
	assert_true(dev.mig);
	assert_false(dev.sure);
	gres.count = 5;		/* MultipleFiles= of two instances on minor 1 */
	memcpy(gres.minor, ((int[]){ 0, 3, 1, 1, 2 }), 5 * sizeof(int));
	assert_string_equal(which(&gres, GRES_ORDER_AUTO, DEVICES_ORDER), "1");
	assert_true(dev.mig);
	assert_true(dev.sure);
	/* Whole GPUs beside them are no instances. */
	job.uuid_count = 0;
	POS(1, 4);
	assert_string_equal(which(&gres, GRES_ORDER_AUTO, DEVICES_ORDER),
			    "2 3");
	assert_false(dev.mig);
	/* Four positions on four GPUs, but some are instances. */
	POS(0, 1, 2, 3);
	assert_string_equal(which(NULL, GRES_ORDER_NVML, DEVICES_AMBIGUOUS),
			    "1");
	/* MIG seen in the names only. */
	gpus.gpu[1].mig_mode.v = 0;
	UUIDS("MIG-1b2c3d4e-0001-4f1e-9d7b-1d2c3b4a5f60");
	assert_string_equal(which(NULL, GRES_ORDER_NVML, DEVICES_AMBIGUOUS),
			    "0 1 2 3");
}

static bool owned(int other_jobs)
{
	struct ownership o;

	devices_of_job(&job, &gpus, NULL, GRES_ORDER_AUTO, &dev);
	devices_owned(&job, &dev, &gpus, other_jobs, &o);
	assert_string_not_equal(o.why, "");
	return o.owned;
}

static void owned_is_a_fact_with_evidence(void **state)
{
	(void)state;
	node(4, in_order);
	assert_false(owned(0));			/* no GPUs */
	POS(0, 1, 2, 3);
	assert_true(owned(0));			/* 22.05: no such variable */
	job.oversubscribe = OVERSUB_NO;
	assert_true(owned(0));
	assert_false(owned(1));
	assert_false(owned(-1));
	job.oversubscribe = OVERSUB_YES;
	assert_false(owned(0));
	job.oversubscribe = OVERSUB_NO;
	POS(0, 1, 2);
	assert_false(owned(0));
	POS(0, 1, 2, 3);
	UUIDS(UUID(0), UUID(1), UUID(2), UUID(3));
	assert_true(owned(0));
	UUIDS(UUID(0), UUID(1), UUID(2), "GPU-99999999-0001");
	assert_false(owned(0));
	UUIDS("MIG-" UUID(0) "/1/0", "MIG-" UUID(1) "/1/0",
	      "MIG-" UUID(2) "/1/0", "MIG-" UUID(3) "/1/0");
	assert_false(owned(0));
	job.uuid_count = 0;
	gpus.gpu[0].mig_mode = (struct val){ .v = 1 };
	assert_false(owned(0));
	node(0, in_order);
	POS(0);
	assert_false(owned(0));
}

/* A node of CPUs and RDMA ports is the job's by Slurm's word alone. */
static void a_node_without_gpus_is_owned_by_word(void **state)
{
	(void)state;
	node(0, in_order);
	POS();
	job.has_gpus = false;
	job.uuid_count = 0;
	job.oversubscribe = OVERSUB_NO;
	assert_true(owned(0));
	assert_false(owned(1));
	assert_false(owned(-1));
	job.oversubscribe = OVERSUB_UNKNOWN;	/* 22.05 */
	assert_false(owned(0));
	job.oversubscribe = OVERSUB_YES;
	assert_false(owned(0));
	/* Nor GPUs that are there, and somebody else's. */
	node(4, in_order);
	job.oversubscribe = OVERSUB_NO;
	assert_false(owned(0));
	/* A job that was given some, and none are seen. */
	node(0, in_order);
	POS(0);
	job.oversubscribe = OVERSUB_NO;
	assert_false(owned(0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_gres_no_devices),
		cmocka_unit_test(uuids_win),
		cmocka_unit_test(an_unclear_uuid_names_nobody),
		cmocka_unit_test(a_lost_uuid_leaves_the_others_sure),
		cmocka_unit_test(all_gpus_need_no_map),
		cmocka_unit_test(each_order_maps_its_way),
		cmocka_unit_test(auto_asks_gres_conf),
		cmocka_unit_test(without_gres_conf_the_orders_must_agree),
		cmocka_unit_test(positions_without_a_gpu),
		cmocka_unit_test(the_older_mig_names_tell_their_gpu),
		cmocka_unit_test(newer_mig_names_need_the_list),
		cmocka_unit_test(owned_is_a_fact_with_evidence),
		cmocka_unit_test(a_node_without_gpus_is_owned_by_word),
	};

	return cmocka_run_group_tests_name("devices", tests, NULL, NULL);
}
