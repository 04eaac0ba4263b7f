/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/gpus.h"

extern const struct check check_gpu_pcie;

static void healthy_is_silent(void **state)
{
	(void)state;
	gpus_passes_healthy(&check_gpu_pcie);
}

static void unknown_is_a_skip(void **state)
{
	(void)state;
	gpus_skips_unknown(&check_gpu_pcie);
}

static void set_width(struct gpus *s, int i, int w)
{
	s->facts.gpus.gpu[i].pcie_width = known(w);
	s->facts.gpus.gpu[i].pci_width = (uint16_t)w;
}

static void one_at_half_width_fails(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	set_width(s, 6, 8);
	assert_int_equal(gpus_run(s, &check_gpu_pcie), STATUS_FAIL);
	assert_only(s, "gpu_pcie.width", "GPU6");
	assert_string_equal(s->r.finding[0].text, "x8<x16 lanes");
	assert_string_equal(s->r.finding[0].evidence, BOOT ":width=8");
	assert_int_equal(s->r.finding[0].remedy, REMEDY_SERVICE);
	set_width(s, 2, 4);
	set_width(s, 3, 1);
	assert_int_equal(gpus_run(s, &check_gpu_pcie), STATUS_FAIL);
	assert_int_equal(s->r.count, 3);
	gpus_free(s);
}

static void half_or_all_of_them_is_a_board(void **state)
{
	struct gpus *s = gpus_healthy(8);
	int i;

	(void)state;
	for (i = 0; i < 4; i++)
		set_width(s, i, 8);
	assert_int_equal(gpus_run(s, &check_gpu_pcie), STATUS_WARN);
	assert_int_equal(s->r.count, 4);
	for (i = 0; i < 8; i++)
		set_width(s, i, 8);
	assert_int_equal(gpus_run(s, &check_gpu_pcie), STATUS_WARN);
	assert_string_equal(s->r.finding[0].code, "gpu_pcie.board");
	gpus_free(s);
	/* A lone GPU has nothing to be compared with. */
	s = gpus_healthy(1);
	set_width(s, 0, 8);
	assert_int_equal(gpus_run(s, &check_gpu_pcie), STATUS_WARN);
	gpus_free(s);
	s = gpus_healthy(2);
	set_width(s, 1, 8);
	assert_int_equal(gpus_run(s, &check_gpu_pcie), STATUS_WARN);
	gpus_free(s);
}

static void a_narrow_slot_is_no_fault(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	set_width(s, 7, 8);
	s->facts.gpus.gpu[7].pcie_width_max = known(8);
	assert_int_equal(gpus_run(s, &check_gpu_pcie), STATUS_PASS);
	s->facts.gpus.gpu[7].pcie_width_max = known(16);
	s->facts.gpus.gpu[7].pci_parent_width_max = 8;
	assert_int_equal(gpus_run(s, &check_gpu_pcie), STATUS_PASS);
	/* No idea what it can: no verdict. */
	s->facts.gpus.gpu[7].pcie_width_max = unknown(3);
	s->facts.gpus.gpu[7].pci_width_max = 0;
	s->facts.gpus.gpu[7].pci_parent_width_max = 0;
	assert_int_equal(gpus_run(s, &check_gpu_pcie), STATUS_PASS);
	gpus_free(s);
}

static void sysfs_serves_without_nvml(void **state)
{
	struct gpus *s = gpus_healthy(8);
	int i;

	(void)state;
	for (i = 0; i < 8; i++) {
		gpu_all_unknown(&s->facts.gpus.gpu[i], VAL_UNASKED);
		s->facts.gpus.gpu[i].answered = false;
	}
	assert_int_equal(gpus_run(s, &check_gpu_pcie), STATUS_PASS);
	s->facts.gpus.gpu[1].pci_width = 4;
	assert_int_equal(gpus_run(s, &check_gpu_pcie), STATUS_FAIL);
	assert_only(s, "gpu_pcie.width", "GPU1");
	/* Off the bus it shows 63 lanes; the kernel log tells that. */
	s->facts.gpus.gpu[1].pci_width = 63;
	assert_int_equal(gpus_run(s, &check_gpu_pcie), STATUS_PASS);
	gpus_free(s);
}

static void idle_generations_do_not_matter(void **state)
{
	struct gpus *s = gpus_healthy(8);
	int i;

	(void)state;
	for (i = 0; i < 8; i++)
		s->facts.gpus.gpu[i].pcie_gen = known(1 + i % 5);
	assert_int_equal(gpus_run(s, &check_gpu_pcie), STATUS_PASS);
	gpus_free(s);
}

static void a_slot_of_an_older_generation_warns(void **state)
{
	struct gpus *s = gpus_healthy(8);
	int i;

	(void)state;
	s->facts.gpus.gpu[3].pcie_gen_max = known(3);
	assert_int_equal(gpus_run(s, &check_gpu_pcie), STATUS_WARN);
	assert_only(s, "gpu_pcie.generation", "GPU3");
	for (i = 0; i < 8; i++)
		s->facts.gpus.gpu[i].pcie_gen_max = known(3);
	assert_int_equal(gpus_run(s, &check_gpu_pcie), STATUS_PASS);
	gpus_free(s);
}

static void c2c_parts_have_no_link_to_judge(void **state)
{
	struct gpus *s = gpus_healthy(4);
	int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		set_width(s, i, 1);
		s->facts.gpus.gpu[i].pcie_width_max = known(1);
		s->facts.gpus.gpu[i].pcie_gen_max = known(1);
		s->facts.gpus.gpu[i].pcie_replay = unknown(3);
	}
	assert_int_equal(gpus_run(s, &check_gpu_pcie), STATUS_SKIP);
	gpus_free(s);
}

static void other_models_are_not_compared(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	set_width(s, 0, 8);
	s->facts.gpus.gpu[0].pci_id = 0x20b510de;
	assert_int_equal(gpus_run(s, &check_gpu_pcie), STATUS_WARN);
	assert_only(s, "gpu_pcie.board", "GPU0");
	gpus_free(s);
}

static void replays_count_since_the_last_run(void **state)
{
	struct gpus *s = gpus_healthy(8);
	struct val *replay = &s->facts.gpus.gpu[3].pcie_replay;

	(void)state;
	*replay = known(5000000);
	assert_int_equal(gpus_run(s, &check_gpu_pcie), STATUS_PASS);
	*replay = known(5000099);
	assert_int_equal(gpus_run_next(s, &check_gpu_pcie, 300), STATUS_PASS);
	*replay = known(5000300);
	assert_int_equal(gpus_run_next(s, &check_gpu_pcie, 300), STATUS_WARN);
	assert_only(s, "gpu_pcie.replay", "GPU3");
	assert_true(s->r.finding[0].value == 201);
	/* Reset: what it shows came since. */
	*replay = known(150);
	assert_int_equal(gpus_run_next(s, &check_gpu_pcie, 300), STATUS_WARN);
	assert_true(s->r.finding[0].value == 150);
	/* At the end of its range it says nothing. */
	*replay = known(UINT32_MAX);
	assert_int_equal(gpus_run_next(s, &check_gpu_pcie, 300), STATUS_PASS);
	/* Another boot starts anew. */
	s->facts.kmsg.boot_id[0] = 'f';
	*replay = known(9000000);
	assert_int_equal(gpus_run_next(s, &check_gpu_pcie, 300), STATUS_PASS);
	gpus_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_is_silent),
		cmocka_unit_test(unknown_is_a_skip),
		cmocka_unit_test(one_at_half_width_fails),
		cmocka_unit_test(half_or_all_of_them_is_a_board),
		cmocka_unit_test(a_narrow_slot_is_no_fault),
		cmocka_unit_test(sysfs_serves_without_nvml),
		cmocka_unit_test(idle_generations_do_not_matter),
		cmocka_unit_test(a_slot_of_an_older_generation_warns),
		cmocka_unit_test(c2c_parts_have_no_link_to_judge),
		cmocka_unit_test(other_models_are_not_compared),
		cmocka_unit_test(replays_count_since_the_last_run),
	};

	return cmocka_run_group_tests_name("gpu_pcie", tests, NULL, NULL);
}
