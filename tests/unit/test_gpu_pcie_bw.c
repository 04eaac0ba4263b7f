/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/probes.h"

extern const struct check check_gpu_pcie_bw;

static struct probes *healthy(int count)
{
	return probes_healthy(&check_gpu_pcie_bw, count);
}

static struct gpu *gpu(struct probes *t, int i)
{
	return &t->s->facts.gpus.gpu[i];
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

static void a_link_that_trained_low_is_named(void **state)
{
	struct probes *t = healthy(1);
	struct probe_conditions *c = &probes_shot(t, 0, 0)->cond;

	(void)state;
	c->pcie_gen = 3;
	c->pcie_width = 16;
	probes_set(t, 0, 12.1, 12.1);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_only(t->s, "gpu_pcie_bw.h2d", "GPU0");
	assert_string_equal(probes_finding(t, 0)->text,
			    "12.1<44.1 GB/s, link at Gen3 x16");
	assert_int_equal(probes_finding(t, 0)->remedy, REMEDY_SERVICE);
	assert_int_equal(probes_finding(t, 0)->at_most, ACTION_DRAIN);
	/* At its best the link is not the matter. */
	c->pcie_gen = 5;
	probes_set(t, 0, 12.1, 12.1);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_string_equal(probes_finding(t, 0)->text, "12.1<44.1 GB/s");
	probes_free(t);
}

/* Rates of GPU 0 alone, held against what its link could. */
static enum status held(struct probes *t, double h2d)
{
	probes_set(t, 0, h2d, h2d);
	probes_shot(t, 0, 0)->figure[1] = NAN;
	probes_shot(t, 0, 1)->figure[1] = NAN;
	return probes_run(t);
}

static void the_narrowest_part_sets_the_measure(void **state)
{
	struct probes *t = healthy(1);
	struct gpu *g = gpu(t, 0);

	(void)state;
	t->profile.h2d_floor_gbps = NAN;
	assert_int_equal(held(t, 26), STATUS_FAIL);
	/* A slot of Gen4. */
	g->pcie_gen_max = known(4);
	assert_int_equal(held(t, 26), STATUS_PASS);
	assert_int_equal(held(t, 12), STATUS_FAIL);
	assert_string_equal(probes_finding(t, 0)->text, "12.0<22.1 GB/s");
	/* A switch above that is slower than its slots. */
	g->pcie_gen_max = known(5);
	t->p.gpu[0].pcie_path_mt = 16000;
	assert_int_equal(held(t, 26), STATUS_PASS);
	t->p.gpu[0].pcie_path_mt = 64000;
	assert_int_equal(held(t, 26), STATUS_FAIL);
	/* Given to a virtual machine that does not see what is above. */
	t->p.gpu[0].pcie_path_mt = 0;
	assert_int_equal(held(t, 26), STATUS_PASS);
	t->p.gpu[0].pcie_path_mt = 64000;
	/* Half the lanes. */
	g->pci_parent_width_max = 8;
	assert_int_equal(held(t, 26), STATUS_PASS);
	g->pci_parent_width_max = 16;
	g->pcie_gen_gpu_max = known(4);
	assert_int_equal(held(t, 26), STATUS_PASS);
	/* Nobody knows what it can. */
	g->pcie_gen_max = g->pcie_gen_gpu_max = unknown(3);
	assert_int_equal(held(t, 2), STATUS_PASS);
	g->pcie_gen_max = known(5);
	g->pcie_width_max = unknown(3);
	g->pci_width_max = g->pci_parent_width_max = 0;
	assert_int_equal(held(t, 2), STATUS_PASS);
	g->pcie_width_max = known(16);
	g->pcie_gen_max = known(99);
	assert_int_equal(held(t, 2), STATUS_PASS);
	probes_free(t);
}

static void c2c_has_no_link_to_be_held_against(void **state)
{
	struct probes *t = healthy(4);
	int i;

	(void)state;
	t->profile.h2d_floor_gbps = t->profile.d2h_floor_gbps = NAN;
	for (i = 0; i < 4; i++) {
		gpu(t, i)->pcie_width_max = gpu(t, i)->pcie_gen_max = known(1);
		probes_shot(t, i, 0)->cond.pcie_gen = 1;
		probes_shot(t, i, 0)->cond.pcie_width = 1;
		probes_set(t, i, 201, NAN);
		probes_shot(t, i, 0)->figure[1] = 193;
	}
	assert_int_equal(probes_run(t), STATUS_PASS);
	probes_set(t, 2, 60, 60);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_string_equal(probes_finding(t, 0)->text, "60.0<191 GB/s");
	probes_free(t);
}

/* One of four sits in a narrow slot, and does what that allows. */
static void other_slots_are_not_compared(void **state)
{
	struct probes *t = healthy(4);

	(void)state;
	gpu(t, 1)->pci_parent_width_max = 8;
	probes_set(t, 1, 26, NAN);
	probes_shot(t, 1, 0)->figure[1] = 25;
	t->profile.h2d_floor_gbps = t->profile.d2h_floor_gbps = NAN;
	assert_int_equal(probes_run(t), STATUS_PASS);
	gpu(t, 1)->pci_parent_width_max = 16;
	assert_true(probes_doubts(t, 1));
	probes_free(t);
}

static void a_buffer_far_away_excuses(void **state)
{
	struct probes *t = healthy(8);
	struct probe_conditions *c = &probes_shot(t, 6, 0)->cond;

	(void)state;
	c->numa_node = 0;
	c->numa_wanted = 1;
	probes_set(t, 6, 20, 20);
	assert_false(probes_doubts(t, 6));
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_string_equal(probes_finding(t, 0)->text,
			    "20.0<51.6 GB/s, buffer on NUMA node 0, not 1");
	c->numa_wanted = -1;
	probes_set(t, 6, 20, 20);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	probes_free(t);
}

static void directions_are_judged_apart(void **state)
{
	struct probes *t = healthy(8);
	struct probe_shot *s = probes_shot(t, 4, 0);

	(void)state;
	s[1] = s[0];
	s[0].figure[1] = s[1].figure[1] = 24;
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_only(t->s, "gpu_pcie_bw.d2h", "GPU4");
	probes_config(t, "expected_d2h_gbps = 24\nexpected_h2d_gbps = 54\n");
	s[0].figure[1] = s[1].figure[1] = 50;
	assert_int_equal(probes_run(t), STATUS_PASS);
	probes_config(t, "expected_d2h_gbps = 58\n");
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_int_equal(t->s->r.count, 8);
	probes_free(t);
}

static void a_changed_payload_needs_to_be_seen_twice(void **state)
{
	struct probes *t = healthy(8);
	struct probe_shot *s = probes_shot(t, 2, 0);

	(void)state;
	s[0].corrupt = true;
	assert_true(probes_doubts(t, 2));
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_only(t->s, "gpu_pcie_bw.corrupt", "GPU2");
	s[1] = s[0];
	s[1].corrupt = false;
	assert_false(probes_doubts(t, 2));
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_string_equal(probes_finding(t, 0)->text,
			    "a copied payload came back changed, unconfirmed");
	s[1].corrupt = true;
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_only(t->s, "gpu_pcie_bw.corrupt", "GPU2");
	assert_true(probes_finding(t, 0)->hard);
	assert_int_equal(probes_finding(t, 0)->at_most, ACTION_DRAIN);
	/* Not measured the next day: still open. */
	s[0].end = PROBE_NONE;
	assert_int_equal(probes_next(t), STATUS_SKIP);
	assert_only(t->s, "gpu_pcie_bw.corrupt", "GPU2");
	probes_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_is_silent),
		cmocka_unit_test(a_link_that_trained_low_is_named),
		cmocka_unit_test(the_narrowest_part_sets_the_measure),
		cmocka_unit_test(c2c_has_no_link_to_be_held_against),
		cmocka_unit_test(other_slots_are_not_compared),
		cmocka_unit_test(a_buffer_far_away_excuses),
		cmocka_unit_test(directions_are_judged_apart),
		cmocka_unit_test(a_changed_payload_needs_to_be_seen_twice),
	};

	return cmocka_run_group_tests_name("gpu_pcie_bw", tests, NULL, NULL);
}
