/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"
#include "checks/probe_past.h"

#include "tests/unit/probes.h"

extern const struct check check_gpu_mem_pattern;

static struct probes *healthy(void)
{
	return probes_healthy(&check_gpu_mem_pattern, 8);
}

static void bad(struct probes *t, uint64_t words, uint64_t again)
{
	t->p.gpu[5].bad[0] = (struct probe_bad){ .words = words,
						 .again = again,
						 .want = 0x1234,
						 .got = 0x1236 };
	probes_shot(t, 5, 0)->figure[1] = (double)again;
}

/* So far the run came, from where the last one had stopped. */
static void stops_at(struct probes *t, double share)
{
	t->p.gpu[5].bad[0].next = share;
	probes_shot(t, 5, 0)->partial = share > 0;
}

/* What the next run finds. */
static double next(struct probes *t)
{
	struct check_env env = t->s->env;

	if (t->s->r.memory)
		env.memory = t->s->r.memory;
	return past_number(&env, 5, "next");
}

static void healthy_is_silent(void **state)
{
	struct probes *t = healthy();
	const json_t *o;

	(void)state;
	probes_days(t, 2);
	assert_int_equal(t->s->r.count, 0);
	assert_null(check_gpu_mem_pattern.doubts);
	o = json_array_get(t->s->r.measured, 5);
	assert_true(json_number_value(json_object_get(o, "gib")) == 71);
	assert_true(json_number_value(json_object_get(o, "gbps")) == 2900);
	probes_free(t);
}

static void wrong_twice_fails(void **state)
{
	struct probes *t = healthy();
	const struct finding *f;

	(void)state;
	bad(t, 3, 2);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_only(t->s, "gpu_mem_pattern.words", "GPU5");
	f = probes_finding(t, 0);
	assert_string_equal(f->text,
			    "2 bad words, the first 00001236 for 00001234");
	assert_true(f->hard);
	assert_true(f->value == 2);
	assert_int_equal(f->remedy, REMEDY_SERVICE);
	assert_string_equal(f->evidence, "words");
	/* As many as they are: the same fault. */
	bad(t, 700, 700);
	assert_int_equal(probes_next(t), STATUS_FAIL);
	assert_string_equal(probes_finding(t, 0)->evidence, "words");
	probes_free(t);
}

static void wrong_once_warns(void **state)
{
	struct probes *t = healthy();

	(void)state;
	bad(t, 3, 0);
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_only(t->s, "gpu_mem_pattern.once", "GPU5");
	assert_string_equal(probes_finding(t, 0)->text,
			    "3 words were read wrong once");
	probes_free(t);
}

static void the_next_run_goes_on(void **state)
{
	struct probes *t = healthy();

	(void)state;
	stops_at(t, 0.4);
	assert_int_equal(probes_run(t), STATUS_PASS);
	assert_true(next(t) == 0.4);
	stops_at(t, 0.9);
	assert_int_equal(probes_next(t), STATUS_PASS);
	assert_true(next(t) == 0.9);
	stops_at(t, 0);
	assert_int_equal(probes_next(t), STATUS_PASS);
	assert_true(next(t) == 0);
	probes_free(t);
}

/* Half a look does not close what a whole one has found. */
static void open_until_all_is_good(void **state)
{
	struct probes *t = healthy();

	(void)state;
	bad(t, 3, 2);
	stops_at(t, 0.4);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_true(next(t) == 0);
	bad(t, 0, 0);
	stops_at(t, 0.5);
	assert_int_equal(probes_next(t), STATUS_SKIP);
	assert_only(t->s, "gpu_mem_pattern.words", "GPU5");
	assert_true(next(t) == 0);
	probes_shot(t, 5, 0)->end = PROBE_NONE;
	assert_int_equal(probes_next(t), STATUS_SKIP);
	assert_only(t->s, "gpu_mem_pattern.words", "GPU5");
	probes_shot(t, 5, 0)->end = PROBE_DONE;
	stops_at(t, 0);
	assert_int_equal(probes_next(t), STATUS_PASS);
	assert_int_equal(probes_next(t), STATUS_PASS);
	assert_int_equal(t->s->r.count, 0);
	probes_free(t);
}

static void a_fault_is_a_fault(void **state)
{
	struct probes *t = healthy();

	(void)state;
	*probes_shot(t, 5, 0) = (struct probe_shot){ .end = PROBE_FAULT,
						     .rc = 214,
						     .call = "cuEventQuery" };
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_only(t->s, "gpu_mem_pattern.fault", "GPU5");
	probes_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_is_silent),
		cmocka_unit_test(wrong_twice_fails),
		cmocka_unit_test(wrong_once_warns),
		cmocka_unit_test(the_next_run_goes_on),
		cmocka_unit_test(open_until_all_is_good),
		cmocka_unit_test(a_fault_is_a_fault),
	};

	return cmocka_run_group_tests_name("gpu_mem_pattern", tests, NULL,
					   NULL);
}
