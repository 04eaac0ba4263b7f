/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/fan.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "tests/unit/unit.h"

struct answer {
	int i, twice;
};

static int body(int i, void *arg, void *answer)
{
	const char *what = arg;
	struct answer *a = answer;

	switch (what[i]) {
	case 'h':
		for (;;)
			pause();
	case 's':
		clock_sleep_ms(50);
		break;
	case 'd':
		raise(SIGKILL);
		break;
	case 'n':
		return -1;
	}
	*a = (struct answer){ i, 2 * i };
	return 0;
}

static void run(const char *what, int deadline_ms, struct fan_slot *slots,
		struct answer *answers)
{
	struct fan f = { .count = (int)strlen(what), .body = body,
			 .arg = (void *)(uintptr_t)what,
			 .size = sizeof(*answers), .answers = answers,
			 .deadline_ms = deadline_ms };

	for (int i = 0; i < f.count; i++)
		f.skip[i] = what[i] == 'k';
	fan_run(&f, slots);
}

static void all_answer(void **state)
{
	struct fan_slot slots[FAN_MAX];
	struct answer answers[FAN_MAX];

	(void)state;
	run("...s.", 10000, slots, answers);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(slots[i].end, FAN_ANSWERED);
		assert_int_equal(slots[i].left, 0);
		assert_int_equal(answers[i].twice, 2 * i);
	}
	assert_true(slots[3].elapsed_us >= 50000);
}

/* One that hangs, one that dies: the others do not notice. */
static void each_for_itself(void **state)
{
	struct fan_slot slots[FAN_MAX];
	struct answer answers[FAN_MAX] = { { 0, 0 } };
	int64_t started = clock_mono_ms();

	(void)state;
	run("hd.nk.h.", 300, slots, answers);
	assert_true(clock_mono_ms() - started >= 300);
	assert_true(clock_mono_ms() - started < 300 + 1000);
	assert_int_equal(slots[0].end, FAN_LATE);
	assert_int_equal(slots[0].left, 0);	/* SIGKILL ended it */
	assert_int_equal(slots[1].end, FAN_DIED);
	assert_int_equal(slots[2].end, FAN_ANSWERED);
	assert_int_equal(slots[3].end, FAN_DIED);
	assert_int_equal(slots[4].end, FAN_SKIPPED);
	assert_int_equal(slots[6].end, FAN_LATE);
	assert_int_equal(answers[7].twice, 14);
	assert_int_equal(answers[1].twice, 0);
}

static void nothing_to_do(void **state)
{
	struct fan_slot slots[FAN_MAX];
	struct answer answers[FAN_MAX];
	int64_t started = clock_mono_ms();

	(void)state;
	run("", 5000, slots, answers);
	run("kk", 5000, slots, answers);
	assert_true(clock_mono_ms() - started < 4000);
	assert_int_equal(slots[1].end, FAN_SKIPPED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_answer),
		cmocka_unit_test(each_for_itself),
		cmocka_unit_test(nothing_to_do),
	};

	return cmocka_run_group_tests_name("fan", tests, NULL, NULL);
}
