/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/probes.h"

extern const struct check check_nvlink_bw;

static struct probes *healthy(int count)
{
	return probes_healthy(&check_nvlink_bw, count);
}

static void set_pair(struct probes *t, int i, int j, double gbps)
{
	t->p.pairs.gbps[0][i][j] = t->p.pairs.gbps[0][j][i] = gbps;
}

static void set_all_of(struct probes *t, int i, int count, double gbps)
{
	int j;

	for (j = 0; j < count; j++)
		if (j != i)
			set_pair(t, i, j, gbps);
}

/* The same again, for every GPU. */
static void repeat(struct probes *t, int count)
{
	int i;

	memcpy(t->p.pairs.gbps[1], t->p.pairs.gbps[0],
	       sizeof(t->p.pairs.gbps[1]));
	for (i = 0; i < count; i++)
		probes_shot(t, i, 0)[1] = probes_shot(t, i, 0)[0];
}

static void without_fabric(struct probes *t, int count)
{
	int i;

	for (i = 0; i < count; i++)
		t->s->facts.gpus.gpu[i].fabric_state = known(0);
}

static void healthy_is_silent(void **state)
{
	struct probes *t = healthy(8);
	int i;

	(void)state;
	probes_days(t, 8);
	assert_int_equal(t->s->r.count, 0);
	for (i = 0; i < 8; i++)
		assert_false(probes_doubts(t, i));
	probes_free(t);
}

/* A GPU with bad links is slow to all, and all are slow to it: it is named,
 * they are not. */
static void the_gpu_to_blame_is_named(void **state)
{
	struct probes *t = healthy(8);
	int i;

	(void)state;
	set_all_of(t, 3, 8, 170);
	set_pair(t, 3, 5, 160);
	for (i = 0; i < 8; i++)
		assert_int_equal(probes_doubts(t, i), i == 3);
	repeat(t, 8);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_only(t->s, "nvlink_bw.peer", "GPU3");
	assert_string_equal(probes_finding(t, 0)->text,
			    "160<361 GB/s to GPU5 and all others");
	assert_int_equal(probes_finding(t, 0)->at_most, ACTION_DRAIN);
	assert_int_equal(probes_finding(t, 0)->remedy, REMEDY_SERVICE);
	/* Two of them. */
	set_all_of(t, 6, 8, 170);
	repeat(t, 8);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_int_equal(t->s->r.count, 2);
	assert_string_equal(probes_finding(t, 1)->subject, "GPU6");
	probes_free(t);
}

static void one_pair_staged_through_the_host(void **state)
{
	struct probes *t = healthy(8);
	int i;

	(void)state;
	set_pair(t, 3, 5, 38);
	for (i = 0; i < 8; i++)
		assert_int_equal(probes_doubts(t, i), i == 3 || i == 5);
	assert_int_equal(probes_run(t), STATUS_WARN);
	repeat(t, 8);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_int_equal(t->s->r.count, 2);
	assert_string_equal(probes_finding(t, 0)->subject, "GPU3");
	assert_string_equal(probes_finding(t, 0)->text,
			    "38.0<361 GB/s to GPU5, staged through the host");
	assert_string_equal(probes_finding(t, 1)->subject, "GPU5");
	/* Slower, but not by a factor; unless the driver says so. */
	set_pair(t, 3, 5, 100);
	repeat(t, 8);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_string_equal(probes_finding(t, 0)->text, "100<361 GB/s to GPU5");
	t->p.pairs.no_access[3][5] = true;
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_string_equal(probes_finding(t, 0)->text,
			    "100<361 GB/s to GPU5, staged through the host");
	probes_free(t);
}

static void one_direction_is_enough(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	t->p.pairs.gbps[0][5][3] = 38;
	repeat(t, 8);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_int_equal(t->s->r.count, 2);
	/* What was good when it was alone is told. */
	t->p.pairs.gbps[1][5][3] = 380;
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_string_equal(probes_finding(t, 0)->text,
			    "unconfirmed: 38.0, then 380 GB/s");
	probes_free(t);
}

/* All alike on a board that is known to have switches: the site decides. */
static void all_staged_on_a_switched_board(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	probes_pairs(t, 0, 8, 37);
	repeat(t, 8);
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_string_equal(probes_finding(t, 0)->text,
			    "37.0<270 GB/s to all others, staged through the host, by "
			    "what it could at most alone");
	probes_config(t, "expected_gbps = 370\n");
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_int_equal(t->s->r.count, 8);
	assert_int_equal(probes_finding(t, 0)->at_most, ACTION_DRAIN);
	probes_free(t);
}

/* Four GPUs wired to each other: a third of the links to each peer. */
static void a_board_without_switches_is_healthy(void **state)
{
	struct probes *t = healthy(4);

	(void)state;
	without_fabric(t, 4);
	probes_pairs(t, 0, 4, 128);
	probes_days(t, 6);
	assert_int_equal(t->s->r.count, 0);
	set_pair(t, 1, 2, 40);
	assert_true(probes_doubts(t, 1));
	repeat(t, 4);
	assert_int_equal(probes_next(t), STATUS_FAIL);
	assert_string_equal(probes_finding(t, 0)->subject, "GPU1");
	assert_string_equal(probes_finding(t, 0)->text, "40.0<122 GB/s to GPU2");
	/* But nothing explains this. */
	probes_pairs(t, 0, 4, 25);
	json_decref((json_t *)(uintptr_t)t->s->env.memory);
	t->s->env.memory = NULL;
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_int_equal(t->s->r.count, 4);
	assert_string_equal(probes_finding(t, 0)->text,
			    "25.0 GB/s to the best of the others, staged "
			    "through the host");
	probes_free(t);
}

/* One pair at the full rate shows that there is a switch. */
static void a_fast_pair_shows_the_switch(void **state)
{
	struct probes *t = healthy(2);

	(void)state;
	without_fabric(t, 2);
	probes_pairs(t, 0, 2, 128);
	assert_int_equal(probes_run(t), STATUS_PASS);
	probes_free(t);
	t = healthy(4);
	without_fabric(t, 4);
	set_pair(t, 0, 1, 128);
	assert_true(probes_doubts(t, 0));
	probes_free(t);
}

/* Cards with bridges between pairs, all else over PCIe, three on one socket
 * and one on the other. */
static void cards_are_not_compared(void **state)
{
	struct probes *t = healthy(4);

	(void)state;
	without_fabric(t, 4);
	t->profile.nvlink_bridge = 1;
	probes_pairs(t, 0, 4, 50);
	set_pair(t, 0, 1, 256);
	set_all_of(t, 3, 4, 20);
	probes_days(t, 6);
	assert_int_equal(t->s->r.count, 0);
	/* The bridge has come off: its own past tells. */
	set_pair(t, 0, 1, 50);
	repeat(t, 4);
	assert_int_equal(probes_next(t), STATUS_FAIL);
	assert_string_equal(probes_finding(t, 0)->code, "nvlink_bw.all");
	assert_string_equal(probes_finding(t, 0)->text,
			    "50.0<243 GB/s to all others, staged through "
			    "the host");
	set_pair(t, 0, 1, 256);
	set_pair(t, 2, 3, 5);
	repeat(t, 4);
	assert_int_equal(probes_next(t), STATUS_FAIL);
	assert_string_equal(probes_finding(t, 0)->subject, "GPU2");
	assert_string_equal(probes_finding(t, 0)->code, "nvlink_bw.peer");
	/* Without NVLink in the profile it is the same. */
	t->profile.nvlink_bridge = 0;
	t->profile.nvlink_gbps = NAN;
	set_pair(t, 2, 3, 20);
	assert_int_equal(probes_next(t), STATUS_PASS);
	probes_free(t);
}

/* Cards that reach each other through the host only: how fast depends on
 * where the driver's buffers lie, for all copies of a process alike. */
static void through_the_host_rates_wander(void **state)
{
	struct probes *t = healthy(4);

	(void)state;
	without_fabric(t, 4);
	t->profile.nvlink_gbps = NAN;
	probes_pairs(t, 0, 4, 20);
	memset(t->p.pairs.no_access, true, sizeof(t->p.pairs.no_access));
	probes_days(t, 6);
	probes_pairs(t, 0, 4, 12);
	assert_false(probes_doubts(t, 0));
	repeat(t, 4);
	assert_int_equal(probes_next(t), STATUS_PASS);
	/* With access the same loss is one. */
	memset(t->p.pairs.no_access, false, sizeof(t->p.pairs.no_access));
	probes_pairs(t, 0, 4, 20);
	probes_days(t, 6);
	probes_pairs(t, 0, 4, 12);
	repeat(t, 4);
	assert_int_equal(probes_next(t), STATUS_FAIL);
	probes_free(t);
}

/* A display card beside them has no part in it. */
static void other_models_are_no_peers(void **state)
{
	struct probes *t = healthy(5);

	(void)state;
	set_all_of(t, 2, 5, 12);
	repeat(t, 5);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	t->s->facts.gpus.gpu[2].pci_id = 0x1fb010de;
	assert_int_equal(probes_run(t), STATUS_PASS);
	probes_free(t);
}

static void two_gpus_and_the_sites_figure(void **state)
{
	struct probes *t = healthy(2);

	(void)state;
	assert_int_equal(probes_run(t), STATUS_PASS);
	probes_pairs(t, 0, 2, 260);
	repeat(t, 2);
	assert_int_equal(probes_run(t), STATUS_WARN);
	probes_config(t, "expected_gbps = 370\n");
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_string_equal(probes_finding(t, 0)->text, "260<333 GB/s to GPU1");
	assert_int_equal(probes_finding(t, 0)->at_most, ACTION_DRAIN_AFTER);
	probes_free(t);
}

static void no_access_without_a_measurement_warns(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	set_pair(t, 2, 6, NAN);
	assert_int_equal(probes_run(t), STATUS_PASS);
	t->p.pairs.no_access[2][6] = true;
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_only(t->s, "nvlink_bw.no_access", "GPU2");
	assert_string_equal(probes_finding(t, 0)->text, "no peer access to GPU6");
	probes_free(t);
}

static void a_changed_payload_needs_to_be_seen_twice(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	t->p.pairs.corrupt[0][4][1] = true;
	assert_true(probes_doubts(t, 4));
	assert_false(probes_doubts(t, 1));
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_only(t->s, "nvlink_bw.corrupt", "GPU4");
	repeat(t, 8);
	t->p.pairs.corrupt[1][4][2] = true;
	assert_int_equal(probes_run(t), STATUS_WARN);
	t->p.pairs.corrupt[1][4][1] = true;
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_string_equal(probes_finding(t, 0)->text,
			    "a payload to GPU1 changed");
	assert_true(probes_finding(t, 0)->hard);
	probes_free(t);
}

static void nobody_to_copy_to(void **state)
{
	struct probes *t = healthy(1);

	(void)state;
	probes_shot(t, 0, 0)->end = PROBE_UNABLE;
	snprintf(probes_shot(t, 0, 0)->why, 120, "no other GPU");
	assert_int_equal(probes_run(t), STATUS_SKIP);
	assert_string_equal(t->s->r.note, "GPU0: no other GPU");
	probes_free(t);
}

static void the_record_has_every_pair(void **state)
{
	struct probes *t = healthy(8);
	const json_t *o;

	(void)state;
	set_pair(t, 2, 6, 111);
	probes_run(t);
	o = json_object_get(json_array_get(t->s->r.measured, 2), "to_gbps");
	assert_int_equal(json_object_size(o), 7);
	assert_true(json_number_value(json_object_get(o, "GPU6")) == 111);
	assert_null(json_object_get(o, "GPU2"));
	probes_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_is_silent),
		cmocka_unit_test(the_gpu_to_blame_is_named),
		cmocka_unit_test(one_pair_staged_through_the_host),
		cmocka_unit_test(one_direction_is_enough),
		cmocka_unit_test(all_staged_on_a_switched_board),
		cmocka_unit_test(a_board_without_switches_is_healthy),
		cmocka_unit_test(a_fast_pair_shows_the_switch),
		cmocka_unit_test(cards_are_not_compared),
		cmocka_unit_test(through_the_host_rates_wander),
		cmocka_unit_test(other_models_are_no_peers),
		cmocka_unit_test(two_gpus_and_the_sites_figure),
		cmocka_unit_test(no_access_without_a_measurement_warns),
		cmocka_unit_test(a_changed_payload_needs_to_be_seen_twice),
		cmocka_unit_test(nobody_to_copy_to),
		cmocka_unit_test(the_record_has_every_pair),
	};

	return cmocka_run_group_tests_name("nvlink_bw", tests, NULL, NULL);
}
