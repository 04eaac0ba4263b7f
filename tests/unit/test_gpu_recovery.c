/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/gpus.h"

extern const struct check check_gpu_recovery;

static void healthy_is_silent(void **state)
{
	(void)state;
	gpus_passes_healthy(&check_gpu_recovery);
}

static void unknown_is_a_skip(void **state)
{
	(void)state;
	gpus_skips_unknown(&check_gpu_recovery);
}

static void each_wish(void **state)
{
	static const struct {
		int wish;
		enum status status;
		enum remedy remedy;
	} t[] = {
		{ 0, STATUS_PASS, REMEDY_NONE },
		{ 1, STATUS_FAIL, REMEDY_RESET_GPU },
		{ 2, STATUS_FAIL, REMEDY_REBOOT },
		{ 3, STATUS_WARN, REMEDY_NONE },
		{ 4, STATUS_FAIL, REMEDY_RESET_GPU },
		{ 5, STATUS_WARN, REMEDY_NONE },
		{ 6, STATUS_WARN, REMEDY_REBOOT },
		{ 7, STATUS_WARN, REMEDY_REBOOT },
		{ 8, STATUS_WARN, REMEDY_NONE },
		{ -1, STATUS_WARN, REMEDY_NONE },
		{ 1 << 30, STATUS_WARN, REMEDY_NONE },
	};
	struct gpus *s = gpus_healthy(8);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		s->facts.gpus.gpu[4].recovery = known(t[i].wish);
		assert_int_equal(gpus_run(s, &check_gpu_recovery), t[i].status);
		if (!t[i].wish)
			continue;
		assert_int_equal(s->r.count, 1);
		assert_string_equal(s->r.finding[0].subject, "GPU4");
		assert_int_equal(s->r.finding[0].remedy, t[i].remedy);
	}
	gpus_free(s);
}

/* The same wish is the same evidence as long as it stands; after a reset it
 * is a new one, on the same boot too. */
static void evidence_is_per_episode(void **state)
{
	struct gpus *s = gpus_healthy(8);
	char first[96];

	(void)state;
	s->facts.gpus.gpu[0].recovery = known(1);
	assert_int_equal(gpus_run(s, &check_gpu_recovery), STATUS_FAIL);
	strcpy(first, s->r.finding[0].evidence);
	assert_memory_equal(first, BOOT, 36);
	gpus_run_next(s, &check_gpu_recovery, 300);
	assert_string_equal(s->r.finding[0].evidence, first);
	gpus_run_next(s, &check_gpu_recovery, 300);
	assert_string_equal(s->r.finding[0].evidence, first);
	s->facts.gpus.gpu[0].recovery = known(0);
	assert_int_equal(gpus_run_next(s, &check_gpu_recovery, 300), STATUS_PASS);
	s->facts.gpus.gpu[0].recovery = known(1);
	assert_int_equal(gpus_run_next(s, &check_gpu_recovery, 300), STATUS_FAIL);
	assert_string_not_equal(s->r.finding[0].evidence, first);
	gpus_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_is_silent),
		cmocka_unit_test(unknown_is_a_skip),
		cmocka_unit_test(each_wish),
		cmocka_unit_test(evidence_is_per_episode),
	};

	return cmocka_run_group_tests_name("gpu_recovery", tests, NULL, NULL);
}
