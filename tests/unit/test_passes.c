/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/passes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

#define DAY 86400
#define NOW 1000000

static struct passes p;
static struct facts *facts;

static int setup(void **state)
{
	(void)state;
	facts = calloc(1, sizeof(*facts));
	if (!facts)
		return -1;
	snprintf(facts->kmsg.boot_id, sizeof(facts->kmsg.boot_id), "b1");
	snprintf(facts->gpus.driver, sizeof(facts->gpus.driver), "580");
	facts->gpus.count = 2;
	snprintf(facts->gpus.gpu[0].uuid, sizeof(facts->gpus.gpu[0].uuid), "A");
	snprintf(facts->gpus.gpu[1].uuid, sizeof(facts->gpus.gpu[1].uuid), "B");
	p = (struct passes){ json_object(), facts, NOW };
	passes_begin(&p);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	json_decref(p.doc);
	free(facts);
	return 0;
}

static bool wanted_after(int seconds, int ttl_s)
{
	struct passes then = p;

	then.now_s += seconds;
	return passes_want(&then, 0, PROBE_membw, ttl_s);
}

static void a_pass_holds_for_its_time(void **state)
{
	(void)state;
	assert_true(wanted_after(0, DAY));
	passes_note(&p, 0, PROBE_membw, true);
	assert_false(wanted_after(0, DAY));
	assert_false(wanted_after(DAY - 1, DAY));
	assert_true(wanted_after(DAY, DAY));
	/* By nobody else, and not to that who wants it now. */
	assert_true(passes_want(&p, 1, PROBE_membw, DAY));
	assert_true(passes_want(&p, 0, PROBE_gemm, DAY));
	assert_true(wanted_after(0, 0));
	/* A clock that was set back. */
	assert_true(wanted_after(-60, DAY));
	assert_int_equal(passes_at(&p, 0, PROBE_membw), NOW);
}

static void an_attempt_is_followed_by_a_rest(void **state)
{
	(void)state;
	passes_note(&p, 0, PROBE_membw, false);
	assert_int_equal(passes_at(&p, 0, PROBE_membw), 0);
	assert_false(wanted_after(0, DAY));
	assert_false(wanted_after(PASSES_RETRY_S - 1, DAY));
	assert_true(wanted_after(PASSES_RETRY_S, DAY));
	assert_true(wanted_after(600, 600));
	/* What a drain waits for is not put off. */
	assert_true(wanted_after(0, 0));
}

/* Who goes first is who was not seen to for longest. */
static void an_attempt_counts_as_seen(void **state)
{
	(void)state;
	assert_int_equal(passes_seen(&p, 0, PROBE_membw), 0);
	passes_note(&p, 0, PROBE_membw, true);
	assert_int_equal(passes_seen(&p, 0, PROBE_membw), NOW);
	p.now_s = NOW + 60;
	passes_note(&p, 0, PROBE_membw, false);
	passes_note(&p, 1, PROBE_membw, false);
	assert_int_equal(passes_at(&p, 0, PROBE_membw), NOW);
	assert_int_equal(passes_seen(&p, 0, PROBE_membw), NOW + 60);
	assert_int_equal(passes_seen(&p, 1, PROBE_membw), NOW + 60);
	assert_int_equal(passes_seen(&p, 1, PROBE_gemm), 0);
	snprintf(facts->kmsg.boot_id, sizeof(facts->kmsg.boot_id), "b2");
	assert_int_equal(passes_seen(&p, 0, PROBE_membw), 0);
}

static void other_circumstances_void_both(void **state)
{
	(void)state;
	passes_note(&p, 0, PROBE_membw, true);
	passes_note(&p, 1, PROBE_membw, false);
	snprintf(facts->kmsg.boot_id, sizeof(facts->kmsg.boot_id), "b2");
	assert_true(passes_want(&p, 0, PROBE_membw, DAY));
	assert_true(passes_want(&p, 1, PROBE_membw, DAY));
	assert_int_equal(passes_at(&p, 0, PROBE_membw), 0);
	passes_begin(&p);
	assert_true(passes_want(&p, 0, PROBE_membw, DAY));
	assert_true(passes_want(&p, 1, PROBE_membw, DAY));
}

/* Ports have nothing to do with the GPUs' driver. */
static void ports_have_a_book_of_their_own(void **state)
{
	struct hca *h = &facts->fabric.hca[0];
	int port = PROBE_PLACE_PORT(0);

	(void)state;
	facts->fabric.hca_count = 1;
	snprintf(h->name, sizeof(h->name), "mlx5_0");
	h->port_count = h->port[0].number = 1;
	assert_true(passes_want(&p, port, PROBE_loopback, DAY));
	passes_note(&p, port, PROBE_loopback, true);
	passes_note(&p, 0, PROBE_gdr, true);
	assert_false(passes_want(&p, port, PROBE_loopback, DAY));
	assert_true(passes_want(&p, port, PROBE_latency, DAY));
	assert_non_null(json_object_get(
		json_object_get(json_object_get(json_object_get(p.doc, "ports"),
						"passed"),
				"mlx5_0:1"),
		"loopback"));
	snprintf(facts->gpus.driver, sizeof(facts->gpus.driver), "590");
	assert_true(passes_want(&p, 0, PROBE_gdr, DAY));
	assert_false(passes_want(&p, port, PROBE_loopback, DAY));
	passes_begin(&p);
	assert_true(passes_want(&p, 0, PROBE_gdr, DAY));
	assert_int_equal(passes_at(&p, port, PROBE_loopback), NOW);
	passes_note(&p, 0, PROBE_gdr, true);
	snprintf(facts->kmsg.boot_id, sizeof(facts->kmsg.boot_id), "b2");
	passes_begin(&p);
	assert_true(passes_want(&p, port, PROBE_loopback, DAY));
}

static void without_a_memory_all_is_wanted(void **state)
{
	struct passes none = { NULL, facts, NOW };

	(void)state;
	assert_true(passes_want(&none, 0, PROBE_membw, DAY));
	assert_int_equal(passes_at(&none, 0, PROBE_membw), 0);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_pass_holds_for_its_time),
		T(an_attempt_is_followed_by_a_rest),
		T(an_attempt_counts_as_seen),
		T(other_circumstances_void_both),
		T(ports_have_a_book_of_their_own),
		T(without_a_memory_all_is_wanted),
	};

	return cmocka_run_group_tests_name("passes", tests, NULL, NULL);
}
