/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/gpus.h"

extern const struct check check_gpu_count;

static void as_many_as_configured(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	gpus_config(s, "[check gpu_count]\nexpected = 8\n");
	assert_int_equal(gpus_run(s, &check_gpu_count), STATUS_PASS);
	gpus_free(s);
}

static void short_of_the_configured_fails_and_names_it(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	gpus_config(s, "[check gpu_count]\nexpected = 8\n");
	s->facts.gpus.nvml_count = 7;
	s->facts.gpus.gpu[7].in_nvml = false;
	assert_int_equal(gpus_run(s, &check_gpu_count), STATUS_FAIL);
	assert_only(s, "gpu_count.short", "node");
	assert_string_equal(s->r.finding[0].text,
			    "NVML has 7<8 GPUs, 00000000:22:00.0 missing");
	assert_true(s->r.finding[0].value == 7);
	assert_true(s->r.finding[0].limit == 8);
	assert_true(s->r.finding[0].everybodys);
	gpus_free(s);
}

static void what_slurm_keeps_from_a_job_is_there(void **state)
{
	struct gpus *s = gpus_healthy(8);
	int i;

	(void)state;
	gpus_config(s, "[check gpu_count]\nexpected = 8\n");
	s->facts.gpus.nvml_count = 2;
	for (i = 2; i < 8; i++) {
		s->facts.gpus.gpu[i].in_nvml = false;
		s->facts.gpus.gpu[i].fenced = true;
	}
	assert_int_equal(gpus_run(s, &check_gpu_count), STATUS_PASS);
	/* One that is not fenced off is missing. */
	s->facts.gpus.gpu[5].fenced = false;
	assert_int_equal(gpus_run(s, &check_gpu_count), STATUS_FAIL);
	assert_string_equal(s->r.finding[0].text,
			    "NVML has 7<8 GPUs, 00000000:20:00.0 missing");
	gpus_free(s);
}

static void gone_from_the_bus_as_well(void **state)
{
	struct gpus *s = gpus_healthy(7);

	(void)state;
	gpus_config(s, "[check gpu_count]\nexpected = 8\n");
	assert_int_equal(gpus_run(s, &check_gpu_count), STATUS_FAIL);
	assert_string_equal(s->r.finding[0].text, "NVML has 7<8 GPUs");
	/* Without NVML the bus counts, and it has all of them. */
	s->facts.gpus.nvml_count = -1;
	s->facts.gpus.proc_count = -1;
	s->facts.gpus.pci_count = 8;
	assert_int_equal(gpus_run(s, &check_gpu_count), STATUS_PASS);
	s->facts.gpus.pci_count = 6;
	assert_int_equal(gpus_run(s, &check_gpu_count), STATUS_FAIL);
	assert_string_equal(s->r.finding[0].text, "PCI has 6<8 GPUs");
	gpus_free(s);
}

static void more_than_configured_is_a_matter_of_config(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	gpus_config(s, "[check gpu_count]\nexpected = 4\n");
	assert_int_equal(gpus_run(s, &check_gpu_count), STATUS_WARN);
	assert_only(s, "gpu_count.more", "node");
	assert_int_equal(s->r.finding[0].remedy, REMEDY_CONFIG);
	gpus_free(s);
}

static void without_config_a_disagreement_warns(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	assert_int_equal(gpus_run(s, &check_gpu_count), STATUS_PASS);
	s->facts.gpus.nvml_count = 7;
	s->facts.gpus.gpu[2].in_nvml = false;
	assert_int_equal(gpus_run(s, &check_gpu_count), STATUS_WARN);
	assert_only(s, "gpu_count.differ", "node");
	assert_non_null(strstr(s->r.finding[0].text, "00000000:1D:00.0"));
	gpus_free(s);
}

static void fewer_than_the_job_holds_warns_but_not_under_mig(void **state)
{
	struct gpus *s = gpus_healthy(4);

	(void)state;
	s->env.job_gpus = 4;
	assert_int_equal(gpus_run(s, &check_gpu_count), STATUS_PASS);
	s->env.job_gpus = 5;
	assert_int_equal(gpus_run(s, &check_gpu_count), STATUS_WARN);
	assert_only(s, "gpu_count.job", "node");
	s->facts.gpus.gpu[0].mig_mode = known(1);
	s->env.job_gpus = 28;
	assert_int_equal(gpus_run(s, &check_gpu_count), STATUS_PASS);
	gpus_free(s);
}

static void nobody_could_count(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	gpus_config(s, "[check gpu_count]\nexpected = 8\n");
	s->facts.gpus.nvml_count = s->facts.gpus.proc_count = -1;
	s->facts.gpus.pci_count = -1;
	assert_int_equal(gpus_run(s, &check_gpu_count), STATUS_SKIP);
	s->env.job_has_gpus = false;
	s->facts.gpus.nvml_count = 1;
	assert_int_equal(gpus_run(s, &check_gpu_count), STATUS_SKIP);
	gpus_free(s);
}

/* A worker that died leaves zeros behind: they are no count. */
static void an_unfinished_count_is_a_skip(void **state)
{
	static const enum gather_end ends[] = { GATHER_NONE, GATHER_ERROR,
						GATHER_CRASHED, GATHER_TIMEOUT };
	struct gpus *s = gpus_healthy(0);
	size_t i;

	(void)state;
	s->env.job_has_gpus = true;
	gpus_config(s, "[check gpu_count]\nexpected = 8\n");
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		memset(&s->facts.gpus, 0, sizeof(s->facts.gpus));
		s->facts.gpus.gather.end = ends[i];
		assert_int_equal(gpus_run(s, &check_gpu_count), STATUS_SKIP);
	}
	gpus_free(s);
}

static void a_node_without_gpus_is_a_skip(void **state)
{
	struct gpus *s = gpus_healthy(0);

	(void)state;
	s->env.job_has_gpus = true;
	assert_int_equal(gpus_run(s, &check_gpu_count), STATUS_SKIP);
	gpus_config(s, "[check gpu_count]\nexpected = 1\n");
	assert_int_equal(gpus_run(s, &check_gpu_count), STATUS_FAIL);
	gpus_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_many_as_configured),
		cmocka_unit_test(short_of_the_configured_fails_and_names_it),
		cmocka_unit_test(what_slurm_keeps_from_a_job_is_there),
		cmocka_unit_test(gone_from_the_bus_as_well),
		cmocka_unit_test(more_than_configured_is_a_matter_of_config),
		cmocka_unit_test(without_config_a_disagreement_warns),
		cmocka_unit_test(fewer_than_the_job_holds_warns_but_not_under_mig),
		cmocka_unit_test(nobody_could_count),
		cmocka_unit_test(an_unfinished_count_is_a_skip),
		cmocka_unit_test(a_node_without_gpus_is_a_skip),
	};

	return cmocka_run_group_tests_name("gpu_count", tests, NULL, NULL);
}
