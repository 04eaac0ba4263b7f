/* SPDX-License-Identifier: Apache-2.0
 * How probes end, what excuses them, what their return codes mean. */
#include "config.h"
#include "checks/probe_each.h"
#include "checks/probe_fault.h"

#include "lib/cuda.h"
#include "tests/unit/probes.h"

extern const struct check check_gpu_membw;

static struct probes *healthy(int count)
{
	return probes_healthy(&check_gpu_membw, count);
}

static void end(struct probes *t, int gpu, enum probe_end how, int rc)
{
	struct probe_shot *s = probes_shot(t, gpu, 0);

	s->end = how;
	s->rc = rc;
	snprintf(s->call, sizeof(s->call), "cuStreamSynchronize");
}

static void the_table_of_codes(void **state)
{
	static const struct {
		int rc;
		enum status status;
		const char *text;
	} table[] = {
		{ 214, STATUS_FAIL, "uncorrectable ECC error" },
		{ 220, STATUS_FAIL, "uncorrectable NVLink error" },
		{ 714, STATUS_FAIL, "hardware stack error" },
		{ 226, STATUS_WARN, "error, contained by the device" },
		{ 700, STATUS_WARN, "illegal address" },
		{ 719, STATUS_WARN, "kernel failed" },
		{ 802, STATUS_WARN, "system not ready (fabric manager)" },
		{ 999, STATUS_WARN, "unknown error" },
		{ 12345, STATUS_WARN, "CUDA error" },
		{ 2, STATUS_SKIP, "no memory left on it" },
		{ 46, STATUS_SKIP, "another process has it for itself" },
		{ 800, STATUS_SKIP, "not permitted" },
		{ 805, STATUS_SKIP, "no connection to the MPS server" },
		{ 209, STATUS_SKIP, "no kernels for this GPU in this build" },
		{ 1, STATUS_ERROR, "invalid argument" },
	};
	struct probes *t = healthy(8);
	const struct finding *f;
	char text[128];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		end(t, 5, PROBE_FAULT, table[i].rc);
		assert_int_equal(probes_run(t), table[i].status);
		assert_only(t->s, "gpu_membw.fault", "GPU5");
		f = probes_finding(t, 0);
		snprintf(text, sizeof(text),
			 "%s (CUDA %d of cuStreamSynchronize)", table[i].text,
			 table[i].rc);
		assert_string_equal(f->text, text);
		assert_int_equal(f->at_most, ACTION_DRAIN_AFTER);
		assert_int_equal(f->remedy, f->status == STATUS_FAIL
						    ? REMEDY_RESET_GPU
						    : REMEDY_NONE);
	}
	assert_string_equal(f->evidence, BOOT ":rc=1");
	probes_free(t);
}

static void a_fault_of_the_repeat_counts_as_well(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	probes_set(t, 5, 1700, 1700);
	probes_shot(t, 5, 1)->end = PROBE_FAULT;
	probes_shot(t, 5, 1)->rc = CUDA_RC_ECC_UNCORRECTABLE;
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_int_equal(t->s->r.count, 2);
	assert_string_equal(probes_finding(t, 0)->text,
			    "uncorrectable ECC error (CUDA 214)");
	assert_int_equal(probes_finding(t, 1)->status, STATUS_WARN);
	probes_free(t);
}

static void no_answer_is_a_skip(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	end(t, 5, PROBE_TIMEOUT, 0);
	assert_int_equal(probes_run(t), STATUS_SKIP);
	assert_only(t->s, "gpu_membw.timeout", "GPU5");
	assert_string_equal(probes_finding(t, 0)->text,
			    "no answer in time, in cuStreamSynchronize");
	probes_free(t);
}

static void our_own_trouble_is_an_error(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	end(t, 5, PROBE_BROKEN, 0);
	snprintf(probes_shot(t, 5, 0)->why, 120, "the worker died (signal 11)");
	assert_int_equal(probes_run(t), STATUS_ERROR);
	assert_only(t->s, "gpu_membw.broken", "GPU5");
	assert_string_equal(probes_finding(t, 0)->text,
			    "the worker died (signal 11)");
	probes_free(t);
}

static void mig_is_not_probed(void **state)
{
	struct probes *t = healthy(2);

	(void)state;
	t->p.gpu[0].mig = true;
	end(t, 0, PROBE_TIMEOUT, 0);
	assert_int_equal(probes_run(t), STATUS_PASS);
	assert_string_equal(t->s->r.note, "not measured: GPU0: in MIG mode");
	t->p.gpu[1].mig = true;
	assert_int_equal(probes_run(t), STATUS_SKIP);
	assert_string_equal(t->s->r.note, "GPU0: in MIG mode");
	probes_free(t);
}

/* Some passed: of the others it is said all the same, unless a finding does. */
static void who_was_left_out_is_told(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	assert_int_equal(probes_run(t), STATUS_PASS);
	assert_string_equal(t->s->r.note, "");
	end(t, 5, PROBE_TIMEOUT, 0);
	assert_int_equal(probes_run(t), STATUS_SKIP);
	assert_string_equal(t->s->r.note, "");
	end(t, 3, PROBE_NONE, 0);
	strcpy(probes_shot(t, 3, 0)->why, "no time left");
	probes_run(t);
	assert_string_equal(t->s->r.note, "not measured: GPU3: no time left");
	end(t, 4, PROBE_UNABLE, 0);
	end(t, 2, PROBE_UNABLE, 0);
	probes_run(t);
	assert_string_equal(t->s->r.note, "not measured: GPU2: cannot be "
					  "measured (and 2 more)");
	probes_free(t);
}

static void more_gpus_than_there_are_results(void **state)
{
	struct probes *t = healthy(2);
	int i;

	(void)state;
	/* The facts have fewer GPUs than the results: those do not count. */
	for (i = 2; i < PROBE_GPUS_MAX; i++)
		t->p.gpu[i].chosen = true;
	assert_int_equal(probe_next(&t->s->env, PROBE_membw, 1), -1);
	assert_int_equal(probes_run(t), STATUS_PASS);
	probes_free(t);
}

static void excuses(void **state)
{
	struct probe_shot s;
	char buf[80];

	(void)state;
	probes_shot_done(&s, 1, 1);
	assert_false(probe_excuse(&s, true, buf, sizeof(buf)));
	assert_string_equal(buf, "");
	assert_true(probe_is_fair(&s, true));
	/* All unknown: nothing is assumed. */
	memset(&s.cond, 0xff, sizeof(s.cond));
	assert_false(probe_excuse(&s, true, buf, sizeof(buf)));
	assert_null(probe_slowdown(&s));
	/* A lower limit counts only where it held the clock down. */
	s.cond.power_limit_w = 500;
	s.cond.power_default_w = 700;
	assert_false(probe_excuse(&s, true, buf, sizeof(buf)));
	s.cond.throttle = 0x1;
	assert_false(probe_excuse(&s, true, buf, sizeof(buf)));
	s.cond.throttle = 0x4;
	assert_true(probe_excuse(&s, true, buf, sizeof(buf)));
	s.cond.power_limit_w = -1;
	/* Clocks locked below the default. */
	s.cond.throttle = 0x2;
	s.cond.sm_mhz = 1200;
	assert_false(probe_excuse(&s, true, buf, sizeof(buf)));
	s.cond.sm_mhz_max = 1980;	/* no application clocks there */
	assert_true(probe_excuse(&s, true, buf, sizeof(buf)));
	s.cond.sm_mhz_max = -1;
	s.cond.app_mhz_default = 1980;
	assert_true(probe_excuse(&s, true, buf, sizeof(buf)));
	assert_string_equal(buf, "clock set to 1200<1980 MHz");
	/* The hardware held it down, not a setting. */
	s.cond.throttle = 0x8;
	assert_false(probe_excuse(&s, true, buf, sizeof(buf)));
	assert_string_equal(probe_slowdown(&s), "held down by HW slowdown");
	assert_false(probe_is_fair(&s, true));
	s.cond.throttle = 0x88;
	assert_string_equal(probe_slowdown(&s), "held down by HW power brake");
	s.cond.throttle = 0;
	s.cond.numa_node = 1;
	assert_false(probe_excuse(&s, true, buf, sizeof(buf)));
	s.cond.numa_wanted = 0;
	assert_true(probe_excuse(&s, true, buf, sizeof(buf)));
	assert_string_equal(buf, "buffer on NUMA node 1, not 0");
	assert_false(probe_excuse(&s, false, buf, sizeof(buf)));
	s.cond.confidential = 1;
	assert_true(probe_excuse(&s, true, buf, sizeof(buf)));
	assert_string_equal(buf, "confidential computing");
	assert_false(probe_excuse(&s, false, buf, sizeof(buf)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_of_codes),
		cmocka_unit_test(a_fault_of_the_repeat_counts_as_well),
		cmocka_unit_test(no_answer_is_a_skip),
		cmocka_unit_test(our_own_trouble_is_an_error),
		cmocka_unit_test(mig_is_not_probed),
		cmocka_unit_test(who_was_left_out_is_told),
		cmocka_unit_test(more_gpus_than_there_are_results),
		cmocka_unit_test(excuses),
	};

	return cmocka_run_group_tests_name("probe_each", tests, NULL, NULL);
}
