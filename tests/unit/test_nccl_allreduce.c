/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/probes.h"

extern const struct check check_nccl_allreduce;

static struct probes *healthy(int count)
{
	return probes_healthy(&check_nccl_allreduce, count);
}

/* All GPUs have the same shot; again NAN: no repeat. */
static void busbw(struct probes *t, double first, double again)
{
	struct probe_shot *s;
	int i;

	for (i = 0; i < 8; i++) {
		s = probes_shot(t, i, 0);
		s[0].figure[1] = first;
		s[1] = (struct probe_shot){ .end = PROBE_NONE };
		if (!isnan(again)) {
			s[1] = s[0];
			s[1].figure[1] = again;
		}
	}
}

static void end_all(struct probes *t, struct probe_shot as)
{
	int i;

	for (i = 0; i < 8; i++)
		*probes_shot(t, i, 0) = as;
}

static void healthy_is_silent(void **state)
{
	struct probes *t = healthy(8);
	const json_t *o;

	(void)state;
	probes_days(t, 8);
	assert_int_equal(t->s->r.count, 0);
	assert_int_equal(json_array_size(t->s->r.measured), 1);
	o = json_array_get(t->s->r.measured, 0);
	assert_string_equal(json_string_value(json_object_get(o, "subject")),
			    "node");
	assert_string_equal(json_string_value(json_object_get(o, "nccl")),
			    "2.28.7");
	assert_int_equal(json_integer_value(json_object_get(o, "gpus")), 8);
	assert_true(json_number_value(json_object_get(o, "busbw_gbps")) == 430);
	assert_true(json_number_value(json_object_get(o, "small_busbw_gbps")) ==
		    400);
	probes_free(t);
}

static void site_and_history_make_it_low(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	probes_config(t, "expected_gbps = 430\n");
	busbw(t, 370, NAN);
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_only(t->s, "nccl_allreduce.rate", "node");
	assert_string_equal(probes_finding(t, 0)->text,
			    "370<387 GB/s busbw, by the site's figure alone");
	assert_false(probes_doubts(t, 0));
	busbw(t, 430, NAN);
	probes_days(t, 6);
	busbw(t, 370, NAN);
	assert_int_equal(probes_next(t), STATUS_WARN);
	assert_string_equal(probes_finding(t, 0)->text,
			    "370<408 GB/s busbw, to be repeated");
	/* It is one measurement: one GPU asks for the repeat. */
	assert_true(probes_doubts(t, 0));
	assert_false(probes_doubts(t, 1));
	busbw(t, 370, 425);
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_string_equal(probes_finding(t, 0)->text,
			    "370<408 GB/s busbw, unconfirmed");
	busbw(t, 370, 372);
	assert_false(probes_doubts(t, 0));
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_only(t->s, "nccl_allreduce.rate", "node");
	assert_string_equal(probes_finding(t, 0)->text, "372<408 GB/s busbw");
	assert_true(probes_finding(t, 0)->value == 372);
	assert_false(probes_finding(t, 0)->hard);
	probes_free(t);
}

static void missed_by_far_is_low_by_one_alone(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	probes_config(t, "expected_gbps = 430\n");
	busbw(t, 290, 291);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	/* A power limit is an excuse, whosever it is. */
	probes_shot(t, 6, 0)->cond.throttle = 4;
	probes_shot(t, 6, 0)->cond.power_limit_w = 500;
	probes_shot(t, 6, 0)->cond.power_default_w = 700;
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_string_equal(probes_finding(t, 0)->text,
			    "290<387 GB/s busbw, power limit 500<700 W");
	busbw(t, 290, NAN);
	assert_false(probes_doubts(t, 0));
	probes_free(t);
}

static void unknown_models_warn_at_most(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	t->s->env.profile = NULL;
	probes_days(t, 6);
	busbw(t, 100, NAN);
	assert_false(probes_doubts(t, 0));
	busbw(t, 100, 100);
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_string_equal(probes_finding(t, 0)->text,
			    "100<408 GB/s busbw, of a model without a profile");
	t->s->env.profile = &t->profile;
	assert_int_equal(probes_run(t), STATUS_FAIL);
	probes_free(t);
}

/* However long it is a little low: its own past must not follow. */
static void a_slow_ring_does_not_move_the_history(void **state)
{
	struct probes *t = healthy(8);
	int i;

	(void)state;
	probes_days(t, 6);
	busbw(t, 400, NAN);
	for (i = 0; i < 20; i++)
		assert_int_equal(probes_next(t), STATUS_WARN);
	assert_string_equal(probes_finding(t, 0)->text,
			    "400<408 GB/s busbw, by its own history alone");
	probes_free(t);
}

static void other_circumstances_are_another_history(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	probes_days(t, 6);
	busbw(t, 390, NAN);
	assert_int_equal(probes_next(t), STATUS_WARN);
	t->p.nccl_version = 22900;
	assert_int_equal(probes_run(t), STATUS_PASS);
	t->p.nccl_version = 22807;
	assert_int_equal(probes_run(t), STATUS_WARN);
	t->p.nccl_gpus = 7;
	assert_int_equal(probes_run(t), STATUS_PASS);
	t->p.nccl_gpus = 8;
	t->p.nccl_bytes /= 2;
	assert_int_equal(probes_run(t), STATUS_PASS);
	probes_free(t);
}

static void a_set_up_that_fails_warns(void **state)
{
	struct probes *t = healthy(8);
	struct probe_shot s = { .end = PROBE_FAULT,
				.rc = 2,
				.call = "ncclCommInitAll",
				.why = "no socket interface found" };

	(void)state;
	end_all(t, s);
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_only(t->s, "nccl_allreduce.setup", "node");
	assert_string_equal(probes_finding(t, 0)->text,
			    "NCCL set-up: no socket interface found");
	assert_int_equal(probes_finding(t, 0)->remedy, REMEDY_CONFIG);
	s.rc = 1;
	end_all(t, s);
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_only(t->s, "nccl_allreduce.cuda", "node");
	assert_int_equal(probes_finding(t, 0)->remedy, REMEDY_NONE);
	s = (struct probe_shot){ .end = PROBE_FAULT,
				 .rc = 719,
				 .call = "cuEventQuery" };
	end_all(t, s);
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_only(t->s, "nccl_allreduce.cuda", "node");
	assert_string_equal(probes_finding(t, 0)->text,
			    "kernel failed (CUDA 719 of cuEventQuery)");
	probes_free(t);
}

static void without_figures_it_is_skipped(void **state)
{
	struct probes *t = healthy(8);
	struct probe_shot s = { .end = PROBE_UNABLE,
				.why = "needs two GPUs" };

	(void)state;
	end_all(t, s);
	assert_int_equal(probes_run(t), STATUS_SKIP);
	assert_string_equal(t->s->r.note, "needs two GPUs");
	s = (struct probe_shot){ .end = PROBE_TIMEOUT,
				 .call = "ncclCommInitAll" };
	end_all(t, s);
	assert_int_equal(probes_run(t), STATUS_SKIP);
	assert_only(t->s, "nccl_allreduce.timeout", "node");
	s = (struct probe_shot){ .end = PROBE_BROKEN, .why = "load NCCL" };
	end_all(t, s);
	assert_int_equal(probes_run(t), STATUS_ERROR);
	probes_free(t);
}

static void a_wrong_sum_fails_twice(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	probes_shot(t, 0, 0)->corrupt = true;
	assert_true(probes_doubts(t, 0));
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_only(t->s, "nccl_allreduce.sum", "node");
	assert_string_equal(probes_finding(t, 0)->text,
			    "the sum over all GPUs is wrong, to be repeated");
	busbw(t, 430, 430);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_true(probes_finding(t, 0)->hard);
	assert_int_equal(probes_finding(t, 0)->remedy, REMEDY_SERVICE);
	/* Not measured is not passed. */
	end_all(t, (struct probe_shot){ .end = PROBE_NONE });
	assert_int_equal(probes_next(t), STATUS_SKIP);
	assert_only(t->s, "nccl_allreduce.sum", "node");
	assert_string_equal(probes_finding(t, 0)->evidence, "sum");
	probes_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_is_silent),
		cmocka_unit_test(site_and_history_make_it_low),
		cmocka_unit_test(missed_by_far_is_low_by_one_alone),
		cmocka_unit_test(unknown_models_warn_at_most),
		cmocka_unit_test(a_slow_ring_does_not_move_the_history),
		cmocka_unit_test(other_circumstances_are_another_history),
		cmocka_unit_test(a_set_up_that_fails_warns),
		cmocka_unit_test(without_figures_it_is_skipped),
		cmocka_unit_test(a_wrong_sum_fails_twice),
	};

	return cmocka_run_group_tests_name("nccl_allreduce", tests, NULL, NULL);
}
