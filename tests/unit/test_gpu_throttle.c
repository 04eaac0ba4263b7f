/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/gpus.h"

extern const struct check check_gpu_throttle;

static void healthy_is_silent(void **state)
{
	(void)state;
	gpus_passes_healthy(&check_gpu_throttle);
}

static void unknown_is_a_skip(void **state)
{
	(void)state;
	gpus_skips_unknown(&check_gpu_throttle);
}

static void set(struct gpus *s, int i, int64_t first, int64_t again)
{
	s->facts.gpus.gpu[i].throttle = known(first);
	s->facts.gpus.gpu[i].throttle_again = known(again);
}

static void idle_caps_and_display_are_no_fault(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	set(s, 0, 0x1, 0x1);
	set(s, 1, 0x2, 0x2);
	set(s, 2, 0x4, 0x4);
	set(s, 3, 0x10 | 0x100 | 0x7, 0x10 | 0x100 | 0x7);
	set(s, 4, 1LL << 40, 1LL << 40);
	assert_int_equal(gpus_run(s, &check_gpu_throttle), STATUS_PASS);
	gpus_free(s);
}

static void a_flash_is_no_fault(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	set(s, 0, 0x8, 0x1);
	set(s, 1, 0x1, 0x40);
	set(s, 2, 0x8, 0x40);
	s->facts.gpus.gpu[3].throttle = known(0x80);
	s->facts.gpus.gpu[3].throttle_again = unknown(VAL_UNASKED);
	assert_int_equal(gpus_run(s, &check_gpu_throttle), STATUS_PASS);
	gpus_free(s);
}

/* Bits come together: equality with one of them would miss these. */
static void bits_are_bits(void **state)
{
	static const struct {
		int64_t bits;
		const char *text;
	} t[] = {
		{ 0x8, "hardware slowdown (0x8)" },
		{ 0x20 | 0x4, "thermal slowdown by the driver (0x20)" },
		{ 0x48, "hardware thermal slowdown (0x48)" },
		{ 0x88 | 0x4, "hardware power brake (0x88)" },
		{ 0xe8, "power brake and hardware thermal slowdown (0xe8)" },
	};
	struct gpus *s = gpus_healthy(8);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		set(s, 5, t[i].bits, t[i].bits | 0x1);
		assert_int_equal(gpus_run(s, &check_gpu_throttle), STATUS_FAIL);
		assert_only(s, "gpu_throttle.throttled", "GPU5");
		assert_string_equal(s->r.finding[0].text, t[i].text);
		assert_int_equal(s->r.finding[0].at_most, ACTION_WARN);
	}
	gpus_free(s);
}

static void the_health_check_confirms(void **state)
{
	struct gpus *s = gpus_healthy(8);
	char first[96];

	(void)state;
	set(s, 0, 0x48, 0x48);
	s->env.context = CONTEXT_PROLOG;
	gpus_run(s, &check_gpu_throttle);
	strcpy(first, s->r.finding[0].evidence);
	/* A second job is no confirmation, nor is a look too soon. */
	gpus_run_next(s, &check_gpu_throttle, 30);
	assert_int_equal(s->r.finding[0].at_most, ACTION_WARN);
	s->env.context = CONTEXT_HEALTH;
	gpus_run_next(s, &check_gpu_throttle, 20);
	assert_int_equal(s->r.finding[0].at_most, ACTION_WARN);
	gpus_run_next(s, &check_gpu_throttle, 20);
	assert_int_equal(s->r.finding[0].at_most, ACTION_DRAIN_AFTER);
	assert_string_equal(s->r.finding[0].evidence, first);
	gpus_free(s);
}

static void gone_in_between_starts_anew(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	s->env.context = CONTEXT_HEALTH;
	set(s, 0, 0x40, 0x40);
	gpus_run(s, &check_gpu_throttle);
	set(s, 0, 0x1, 0x1);
	assert_int_equal(gpus_run_next(s, &check_gpu_throttle, 300), STATUS_PASS);
	set(s, 0, 0x40, 0x40);
	gpus_run_next(s, &check_gpu_throttle, 300);
	assert_int_equal(s->r.finding[0].at_most, ACTION_WARN);
	/* Other bits than noted are a new sight as well. */
	set(s, 0, 0x80, 0x80);
	gpus_run_next(s, &check_gpu_throttle, 300);
	assert_int_equal(s->r.finding[0].at_most, ACTION_WARN);
	gpus_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_is_silent),
		cmocka_unit_test(unknown_is_a_skip),
		cmocka_unit_test(idle_caps_and_display_are_no_fault),
		cmocka_unit_test(a_flash_is_no_fault),
		cmocka_unit_test(bits_are_bits),
		cmocka_unit_test(the_health_check_confirms),
		cmocka_unit_test(gone_in_between_starts_anew),
	};

	return cmocka_run_group_tests_name("gpu_throttle", tests, NULL, NULL);
}
