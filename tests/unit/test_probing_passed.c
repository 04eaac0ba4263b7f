/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/probing_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks/places.h"
#include "tests/unit/unit.h"

extern const struct check check_ib_gdr, check_ib_loopback;

#define NOW 1000000
#define PORT(k) PROBE_PLACE_PORT(k)

static struct run r;
static struct probing q;
static struct crew_plan plan;
static struct facts_probes probes;
static struct check_result result;

/* Two GPUs and two ports, all of them measured, with nothing said yet. */
static int setup(void **state)
{
	struct facts *f = calloc(1, sizeof(*f));
	int i, p;

	(void)state;
	if (!f)
		return -1;
	memset(&r, 0, sizeof(r));
	memset(&plan, 0, sizeof(plan));
	memset(&probes, 0, sizeof(probes));
	r.facts = f;
	r.probes = &probes;
	r.results = &result;
	r.count = 1;
	f->gpus.count = f->fabric.hca_count = 2;
	for (i = 0; i < 2; i++) {
		snprintf(f->gpus.gpu[i].uuid, 64, "GPU-%d", i);
		f->gpus.gpu[i].index = i;
		snprintf(f->fabric.hca[i].name, 32, "mlx5_%d", i);
		f->fabric.hca[i].port_count = 1;
		f->fabric.hca[i].port[0].number = 1;
		for (p = 0; p < PROBE_COUNT; p++)
			probes.gpu[i].probe[p].shot[0].end =
				probes.port[i].probe[p].shot[0].end =
					PROBE_DONE;
		plan.chosen[i] = plan.chosen[PORT(i)] = true;
	}
	plan.probe[PROBE_gdr] = plan.probe[PROBE_loopback] = true;
	q = (struct probing){ .passes = json_object() };
	result = (struct check_result){ .check = &check_ib_loopback,
					.name = "ib_loopback" };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	result_fini(&result);
	json_decref(q.passes);
	free(r.facts);
	return 0;
}

static bool passed(int place, enum probe probe)
{
	struct passes p = probing_passes(&r, &q, NOW);

	return passes_at(&p, place, probe) == NOW;
}

static void note(void)
{
	probing_note_passes(&r, &q, &plan, NOW);
	assert_true(q.changed);
}

static void what_was_measured_well_has_passed(void **state)
{
	(void)state;
	plan.chosen[PORT(1)] = false;
	note();
	assert_true(passed(PORT(0), PROBE_loopback));
	assert_false(passed(PORT(1), PROBE_loopback));
	assert_true(passed(0, PROBE_gdr) && passed(1, PROBE_gdr));
	assert_false(passed(PORT(0), PROBE_latency));
}

static void a_warning_is_its_ports_alone(void **state)
{
	(void)state;
	result_add(&result, STATUS_WARN, "rate", "mlx5_1", "slow");
	note();
	assert_true(passed(PORT(0), PROBE_loopback));
	assert_false(passed(PORT(1), PROBE_loopback));
}

static void what_is_about_nobody_is_about_all(void **state)
{
	(void)state;
	result_add(&result, STATUS_WARN, "odd", "node", "odd");
	note();
	assert_false(passed(PORT(0), PROBE_loopback));
	assert_false(passed(PORT(1), PROBE_loopback));
	assert_true(passed(0, PROBE_gdr));
}

/* The node's state is judged in every pass; the probe has passed all the
 * same. */
static void state_is_no_probes_doing(void **state)
{
	(void)state;
	result.check = &check_ib_gdr;
	result.name = "ib_gdr";
	result_add(&result, STATUS_WARN, "acs", "0000:17:00.0", "ACS is on");
	result_add(&result, STATUS_WARN, "rate", "GPU1", "slow")->gpu = 1;
	note();
	assert_true(passed(0, PROBE_gdr));
	assert_false(passed(1, PROBE_gdr));
}

static void how_it_ended(void **state)
{
	struct passes p;

	(void)state;
	probes.port[0].probe[PROBE_loopback].shot[0].end = PROBE_TIMEOUT;
	probes.port[1].probe[PROBE_loopback].shot[0].end = PROBE_FAULT;
	note();
	assert_false(passed(PORT(0), PROBE_loopback));
	assert_false(passed(PORT(1), PROBE_loopback));
	/* The one is asked again at once, the other later. */
	p = probing_passes(&r, &q, NOW + 1);
	assert_true(passes_want(&p, PORT(0), PROBE_loopback, 86400));
	assert_false(passes_want(&p, PORT(1), PROBE_loopback, 86400));
}

static bool wanted_after(int place, enum probe probe, int seconds)
{
	struct passes p = probing_passes(&r, &q, NOW + seconds);

	return passes_want(&p, place, probe, 86400);
}

static struct probe_shot *unable(struct probe_result *of, enum probe probe)
{
	of[probe].shot[0].end = PROBE_UNABLE;
	return of[probe].shot;
}

/* No memory, say, neither to open nor to measure: not for a day, and not for
 * each job either. */
static void what_could_not_be_measured_rests_for_an_hour(void **state)
{
	(void)state;
	unable(probes.port[0].probe, PROBE_context);
	unable(probes.port[1].probe, PROBE_loopback);
	unable(probes.gpu[1].probe, PROBE_gdr);
	note();
	assert_false(passed(PORT(0), PROBE_loopback));
	assert_false(passed(PORT(1), PROBE_loopback));
	assert_false(passed(1, PROBE_gdr));
	assert_false(wanted_after(PORT(0), PROBE_loopback, 3599));
	assert_false(wanted_after(PORT(1), PROBE_loopback, 3599));
	assert_false(wanted_after(1, PROBE_gdr, 3599));
	assert_true(wanted_after(PORT(0), PROBE_loopback, 3600));
	assert_true(wanted_after(PORT(1), PROBE_loopback, 3600));
	assert_true(wanted_after(1, PROBE_gdr, 3600));
	/* What was measured is good for a day. */
	assert_false(wanted_after(0, PROBE_gdr, 3600));
	assert_true(wanted_after(0, PROBE_gdr, 86400));
}

/* As beside other traffic. That a place was not measured is said by who finds
 * nothing about it, and is its turn the next time. */
static void the_undecided_rests_too(void **state)
{
	(void)state;
	result_add(&result, STATUS_SKIP, "disturbed", "mlx5_0", "other traffic");
	result_add(&result, STATUS_SKIP, "low", "mlx5_1", "not this time");
	probes.port[1].probe[PROBE_loopback].shot[0].end = PROBE_NONE;
	note();
	assert_false(passed(PORT(0), PROBE_loopback));
	assert_false(wanted_after(PORT(0), PROBE_loopback, 3599));
	assert_true(wanted_after(PORT(0), PROBE_loopback, 3600));
	assert_true(wanted_after(PORT(1), PROBE_loopback, 1));
}

/* Low once, and no time to look again: that is the next run's first work. */
static void a_repeat_that_is_owed_is_not_put_off(void **state)
{
	struct probe_shot *s = probes.port[0].probe[PROBE_loopback].shot;

	(void)state;
	result_add(&result, STATUS_WARN, "rate", "mlx5_0", "to be repeated");
	result_add(&result, STATUS_WARN, "rate", "mlx5_1", "excused");
	snprintf(s[1].why, sizeof(s[1].why), "no time left");
	note();
	assert_true(wanted_after(PORT(0), PROBE_loopback, 1));
	assert_false(wanted_after(PORT(1), PROBE_loopback, 1));
	s[1].end = PROBE_DONE;
	note();
	assert_false(wanted_after(PORT(0), PROBE_loopback, 1));
}

/* As kernels in a build that has none. */
static void what_never_can_be_is_done_with(void **state)
{
	(void)state;
	unable(probes.port[0].probe, PROBE_context)->never = true;
	unable(probes.gpu[1].probe, PROBE_gdr)->never = true;
	note();
	assert_false(wanted_after(PORT(0), PROBE_loopback, 3600));
	assert_false(wanted_after(1, PROBE_gdr, 3600));
	/* A warning about it is no pass. */
	result_add(&result, STATUS_WARN, "odd", "mlx5_0", "odd");
	unable(probes.port[0].probe, PROBE_context)->end = PROBE_DONE;
	unable(probes.port[0].probe, PROBE_loopback)->never = true;
	q.passes = (json_decref(q.passes), json_object());
	note();
	assert_false(passed(PORT(0), PROBE_loopback));
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(what_was_measured_well_has_passed),
		T(a_warning_is_its_ports_alone),
		T(what_is_about_nobody_is_about_all),
		T(state_is_no_probes_doing),
		T(how_it_ended),
		T(what_could_not_be_measured_rests_for_an_hour),
		T(the_undecided_rests_too),
		T(a_repeat_that_is_owed_is_not_put_off),
		T(what_never_can_be_is_done_with),
	};

	return cmocka_run_group_tests_name("probing_passed", tests, NULL, NULL);
}
