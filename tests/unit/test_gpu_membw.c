/* SPDX-License-Identifier: Apache-2.0
 * The rule for rates (checks/probe_rate.c), by the check that has nothing of
 * its own. */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/probes.h"

extern const struct check check_gpu_membw;

static struct probes *healthy(int count)
{
	return probes_healthy(&check_gpu_membw, count);
}

static void healthy_is_silent(void **state)
{
	struct probes *t = healthy(8);
	int i;

	(void)state;
	probes_days(t, 10);
	assert_int_equal(t->s->r.count, 0);
	for (i = 0; i < 8; i++)
		assert_false(probes_doubts(t, i));
	probes_free(t);
}

/* A minority, by far: a drain after the repeat, and what is said till then. */
static void one_slow_gpu_fails_once_it_is_repeated(void **state)
{
	struct probes *t = healthy(8);
	const struct finding *f;

	(void)state;
	probes_set(t, 3, 1710, NAN);
	assert_true(probes_doubts(t, 3));
	assert_false(probes_doubts(t, 2));
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_only(t->s, "gpu_membw.read", "GPU3");
	f = probes_finding(t, 0);
	assert_string_equal(f->text, "1710<3002 GB/s, to be repeated");
	assert_int_equal(f->remedy, REMEDY_NONE);
	probes_set(t, 3, 1710, 1712);
	assert_false(probes_doubts(t, 3));
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_only(t->s, "gpu_membw.read", "GPU3");
	f = probes_finding(t, 0);
	/* 0.95 of what the others do. */
	assert_string_equal(f->text, "1712<3002 GB/s");
	assert_true(f->value == 1712 && fabs(f->limit - 3002) < 1e-6);
	assert_string_equal(f->unit, "GB/s");
	assert_int_equal(f->remedy, REMEDY_SERVICE);
	assert_int_equal(f->at_most, ACTION_DRAIN);
	assert_false(f->hard);
	assert_int_equal(f->gpu, 3);
	probes_free(t);
}

static void a_repeat_that_is_good_is_told(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	probes_set(t, 3, 1710, 2996);
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_only(t->s, "gpu_membw.read", "GPU3");
	assert_string_equal(probes_finding(t, 0)->text,
			    "unconfirmed: 1710, then 2996 GB/s");
	/* Low by one reference only is not the same. */
	probes_set(t, 3, 1710, 2900);
	assert_int_equal(probes_run(t), STATUS_WARN);
	/* A repeat that could not be made confirms nothing. */
	probes_set(t, 3, 1710, 1710);
	probes_shot(t, 3, 1)->end = PROBE_UNABLE;
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_string_equal(probes_finding(t, 0)->text,
			    "1710<3002 GB/s, and the repeat was not done");
	probes_free(t);
}

static void little_and_by_one_reference_warns(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	probes_set(t, 3, 2900, 2900);
	assert_false(probes_doubts(t, 3));
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_only(t->s, "gpu_membw.read", "GPU3");
	assert_string_equal(probes_finding(t, 0)->text,
			    "2900<3002 GB/s, by the median of its equals alone");
	assert_int_equal(probes_finding(t, 0)->remedy, REMEDY_NONE);
	probes_free(t);
}

static void little_by_median_and_history_drains_behind_the_job(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	probes_days(t, 6);
	probes_set(t, 3, 2900, NAN);
	assert_true(probes_doubts(t, 3));
	probes_set(t, 3, 2900, 2890);
	assert_int_equal(probes_next(t), STATUS_FAIL);
	assert_only(t->s, "gpu_membw.read", "GPU3");
	/* The better of the two counts. */
	assert_string_equal(probes_finding(t, 0)->text, "2900<3002 GB/s");
	assert_int_equal(probes_finding(t, 0)->at_most, ACTION_DRAIN_AFTER);
	probes_free(t);
}

static void all_slow_alike_needs_the_site_to_say_so(void **state)
{
	struct probes *t = healthy(8);
	int i;

	(void)state;
	for (i = 0; i < 8; i++) {
		probes_set(t, i, 1700, 1700);
		probes_shot(t, i, 0)->figure[1] = NAN;
	}
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_int_equal(t->s->r.count, 8);
	assert_string_equal(probes_finding(t, 0)->text,
			    "1700<2346 GB/s, by what it could at most alone");
	probes_config(t, "expected_read_gbps = 3100\n");
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_int_equal(t->s->r.count, 8);
	assert_string_equal(probes_finding(t, 7)->text, "1700<2790 GB/s");
	assert_int_equal(probes_finding(t, 7)->at_most, ACTION_DRAIN);
	probes_free(t);
}

static void a_lone_gpu_is_held_against_its_bus(void **state)
{
	struct probes *t = healthy(1);

	(void)state;
	assert_int_equal(probes_run(t), STATUS_PASS);
	probes_set(t, 0, 1710, 1710);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_string_equal(probes_finding(t, 0)->text, "1710<2346 GB/s");
	assert_int_equal(probes_finding(t, 0)->at_most, ACTION_DRAIN);
	/* Low, not by far: one reference. */
	probes_set(t, 0, 2300, 2300);
	assert_int_equal(probes_run(t), STATUS_WARN);
	t->p.gpu[0].hbm_peak_gbps = NAN;
	probes_set(t, 0, 300, 300);
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_string_equal(probes_finding(t, 0)->text,
			    "300<2465 GB/s, by another tool's figure alone");
	probes_free(t);
}

static void the_profiles_own_figure_counts(void **state)
{
	struct probes *t = healthy(2);

	(void)state;
	t->profile.own_membw_read_gbps = 3150;
	assert_int_equal(probes_run(t), STATUS_PASS);
	probes_set(t, 1, 2700, 2700);
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_string_equal(probes_finding(t, 0)->text,
			    "2700<2772 GB/s, by the profile alone");
	probes_config(t, "expected_read_gbps = 3150\n");
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_string_equal(probes_finding(t, 0)->text, "2700<2835 GB/s");
	assert_int_equal(probes_finding(t, 0)->at_most, ACTION_DRAIN_AFTER);
	probes_free(t);
}

static void read_and_triad_are_judged_apart(void **state)
{
	struct probes *t = healthy(8);
	struct probe_shot *s = probes_shot(t, 5, 0);

	(void)state;
	s[1] = s[0];
	s[0].figure[1] = s[1].figure[1] = 1400;
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_only(t->s, "gpu_membw.triad", "GPU5");
	/* The worse of two makes the finding. */
	s[0].figure[0] = s[1].figure[0] = 700;
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_only(t->s, "gpu_membw.read", "GPU5");
	/* A warning does not hide a failure. */
	s[0].figure[0] = 700;
	s[1].figure[0] = 3150;
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_only(t->s, "gpu_membw.triad", "GPU5");
	/* The figure that was low must be low again. */
	s[1].figure[1] = 2950;
	s[1].figure[0] = 700;
	s[0].figure[0] = 3150;
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_only(t->s, "gpu_membw.triad", "GPU5");
	probes_free(t);
}

static void excuses_are_named_and_do_not_fail(void **state)
{
	struct probes *t = healthy(8);
	struct probe_conditions *c = &probes_shot(t, 3, 0)->cond;

	(void)state;
	c->others = 1;
	probes_set(t, 3, 1710, 1710);
	assert_false(probes_doubts(t, 3));
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_string_equal(probes_finding(t, 0)->text,
			    "1710<3002 GB/s, another process on it");
	c->others = 0;
	c->throttle = 0x4;
	c->power_limit_w = 500;
	c->power_default_w = 700;
	probes_set(t, 3, 1710, 1710);
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_string_equal(probes_finding(t, 0)->text,
			    "1710<3002 GB/s, power limit 500<700 W");
	/* The cap at the full limit is everyday life, and no excuse. */
	c->power_limit_w = 700;
	probes_set(t, 3, 1710, 1710);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	/* An excuse that only the repeat has. */
	probes_shot(t, 3, 1)->cond.app_mhz = 1200;
	probes_shot(t, 3, 1)->cond.app_mhz_default = 1980;
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_string_equal(probes_finding(t, 0)->text,
			    "1710<3002 GB/s, clock set to 1200<1980 MHz");
	/* NUMA does not matter here. */
	c->numa_node = 1;
	c->numa_wanted = 0;
	probes_set(t, 3, 1710, 1710);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	probes_free(t);
}

static void hardware_that_slows_itself_down_is_the_finding(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	probes_shot(t, 3, 0)->cond.throttle = 0x8 | 0x4 | 0x40;
	probes_set(t, 3, 1710, 1710);
	assert_false(probes_doubts(t, 3));
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_string_equal(probes_finding(t, 0)->text,
			    "1710<3002 GB/s, held down by HW thermal slowdown");
	probes_set(t, 3, 1710, NAN);
	assert_true(probes_doubts(t, 3));
	probes_free(t);
}

/* Three GPUs after a week, under a load of others or not; then one is low by
 * what it could at most, and by whatever was learnt. */
static enum status low_after_a_week(int others)
{
	struct probes *t = healthy(3);
	enum status status;
	int i;

	for (i = 0; i < 3; i++)
		probes_shot(t, i, 0)->cond.others = others;
	probes_days(t, 7);
	probes_shot(t, 0, 0)->cond.others = 0;
	for (i = 1; i < 3; i++)
		probes_shot(t, i, 0)->cond.others = 1;
	probes_set(t, 0, 2300, 2300);
	status = probes_next(t);
	probes_free(t);
	return status;
}

static void unfair_figures_make_no_median_and_no_history(void **state)
{
	(void)state;
	assert_int_equal(low_after_a_week(1), STATUS_WARN);
	assert_int_equal(low_after_a_week(0), STATUS_FAIL);
}

/* What one reference holds to be low is not what the next one is held
 * against. */
static void a_doubtful_figure_makes_no_history(void **state)
{
	struct probes *t = healthy(8);
	int i;

	(void)state;
	probes_days(t, 6);
	for (i = 0; i < 8; i++)
		probes_set(t, i, 2995, NAN);
	for (i = 0; i < 20; i++)
		assert_int_equal(probes_next(t), STATUS_WARN);
	assert_string_equal(probes_finding(t, 0)->text,
			    "2995<3002 GB/s, by its own history alone");
	/* So the history is there still where the median agrees. */
	probes_set(t, 3, 2800, 2800);
	assert_int_equal(probes_next(t), STATUS_FAIL);
	probes_free(t);
}

static void unknown_models_warn_at_most(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	t->s->env.profile = NULL;
	probes_days(t, 6);
	probes_set(t, 3, 300, 300);
	assert_false(probes_doubts(t, 3));
	assert_int_equal(probes_next(t), STATUS_WARN);
	assert_string_equal(probes_finding(t, 0)->text,
			    "300<3002 GB/s, of a model without a profile");
	/* Nothing but its equals and its past says anything about it. */
	probes_free(t);
	t = healthy(1);
	t->s->env.profile = NULL;
	probes_set(t, 0, 300, 300);
	assert_int_equal(probes_run(t), STATUS_PASS);
	probes_free(t);
}

static void other_models_are_not_compared(void **state)
{
	struct probes *t = healthy(8);
	int i;

	(void)state;
	/* Four of the other kind, which the profile is not about. */
	for (i = 4; i < 8; i++) {
		t->s->facts.gpus.gpu[i].pci_id = 0x26b910de;
		t->p.gpu[i].hbm_peak_gbps = 864;
		probes_set(t, i, 800, NAN);
		probes_shot(t, i, 0)->figure[1] = 770;
	}
	probes_config(t, "expected_read_gbps = 3100\n");
	probes_days(t, 6);
	probes_set(t, 6, 400, 400);
	assert_int_equal(probes_next(t), STATUS_WARN);
	assert_only(t->s, "gpu_membw.read", "GPU6");
	probes_set(t, 6, 800, NAN);
	probes_set(t, 1, 1700, 1700);
	assert_int_equal(probes_next(t), STATUS_FAIL);
	assert_only(t->s, "gpu_membw.read", "GPU1");
	probes_free(t);
}

static void who_was_not_measured_is_not_judged(void **state)
{
	struct probes *t = healthy(8);
	int i;

	(void)state;
	for (i = 1; i < 8; i++) {
		probes_set(t, i, 300, 300);
		probes_shot(t, i, 0)->end = PROBE_NONE;
	}
	assert_int_equal(probes_run(t), STATUS_PASS);
	snprintf(probes_shot(t, 0, 0)->why, 120, "no kernels in this build");
	probes_shot(t, 0, 0)->end = PROBE_UNABLE;
	assert_false(probes_doubts(t, 1));
	assert_int_equal(probes_run(t), STATUS_SKIP);
	assert_string_equal(t->s->r.note, "GPU0: no kernels in this build");
	for (i = 0; i < 8; i++)
		t->p.gpu[i].chosen = false;
	assert_int_equal(probes_run(t), STATUS_SKIP);
	assert_string_equal(t->s->r.note, "no GPU was to be measured");
	probes_free(t);
}

/* Evidence: the same until it passes or is clearly worse. */
static void evidence_does_not_follow_the_value(void **state)
{
	struct probes *t = healthy(8);
	char was[96];

	(void)state;
	probes_set(t, 3, 1710, 1710);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	snprintf(was, sizeof(was), "%s", probes_finding(t, 0)->evidence);
	probes_set(t, 3, 1650, 1655);
	t->s->facts.kmsg.boot_id[0] = 'f'; /* a reboot does not mend it */
	assert_int_equal(probes_next(t), STATUS_FAIL);
	assert_string_equal(probes_finding(t, 0)->evidence, was);
	/* Somewhat better, but not well: the same. */
	probes_set(t, 3, 2900, 2900);
	assert_int_equal(probes_next(t), STATUS_WARN);
	assert_string_equal(probes_finding(t, 0)->evidence, was);
	/* Not measured: it has not passed. */
	probes_set(t, 3, 1650, NAN);
	probes_shot(t, 3, 0)->end = PROBE_NONE;
	assert_int_equal(probes_next(t), STATUS_SKIP);
	assert_only(t->s, "gpu_membw.low", "GPU3");
	assert_string_equal(probes_finding(t, 0)->evidence, was);
	t->p.gpu[3].chosen = false;
	assert_int_equal(probes_next(t), STATUS_SKIP);
	t->p.gpu[3].chosen = true;
	/* Far worse is news. */
	probes_shot(t, 3, 0)->end = PROBE_DONE;
	probes_set(t, 3, 300, 300);
	assert_int_equal(probes_next(t), STATUS_FAIL);
	assert_string_not_equal(probes_finding(t, 0)->evidence, was);
	/* It passes, and what comes then starts anew. */
	probes_set(t, 3, 3160, NAN);
	assert_int_equal(probes_next(t), STATUS_PASS);
	probes_shot(t, 3, 0)->end = PROBE_NONE;
	assert_int_equal(probes_next(t), STATUS_PASS);
	probes_shot(t, 3, 0)->end = PROBE_DONE;
	probes_set(t, 3, 1710, 1710);
	assert_int_equal(probes_next(t), STATUS_FAIL);
	assert_string_equal(probes_finding(t, 0)->evidence, was);
	probes_free(t);
}

static void memory_that_forgets_is_a_hard_fault(void **state)
{
	struct probes *t = healthy(8);
	struct probe_shot *s = probes_shot(t, 2, 0);

	(void)state;
	s[0].corrupt = true;
	assert_true(probes_doubts(t, 2));
	assert_int_equal(probes_run(t), STATUS_WARN);
	s[1] = s[0];
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_only(t->s, "gpu_membw.corrupt", "GPU2");
	assert_string_equal(probes_finding(t, 0)->text,
			    "what is read is not what was written");
	assert_true(probes_finding(t, 0)->hard);
	probes_free(t);
}

static double real_at(const json_t *obj, const char *key)
{
	return json_number_value(json_object_get(obj, key));
}

static void the_record_has_figures_and_conditions(void **state)
{
	struct probes *t = healthy(2);
	const json_t *o, *c;

	(void)state;
	probes_shot(t, 1, 0)->cond.sm_mhz = 1980;
	probes_set(t, 1, 1710.25, 2996);
	probes_shot(t, 0, 0)->figure[1] = NAN;
	probes_run(t);
	assert_int_equal(json_array_size(t->s->r.measured), 2);
	o = json_array_get(t->s->r.measured, 0);
	assert_null(json_object_get(o, "triad_gbps"));
	assert_null(json_object_get(o, "repeat"));
	o = json_array_get(t->s->r.measured, 1);
	assert_string_equal(json_string_value(json_object_get(o, "subject")),
			    "GPU1");
	assert_true(real_at(o, "read_gbps") == 1710.25);
	assert_true(real_at(o, "triad_gbps") == 2951);
	assert_true(real_at(json_object_get(o, "repeat"), "read_gbps") == 2996);
	c = json_object_get(o, "conditions");
	assert_true(real_at(c, "sm_mhz") == 1980);
	assert_null(json_object_get(c, "temp_c"));
	assert_string_equal(json_string_value(json_object_get(c, "kernels")),
			    "0123456789ab");
	assert_string_equal(json_string_value(json_object_get(c, "driver")),
			    "580.95.05");
	probes_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_is_silent),
		cmocka_unit_test(one_slow_gpu_fails_once_it_is_repeated),
		cmocka_unit_test(a_repeat_that_is_good_is_told),
		cmocka_unit_test(little_and_by_one_reference_warns),
		cmocka_unit_test(
			little_by_median_and_history_drains_behind_the_job),
		cmocka_unit_test(all_slow_alike_needs_the_site_to_say_so),
		cmocka_unit_test(a_lone_gpu_is_held_against_its_bus),
		cmocka_unit_test(the_profiles_own_figure_counts),
		cmocka_unit_test(read_and_triad_are_judged_apart),
		cmocka_unit_test(excuses_are_named_and_do_not_fail),
		cmocka_unit_test(hardware_that_slows_itself_down_is_the_finding),
		cmocka_unit_test(unfair_figures_make_no_median_and_no_history),
		cmocka_unit_test(a_doubtful_figure_makes_no_history),
		cmocka_unit_test(unknown_models_warn_at_most),
		cmocka_unit_test(other_models_are_not_compared),
		cmocka_unit_test(who_was_not_measured_is_not_judged),
		cmocka_unit_test(evidence_does_not_follow_the_value),
		cmocka_unit_test(memory_that_forgets_is_a_hard_fault),
		cmocka_unit_test(the_record_has_figures_and_conditions),
	};

	return cmocka_run_group_tests_name("gpu_membw", tests, NULL, NULL);
}
