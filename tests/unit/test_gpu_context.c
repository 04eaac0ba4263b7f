/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/probes.h"

extern const struct check check_gpu_context;

static struct probes *healthy(int count)
{
	return probes_healthy(&check_gpu_context, count);
}

static void healthy_is_silent(void **state)
{
	struct probes *t = healthy(8);
	const json_t *o;

	(void)state;
	assert_int_equal(probes_run(t), STATUS_PASS);
	assert_int_equal(t->s->r.count, 0);
	o = json_array_get(t->s->r.measured, 7);
	assert_true(json_number_value(json_object_get(o, "seconds")) == 0.3);
	assert_null(check_gpu_context.doubts);
	probes_free(t);
}

static void a_slow_start_names_its_cause(void **state)
{
	struct probes *t = healthy(2);
	struct val *persistence = &t->s->facts.gpus.gpu[1].persistence;

	(void)state;
	probes_shot(t, 1, 0)->figure[0] = 5.12;
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_only(t->s, "gpu_context.slow", "GPU1");
	assert_string_equal(probes_finding(t, 0)->text,
			    "5.1>3 s until it is usable, cause unknown");
	*persistence = known(0);
	probes_run(t);
	assert_string_equal(probes_finding(t, 0)->text,
			    "5.1>3 s until it is usable, persistence mode is off");
	*persistence = unknown(3);
	probes_shot(t, 1, 0)->cond.confidential = 1;
	probes_run(t);
	assert_string_equal(probes_finding(t, 0)->text,
			    "5.1>3 s until it is usable, confidential computing");
	probes_shot(t, 1, 0)->cond.confidential = 0;
	t->p.gpu[1].jit = true;
	probes_run(t);
	assert_int_equal(t->s->r.count, 2);
	assert_string_equal(
		probes_finding(t, 0)->text,
		"5.1>3 s until it is usable, the driver compiled the kernels");
	t->p.gpu[1].jit = false;
	probes_config(t, "slow_s = 6\n");
	assert_int_equal(probes_run(t), STATUS_PASS);
	probes_shot(t, 1, 0)->figure[0] = NAN;
	assert_int_equal(probes_run(t), STATUS_PASS);
	probes_free(t);
}

static void compiled_kernels_are_told_once(void **state)
{
	struct probes *t = healthy(8);
	int i;

	(void)state;
	for (i = 0; i < 8; i++)
		t->p.gpu[i].jit = true;
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_only(t->s, "gpu_context.jit", "node");
	assert_string_equal(probes_finding(t, 0)->text,
			    "kernels were compiled by the driver: no native "
			    "code for 9.0 in this build");
	probes_free(t);
}

static void memory_that_stays_is_told(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	t->p.gpu[4].left_mib = 12;
	t->p.gpu[5].left_mib = -1;
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_only(t->s, "gpu_context.left", "GPU4");
	assert_string_equal(probes_finding(t, 0)->text,
			    "12 MiB still held after the probes");
	probes_free(t);
}

static void it_may_not_start_at_all(void **state)
{
	struct probes *t = healthy(2);

	(void)state;
	probes_shot(t, 1, 0)->end = PROBE_FAULT;
	probes_shot(t, 1, 0)->rc = 802;
	assert_int_equal(probes_run(t), STATUS_WARN);
	probes_shot(t, 1, 0)->rc = 214;
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_only(t->s, "gpu_context.fault", "GPU1");
	probes_shot(t, 1, 0)->end = PROBE_TIMEOUT;
	assert_int_equal(probes_run(t), STATUS_SKIP);
	assert_only(t->s, "gpu_context.timeout", "GPU1");
	probes_shot(t, 1, 0)->end = PROBE_UNABLE;
	assert_int_equal(probes_run(t), STATUS_PASS);
	probes_shot(t, 0, 0)->end = PROBE_UNABLE;
	snprintf(probes_shot(t, 0, 0)->why, 120, "libcuda.so.1 is missing");
	assert_int_equal(probes_run(t), STATUS_SKIP);
	assert_string_equal(t->s->r.note, "GPU0: libcuda.so.1 is missing");
	probes_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_is_silent),
		cmocka_unit_test(a_slow_start_names_its_cause),
		cmocka_unit_test(compiled_kernels_are_told_once),
		cmocka_unit_test(memory_that_stays_is_told),
		cmocka_unit_test(it_may_not_start_at_all),
	};

	return cmocka_run_group_tests_name("gpu_context", tests, NULL, NULL);
}
