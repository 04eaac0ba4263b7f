/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include <errno.h>
#include <sys/timex.h>

#include "tests/unit/nodes.h"

extern const struct check check_host_clock;

static void in_step_is_silent(void **state)
{
	struct nodes *n = nodes_new(&check_host_clock);

	(void)state;
	n->facts.host.clock_rc = TIME_OK;
	n->facts.host.clock_offset_us = -100999;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	n->facts.host.clock_rc = TIME_INS;	/* a leap second is coming */
	n->facts.host.clock_status = STA_INS | STA_PLL;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_free(n);
}

static void unsynchronised_fails_at_site(void **state)
{
	struct nodes *n = nodes_new(&check_host_clock);

	(void)state;
	n->facts.host.clock_rc = TIME_ERROR;
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "host_clock.unsynchronised", "node");
	assert_true(n->r.finding[0].grace);
	assert_int_equal(check_host_clock.scope, SCOPE_SITE);
	n->facts.host.clock_rc = TIME_OK;
	n->facts.host.clock_status = STA_UNSYNC;
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	/* Where the time daemon does not tell the kernel. */
	nodes_config(n, "require_sync = no\n");
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_free(n);
}

static void far_off_fails(void **state)
{
	struct nodes *n = nodes_new(&check_host_clock);

	(void)state;
	n->facts.host.clock_offset_us = -250000;
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "host_clock.offset", "node");
	assert_string_equal(n->r.finding[0].text, "clock is off by 250>100 ms");
	nodes_config(n, "max_offset_ms = 250\n");
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_config(n, "max_offset_ms = 0\n");
	n->facts.host.clock_offset_us = 1LL << 40;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_free(n);
}

static void unknown_is_skipped(void **state)
{
	struct nodes *n = nodes_new(&check_host_clock);

	(void)state;
	n->facts.host.clock_rc = -1;
	n->facts.host.clock_errno = ENOSYS;
	assert_int_equal(nodes_run(n), STATUS_SKIP);
	n->facts.host.clock_errno = 0;
	assert_int_equal(nodes_run(n), STATUS_SKIP);
	n->facts.host.clock_errno = EPERM;
	assert_int_equal(nodes_run(n), STATUS_ERROR);
	nodes_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_step_is_silent),
		cmocka_unit_test(unsynchronised_fails_at_site),
		cmocka_unit_test(far_off_fails),
		cmocka_unit_test(unknown_is_skipped),
	};

	return cmocka_run_group_tests_name("host_clock", tests, NULL, NULL);
}
