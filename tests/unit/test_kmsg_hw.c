/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/kmsg_faults.h"

extern const struct check check_kmsg_hw;

static const struct cfg_section kmsg_sections[] = { { .name = NULL } };

static enum status run(struct gpus *s)
{
	return gpus_run(s, &check_kmsg_hw);
}

static void a_quiet_log_passes(void **state)
{
	struct gpus *s = kmsg_healthy();

	(void)state;
	kmsg_fault(s, FAULT_XID, 79, "0000:1b:00.0");
	assert_int_equal(run(s), STATUS_PASS);
	assert_int_equal(s->r.count, 0);
	gpus_free(s);
}

static void uncorrected_memory_names_the_dimm(void **state)
{
	struct gpus *s = kmsg_healthy();
	struct fault *f = kmsg_fault(s, FAULT_EDAC, -1, "mc0");

	(void)state;
	f->fatal = true;
	strcpy(f->text, "EDAC MC0: 1 UE memory read error on CPU0_DIMM_A1 "
			"(channel:0 slot:0 page:0x1)");
	assert_int_equal(run(s), STATUS_FAIL);
	assert_only(s, "kmsg_hw.edac", "node");
	assert_string_equal(s->r.finding[0].text,
			    "uncorrected memory error on CPU0_DIMM_A1");
	assert_int_equal(s->r.finding[0].remedy, REMEDY_SERVICE);
	assert_true(s->r.finding[0].everybodys);
	strcpy(f->text, "EDAC DEVICE0: UE: x");
	assert_int_equal(run(s), STATUS_FAIL);
	assert_string_equal(s->r.finding[0].text, "uncorrected memory error");
	gpus_free(s);
}

static void machine_checks(void **state)
{
	struct gpus *s = kmsg_healthy();
	struct fault *f = kmsg_fault(s, FAULT_MCE, -1, "");

	(void)state;
	assert_int_equal(run(s), STATUS_WARN);
	f->fatal = true;
	assert_int_equal(run(s), STATUS_FAIL);
	assert_only(s, "kmsg_hw.mce", "node");
	gpus_free(s);
}

static void pcie_errors_name_the_device(void **state)
{
	struct gpus *s = kmsg_healthy();
	struct fault *f = kmsg_fault(s, FAULT_AER, -1, "0000:81:00.0");

	(void)state;
	f->count = 12;
	assert_int_equal(run(s), STATUS_WARN);
	assert_only(s, "kmsg_hw.aer", "00000000:81:00.0");
	assert_string_equal(s->r.finding[0].text, "non-fatal PCIe errors (12)");
	s->facts.kmsg.uptime_s = f->usec / 1000000 + 2 * 86400;
	assert_int_equal(run(s), STATUS_PASS);
	f->fatal = true;
	assert_int_equal(run(s), STATUS_FAIL);
	assert_true(s->r.finding[0].everybodys);
	strcpy(f->device, "0000:1c:00.0");
	assert_int_equal(run(s), STATUS_FAIL);
	assert_only(s, "kmsg_hw.aer", "GPU1");
	gpus_free(s);
}

static void out_of_memory_is_a_note(void **state)
{
	struct gpus *s = kmsg_healthy();
	struct fault *f = kmsg_fault(s, FAULT_OOM, -1, "");

	(void)state;
	strcpy(f->comm, "python3");
	f->count = 2;
	assert_int_equal(run(s), STATUS_PASS);
	assert_int_equal(s->r.count, 0);
	assert_string_equal(s->r.note, "out of memory: the kernel killed "
				       "python3 (2 kills)");
	gpus_free(s);
}

static void an_unread_log_is_no_pass(void **state)
{
	(void)state;
	kmsg_unread(&check_kmsg_hw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quiet_log_passes),
		cmocka_unit_test(uncorrected_memory_names_the_dimm),
		cmocka_unit_test(machine_checks),
		cmocka_unit_test(pcie_errors_name_the_device),
		cmocka_unit_test(out_of_memory_is_a_note),
		cmocka_unit_test(an_unread_log_is_no_pass),
	};

	return cmocka_run_group_tests_name("kmsg_hw", tests, kmsg_setup,
					   kmsg_teardown);
}
