/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/nodes.h"

extern const struct check check_host_cpu;

static struct nodes *healthy(void)
{
	struct nodes *n = nodes_new(&check_host_cpu);
	struct facts_host *h = &n->facts.host;

	h->cpus_present = h->cpus_online = 224;
	strcpy(h->smt, "on");
	strcpy(h->governor, "powersave");
	h->base_khz = 2000000;
	h->limit_khz = 3800000;
	h->cur_khz = 800000;	/* intel_pstate, hardly started */
	return n;
}

static void all_online_is_silent(void **state)
{
	struct nodes *n = healthy();

	(void)state;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	memset(&n->facts.host, 0, sizeof(n->facts.host));
	n->facts.host.cpus_present = -1;
	n->facts.host.cpus_online = 8;
	assert_int_equal(nodes_run(n), STATUS_PASS);	/* no cpufreq at all */
	n->facts.host.cpus_online = -1;
	assert_int_equal(nodes_run(n), STATUS_SKIP);
	nodes_free(n);
}

static void offline_fails_unless_explained(void **state)
{
	struct nodes *n = healthy();

	(void)state;
	n->facts.host.cpus_online = 222;
	strcpy(n->facts.host.offline_list, "17,129");
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "host_cpu.offline", "node");
	assert_string_equal(n->r.finding[0].text,
			    "222<224 CPUs online, offline 17,129");
	nodes_config(n, "max_offline = 2\n");
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_config(n, NULL);
	n->facts.host.cpus_online = 112;
	strcpy(n->facts.host.offline_list, "112-223");
	strcpy(n->facts.host.smt, "off");
	assert_int_equal(nodes_run(n), STATUS_PASS);
	strcpy(n->facts.host.smt, "forceoff");
	assert_int_equal(nodes_run(n), STATUS_PASS);
	strcpy(n->facts.host.smt, "notsupported");
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_free(n);
}

static void governor_only_if_wanted(void **state)
{
	struct nodes *n = healthy();

	(void)state;
	nodes_config(n, "governor = performance\n");
	assert_int_equal(nodes_run(n), STATUS_WARN);
	nodes_only(n, "host_cpu.governor", "node");
	assert_int_equal(n->r.finding[0].remedy, REMEDY_CONFIG);
	strcpy(n->facts.host.governor, "performance");
	n->facts.host.cur_khz = 2000000;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	n->facts.host.governor_mixed = 3;
	assert_int_equal(nodes_run(n), STATUS_WARN);
	nodes_free(n);
}

static void held_down_clock_warns(void **state)
{
	struct nodes *n = healthy();

	(void)state;
	n->facts.host.limit_khz = 1900000;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	n->facts.host.limit_khz = 1200000;
	assert_int_equal(nodes_run(n), STATUS_WARN);
	nodes_only(n, "host_cpu.limited", "node");
	assert_string_equal(n->r.finding[0].text,
			    "CPU clock is limited to 1200<2000 MHz");
	nodes_config(n, "min_khz = 1000000\n");
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_config(n, "min_khz = 3900000\n");
	n->facts.host.limit_khz = 3800000;
	assert_int_equal(nodes_run(n), STATUS_WARN);
	nodes_free(n);
}

/* 400 MHz with the governor that never slows down: PROCHOT. */
static void busy_and_slow_warns(void **state)
{
	struct nodes *n = healthy();

	(void)state;
	n->facts.host.cur_khz = 400000;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	strcpy(n->facts.host.governor, "performance");
	assert_int_equal(nodes_run(n), STATUS_WARN);
	nodes_only(n, "host_cpu.slow", "node");
	n->facts.host.base_khz = 0;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_online_is_silent),
		cmocka_unit_test(offline_fails_unless_explained),
		cmocka_unit_test(governor_only_if_wanted),
		cmocka_unit_test(held_down_clock_warns),
		cmocka_unit_test(busy_and_slow_warns),
	};

	return cmocka_run_group_tests_name("host_cpu", tests, NULL, NULL);
}
