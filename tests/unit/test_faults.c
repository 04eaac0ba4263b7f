/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/faults.h"

#include <string.h>

#include "tests/unit/unit.h"

#define HOUR INT64_C(3600000000)

static struct xid_table *xids;
static struct facts_kmsg k;
static struct facts_kmsg k2;

static int load(void **state)
{
	(void)state;
	xids = xid_load(NULL, NULL);
	return xids ? 0 : -1;
}

static int unload(void **state)
{
	(void)state;
	xid_destroy(xids);
	return 0;
}

static int empty(void **state)
{
	(void)state;
	memset(&k, 0, sizeof(k));
	return 0;
}

static struct fault xid(int number, const char *device, uint64_t seq)
{
	struct fault f = { .kind = FAULT_XID, .number = number, .subcode = -1,
		.previous = -1, .recovery_to = -1, .pid = -1, .count = 1,
		.first_seq = seq, .seq = seq, .usec = (int64_t)seq * HOUR };

	strcpy(f.device, device);
	return f;
}

static bool merge(int number, const char *device, uint64_t seq)
{
	struct fault f = xid(number, device, seq);

	return faults_merge(&k, &f, xids);
}

#define GPU1 "0000:1b:00.0"
#define GPU2 "0000:3d:00.0"

static void storms_are_one_entry(void **state)
{
	uint64_t seq;

	(void)state;
	for (seq = 1; seq <= 1000; seq++)
		assert_true(merge(31, GPU1, seq));
	assert_true(merge(31, GPU2, 2000));
	assert_true(merge(13, GPU1, 2001));
	assert_int_equal(k.fault_count, 3);
	assert_int_equal(k.fault[0].count, 1000);
	assert_int_equal(k.fault[0].first_seq, 1);
	assert_int_equal(k.fault[0].seq, 1000);
	assert_int_equal(k.fault[0].usec, 1000 * HOUR);
}

static void an_old_record_is_no_news(void **state)
{
	(void)state;
	assert_true(merge(79, GPU1, 10));
	assert_false(merge(79, GPU1, 10));
	assert_false(merge(79, GPU1, 9));
	assert_int_equal(k.fault[0].count, 1);
}

static void processes_are_counted_once_and_for_a_day(void **state)
{
	struct fault f = xid(13, GPU1, 1);
	int i;

	(void)state;
	for (i = 0; i < 20; i++) {
		f.seq++;
		f.pid = 100 + i / 10;
		faults_merge(&k, &f, xids);
	}
	assert_int_equal(k.fault[0].pid_count, 2);
	assert_int_equal(k.fault[0].pid, 101);
	for (i = 0; i < 20; i++) {
		f.seq++;
		f.pid = 200 + i;
		faults_merge(&k, &f, xids);
	}
	assert_int_equal(k.fault[0].pid_count, FACTS_FAULT_PIDS);
	f.seq++;
	f.usec += 25 * HOUR;
	f.pid = 7;
	faults_merge(&k, &f, xids);
	assert_int_equal(k.fault[0].pid_count, 1);
	assert_int_equal(k.fault[0].pids[0], 7);
}

static void the_driver_closes_what_it_recovered(void **state)
{
	struct fault f = xid(154, GPU1, 50);

	(void)state;
	merge(48, GPU1, 10);
	merge(63, GPU1, 11);
	merge(48, GPU2, 12);
	merge(54, GPU1, 13);
	f.recovery_to = 0;
	assert_true(faults_merge(&k, &f, xids));
	assert_int_equal(k.fault_count, 2);
	assert_string_equal(k.fault[0].device, GPU2);
	assert_int_equal(k.fault[1].number, 54);
	assert_false(faults_merge(&k, &f, xids));
	assert_true(merge(48, GPU1, 60));
	assert_int_equal(k.fault_count, 3);
}

static void recovery_action_follows_the_newest(void **state)
{
	struct fault f = xid(154, GPU1, 50);

	(void)state;
	f.recovery_to = 1;
	faults_merge(&k, &f, xids);
	assert_int_equal(faults_class(&k.fault[0], xids), XID_RESET);
	f.seq = 51;
	f.recovery_to = 2;
	faults_merge(&k, &f, xids);
	assert_int_equal(k.fault_count, 1);
	assert_int_equal(faults_class(&k.fault[0], xids), XID_REBOOT);
	k.fault[0].recovery_to = 4;
	assert_int_equal(faults_class(&k.fault[0], xids), XID_RESET);
	k.fault[0].recovery_to = 3;
	assert_int_equal(faults_class(&k.fault[0], xids), XID_WARN);
	k.fault[0].recovery_to = -1;
	assert_int_equal(faults_class(&k.fault[0], xids), XID_WARN);
}

static enum xid_class class_of(enum fault_kind kind, int number, bool fatal)
{
	struct fault f = xid(number, GPU1, 1);

	f.kind = kind;
	f.fatal = fatal;
	return faults_class(&f, xids);
}

static void every_kind_has_a_class(void **state)
{
	struct fault f = xid(45, GPU1, 1);

	(void)state;
	assert_int_equal(class_of(FAULT_XID, 9999, false), XID_WARN);
	assert_int_equal(class_of(FAULT_XID, 13, false), XID_APP);
	assert_int_equal(class_of(FAULT_SXID, 20034, true), XID_REBOOT);
	assert_int_equal(class_of(FAULT_SXID, 99999, true), XID_RESET);
	assert_int_equal(class_of(FAULT_SXID, 99999, false), XID_NOTE);
	assert_int_equal(class_of(FAULT_OFFBUS, -1, true), XID_REBOOT);
	assert_int_equal(class_of(FAULT_MCE, -1, true), XID_SERVICE);
	assert_int_equal(class_of(FAULT_AER, -1, false), XID_WARN);
	assert_int_equal(class_of(FAULT_OOM, -1, false), XID_NOTE);
	assert_int_equal(faults_class(&f, xids), XID_NOTE);
	f.previous = 95;
	assert_int_equal(faults_class(&f, xids), XID_RESET);
	assert_string_equal(faults_name(&f, xids), "uncontained memory error");
	f.previous = 13;
	assert_int_equal(faults_class(&f, xids), XID_APP);
}

static void a_full_table_keeps_the_severe(void **state)
{
	char device[24];
	int i;

	(void)state;
	assert_true(merge(79, GPU1, 1));
	for (i = 0; i < FACTS_FAULTS_MAX - 1; i++) {
		snprintf(device, sizeof(device), "0000:%02x:00.0", i);
		assert_true(merge(13, device, (uint64_t)i + 2));
	}
	assert_false(k.truncated);
	assert_false(merge(63, GPU2, 5000));
	assert_true(k.truncated);
	assert_true(merge(95, GPU2, 5001));
	assert_int_equal(k.fault_count, FACTS_FAULTS_MAX);
	assert_int_equal(k.fault[0].number, 79);
	assert_string_equal(k.fault[1].device, "0000:01:00.0");
	assert_int_equal(k.fault[FACTS_FAULTS_MAX - 1].number, 95);
}

static void dead_gpus(void **state)
{
	struct fault f = xid(-1, "0000:5d:00.0", 3);

	(void)state;
	merge(79, GPU1, 1);
	merge(48, GPU2, 2);
	f.kind = FAULT_OFFBUS;
	faults_merge(&k, &f, xids);
	assert_true(faults_gpu_dead(&k, xids, GPU1));
	assert_true(faults_gpu_dead(&k, xids, "0000:1B:00.0"));
	assert_false(faults_gpu_dead(&k, xids, GPU2));
	assert_true(faults_gpu_dead(&k, xids, "0000:5d:00.0"));
	assert_false(faults_gpu_dead(&k, xids, ""));
	assert_false(faults_gpu_dead(&k, xids, "0000:1b:00"
						"1.0"));
}

static void the_document_keeps_everything(void **state)
{
	json_t *doc;
	struct fault f = xid(149, GPU1, 7);

	(void)state;
	f.subcode = 17;
	f.fatal = true;
	f.pid = 4711;
	f.seen_s = 99;
	strcpy(f.mig, "GPU-I:05");
	strcpy(f.comm, "python3");
	strcpy(f.text, "NETIR \"x\"");
	faults_merge(&k, &f, xids);
	merge(79, GPU2, 8);
	strcpy(k.boot_id, "b-1");
	k.next_seq = 9;
	k.gap_noted = true;
	doc = faults_save(&k);
	assert_non_null(doc);
	memset(&k2, 0, sizeof(k2));
	faults_load(&k2, doc);
	json_decref(doc);
	assert_memory_equal(&k, &k2, sizeof(k));
}

static void the_largest_document_stays_small(void **state)
{
	char *text;
	json_t *doc;
	int i;

	(void)state;
	for (i = 0; i < FACTS_FAULTS_MAX; i++) {
		k.fault[i] = xid(13, GPU1, (uint64_t)i);
		memset(k.fault[i].text, 'x', sizeof(k.fault[i].text) - 1);
		k.fault[i].pid_count = FACTS_FAULT_PIDS;
	}
	k.fault_count = FACTS_FAULTS_MAX;
	doc = faults_save(&k);
	text = json_dumps(doc, JSON_COMPACT);
	assert_true(strlen(text) < 64 * 1024);
	free(text);
	json_decref(doc);
}

static void broken(const char *text, int count)
{
	json_t *doc = json_loads(text, JSON_DECODE_ANY, NULL);

	memset(&k, 0, sizeof(k));
	faults_load(&k, doc);
	json_decref(doc);
	assert_int_equal(k.fault_count, count);
}

static void broken_documents_lose_only_what_is_broken(void **state)
{
	(void)state;
	broken("", 0);
	broken("[1,2]", 0);
	broken("{\"boot_id\":7,\"next_seq\":-1,\"faults\":{}}", 0);
	assert_string_equal(k.boot_id, "");
	assert_int_equal(k.next_seq, 0);
	broken("{\"faults\":[7,null,{},{\"kind\":\"new\",\"seq\":1},"
	       "{\"kind\":\"xid\"},{\"kind\":\"xid\",\"seq\":1.5},"
	       "{\"kind\":\"xid\",\"seq\":5,\"number\":79,"
	       "\"device\":\"a\\nb\",\"pids\":[-1,\"x\",3],\"extra\":1}]}", 1);
	assert_int_equal(k.fault[0].number, 79);
	assert_string_equal(k.fault[0].device, "a b");
	assert_int_equal(k.fault[0].count, 1);
}

static void acknowledged_faults_are_closed_until_news(void **state)
{
	json_t *doc, *after;
	int closed;

	(void)state;
	merge(79, GPU1, 1);
	merge(48, GPU1, 2);
	merge(48, GPU2, 3);
	doc = faults_save(&k);
	after = faults_ack(doc, "0000:1B:00.0", 48, &closed);
	assert_int_equal(closed, 1);
	faults_load(&k, after);
	assert_int_equal(k.fault_count, 2);
	assert_true(merge(48, GPU1, 4));
	assert_int_equal(k.fault[2].count, 1);
	json_decref(after);
	after = faults_ack(doc, "", -1, &closed);
	assert_int_equal(closed, 3);
	json_decref(after);
	json_decref(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(storms_are_one_entry, empty),
		cmocka_unit_test_setup(an_old_record_is_no_news, empty),
		cmocka_unit_test_setup(processes_are_counted_once_and_for_a_day,
				       empty),
		cmocka_unit_test_setup(the_driver_closes_what_it_recovered,
				       empty),
		cmocka_unit_test_setup(recovery_action_follows_the_newest,
				       empty),
		cmocka_unit_test_setup(every_kind_has_a_class, empty),
		cmocka_unit_test_setup(a_full_table_keeps_the_severe, empty),
		cmocka_unit_test_setup(dead_gpus, empty),
		cmocka_unit_test_setup(the_document_keeps_everything, empty),
		cmocka_unit_test_setup(the_largest_document_stays_small, empty),
		cmocka_unit_test_setup(
			broken_documents_lose_only_what_is_broken, empty),
		cmocka_unit_test_setup(
			acknowledged_faults_are_closed_until_news, empty),
	};

	return cmocka_run_group_tests_name("faults", tests, load, unload);
}
