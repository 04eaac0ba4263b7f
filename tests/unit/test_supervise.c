/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/supervise.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/log.h"
#include "tests/unit/unit.h"

static int returns(struct supervised *link, void *arg)
{
	(void)link;
	return *(int *)arg;
}

static void the_workers_code_comes_out(void **state)
{
	int code = 1;

	(void)state;
	assert_int_equal(supervise(returns, &code, 5000, 0), 1);
	code = 0;
	assert_int_equal(supervise(returns, &code, 5000, 1), 0);
}

static int hangs(struct supervised *link, void *arg)
{
	(void)arg;
	supervise_expect(link, 1);
	supervise_deadline(link, 150);
	signal(SIGTERM, SIG_IGN);
	for (;;)
		pause();
	return 0;
}

static void in_time_whatever_happens(void **state)
{
	int64_t began = clock_mono_ms();

	(void)state;
	assert_int_equal(supervise(hangs, NULL, 60000, 0), 1);
	assert_true(clock_mono_ms() - began < 1150);
}

static int dies(struct supervised *link, void *arg)
{
	(void)link;
	(void)arg;
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
	return 1;
}

static void a_crash_is_not_a_drain(void **state)
{
	(void)state;
	assert_int_equal(supervise(dies, NULL, 5000, 0), 0);
}

static int floods(struct supervised *link, void *arg)
{
	int i;

	(void)link;
	(void)arg;
	for (i = 0; i < 2000; i++)
		log_debug("x");
	return 0;
}

static void much_talk_does_not_block(void **state)
{
	(void)state;
	log_open("test", false, LOG_LVL_ERROR);
	assert_int_equal(supervise(floods, NULL, 5000, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_workers_code_comes_out),
		cmocka_unit_test(in_time_whatever_happens),
		cmocka_unit_test(a_crash_is_not_a_drain),
		cmocka_unit_test(much_talk_does_not_block),
	};

	return cmocka_run_group_tests_name("supervise", tests, NULL, NULL);
}
