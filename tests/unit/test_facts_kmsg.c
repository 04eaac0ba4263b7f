/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/facts_kmsg.h"

#include "lib/faults.h"
#include "tests/unit/kmsgs.h"

static struct xid_table *xids;
static struct facts_kmsg k;
static json_t *kept;

static int setup(void **state)
{
	xids = xid_load(NULL, NULL);
	return xids ? kmsgs_setup(state) : -1;
}

static int teardown(void **state)
{
	xid_destroy(xids);
	json_decref(kept);
	return kmsgs_teardown(state);
}

/* A node without a past. */
static int fresh(void **state)
{
	(void)state;
	json_decref(kept);
	kept = NULL;
	kmsgs_boot("boot-1\n");
	kmsgs_write("proc/uptime", "90000.00 1.00\n", 14);
	return 0;
}

static void gather(const char *log)
{
	json_t *doc;

	kmsgs_log(log);
	facts_kmsg_gather(&kmsgs_roots, kept, xids, 77, &k, &doc);
	if (doc) {
		json_decref(kept);
		kept = doc;
	}
}

#define OTHER "30,900,20000000,-;systemd[1]: Reached target.\n"
#define XID79 "4,1000,86400000000,-;NVRM: Xid (PCI:0000:3d:00): 79, GPU has\n"
#define XID31 "4,1001,86400000001,-;NVRM: Xid (PCI:0000:3d:00): 31, pid=5, x\n"

static void the_first_look_reads_all(void **state)
{
	(void)state;
	gather(OTHER XID79);
	assert_int_equal(k.gather.end, GATHER_DONE);
	assert_string_equal(k.boot_id, "boot-1");
	assert_int_equal(k.uptime_s, 90000);
	assert_int_equal(k.next_seq, 1001);
	assert_int_equal(k.fault_count, 1);
	assert_int_equal(k.fault[0].seen_s, 77);
	assert_true(k.new_records);
	assert_false(k.gap || k.cut);
}

static void the_next_look_sees_only_news(void **state)
{
	(void)state;
	gather(OTHER XID79);
	gather(OTHER XID79);
	assert_int_equal(k.fault_count, 1);
	assert_int_equal(k.fault[0].count, 1);
	assert_false(k.new_records);
	gather(OTHER XID79 XID31);
	assert_int_equal(k.fault_count, 2);
	assert_true(k.new_records);
}

static void faults_outlive_the_ring(void **state)
{
	(void)state;
	gather(XID79);
	gather("6,1001,1,-;a\n");
	assert_int_equal(k.fault_count, 1);
	assert_false(k.gap);
}

static void another_boot_starts_anew(void **state)
{
	(void)state;
	gather(OTHER XID79);
	kmsgs_boot("boot-2\n");
	gather(OTHER);
	assert_string_equal(k.boot_id, "boot-2");
	assert_int_equal(k.fault_count, 0);
	assert_int_equal(k.next_seq, 901);
	assert_false(k.gap);
}

static void a_gap_is_told_once_per_boot(void **state)
{
	(void)state;
	gather(OTHER);
	gather(XID79);
	assert_true(k.gap);
	assert_int_equal(k.fault_count, 1);
	gather("4,5000,1,-;x\n");
	assert_false(k.gap);
	kmsgs_boot("boot-2\n");
	gather(OTHER);
	gather(XID79);
	assert_true(k.gap);
}

static void user_space_cannot_write_faults(void **state)
{
	(void)state;
	gather("12,1,2,-;NVRM: Xid (PCI:0000:3d:00): 79, x\n"
	       "8,2,2,-;NVRM: Xid (PCI:0000:3d:00): 79, x\n"
	       "4,3,2,c;NVRM: Xid (PCI:0000:3d:00): 79, x\n"
	       "4,4,2,-;x NVRM: Xid (PCI:0000:3d:00): 79, x\n"
	       " NVRM: Xid (PCI:0000:3d:00): 79, x\n");
	assert_int_equal(k.fault_count, 0);
	assert_int_equal(k.next_seq, 5);
	assert_false(k.new_records);
}

static void without_a_boot_id_nothing_is_taken_up(void **state)
{
	(void)state;
	gather(XID79);
	unlinkat(kmsgs_roots.fd, "proc/sys/kernel/random/boot_id", 0);
	gather(OTHER);
	assert_string_equal(k.boot_id, "");
	assert_int_equal(k.fault_count, 0);
	gather(OTHER XID79);
	assert_int_equal(k.fault_count, 1);
	gather(OTHER XID79);
	assert_int_equal(k.fault_count, 1);
	assert_int_equal(k.fault[0].count, 1);
}

static void a_torn_state_is_as_none(void **state)
{
	(void)state;
	kept = json_pack("{s:s, s:s, s:[i]}", "boot_id", "boot-1", "next_seq",
			 "many", "faults", 7);
	gather(OTHER XID79);
	assert_int_equal(k.gather.end, GATHER_DONE);
	assert_int_equal(k.fault_count, 1);
}

static void no_log_is_absent_and_keeps_the_state(void **state)
{
	json_t *doc;

	(void)state;
	gather(XID79);
	unlinkat(kmsgs_roots.fd, "dev/kmsg", 0);
	facts_kmsg_gather(&kmsgs_roots, kept, xids, 77, &k, &doc);
	assert_int_equal(k.gather.end, GATHER_ABSENT);
	assert_true(k.gather.why[0]);
	assert_null(doc);
	assert_int_equal(k.fault_count, 1);
}

static void an_odd_log_is_an_error(void **state)
{
	json_t *doc;

	(void)state;
	unlinkat(kmsgs_roots.fd, "dev/kmsg", 0);
	mkdirat(kmsgs_roots.fd, "dev/kmsg", 0700);
	facts_kmsg_gather(&kmsgs_roots, NULL, xids, 77, &k, &doc);
	assert_int_equal(k.gather.end, GATHER_ERROR);
	assert_null(doc);
	unlinkat(kmsgs_roots.fd, "dev/kmsg", AT_REMOVEDIR);
}

static void uptime_may_be_unknown(void **state)
{
	(void)state;
	kmsgs_write("proc/uptime", "soon\n", 5);
	gather(OTHER);
	assert_int_equal(k.uptime_s, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_first_look_reads_all, fresh),
		cmocka_unit_test_setup(the_next_look_sees_only_news, fresh),
		cmocka_unit_test_setup(faults_outlive_the_ring, fresh),
		cmocka_unit_test_setup(another_boot_starts_anew, fresh),
		cmocka_unit_test_setup(a_gap_is_told_once_per_boot, fresh),
		cmocka_unit_test_setup(user_space_cannot_write_faults, fresh),
		cmocka_unit_test_setup(without_a_boot_id_nothing_is_taken_up,
				       fresh),
		cmocka_unit_test_setup(a_torn_state_is_as_none, fresh),
		cmocka_unit_test_setup(no_log_is_absent_and_keeps_the_state,
				       fresh),
		cmocka_unit_test_setup(an_odd_log_is_an_error, fresh),
		cmocka_unit_test_setup(uptime_may_be_unknown, fresh),
	};

	return cmocka_run_group_tests_name("facts_kmsg", tests, setup,
					   teardown);
}
