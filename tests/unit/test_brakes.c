/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/brakes.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/unit.h"

static char dir[64];
static int fd;

static int make_dir(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/assay-brakes.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	fd = open(dir, O_RDONLY | O_DIRECTORY);
	return fd < 0 ? -1 : 0;
}

static int remove_dir(void **state)
{
	char cmd[128];

	(void)state;
	close(fd);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd);
}

static enum brake take(const char *node, int limit, int64_t now)
{
	return brakes_take_in(fd, "gpu_temp", node, limit, 600, now);
}

static void exactly_the_limit_goes_through(void **state)
{
	int64_t now = (int64_t)time(NULL);

	(void)state;
	assert_int_equal(take("n1", 2, now), BRAKE_FREE);
	assert_int_equal(take("n2", 2, now), BRAKE_FREE);
	assert_int_equal(take("n3", 2, now), BRAKE_LIMIT);
	/* The same node again holds its own token, not a second one. */
	assert_int_equal(take("n2", 2, now), BRAKE_FREE);
	assert_int_equal(take("n3", 2, now), BRAKE_LIMIT);
	/* Another rule has its own. */
	assert_int_equal(brakes_take_in(fd, "gpu_power", "n3", 2, 600, now),
			 BRAKE_FREE);
}

static void tokens_expire_with_the_window(void **state)
{
	int64_t now = (int64_t)time(NULL);

	(void)state;
	assert_int_equal(take("n1", 1, now), BRAKE_FREE);
	assert_int_equal(take("n2", 1, now + 600), BRAKE_LIMIT);
	assert_int_equal(take("n2", 1, now + 601), BRAKE_FREE);
}

/* Its taker died before it wrote its name; somebody's clock was wrong. */
static void no_token_is_held_for_ever(void **state)
{
	int64_t now = (int64_t)time(NULL);

	(void)state;
	assert_int_equal(take("n1", 1, now), BRAKE_FREE);
	assert_int_equal(unlinkat(fd, "gpu_temp/0/node", 0), 0);
	assert_int_equal(take("n2", 1, now + 600), BRAKE_LIMIT);
	assert_int_equal(take("n2", 1, now + 700), BRAKE_FREE);
	assert_int_equal(take("n3", 1, now - 500), BRAKE_LIMIT);
	assert_int_equal(take("n3", 1, now - 100000), BRAKE_FREE);
}

static void a_limit_of_none_is_none(void **state)
{
	(void)state;
	assert_int_equal(take("n1", 0, (int64_t)time(NULL)), BRAKE_LIMIT);
}

static void a_lost_directory_is_unknown(void **state)
{
	(void)state;
	assert_int_equal(brakes_take_in(-1, "r", "n", 2, 600, 0),
			 BRAKE_UNKNOWN);
}

/* Forty processes at once ask for three. */
static void a_rush_gets_exactly_the_limit(void **state)
{
	int64_t now = (int64_t)time(NULL);
	char node[16];
	int granted = 0;
	int i, status;

	(void)state;
	for (i = 0; i < 40; i++) {
		if (fork())
			continue;
		snprintf(node, sizeof(node), "n%d", i);
		_exit(take(node, 3, now) == BRAKE_FREE);
	}
	for (i = 0; i < 40; i++) {
		wait(&status);
		granted += WEXITSTATUS(status);
	}
	assert_int_equal(granted, 3);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_dir, remove_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(exactly_the_limit_goes_through),
		TEST(tokens_expire_with_the_window),
		TEST(no_token_is_held_for_ever),
		TEST(a_limit_of_none_is_none),
		TEST(a_lost_directory_is_unknown),
		TEST(a_rush_gets_exactly_the_limit),
	};

	return cmocka_run_group_tests_name("brakes", tests, NULL, NULL);
}
