/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/probing_deep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checks/schema.h"
#include "lib/facts_tasks.h"
#include "tests/unit/unit.h"

static struct run r;
static struct session session;
static struct job job;
static struct crew_plan plan;
static struct facts_probes probes;

static void configure(const char *text)
{
	char path[] = "/tmp/assay-deep-XXXXXX";
	struct err e = { "" };
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_true(dprintf(fd, "[paths]\nprofiles = /nonexistent\n%s",
			    text) > 0);
	close(fd);
	cfg_destroy(session.cfg);
	session.cfg = cfg_load(path, schema_sections(), NULL, &e);
	unlink(path);
	assert_non_null(session.cfg);
	assert_null(cfg_complaint(session.cfg));
}

static void remember(const char *json)
{
	json_decref(r.memory);
	r.memory = json_loads(json, 0, NULL);
	assert_non_null(r.memory);
}

static int setup(void **state)
{
	int i;

	(void)state;
	memset(&r, 0, sizeof(r));
	memset(&plan, 0, sizeof(plan));
	memset(&probes, 0, sizeof(probes));
	r.s = &session;
	session.job = &job;
	r.probes = &probes;
	r.facts = calloc(1, sizeof(*r.facts));
	if (!r.facts)
		return -1;
	r.facts->gpus.count = 2;
	for (i = 0; i < 2; i++)
		snprintf(r.facts->gpus.gpu[i].uuid, 64, "GPU-%d", i);
	plan.gpus = &r.facts->gpus;
	plan.probe[PROBE_storage] = true;
	remember("{}");
	configure("");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(r.facts);
	json_decref(r.memory);
	session_close(&session);
	memset(&session, 0, sizeof(session));
	return 0;
}

static void the_configuration_is_handed_on(void **state)
{
	(void)state;
	configure("[check gpu_sustain]\nseconds = 7\n"
		  "[check storage_read]\npath = /data/x\nsize_mb = 99\n"
		  "[libraries]\ncublaslt = /lib/blas\n");
	probing_deep_plan(&r, &plan);
	assert_int_equal(plan.sustain_s, 7);
	assert_string_equal(plan.storage_path, "/data/x");
	assert_int_equal(plan.storage_mb, 99);
	assert_string_equal(plan.cublaslt_path, "/lib/blas");
	assert_true(plan.probe[PROBE_storage]);
	probing_deep_finish(&r, &plan);
	assert_int_equal(probes.storage.shot[0].end, PROBE_NONE);
}

static void memory_goes_on_where_it_stopped(void **state)
{
	(void)state;
	remember("{\"gpu_mem_pattern\": {\"gpus\": {\"GPU-1\": {\"numbers\": "
		 "{\"next\": 0.4}}, \"GPU-0\": {\"numbers\": {\"next\": 0.7}, "
		 "\"open\": {\"words\": \"words\"}}}}}");
	probing_deep_plan(&r, &plan);
	assert_true(plan.pattern_from[1] == 0.4);
	/* Where there is something bad, from the start. */
	assert_true(plan.pattern_from[0] == 0);
}

static void without_a_path_nothing_is_read(void **state)
{
	(void)state;
	assert_false(probing_deep_can(&r, PROBE_storage));
	assert_true(probing_deep_can(&r, PROBE_nccl));
	probing_deep_plan(&r, &plan);
	assert_false(plan.probe[PROBE_storage]);
	probing_deep_finish(&r, &plan);
	assert_int_equal(probes.storage.shot[0].end, PROBE_UNABLE);
	assert_string_equal(probes.storage.shot[0].why, "no path configured");
}

/* A task in D cannot be had in a test: of what is remembered here, none is. */
static void who_hangs_no_more_hinders_nobody(void **state)
{
	struct roots real;
	char text[128];

	(void)state;
	assert_int_equal(roots_open(&real, "/", NULL), 0);
	snprintf(text, sizeof(text),
		 "{\"storage_read\": {\"stuck\": {\"pid\": %d, \"start\": "
		 "%llu}}}",
		 (int)getpid(),
		 (unsigned long long)facts_tasks_start(&real, getpid()));
	roots_close(&real);
	remember(text);
	configure("[check storage_read]\npath = /data/x\n");
	assert_true(probing_deep_can(&r, PROBE_storage));
	probing_deep_plan(&r, &plan);
	assert_true(plan.probe[PROBE_storage]);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(the_configuration_is_handed_on),
		T(memory_goes_on_where_it_stopped),
		T(without_a_path_nothing_is_read),
		T(who_hangs_no_more_hinders_nobody),
	};

	return cmocka_run_group_tests_name("probing_deep", tests, NULL, NULL);
}
