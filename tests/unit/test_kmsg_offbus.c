/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/kmsg_faults.h"

extern const struct check check_kmsg_offbus;

static const struct cfg_section kmsg_sections[] = { { .name = NULL } };

#define GPU2 "0000:1d:00.0"

static enum status run(struct gpus *s)
{
	return gpus_run(s, &check_kmsg_offbus);
}

static void a_quiet_log_passes(void **state)
{
	struct gpus *s = kmsg_healthy();

	(void)state;
	kmsg_fault(s, FAULT_XID, 48, GPU2);
	assert_int_equal(run(s), STATUS_PASS);
	gpus_free(s);
}

static void a_lost_gpu_is_named(void **state)
{
	struct gpus *s = kmsg_healthy();

	(void)state;
	kmsg_fault(s, FAULT_OFFBUS, -1, GPU2)->fatal = true;
	/* No word of the driver's overrules it. */
	s->facts.gpus.gpu[2].recovery = known(0);
	assert_int_equal(run(s), STATUS_FAIL);
	assert_only(s, "kmsg_offbus.lost", "GPU2");
	assert_int_equal(s->r.finding[0].remedy, REMEDY_REBOOT);
	assert_int_equal(s->r.finding[0].gpu, 2);
	assert_string_equal(s->r.finding[0].evidence, BOOT ":1001");
	gpus_free(s);
}

static void without_an_address_it_is_everybodys(void **state)
{
	struct gpus *s = kmsg_healthy();

	(void)state;
	kmsg_fault(s, FAULT_OFFBUS, -1, "");
	assert_int_equal(run(s), STATUS_FAIL);
	assert_only(s, "kmsg_offbus.lost", "node");
	assert_true(s->r.finding[0].everybodys);
	gpus_free(s);
}

static void what_has_a_number_is_told_once(void **state)
{
	struct gpus *s = kmsg_healthy();

	(void)state;
	kmsg_fault(s, FAULT_XID, 79, GPU2);
	kmsg_fault(s, FAULT_OFFBUS, -1, GPU2);
	kmsg_fault(s, FAULT_OFFBUS, -1, "");
	assert_int_equal(run(s), STATUS_PASS);
	kmsg_fault(s, FAULT_OFFBUS, -1, "0000:1e:00.0");
	assert_int_equal(run(s), STATUS_FAIL);
	assert_only(s, "kmsg_offbus.lost", "GPU3");
	gpus_free(s);
}

static void an_unread_log_is_no_pass(void **state)
{
	(void)state;
	kmsg_unread(&check_kmsg_offbus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quiet_log_passes),
		cmocka_unit_test(a_lost_gpu_is_named),
		cmocka_unit_test(without_an_address_it_is_everybodys),
		cmocka_unit_test(what_has_a_number_is_told_once),
		cmocka_unit_test(an_unread_log_is_no_pass),
	};

	return cmocka_run_group_tests_name("kmsg_offbus", tests, kmsg_setup,
					   kmsg_teardown);
}
