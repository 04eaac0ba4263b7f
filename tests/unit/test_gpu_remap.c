/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/gpus.h"

extern const struct check check_gpu_remap;

static void healthy_is_silent(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	assert_int_equal(gpus_run(s, &check_gpu_remap), STATUS_PASS);
	assert_int_equal(s->r.count, 0);
	gpus_free(s);
}

static void failure_names_the_gpu(void **state)
{
	struct gpus *s = gpus_healthy(8);
	struct gpu *g = &s->facts.gpus.gpu[5];
	char first[96];

	(void)state;
	g->remap_failure = known(1);
	g->remap_unc = known(8);
	assert_int_equal(gpus_run(s, &check_gpu_remap), STATUS_FAIL);
	assert_only(s, "gpu_remap.failure", "GPU5");
	assert_string_equal(s->r.finding[0].text, "row remap failed");
	assert_int_equal(s->r.finding[0].remedy, REMEDY_SERVICE);
	assert_int_equal(s->r.finding[0].gpu, 5);
	strcpy(first, s->r.finding[0].evidence);
	assert_string_equal(first, "failure=1 unc=8");
	/* One more failed row is a new fault. */
	g->remap_unc = known(9);
	gpus_run(s, &check_gpu_remap);
	assert_string_not_equal(s->r.finding[0].evidence, first);
	gpus_free(s);
}

static void pending_and_spare_warn(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	s->facts.gpus.gpu[0].remap_pending = known(1);
	assert_int_equal(gpus_run(s, &check_gpu_remap), STATUS_WARN);
	assert_only(s, "gpu_remap.pending", "GPU0");
	assert_int_equal(s->r.finding[0].remedy, REMEDY_RESET_GPU);
	s->facts.gpus.gpu[0].remap_pending = known(0);
	s->facts.gpus.gpu[7].bank_none = known(2);
	assert_int_equal(gpus_run(s, &check_gpu_remap), STATUS_WARN);
	assert_only(s, "gpu_remap.spare", "GPU7");
	gpus_free(s);
}

static void remapped_rows_alone_are_no_fault(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	s->facts.gpus.gpu[1].remap_unc = known(511);
	s->facts.gpus.gpu[1].remap_corr = known(40);
	s->facts.gpus.gpu[1].bank_low = known(3);
	assert_int_equal(gpus_run(s, &check_gpu_remap), STATUS_PASS);
	gpus_free(s);
}

static void volta_retires_pages(void **state)
{
	struct gpus *s = gpus_healthy(4);
	struct gpu *g = &s->facts.gpus.gpu[2];

	(void)state;
	gpu_all_unknown(g, 3);
	g->retired_sbe = known(30);
	g->retired_dbe = known(29);
	g->retired_pending = known(0);
	assert_int_equal(gpus_run(s, &check_gpu_remap), STATUS_PASS);
	g->retired_dbe = known(30);
	assert_int_equal(gpus_run(s, &check_gpu_remap), STATUS_FAIL);
	assert_only(s, "gpu_remap.retired", "GPU2");
	/* A lifetime count never drains. */
	assert_int_equal(s->r.finding[0].at_most, ACTION_WARN);
	g->retired_dbe = known(0);
	g->retired_pending = known(1);
	assert_int_equal(gpus_run(s, &check_gpu_remap), STATUS_WARN);
	assert_only(s, "gpu_remap.retire_pending", "GPU2");
	gpus_free(s);
}

static void nothing_known_is_a_skip(void **state)
{
	struct gpus *s = gpus_healthy(2);

	(void)state;
	gpu_all_unknown(&s->facts.gpus.gpu[0], 3);
	gpu_all_unknown(&s->facts.gpus.gpu[1], VAL_NO_SYMBOL);
	assert_int_equal(gpus_run(s, &check_gpu_remap), STATUS_SKIP);
	s->facts.gpus.gpu[0].remap_failure = unknown(15);
	assert_int_equal(gpus_run(s, &check_gpu_remap), STATUS_SKIP);
	gpus_free(s);
}

static void no_permission_is_told_once(void **state)
{
	struct gpus *s = gpus_healthy(8);
	int i;

	(void)state;
	for (i = 0; i < 8; i++)
		gpu_all_unknown(&s->facts.gpus.gpu[i], 4);
	assert_int_equal(gpus_run(s, &check_gpu_remap), STATUS_ERROR);
	assert_only(s, "gpu_remap.unread", "GPU0");
	gpus_free(s);
}

static void an_unanswered_gpu_is_not_judged(void **state)
{
	struct gpus *s = gpus_healthy(2);

	(void)state;
	s->facts.gpus.gpu[1].remap_failure = known(1);
	s->facts.gpus.gpu[1].answered = false;
	assert_int_equal(gpus_run(s, &check_gpu_remap), STATUS_PASS);
	gpus_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_is_silent),
		cmocka_unit_test(failure_names_the_gpu),
		cmocka_unit_test(pending_and_spare_warn),
		cmocka_unit_test(remapped_rows_alone_are_no_fault),
		cmocka_unit_test(volta_retires_pages),
		cmocka_unit_test(nothing_known_is_a_skip),
		cmocka_unit_test(no_permission_is_told_once),
		cmocka_unit_test(an_unanswered_gpu_is_not_judged),
	};

	return cmocka_run_group_tests_name("gpu_remap", tests, NULL, NULL);
}
