/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/kmsg_faults.h"

extern const struct check check_kmsg_sxid;

static const struct cfg_section kmsg_sections[] = { { .name = NULL } };

#define SWITCH "0000:05:00.0"

static enum status run(struct gpus *s)
{
	return gpus_run(s, &check_kmsg_sxid);
}

static void a_quiet_log_passes(void **state)
{
	struct gpus *s = kmsg_healthy();

	(void)state;
	kmsg_fault(s, FAULT_XID, 79, "0000:1b:00.0");
	assert_int_equal(run(s), STATUS_PASS);
	gpus_free(s);
}

static void a_fatal_one_names_switch_and_link(void **state)
{
	struct gpus *s = kmsg_healthy();
	struct fault *f = kmsg_fault(s, FAULT_SXID, 20034, SWITCH);

	(void)state;
	f->fatal = true;
	strcpy(f->text, "Link 48 LTSSM Fault Up");
	assert_int_equal(run(s), STATUS_FAIL);
	assert_only(s, "kmsg_sxid.20034", "00000000:05:00.0");
	assert_string_equal(s->r.finding[0].text,
			    "SXid 20034 fatal link 48 LTSSM fault up");
	assert_int_equal(s->r.finding[0].remedy, REMEDY_REBOOT);
	assert_true(s->r.finding[0].everybodys);
	assert_string_equal(s->r.finding[0].evidence, BOOT ":1001");
	gpus_free(s);
}

static void the_word_decides_for_unknown_numbers(void **state)
{
	struct gpus *s = kmsg_healthy();
	struct fault *f = kmsg_fault(s, FAULT_SXID, 31999, SWITCH);

	(void)state;
	strcpy(f->text, "Link 3 something new");
	assert_int_equal(run(s), STATUS_PASS);
	f->fatal = true;
	assert_int_equal(run(s), STATUS_FAIL);
	assert_int_equal(s->r.finding[0].remedy, REMEDY_RESET_GPU);
	gpus_free(s);
}

static void corrected_and_disputed_do_not_fail(void **state)
{
	struct gpus *s = kmsg_healthy();

	(void)state;
	kmsg_fault(s, FAULT_SXID, 11012, SWITCH)->count = 9999;
	kmsg_fault(s, FAULT_SXID, 20001, SWITCH);
	kmsg_fault(s, FAULT_SXID, 24007, SWITCH);
	assert_int_equal(run(s), STATUS_PASS);
	kmsg_fault(s, FAULT_SXID, 12028, SWITCH)->fatal = true;
	assert_int_equal(run(s), STATUS_WARN);
	gpus_free(s);
}

static void an_unread_log_is_no_pass(void **state)
{
	(void)state;
	kmsg_unread(&check_kmsg_sxid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quiet_log_passes),
		cmocka_unit_test(a_fatal_one_names_switch_and_link),
		cmocka_unit_test(the_word_decides_for_unknown_numbers),
		cmocka_unit_test(corrected_and_disputed_do_not_fail),
		cmocka_unit_test(an_unread_log_is_no_pass),
	};

	return cmocka_run_group_tests_name("kmsg_sxid", tests, kmsg_setup,
					   kmsg_teardown);
}
