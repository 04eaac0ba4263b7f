/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/gpus.h"

extern const struct check check_gpu_procs;

static void healthy_is_silent(void **state)
{
	(void)state;
	gpus_passes_healthy(&check_gpu_procs);
}

static void unknown_is_a_skip(void **state)
{
	(void)state;
	gpus_skips_unknown(&check_gpu_procs);
}

static struct gpus *owned(void)
{
	struct gpus *s = gpus_healthy(4);

	s->env.owned = true;
	return s;
}

static void add(struct gpus *s, int i, int64_t pid, const char *comm)
{
	struct gpu *g = &s->facts.gpus.gpu[i];
	struct gpu_proc *p = &g->proc[g->proc_count++];

	p->pid = pid;
	p->mem_bytes = -1;
	strcpy(p->comm, comm);
	g->procs_again = true;
}

static void a_leftover_is_named(void **state)
{
	struct gpus *s = owned();

	(void)state;
	add(s, 2, 1234, "python3");
	assert_int_equal(gpus_run(s, &check_gpu_procs), STATUS_FAIL);
	assert_only(s, "gpu_procs.leftover", "GPU2");
	assert_string_equal(s->r.finding[0].text, "pid 1234 (python3) holds it");
	assert_int_equal((&check_gpu_procs)->def, ACTION_WARN);
	add(s, 2, 1235, "python3");
	gpus_run(s, &check_gpu_procs);
	assert_string_equal(s->r.finding[0].text,
			    "pid 1234 (python3) holds it, and others");
	gpus_free(s);
}

static void gone_in_the_second_look(void **state)
{
	struct gpus *s = owned();

	(void)state;
	add(s, 2, 1234, "python3");
	s->facts.gpus.gpu[2].procs_again = false;
	assert_int_equal(gpus_run(s, &check_gpu_procs), STATUS_PASS);
	gpus_free(s);
}

static void services_are_allowed(void **state)
{
	/* As the kernel cuts them, to 15 bytes. */
	static const char *const fine[] = { "nvidia-cuda-mps", "nv-hostengine",
					    "dcgm-exporter", "dcgmproftester1",
					    "nvidia-persiste" };
	struct gpus *s = owned();
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(fine) / sizeof(fine[0]); i++)
		add(s, 1, 100 + (int64_t)i, fine[i]);
	assert_int_equal(gpus_run(s, &check_gpu_procs), STATUS_PASS);
	add(s, 1, 200, "nv-host");
	assert_int_equal(gpus_run(s, &check_gpu_procs), STATUS_FAIL);
	gpus_free(s);
}

static void the_sites_own_list(void **state)
{
	struct gpus *s = owned();

	(void)state;
	gpus_config(s, "[check gpu_procs]\nallow = burn-in, site-*, "
		       "a-very-long-service-name\n");
	add(s, 0, 1, "site-monitor");
	add(s, 0, 2, "burn-in");
	add(s, 0, 3, "a-very-long-ser");
	assert_int_equal(gpus_run(s, &check_gpu_procs), STATUS_PASS);
	add(s, 0, 4, "burn-in2");
	assert_int_equal(gpus_run(s, &check_gpu_procs), STATUS_FAIL);
	gpus_free(s);
}

static void a_nameless_process_only_warns(void **state)
{
	struct gpus *s = owned();

	(void)state;
	add(s, 0, 77, "");
	assert_int_equal(gpus_run(s, &check_gpu_procs), STATUS_WARN);
	assert_string_equal(s->r.finding[0].text, "pid 77 (unknown) holds it");
	gpus_free(s);
}

static void only_the_jobs_own_gpus(void **state)
{
	struct gpus *s = owned();

	(void)state;
	add(s, 3, 1234, "python3");
	s->jobs[3] = false;
	s->env.gpu_is_jobs = s->jobs;
	assert_int_equal(gpus_run(s, &check_gpu_procs), STATUS_PASS);
	s->env.owned = false;
	s->env.gpu_is_jobs = NULL;
	assert_int_equal(gpus_run(s, &check_gpu_procs), STATUS_SKIP);
	gpus_free(s);
}

static void more_processes_than_the_table_holds(void **state)
{
	struct gpus *s = owned();
	int i;

	(void)state;
	for (i = 0; i < FACTS_PROCS_MAX; i++)
		add(s, 0, 10 + i, "dcgm");
	s->facts.gpus.gpu[0].proc_count = 1000;
	assert_int_equal(gpus_run(s, &check_gpu_procs), STATUS_PASS);
	gpus_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_is_silent),
		cmocka_unit_test(unknown_is_a_skip),
		cmocka_unit_test(a_leftover_is_named),
		cmocka_unit_test(gone_in_the_second_look),
		cmocka_unit_test(services_are_allowed),
		cmocka_unit_test(the_sites_own_list),
		cmocka_unit_test(a_nameless_process_only_warns),
		cmocka_unit_test(only_the_jobs_own_gpus),
		cmocka_unit_test(more_processes_than_the_table_holds),
	};

	return cmocka_run_group_tests_name("gpu_procs", tests, NULL, NULL);
}
