/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/kmsg_faults.h"

extern const struct check check_kmsg_xid;

static const struct cfg_key keys[] = {
	{ .name = "repeat_pids", .type = CFG_INT, .def = "3", .max = 8 },
	{ .name = NULL },
};

static const struct cfg_section kmsg_sections[] = {
	{ .name = "check kmsg_xid", .keys = keys },
	{ .name = NULL },
};

#define GPU0 "0000:1b:00.0"
#define GPU2 "0000:1d:00.0"

static enum status run(struct gpus *s)
{
	return gpus_run(s, &check_kmsg_xid);
}

static void a_quiet_log_passes(void **state)
{
	struct gpus *s = kmsg_healthy();

	(void)state;
	assert_int_equal(run(s), STATUS_PASS);
	assert_int_equal(s->r.count, 0);
	assert_string_equal(s->r.note, "");
	s->facts.kmsg.gap = true;
	assert_int_equal(run(s), STATUS_PASS);
	assert_string_equal(s->r.note, "records of the kernel log were lost");
	gpus_free(s);
}

static void off_the_bus_asks_for_a_reboot(void **state)
{
	struct gpus *s = kmsg_healthy();
	struct finding *f;

	(void)state;
	kmsg_fault(s, FAULT_XID, 79, GPU2);
	assert_int_equal(run(s), STATUS_FAIL);
	assert_only(s, "kmsg_xid.79", "GPU2");
	f = &s->r.finding[0];
	assert_string_equal(f->text, "XID 79 GPU has fallen off the bus");
	assert_int_equal(f->remedy, REMEDY_REBOOT);
	assert_string_equal(f->evidence, BOOT ":1001");
	assert_int_equal(f->gpu, 2);
	assert_false(f->everybodys);
	assert_int_equal(f->at_most, ACTION_DRAIN);
	gpus_free(s);
}

static void a_gpu_that_cannot_be_mapped_is_everybodys(void **state)
{
	struct gpus *s = kmsg_healthy();

	(void)state;
	kmsg_fault(s, FAULT_XID, 79, "0000:c1:00.0");
	assert_int_equal(run(s), STATUS_FAIL);
	assert_only(s, "kmsg_xid.79", "00000000:C1:00.0");
	assert_true(s->r.finding[0].everybodys);
	assert_int_equal(s->r.finding[0].gpu, -1);
	s->facts.kmsg.fault[0].device[0] = '\0';
	s->facts.gpus.count = 0;
	assert_int_equal(run(s), STATUS_FAIL);
	assert_only(s, "kmsg_xid.79", "node");
	gpus_free(s);
}

static void recovery_zero_overrules_a_reset_only(void **state)
{
	struct gpus *s = kmsg_healthy();
	struct gpu *g = &s->facts.gpus.gpu[0];

	(void)state;
	kmsg_fault(s, FAULT_XID, 48, GPU0);
	g->recovery = unknown(3);
	assert_int_equal(run(s), STATUS_FAIL);
	assert_int_equal(s->r.finding[0].remedy, REMEDY_RESET_GPU);
	g->recovery = unknown(VAL_UNASKED);
	assert_int_equal(run(s), STATUS_FAIL);
	g->recovery = known(1);
	assert_int_equal(run(s), STATUS_FAIL);
	g->recovery = known(0);
	assert_int_equal(run(s), STATUS_WARN);
	assert_only(s, "kmsg_xid.48", "GPU0");
	assert_string_equal(s->r.finding[0].text,
			    "XID 48 double-bit ECC error, driver asks for no reset");
	assert_int_equal(s->r.finding[0].remedy, REMEDY_NONE);
	s->facts.kmsg.fault[0].number = 79;
	assert_int_equal(run(s), STATUS_FAIL);
	s->facts.kmsg.fault[0].number = 54;
	assert_int_equal(run(s), STATUS_FAIL);
	assert_int_equal(s->r.finding[0].remedy, REMEDY_SERVICE);
	gpus_free(s);
}

static void application_faults_are_the_jobs(void **state)
{
	static const int numbers[] = { 13, 31, 43, 45, 63, 94, 137 };
	struct gpus *s = kmsg_healthy();
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		kmsg_fault(s, FAULT_XID, numbers[i], GPU0)->count = 1000;
	assert_int_equal(run(s), STATUS_PASS);
	assert_int_equal(s->r.count, 0);
	gpus_free(s);
}

static void several_processes_on_one_gpu_warn(void **state)
{
	struct gpus *s = kmsg_healthy();
	struct fault *f = kmsg_fault(s, FAULT_XID, 31, GPU2);

	(void)state;
	f->pid_count = 2;
	assert_int_equal(run(s), STATUS_PASS);
	f->pid_count = 3;
	assert_int_equal(run(s), STATUS_WARN);
	assert_only(s, "kmsg_xid.31", "GPU2");
	assert_string_equal(s->r.finding[0].text,
			    "XID 31 from 3 processes: MMU page fault");
	/* Two days later it is history. */
	s->facts.kmsg.uptime_s = f->usec / 1000000 + 2 * 86400;
	assert_int_equal(run(s), STATUS_PASS);
	gpus_free(s);
}

static void warnings_warn(void **state)
{
	struct gpus *s = kmsg_healthy();

	(void)state;
	kmsg_fault(s, FAULT_XID, 92, GPU0);
	kmsg_fault(s, FAULT_XID, 9999, GPU2);
	assert_int_equal(run(s), STATUS_WARN);
	assert_int_equal(s->r.count, 2);
	assert_int_equal(s->r.finding[0].remedy, REMEDY_NONE);
	gpus_free(s);
}

static void the_cause_comes_before_the_conclusion(void **state)
{
	struct gpus *s = kmsg_healthy();

	(void)state;
	kmsg_fault(s, FAULT_XID, 92, GPU0);
	kmsg_fault(s, FAULT_XID, 154, GPU2)->recovery_to = 2;
	kmsg_fault(s, FAULT_XID, 95, GPU0);
	kmsg_fault(s, FAULT_XID, 79, GPU2);
	s->facts.gpus.gpu[0].recovery = known(1);
	assert_int_equal(run(s), STATUS_FAIL);
	assert_int_equal(s->r.count, 4);
	assert_string_equal(s->r.finding[0].code, "kmsg_xid.79");
	assert_string_equal(s->r.finding[1].text,
			    "XID 154 driver asks for node reboot");
	assert_string_equal(s->r.finding[2].code, "kmsg_xid.95");
	assert_string_equal(s->r.finding[3].code, "kmsg_xid.92");
	gpus_free(s);
}

static void a_follower_counts_as_its_cause(void **state)
{
	struct gpus *s = kmsg_healthy();
	struct fault *f = kmsg_fault(s, FAULT_XID, 45, GPU0);

	(void)state;
	f->previous = 13;
	assert_int_equal(run(s), STATUS_PASS);
	f->previous = 95;
	s->facts.gpus.gpu[0].recovery = known(1);
	assert_int_equal(run(s), STATUS_FAIL);
	assert_string_equal(s->r.finding[0].text,
			    "XID 45 after 95: uncontained memory error");
	gpus_free(s);
}

static void nvlink_by_severity(void **state)
{
	struct gpus *s = kmsg_healthy();
	struct fault *f = kmsg_fault(s, FAULT_XID, 149, GPU0);

	(void)state;
	s->facts.gpus.gpu[0].recovery = known(4);
	assert_int_equal(run(s), STATUS_PASS);
	f->fatal = true;
	f->subcode = 4;
	assert_int_equal(run(s), STATUS_FAIL);
	assert_string_equal(s->r.finding[0].text,
			    "XID 149.4 NVLink NETIR fatal error");
	f->subcode = 38;
	assert_int_equal(run(s), STATUS_WARN);
	gpus_free(s);
}

static void other_kinds_are_not_its_matter(void **state)
{
	struct gpus *s = kmsg_healthy();

	(void)state;
	kmsg_fault(s, FAULT_OFFBUS, -1, GPU0);
	kmsg_fault(s, FAULT_SXID, 20034, "0000:05:00.0")->fatal = true;
	kmsg_fault(s, FAULT_MCE, -1, "")->fatal = true;
	assert_int_equal(run(s), STATUS_PASS);
	gpus_free(s);
}

/* The longest reason still fits: "assay:kmsg_xid GPU31 ... [reset_gpu] job
 * 4294967295 +9" leaves 75 bytes for the text. */
static void texts_are_short(void **state)
{
	struct gpus *s = kmsg_healthy();
	int number;

	(void)state;
	for (number = 1; number < 200; number++) {
		s->facts.kmsg.fault_count = 0;
		kmsg_fault(s, FAULT_XID, number, GPU0)->fatal = true;
		run(s);
		if (s->r.count)
			assert_true(strlen(s->r.finding[0].text) <= 75);
	}
	gpus_free(s);
}

static void an_unread_log_is_no_pass(void **state)
{
	(void)state;
	kmsg_unread(&check_kmsg_xid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quiet_log_passes),
		cmocka_unit_test(off_the_bus_asks_for_a_reboot),
		cmocka_unit_test(a_gpu_that_cannot_be_mapped_is_everybodys),
		cmocka_unit_test(recovery_zero_overrules_a_reset_only),
		cmocka_unit_test(application_faults_are_the_jobs),
		cmocka_unit_test(several_processes_on_one_gpu_warn),
		cmocka_unit_test(warnings_warn),
		cmocka_unit_test(the_cause_comes_before_the_conclusion),
		cmocka_unit_test(a_follower_counts_as_its_cause),
		cmocka_unit_test(nvlink_by_severity),
		cmocka_unit_test(other_kinds_are_not_its_matter),
		cmocka_unit_test(texts_are_short),
		cmocka_unit_test(an_unread_log_is_no_pass),
	};

	return cmocka_run_group_tests_name("kmsg_xid", tests, kmsg_setup,
					   kmsg_teardown);
}
