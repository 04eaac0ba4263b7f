/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "lib/profile.h"
#include "tests/unit/gpus.h"

extern const struct check check_nvlink_links;

static void healthy_is_silent(void **state)
{
	(void)state;
	gpus_passes_healthy(&check_nvlink_links);
}

static void unknown_is_a_skip(void **state)
{
	(void)state;
	gpus_skips_unknown(&check_nvlink_links);
}

static void down(struct gpus *s, int gpu, int links)
{
	int i;

	for (i = 0; i < 18; i++)
		s->facts.gpus.gpu[gpu].link_state[i] = known(i >= links);
}

static void one_link_of_one_gpu(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	s->facts.gpus.gpu[3].link_state[7] = known(0);
	assert_int_equal(gpus_run(s, &check_nvlink_links), STATUS_FAIL);
	assert_only(s, "nvlink_links.minority", "GPU3");
	assert_string_equal(s->r.finding[0].text, "17<18 links");
	assert_string_equal(s->r.finding[0].evidence, BOOT ":links=17");
	assert_true(s->r.finding[0].value == 17);
	assert_int_equal(s->r.finding[0].remedy, REMEDY_SERVICE);
	gpus_free(s);
}

static void a_state_that_is_not_told_is_not_down(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	s->facts.gpus.gpu[3].link_state[7] = unknown(3);
	assert_int_equal(gpus_run(s, &check_nvlink_links), STATUS_PASS);
	gpus_config(s, "[check nvlink_links]\nexpected = 18\n");
	assert_int_equal(gpus_run(s, &check_nvlink_links), STATUS_WARN);
	s->facts.gpus.gpu[3].link_state[8] = known(0);
	assert_int_equal(gpus_run(s, &check_nvlink_links), STATUS_FAIL);
	gpus_free(s);
}

/* Whatever is hidden where, healthy GPUs never differ. */
static void states_hidden_here_and_there(void **state)
{
	struct gpus *s = gpus_healthy(8);
	int i, j;

	(void)state;
	for (i = 0; i < 8; i++) {
		down(s, i, 6);
		for (j = 0; j < 18; j++)
			if ((i * 7 + j * 5) % 3)
				s->facts.gpus.gpu[i].link_state[j] =
					unknown(3);
	}
	assert_int_equal(gpus_run(s, &check_nvlink_links), STATUS_PASS);
	gpus_free(s);
}

/* H100 NVL: 12 of 18 are up on healthy boards. */
static void boards_that_use_some_of_the_links(void **state)
{
	struct gpus *s = gpus_healthy(4);
	int i;

	(void)state;
	for (i = 0; i < 4; i++)
		down(s, i, 6);
	assert_int_equal(gpus_run(s, &check_nvlink_links), STATUS_PASS);
	down(s, 1, 7);
	assert_int_equal(gpus_run(s, &check_nvlink_links), STATUS_FAIL);
	assert_string_equal(s->r.finding[0].text, "11<12 links");
	gpus_config(s, "[check nvlink_links]\nexpected = 12\n");
	assert_int_equal(gpus_run(s, &check_nvlink_links), STATUS_FAIL);
	assert_only(s, "nvlink_links.expected", "GPU1");
	down(s, 1, 6);
	assert_int_equal(gpus_run(s, &check_nvlink_links), STATUS_PASS);
	gpus_free(s);
}

/* A100: 12 links, the other six are not offered. */
static void models_with_fewer_links(void **state)
{
	struct gpus *s = gpus_healthy(8);
	int i, j;

	(void)state;
	for (i = 0; i < 8; i++)
		for (j = 12; j < 18; j++)
			s->facts.gpus.gpu[i].link_state[j] = unknown(3);
	assert_int_equal(gpus_run(s, &check_nvlink_links), STATUS_PASS);
	s->facts.gpus.gpu[0].link_state[11] = known(0);
	assert_int_equal(gpus_run(s, &check_nvlink_links), STATUS_FAIL);
	assert_string_equal(s->r.finding[0].text, "11<12 links");
	gpus_free(s);
}

static void half_against_half_is_no_minority(void **state)
{
	struct gpus *s = gpus_healthy(8);
	int i;

	(void)state;
	for (i = 0; i < 4; i++)
		down(s, i, 1);
	assert_int_equal(gpus_run(s, &check_nvlink_links), STATUS_PASS);
	gpus_free(s);
}

static void uniform_deficit_differs_from_the_profile(void **state)
{
	struct profile p = { .name = "H100-SXM5", .nvlinks = 18 };
	struct gpus *s = gpus_healthy(8);
	int i;

	(void)state;
	s->env.profile = &p;
	assert_int_equal(gpus_run(s, &check_nvlink_links), STATUS_PASS);
	for (i = 0; i < 8; i++)
		down(s, i, 6);
	assert_int_equal(gpus_run(s, &check_nvlink_links), STATUS_WARN);
	assert_only(s, "nvlink_links.board", "node");
	assert_string_equal(s->r.finding[0].text,
			    "12<18 links on all GPUs: board differs from "
			    "profile H100-SXM5");
	p.nvlink_bridge = 1;
	assert_int_equal(gpus_run(s, &check_nvlink_links), STATUS_PASS);
	p.nvlinks = -1;
	p.nvlink_bridge = 0;
	assert_int_equal(gpus_run(s, &check_nvlink_links), STATUS_PASS);
	gpus_free(s);
}

/* Cards with bridges: a pair without one is built that way. */
static void cards_without_a_bridge(void **state)
{
	struct profile p = { .name = "A100-PCIe",
			     .nvlinks = 12,
			     .nvlink_bridge = 1 };
	struct gpus *s = gpus_healthy(8);

	(void)state;
	s->env.profile = &p;
	down(s, 6, 18);
	down(s, 7, 18);
	assert_int_equal(gpus_run(s, &check_nvlink_links), STATUS_WARN);
	/* On a board with switches it is a fault. */
	p.nvlink_bridge = 0;
	assert_int_equal(gpus_run(s, &check_nvlink_links), STATUS_FAIL);
	assert_int_equal(s->r.count, 2);
	gpus_free(s);
}

static void under_mig_links_are_off(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	down(s, 2, 18);
	s->facts.gpus.gpu[2].mig_mode = known(1);
	assert_int_equal(gpus_run(s, &check_nvlink_links), STATUS_PASS);
	gpus_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_is_silent),
		cmocka_unit_test(unknown_is_a_skip),
		cmocka_unit_test(one_link_of_one_gpu),
		cmocka_unit_test(a_state_that_is_not_told_is_not_down),
		cmocka_unit_test(states_hidden_here_and_there),
		cmocka_unit_test(boards_that_use_some_of_the_links),
		cmocka_unit_test(models_with_fewer_links),
		cmocka_unit_test(half_against_half_is_no_minority),
		cmocka_unit_test(uniform_deficit_differs_from_the_profile),
		cmocka_unit_test(cards_without_a_bridge),
		cmocka_unit_test(under_mig_links_are_off),
	};

	return cmocka_run_group_tests_name("nvlink_links", tests, NULL, NULL);
}
