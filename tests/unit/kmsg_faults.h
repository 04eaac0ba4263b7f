/* SPDX-License-Identifier: Apache-2.0
 * kmsg_faults - healthy facts plus faults of the kernel log, for the tests of
 * the kmsg judges. */
#ifndef ASSAY_TESTS_KMSG_FAULTS_H
#define ASSAY_TESTS_KMSG_FAULTS_H

#include "checks/check.h"
#include "lib/xid.h"
#include "tests/unit/gpus.h"

static const struct cfg_section kmsg_sections[];
static struct xid_table *kmsg_xids;
static struct cfg *kmsg_cfg;

static inline int kmsg_setup(void **state)
{
	(void)state;
	kmsg_xids = xid_load(NULL, NULL);
	kmsg_cfg = cfg_defaults(kmsg_sections);
	return kmsg_xids && kmsg_cfg ? 0 : -1;
}

static inline int kmsg_teardown(void **state)
{
	(void)state;
	xid_destroy(kmsg_xids);
	cfg_destroy(kmsg_cfg);
	return 0;
}

/* Eight healthy GPUs, 0000:1b:00.0 and up, and a log that was read. */
static inline struct gpus *kmsg_healthy(void)
{
	struct gpus *s = gpus_healthy(8);

	s->facts.kmsg.gather.end = GATHER_DONE;
	s->env.xids = kmsg_xids;
	s->env.cfg = kmsg_cfg;
	return s;
}

static inline struct fault *kmsg_fault(struct gpus *s, enum fault_kind kind,
				       int number, const char *device)
{
	struct facts_kmsg *k = &s->facts.kmsg;
	struct fault *f = &k->fault[k->fault_count++];

	memset(f, 0, sizeof(*f));
	f->kind = kind;
	f->number = number;
	f->subcode = f->previous = f->recovery_to = -1;
	f->pid = -1;
	f->count = 1;
	f->first_seq = f->seq = 1000 + (uint64_t)k->fault_count;
	f->usec = INT64_C(99000000000);
	strcpy(f->device, device);
	return f;
}

/* Every way in which the log may not have been read, for one judge. */
static inline void kmsg_unread(const struct check *c)
{
	struct gpus *s = kmsg_healthy();

	kmsg_fault(s, FAULT_XID, 79, "0000:1b:00.0");
	s->facts.kmsg.gather.end = GATHER_ABSENT;
	assert_int_equal(gpus_run(s, c), STATUS_SKIP);
	strcpy(s->facts.kmsg.gather.why, "open the kernel log: EPERM");
	s->facts.kmsg.gather.end = GATHER_ERROR;
	assert_int_equal(gpus_run(s, c), STATUS_ERROR);
	assert_string_equal(s->r.note, "open the kernel log: EPERM");
	s->facts.kmsg.gather.end = GATHER_TIMEOUT;
	assert_int_equal(gpus_run(s, c), STATUS_ERROR);
	s->facts.kmsg.gather.end = GATHER_CRASHED;
	assert_int_equal(gpus_run(s, c), STATUS_ERROR);
	s->facts.kmsg.gather.end = GATHER_NONE;
	assert_int_equal(gpus_run(s, c), STATUS_SKIP);
	assert_int_equal(s->r.count, 0);
	gpus_free(s);
}

#endif
