/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/gpus.h"

extern const struct check check_gpu_ecc;

static void healthy_is_silent(void **state)
{
	(void)state;
	gpus_passes_healthy(&check_gpu_ecc);
}

static void unknown_is_a_skip(void **state)
{
	(void)state;
	gpus_skips_unknown(&check_gpu_ecc);
}

static void sram_threshold_fails(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	s->facts.gpus.gpu[2].sram_threshold = known(1);
	s->facts.gpus.gpu[2].sram_unc_parity = known(7);
	assert_int_equal(gpus_run(s, &check_gpu_ecc), STATUS_FAIL);
	assert_only(s, "gpu_ecc.sram", "GPU2");
	assert_int_equal(s->r.finding[0].remedy, REMEDY_SERVICE);
	assert_string_equal(s->r.finding[0].evidence, "sram=7");
	assert_int_equal((&check_gpu_ecc)->def, ACTION_DRAIN_AFTER);
	gpus_free(s);
}

static void counts_inform(void **state)
{
	struct gpus *s = gpus_healthy(8);
	struct gpu *g = &s->facts.gpus.gpu[5];

	(void)state;
	g->ecc_corr_volatile = known(20000000);
	g->ecc_corr_aggregate = known(INT64_MAX);
	g->ecc_unc_aggregate = known(900);
	g->sram_unc_secded = known(4);
	g->sram_corr = known(100000);
	assert_int_equal(gpus_run(s, &check_gpu_ecc), STATUS_PASS);
	g->ecc_unc_volatile = known(3);
	assert_int_equal(gpus_run(s, &check_gpu_ecc), STATUS_WARN);
	assert_only(s, "gpu_ecc.uncorrectable", "GPU5");
	gpus_free(s);
}

static void ecc_off_on_one_of_several(void **state)
{
	struct gpus *s = gpus_healthy(8);
	int i;

	(void)state;
	s->facts.gpus.gpu[1].ecc_mode = known(0);
	assert_int_equal(gpus_run(s, &check_gpu_ecc), STATUS_WARN);
	assert_only(s, "gpu_ecc.disabled", "GPU1");
	/* Another model: not a sibling. */
	s->facts.gpus.gpu[1].pci_id = 0x26b910de;
	assert_int_equal(gpus_run(s, &check_gpu_ecc), STATUS_PASS);
	/* Off everywhere: the site wanted it. */
	for (i = 0; i < 8; i++)
		s->facts.gpus.gpu[i].ecc_mode = known(0);
	assert_int_equal(gpus_run(s, &check_gpu_ecc), STATUS_PASS);
	gpus_free(s);
}

static void sram_state_needs_root(void **state)
{
	struct gpus *s = gpus_healthy(2);

	(void)state;
	s->facts.gpus.gpu[0].sram_threshold = unknown(4);
	s->facts.gpus.gpu[1].sram_threshold = unknown(4);
	assert_int_equal(gpus_run(s, &check_gpu_ecc), STATUS_ERROR);
	assert_int_equal(s->r.count, 1);
	gpus_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_is_silent),
		cmocka_unit_test(unknown_is_a_skip),
		cmocka_unit_test(sram_threshold_fails),
		cmocka_unit_test(counts_inform),
		cmocka_unit_test(ecc_off_on_one_of_several),
		cmocka_unit_test(sram_state_needs_root),
	};

	return cmocka_run_group_tests_name("gpu_ecc", tests, NULL, NULL);
}
