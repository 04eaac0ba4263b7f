/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/nodes.h"

extern const struct check check_host_stuck;

static struct nodes *healthy(void)
{
	struct nodes *n = nodes_new(&check_host_stuck);

	n->facts.host.task_count = 300;
	n->facts.host.z_count = 100;
	return n;
}

static void hang(struct nodes *n, int64_t pid, uint64_t runs)
{
	struct facts_host *h = &n->facts.host;
	struct stuck_task *t = &h->stuck[h->stuck_count++];

	h->d_count = h->stuck_count;
	*t = (struct stuck_task){ .pid = pid, .start = 5000, .runs = runs,
				  .state = 'D', .comm = "python3" };
	strcpy(t->wchan, "os_acquire_rwlock");
}

static void busy_is_silent(void **state)
{
	struct nodes *n = healthy();

	(void)state;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	assert_null(n->r.memory);
	n->facts.host.task_count = 0;
	assert_int_equal(nodes_run(n), STATUS_SKIP);
	nodes_free(n);
}

static void one_sleep_warns_then_fails(void **state)
{
	struct nodes *n = healthy();

	(void)state;
	hang(n, 4711, 900);
	assert_int_equal(nodes_run(n), STATUS_WARN);
	nodes_only(n, "host_stuck.stuck", "node");
	assert_string_equal(n->r.finding[0].text,
			    "1 processes hang in the kernel: python3[4711] in"
			    " os_acquire_rwlock");
	assert_int_equal(nodes_next(n, 59), STATUS_WARN);
	assert_int_equal(nodes_next(n, 1), STATUS_FAIL);
	assert_string_equal(n->r.finding[0].evidence,
			    NODE_BOOT ":pid=4711 start=5000");
	assert_int_equal(n->r.finding[0].remedy, REMEDY_REBOOT);
	nodes_config(n, "max_stuck = 1\n");
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	nodes_free(n);
}

/* The same task sleeps again and again: a slow disk, not a hang. */
static void another_sleep_starts_anew(void **state)
{
	struct nodes *n = healthy();

	(void)state;
	hang(n, 4711, 900);
	assert_int_equal(nodes_run(n), STATUS_WARN);
	n->facts.host.stuck[0].runs = 901;
	assert_int_equal(nodes_next(n, 100), STATUS_WARN);
	n->facts.host.stuck_count = n->facts.host.d_count = 0;
	assert_int_equal(nodes_next(n, 100), STATUS_PASS);
	assert_int_equal(json_object_size(json_object_get(n->r.memory,
							  "tasks")), 0);
	nodes_free(n);
}

static void another_boot_starts_anew(void **state)
{
	struct nodes *n = healthy();

	(void)state;
	hang(n, 4711, 900);
	nodes_run(n);
	nodes_reboot(n);
	assert_int_equal(nodes_next(n, 1000), STATUS_WARN);
	nodes_free(n);
}

static void the_oldest_is_named(void **state)
{
	struct nodes *n = healthy();

	(void)state;
	hang(n, 4711, 900);
	nodes_run(n);
	n->facts.host.stuck_count = 0;
	hang(n, 100, 1);
	hang(n, 4711, 900);
	assert_int_equal(nodes_next(n, 60), STATUS_FAIL);
	assert_non_null(strstr(n->r.finding[0].text, "python3[4711]"));
	nodes_free(n);
}

static void zombies_pile_up(void **state)
{
	struct nodes *n = healthy();

	(void)state;
	n->facts.host.z_count = 101;
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "host_stuck.zombies", "node");
	assert_string_equal(n->r.finding[0].text, "101>100 zombies");
	nodes_config(n, "max_zombies = 101\n");
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(busy_is_silent),
		cmocka_unit_test(one_sleep_warns_then_fails),
		cmocka_unit_test(another_sleep_starts_anew),
		cmocka_unit_test(another_boot_starts_anew),
		cmocka_unit_test(the_oldest_is_named),
		cmocka_unit_test(zombies_pile_up),
	};

	return cmocka_run_group_tests_name("host_stuck", tests, NULL, NULL);
}
