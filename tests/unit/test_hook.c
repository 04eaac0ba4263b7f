/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/hook.h"

#include "tests/unit/fixture.h"

static struct fixture fx;
static struct hook h;

static int set_up(void **state)
{
	char path[1024];
	struct session s = { .config_path = path };

	(void)state;
	fixture_open(&fx);
	fixture_dir(&fx, "event.d");
	fixture_path(&fx, "assay.conf", path);
	hook_init(&h, &s);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fixture_close(&fx);
	return 0;
}

/* Whether the programs are told of an XID of that device: at that time since
 * boot, with a wall clock that is wall_s ahead of it. */
static int64_t wall_s = 1700000000;

static bool told(int64_t up_s, const char *device)
{
	struct event ev = { .time_s = wall_s + up_s,
			    .up_s = up_s,
			    .kind = EVENT_XID };
	bool yes;

	snprintf(ev.device, sizeof(ev.device), "%s", device);
	hook_add(&h, &ev, "");
	yes = h.count == 1;
	h.count = 0;
	return yes;
}

static void of_one_kind_and_device_once_in_a_while(void **state)
{
	(void)state;
	assert_true(told(1000, "GPU1"));
	assert_false(told(1000, "GPU1"));
	assert_true(told(1001, "GPU2"));
	assert_false(told(1000 + HOOK_AGAIN_S - 1, "GPU1"));
	assert_true(told(1000 + HOOK_AGAIN_S, "GPU1"));
}

static void the_clock_is_set(int64_t by_s)
{
	set_up(NULL);
	wall_s = 1700000000;
	assert_true(told(1000, "GPU1"));
	wall_s += by_s;
	assert_false(told(1010, "GPU1"));
	assert_true(told(1000 + HOOK_AGAIN_S, "GPU1"));
	wall_s = 1700000000;
	tear_down(NULL);
}

static void a_clock_that_is_set_changes_nothing(void **state)
{
	(void)state;
	the_clock_is_set(7200);
	the_clock_is_set(-7200);
	the_clock_is_set(-500);
}

static void a_flood_is_bounded_and_ends(void **state)
{
	char device[16];
	int i, n = 0;

	(void)state;
	for (i = 0; i < 1000; i++) {
		snprintf(device, sizeof(device), "d%d", i);
		n += told(1000, device);
	}
	assert_int_equal(n, HOOK_AT_MOST);
	assert_false(told(1000 + HOOK_AGAIN_S - 1, "GPU1"));
	assert_true(told(1000 + HOOK_AGAIN_S, "GPU1"));
}

static void without_a_directory_nobody_is_told(void **state)
{
	(void)state;
	assert_int_equal(rmdir(h.dir), 0);
	assert_false(told(1000, "GPU1"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(of_one_kind_and_device_once_in_a_while),
		cmocka_unit_test(a_clock_that_is_set_changes_nothing),
		TEST(a_flood_is_bounded_and_ends),
		TEST(without_a_directory_nobody_is_told),
	};

	return cmocka_run_group_tests_name("hook", tests, NULL, NULL);
}
