/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/probes.h"

extern const struct check check_gpu_sustain;

static struct probes *healthy(void)
{
	return probes_healthy(&check_gpu_sustain, 8);
}

/* GPU 5 ends with that rate and has shown these clock event reasons. */
static void ends(struct probes *t, double tflops, int64_t reasons)
{
	probes_shot(t, 5, 0)->figure[1] = tflops;
	probes_shot(t, 5, 0)->cond.throttle = reasons;
}

static void healthy_is_silent(void **state)
{
	struct probes *t = healthy();

	(void)state;
	assert_int_equal(probes_run(t), STATUS_PASS);
	/* Power and heat may show; what counts is what they cost. */
	ends(t, 541, 0x4 | 0x20 | 0x40);
	assert_int_equal(probes_run(t), STATUS_PASS);
	assert_int_equal(t->s->r.count, 0);
	assert_null(check_gpu_sustain.doubts);
	probes_free(t);
}

static void warns(struct probes *t, const char *text)
{
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_only(t->s, "gpu_sustain.falls", "GPU5");
	assert_string_equal(probes_finding(t, 0)->text, text);
}

static void what_held_it_down_is_named(void **state)
{
	struct probes *t = healthy();
	struct probe_conditions *c = &probes_shot(t, 5, 0)->cond;

	(void)state;
	ends(t, 500, 0x40 | 0x8 | 0x4);
	warns(t, "500<540 TFLOP/s after 20 s of load, held down by HW thermal "
		 "slowdown");
	ends(t, 500, 0x80 | 0x8);
	warns(t, "500<540 TFLOP/s after 20 s of load, held down by HW power "
		 "brake");
	ends(t, 500, 0x4);
	warns(t, "500<540 TFLOP/s after 20 s of load, held down by its power "
		 "limit");
	c->power_limit_w = 500;
	c->power_default_w = 700;
	warns(t, "500<540 TFLOP/s after 20 s of load, power limit 500<700 W");
	c->power_limit_w = 700;
	ends(t, 500, 0);
	warns(t, "500<540 TFLOP/s after 20 s of load, and no reason is told");
	c->others = 1;
	warns(t, "500<540 TFLOP/s after 20 s of load, another process on it");
	probes_free(t);
}

static void what_is_unknown_is_not_judged(void **state)
{
	struct probes *t = healthy();

	(void)state;
	ends(t, NAN, 0);
	assert_int_equal(probes_run(t), STATUS_PASS);
	probes_shot(t, 5, 0)->figure[0] = NAN;
	assert_int_equal(probes_run(t), STATUS_PASS);
	assert_int_equal(t->s->r.count, 0);
	probes_free(t);
}

static void the_trace_is_recorded(void **state)
{
	struct probes *t = healthy();
	struct probe_trace *trace = &t->p.gpu[5].trace;
	const json_t *o, *list;

	(void)state;
	trace->count = 2;
	trace->sample[0] = (struct probe_sample){ 0.253, 600.126, 1980, 41,
						  640, 0 };
	trace->sample[1] = (struct probe_sample){ 0.5, 599, -1, -1, -1, -1 };
	probes_run(t);
	o = json_object_get(json_array_get(t->s->r.measured, 5), "trace");
	list = json_object_get(o, "tflops");
	assert_int_equal(json_array_size(list), 2);
	assert_true(json_number_value(json_array_get(list, 0)) == 600.13);
	list = json_object_get(o, "sm_mhz");
	assert_int_equal(json_integer_value(json_array_get(list, 0)), 1980);
	assert_true(json_is_null(json_array_get(list, 1)));
	list = json_object_get(o, "throttle");
	assert_true(json_is_integer(json_array_get(list, 0)));
	assert_true(json_is_null(json_array_get(list, 1)));
	probes_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_is_silent),
		cmocka_unit_test(what_held_it_down_is_named),
		cmocka_unit_test(what_is_unknown_is_not_judged),
		cmocka_unit_test(the_trace_is_recorded),
	};

	return cmocka_run_group_tests_name("gpu_sustain", tests, NULL, NULL);
}
