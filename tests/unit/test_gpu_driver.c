/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/gpus.h"

extern const struct check check_gpu_driver;

static void no_gpu_anywhere_is_a_skip(void **state)
{
	struct gpus *s = gpus_healthy(0);

	(void)state;
	s->env.job_has_gpus = true;
	assert_int_equal(gpus_run(s, &check_gpu_driver), STATUS_SKIP);
	/* The library of a CPU node says that there is no driver. */
	s->facts.gpus.module_loaded = false;
	s->facts.gpus.init_rc = 9;
	assert_int_equal(gpus_run(s, &check_gpu_driver), STATUS_SKIP);
	gpus_free(s);
}

static void a_job_without_gpus_is_a_skip(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	s->env.job_has_gpus = false;
	s->facts.gpus.init_rc = 9;
	assert_int_equal(gpus_run(s, &check_gpu_driver), STATUS_SKIP);
	gpus_free(s);
}

static void module_absent_where_gpus_are_promised(void **state)
{
	struct gpus *s = gpus_healthy(0);
	struct facts_gpus *g = &s->facts.gpus;

	(void)state;
	s->env.job_has_gpus = true;
	g->gather.end = GATHER_ABSENT;
	g->module_loaded = false;
	g->no_library = true;
	g->init_rc = VAL_UNASKED;
	g->pci_count = g->proc_count = g->nvml_count = -1;
	assert_int_equal(gpus_run(s, &check_gpu_driver), STATUS_SKIP);
	gpus_config(s, "[check gpu_count]\nexpected = 8\n");
	assert_int_equal(gpus_run(s, &check_gpu_driver), STATUS_FAIL);
	assert_only(s, "gpu_driver.no_module", "node");
	assert_true(s->r.finding[0].everybodys);
	assert_int_equal(s->r.finding[0].remedy, REMEDY_REBOOT);
	gpus_config(s, "");
	g->pci_count = 8;
	assert_int_equal(gpus_run(s, &check_gpu_driver), STATUS_FAIL);
	gpus_free(s);
}

static void another_makers_gpus_promise_nothing(void **state)
{
	struct gpus *s = gpus_healthy(0);
	struct facts_gpus *g = &s->facts.gpus;

	(void)state;
	s->env.job_has_gpus = true;
	s->env.job_gpus = 4;
	g->gather.end = GATHER_DONE;
	g->module_loaded = false;
	g->no_library = true;
	g->init_rc = VAL_UNASKED;
	g->pci_count = 0;
	g->proc_count = g->nvml_count = -1;
	gpus_run(s, &check_gpu_driver);
	assert_only(s, "gpu_driver.no_module", "node");
	assert_int_equal(s->r.finding[0].at_most, ACTION_WARN);
	g->no_library = false;
	g->init_rc = 9;
	gpus_run(s, &check_gpu_driver);
	assert_only(s, "gpu_driver.not_loaded", "node");
	assert_int_equal(s->r.finding[0].at_most, ACTION_WARN);
	gpus_config(s, "[check gpu_count]\nexpected = 8\n");
	gpus_run(s, &check_gpu_driver);
	assert_int_equal(s->r.finding[0].at_most, ACTION_DRAIN);
	gpus_free(s);
}

static void init_codes(void **state)
{
	static const struct {
		int rc;
		enum status status;
		enum remedy remedy;
		const char *code;
	} t[] = {
		{ 9, STATUS_FAIL, REMEDY_REBOOT, "gpu_driver.not_loaded" },
		{ 15, STATUS_FAIL, REMEDY_REBOOT, "gpu_driver.lost" },
		{ 16, STATUS_FAIL, REMEDY_RESET_GPU, "gpu_driver.reset_required" },
		{ 18, STATUS_FAIL, REMEDY_REBOOT, "gpu_driver.mismatch" },
		{ 4, STATUS_ERROR, 0, NULL },
		{ 12, STATUS_ERROR, 0, NULL },
		{ 999, STATUS_ERROR, 0, NULL },
	};
	struct gpus *s;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		s = gpus_healthy(8);
		s->facts.gpus.init_rc = t[i].rc;
		s->facts.gpus.nvml_count = -1;
		assert_int_equal(gpus_run(s, &check_gpu_driver), t[i].status);
		if (t[i].code) {
			assert_only(s, t[i].code, "node");
			assert_int_equal(s->r.finding[0].remedy, t[i].remedy);
			assert_true(s->r.finding[0].everybodys);
			assert_memory_equal(s->r.finding[0].evidence, BOOT, 36);
		}
		gpus_free(s);
	}
}

static void our_own_tools_are_errors(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	s->facts.gpus.no_library = true;
	s->facts.gpus.init_rc = VAL_UNASKED;
	assert_int_equal(gpus_run(s, &check_gpu_driver), STATUS_ERROR);
	s->facts.gpus.no_library = false;
	s->facts.gpus.missing_required = 2;
	assert_int_equal(gpus_run(s, &check_gpu_driver), STATUS_ERROR);
	s->facts.gpus.missing_required = 0;
	s->facts.gpus.gather.end = GATHER_CRASHED;
	assert_int_equal(gpus_run(s, &check_gpu_driver), STATUS_ERROR);
	assert_int_equal(s->r.count, 0);
	gpus_free(s);
}

static void a_worker_that_died_is_an_error(void **state)
{
	struct gpus *s = gpus_healthy(0);

	(void)state;
	s->env.job_has_gpus = true;
	gpus_config(s, "[check gpu_count]\nexpected = 8\n");
	memset(&s->facts.gpus, 0, sizeof(s->facts.gpus));
	s->facts.gpus.gather.end = GATHER_CRASHED;
	s->facts.gpus.init_rc = VAL_UNASKED;
	assert_int_equal(gpus_run(s, &check_gpu_driver), STATUS_ERROR);
	assert_int_equal(s->r.count, 0);
	s->facts.gpus.gather.end = GATHER_NONE;
	assert_int_equal(gpus_run(s, &check_gpu_driver), STATUS_SKIP);
	gpus_free(s);
}

static void a_hang_names_the_call_and_its_witness(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	s->facts.gpus.gather.end = GATHER_TIMEOUT;
	s->facts.gpus.init_rc = VAL_UNASKED;
	strcpy(s->facts.gpus.gather.call, "nvmlInitWithFlags");
	assert_int_equal(gpus_run(s, &check_gpu_driver), STATUS_TIMEOUT);
	assert_only(s, "gpu_driver.timeout", "node");
	assert_string_equal(s->r.finding[0].text,
			    "nvmlInitWithFlags does not return");
	assert_false(s->r.finding[0].witness);
	assert_true(s->r.finding[0].everybodys);
	s->facts.gpus.gather.witness = true;
	gpus_run(s, &check_gpu_driver);
	assert_true(s->r.finding[0].witness);
	gpus_free(s);
}

/* The second timeout, a minute later and by the health check, is a witness;
 * one that answered in between is not. */
static void a_later_timeout_confirms(void **state)
{
	struct gpus *s = gpus_healthy(8);
	json_t *memory;

	(void)state;
	s->facts.gpus.gather.end = GATHER_TIMEOUT;
	s->facts.gpus.gpu[3].hung = true;
	s->env.context = CONTEXT_PROLOG;
	s->env.now_s = 1000;
	gpus_run(s, &check_gpu_driver);
	assert_false(s->r.finding[0].witness);
	memory = json_incref(s->r.memory);
	assert_non_null(memory);
	s->env.memory = memory;
	s->env.context = CONTEXT_HEALTH;
	s->env.now_s = 1059;
	gpus_run(s, &check_gpu_driver);
	assert_false(s->r.finding[0].witness);
	s->env.now_s = 1060;
	gpus_run(s, &check_gpu_driver);
	assert_true(s->r.finding[0].witness);
	/* Another GPU's timeout is its own first. */
	s->facts.gpus.gpu[3].hung = false;
	s->facts.gpus.gpu[4].hung = true;
	gpus_run(s, &check_gpu_driver);
	assert_false(s->r.finding[0].witness);
	/* An answer clears the note. */
	s->facts.gpus.gpu[4].hung = false;
	s->facts.gpus.gather.end = GATHER_DONE;
	gpus_run(s, &check_gpu_driver);
	assert_int_equal(json_object_size(s->r.memory), 0);
	s->env.memory = NULL;
	json_decref(memory);
	gpus_free(s);
}

static void a_hung_gpu_is_named(void **state)
{
	struct gpus *s = gpus_healthy(8);
	struct gpu *g = &s->facts.gpus.gpu[3];

	(void)state;
	g->answered = false;
	g->hung = true;
	strcpy(g->call, "nvmlDeviceGetHandleByPciBusId_v2");
	assert_int_equal(gpus_run(s, &check_gpu_driver), STATUS_TIMEOUT);
	assert_only(s, "gpu_driver.hung", "GPU3");
	assert_false(s->r.finding[0].witness);
	assert_false(s->r.finding[0].everybodys);
	g->hung_twice = true;
	/* The second worker timed out too: still the GPU's hang. */
	s->facts.gpus.gather.end = GATHER_TIMEOUT;
	gpus_run(s, &check_gpu_driver);
	assert_only(s, "gpu_driver.hung", "GPU3");
	assert_true(s->r.finding[0].witness);
	gpus_free(s);
}

static void a_gpu_dead_by_log_is_left_to_the_log(void **state)
{
	struct gpus *s = gpus_healthy(8);
	struct gpu *g = &s->facts.gpus.gpu[2];

	(void)state;
	g->dead_by_log = true;
	g->asked = g->answered = false;
	gpu_all_unknown(g, 15);
	assert_int_equal(gpus_run(s, &check_gpu_driver), STATUS_PASS);
	gpus_free(s);
}

static void one_lost_gpu(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	s->facts.gpus.gpu[6].handle_rc = 15;
	s->facts.gpus.gpu[6].answered = false;
	assert_int_equal(gpus_run(s, &check_gpu_driver), STATUS_FAIL);
	assert_only(s, "gpu_driver.lost", "GPU6");
	assert_int_equal(s->r.finding[0].gpu, 6);
	/* The handle was fine, a later call was not. */
	s->facts.gpus.gpu[6].handle_rc = 0;
	s->facts.gpus.gpu[6].temp = unknown(16);
	assert_int_equal(gpus_run(s, &check_gpu_driver), STATUS_FAIL);
	assert_only(s, "gpu_driver.reset_required", "GPU6");
	s->facts.gpus.gpu[6].temp = known(30);
	s->facts.gpus.gpu[6].link_state[7] = unknown(15);
	assert_int_equal(gpus_run(s, &check_gpu_driver), STATUS_FAIL);
	gpus_free(s);
}

static void other_codes_of_a_gpu_are_errors(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	s->facts.gpus.gpu[1].handle_rc = 999;
	assert_int_equal(gpus_run(s, &check_gpu_driver), STATUS_ERROR);
	assert_only(s, "gpu_driver.handle", "GPU1");
	/* Fenced off by Slurm: none of this job's business. */
	s->facts.gpus.gpu[1].handle_rc = 4;
	s->facts.gpus.gpu[1].fenced = true;
	assert_int_equal(gpus_run(s, &check_gpu_driver), STATUS_PASS);
	s->facts.gpus.gpu[1].fenced = false;
	assert_int_equal(gpus_run(s, &check_gpu_driver), STATUS_ERROR);
	/* Not in NVML's list: gpu_count tells. */
	s->facts.gpus.gpu[1].handle_rc = 6;
	assert_int_equal(gpus_run(s, &check_gpu_driver), STATUS_PASS);
	s->facts.gpus.gpu[1].asked = false;
	s->facts.gpus.gpu[1].handle_rc = 15;
	assert_int_equal(gpus_run(s, &check_gpu_driver), STATUS_PASS);
	gpus_free(s);
}

static void healthy_is_silent(void **state)
{
	struct gpus *s = gpus_healthy(8);
	int i;

	(void)state;
	assert_int_equal(gpus_run(s, &check_gpu_driver), STATUS_PASS);
	/* GPUs that offer nothing at all are not broken. */
	for (i = 0; i < 8; i++)
		gpu_all_unknown(&s->facts.gpus.gpu[i], 3);
	assert_int_equal(gpus_run(s, &check_gpu_driver), STATUS_PASS);
	s->facts.gpus.gather.end = GATHER_NONE;
	assert_int_equal(gpus_run(s, &check_gpu_driver), STATUS_SKIP);
	gpus_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_gpu_anywhere_is_a_skip),
		cmocka_unit_test(a_job_without_gpus_is_a_skip),
		cmocka_unit_test(module_absent_where_gpus_are_promised),
		cmocka_unit_test(another_makers_gpus_promise_nothing),
		cmocka_unit_test(init_codes),
		cmocka_unit_test(our_own_tools_are_errors),
		cmocka_unit_test(a_worker_that_died_is_an_error),
		cmocka_unit_test(a_hang_names_the_call_and_its_witness),
		cmocka_unit_test(a_later_timeout_confirms),
		cmocka_unit_test(a_hung_gpu_is_named),
		cmocka_unit_test(a_gpu_dead_by_log_is_left_to_the_log),
		cmocka_unit_test(one_lost_gpu),
		cmocka_unit_test(other_codes_of_a_gpu_are_errors),
		cmocka_unit_test(healthy_is_silent),
	};

	return cmocka_run_group_tests_name("gpu_driver", tests, NULL, NULL);
}
