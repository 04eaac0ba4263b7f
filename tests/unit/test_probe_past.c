/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/probe_past.h"

#include "tests/unit/probes.h"

extern const struct check check_gpu_membw;

static void keep(struct probes *t)
{
	json_decref((json_t *)(uintptr_t)t->s->env.memory);
	t->s->env.memory = t->s->r.memory;
	t->s->r.memory = NULL;
}

static void add(struct probes *t, int gpu, double v)
{
	past_add(&t->s->r, &t->s->env, gpu, "read", v);
	keep(t);
}

static int samples(struct probes *t, int gpu, double *v)
{
	return past_samples(&t->s->env, gpu, "read", v);
}

static void the_newest_samples_are_kept(void **state)
{
	struct probes *t = probes_healthy(&check_gpu_membw, 2);
	double v[PAST_SAMPLES];
	int i;

	(void)state;
	assert_int_equal(samples(t, 0, v), 0);
	for (i = 0; i < 3 * PAST_SAMPLES; i++)
		add(t, 0, 1000 + i);
	assert_int_equal(samples(t, 0, v), PAST_SAMPLES);
	assert_true(v[0] == 1000 + 2 * PAST_SAMPLES);
	assert_true(v[PAST_SAMPLES - 1] == 1000 + 3 * PAST_SAMPLES - 1);
	assert_int_equal(samples(t, 1, v), 0);
	assert_int_equal(past_samples(&t->s->env, 0, "triad", v), 0);
	probes_free(t);
}

static void another_driver_or_build_starts_anew(void **state)
{
	struct probes *t = probes_healthy(&check_gpu_membw, 2);
	double v[PAST_SAMPLES];

	(void)state;
	add(t, 0, 3000);
	past_set_open(&t->s->r, &t->s->env, 1, "low", "low:1");
	keep(t);
	t->p.build_id[0] = 'f';
	assert_int_equal(samples(t, 0, v), 0);
	t->p.build_id[0] = '0';
	assert_int_equal(samples(t, 0, v), 1);
	snprintf(t->s->facts.gpus.driver, 40, "590.1");
	assert_int_equal(samples(t, 0, v), 0);
	add(t, 0, 2000);
	assert_int_equal(samples(t, 0, v), 1);
	assert_true(v[0] == 2000);
	/* What is open has nothing to do with the driver. */
	assert_string_equal(past_open(&t->s->env, 1, "low"), "low:1");
	/* Of a driver that is not known nothing is comparable. */
	t->s->facts.gpus.driver[0] = '\0';
	assert_int_equal(samples(t, 0, v), 0);
	probes_free(t);
}

static double number(struct probes *t, int gpu)
{
	return past_number(&t->s->env, gpu, "next");
}

static void a_number_is_found_again(void **state)
{
	struct probes *t = probes_healthy(&check_gpu_membw, 2);

	(void)state;
	assert_true(number(t, 1) == 0);
	past_set_number(&t->s->r, &t->s->env, 1, "next", 0);
	assert_null(t->s->r.memory);	/* nothing new */
	past_set_number(&t->s->r, &t->s->env, 1, "next", 0.5);
	keep(t);
	assert_true(number(t, 1) == 0.5);
	assert_true(number(t, 0) == 0);
	/* Another driver changes nothing about it. */
	snprintf(t->s->facts.gpus.driver, 40, "999");
	add(t, 0, 2000);
	assert_true(number(t, 1) == 0.5);
	past_set_number(&t->s->r, &t->s->env, 1, "next", 0);
	keep(t);
	assert_true(number(t, 1) == 0);
	probes_free(t);
}

static void gpus_that_are_gone_are_forgotten(void **state)
{
	struct probes *t = probes_healthy(&check_gpu_membw, 2);
	double v[PAST_SAMPLES];

	(void)state;
	add(t, 0, 3000);
	add(t, 1, 3000);
	snprintf(t->s->facts.gpus.gpu[0].uuid, 64, "GPU-new");
	assert_int_equal(samples(t, 0, v), 0);
	add(t, 1, 3001);
	assert_null(json_object_get(json_object_get(t->s->env.memory, "gpus"),
				    "GPU-0"));
	assert_int_equal(samples(t, 1, v), 2);
	/* One that does not tell who it is has no past. */
	t->s->facts.gpus.gpu[1].uuid[0] = '\0';
	past_add(&t->s->r, &t->s->env, 1, "read", 1);
	assert_null(t->s->r.memory);
	probes_free(t);
}

static void odd_memory_is_no_past(void **state)
{
	static const char *const odd[] = {
		"[]",
		"{\"basis\": 1}",
		"{\"basis\": \"580.95.05 0123456789ab\", \"gpus\": []}",
		"{\"basis\": \"580.95.05 0123456789ab\","
		" \"gpus\": {\"GPU-0\": {\"samples\": {\"read\": 5},"
		" \"open\": [1]}}}",
		"{\"basis\": \"580.95.05 0123456789ab\", \"gpus\": {\"GPU-0\":"
		" {\"samples\": {\"read\": [\"x\", -1, 0, null]}}}}",
	};
	struct probes *t = probes_healthy(&check_gpu_membw, 2);
	double v[PAST_SAMPLES];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		json_decref((json_t *)(uintptr_t)t->s->env.memory);
		t->s->env.memory = json_loads(odd[i], 0, NULL);
		assert_non_null(t->s->env.memory);
		assert_int_equal(samples(t, 0, v), 0);
		assert_null(past_open(&t->s->env, 0, "low"));
		add(t, 0, 3000);
		past_remind(&t->s->r, &t->s->env, 0);
		assert_int_equal(t->s->r.count, 0);
	}
	probes_free(t);
}

static void what_is_open_is_brought_to_mind(void **state)
{
	struct probes *t = probes_healthy(&check_gpu_membw, 2);
	struct check_result *r = &t->s->r;

	(void)state;
	r->name = "gpu_membw";
	past_set_open(r, &t->s->env, 1, "low", NULL);
	assert_null(r->memory); /* nothing to keep */
	past_set_open(r, &t->s->env, 1, "low", "low:1");
	keep(t);
	past_set_open(r, &t->s->env, 1, "low", "low:1");
	assert_null(r->memory); /* nothing new */
	past_remind(r, &t->s->env, 0);
	assert_int_equal(r->count, 0);
	past_remind(r, &t->s->env, 1);
	assert_only(t->s, "gpu_membw.low", "GPU1");
	assert_string_equal(probes_finding(t, 0)->evidence, "low:1");
	assert_int_equal(probes_finding(t, 0)->status, STATUS_SKIP);
	past_set_open(r, &t->s->env, 1, "low", NULL);
	keep(t);
	assert_null(past_open(&t->s->env, 1, "low"));
	probes_free(t);
}

static void steps_do_not_flutter(void **state)
{
	(void)state;
	assert_int_equal(past_step(0.95, -1), 0);
	assert_int_equal(past_step(0.71, -1), 0);
	assert_int_equal(past_step(0.69, -1), 1);
	assert_int_equal(past_step(0.40, -1), 2);
	assert_int_equal(past_step(1e-9, -1), 9);
	assert_int_equal(past_step(2, -1), 0);
	/* Around the border it stays what it is. */
	assert_int_equal(past_step(0.69, 0), 0);
	assert_int_equal(past_step(0.71, 1), 1);
	assert_int_equal(past_step(0.95, 1), 1);
	assert_int_equal(past_step(0.60, 0), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_newest_samples_are_kept),
		cmocka_unit_test(another_driver_or_build_starts_anew),
		cmocka_unit_test(a_number_is_found_again),
		cmocka_unit_test(gpus_that_are_gone_are_forgotten),
		cmocka_unit_test(odd_memory_is_no_past),
		cmocka_unit_test(what_is_open_is_brought_to_mind),
		cmocka_unit_test(steps_do_not_flutter),
	};

	return cmocka_run_group_tests_name("probe_past", tests, NULL, NULL);
}
