/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/roots.h"
#include "lib/roots_resolve.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/test_roots.XXXXXX";
static struct roots r;

static void put(const char *name, const char *text, size_t len)
{
	int fd = openat(r.fd, name, O_CREAT | O_WRONLY | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	close(fd);
}

static void put_link(const char *target, const char *name)
{
	assert_int_equal(symlinkat(target, r.fd, name), 0);
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(dir) || roots_open(&r, dir, NULL) < 0)
		return -1;
	mkdirat(r.fd, "sys", 0700);
	mkdirat(r.fd, "sys/net", 0700);
	put("sys/mtu", "1500\n", 5);
	put_link("/sys/mtu", "sys/absolute");
	put_link("../sys/mtu", "sys/relative");
	put_link("/sys", "there");
	put_link("loop", "loop");
	put_link("/../../../../../../../etc/passwd", "escape");
	put_link("/etc/hostname", "outside");
	return mkfifoat(r.fd, "fifo", 0600);
}

static int teardown(void **state)
{
	char cmd[64];

	(void)state;
	roots_close(&r);
	assert_int_equal(r.fd, -1);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd);
}

static void injected_is_told_from_the_real_root(void **state)
{
	struct roots own;
	struct err e;
	char buf[8];

	(void)state;
	assert_true(r.injected);
	assert_int_equal(roots_open(&own, "/", &e), 0);
	assert_false(own.injected);
	assert_true(roots_exists(&own, "/proc/%d", 1));
	assert_int_equal(roots_read(&own, "proc", buf, sizeof(buf)), -1);
	assert_int_equal(errno, EISDIR);
	roots_close(&own);
	assert_int_equal(roots_open(&own, "/nosuchdir", &e), -1);
	assert_string_equal(e.text, "open the root /nosuchdir: No such file or directory");
	assert_int_equal(own.fd, -1);
}

static void read_cuts_one_newline(void **state)
{
	char buf[16];

	(void)state;
	put("two", "a\n\n", 3);
	assert_int_equal(roots_read(&r, "sys/mtu", buf, sizeof(buf)), 4);
	assert_string_equal(buf, "1500");
	assert_int_equal(roots_read(&r, "/sys/mtu", buf, sizeof(buf)), 4);
	assert_int_equal(roots_read(&r, "two", buf, sizeof(buf)), 2);
	assert_string_equal(buf, "a\n");
	assert_int_equal(roots_readf(&r, buf, sizeof(buf), "sys/%s", "mtu"), 4);
}

static void read_bounds(void **state)
{
	char buf[6];
	char path[700];

	(void)state;
	assert_int_equal(roots_read(&r, "sys/mtu", buf, 6), 4);
	assert_int_equal(roots_read(&r, "sys/mtu", buf, 5), -1);
	assert_int_equal(errno, EFBIG);
	assert_string_equal(buf, "");
	assert_int_equal(roots_read(&r, "sys/mtu", buf, 0), -1);
	assert_int_equal(errno, EINVAL);
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(roots_readf(&r, buf, 6, "%s", path), -1);
	assert_int_equal(errno, ENAMETOOLONG);
}

static void what_is_not_a_regular_file(void **state)
{
	char buf[16] = "old";

	(void)state;
	assert_int_equal(roots_read(&r, "fifo", buf, sizeof(buf)), -1);
	assert_int_equal(errno, EINVAL);
	assert_string_equal(buf, "");
	assert_int_equal(roots_read(&r, "sys", buf, sizeof(buf)), -1);
	assert_int_equal(errno, EISDIR);
	assert_int_equal(roots_read(&r, "nothing", buf, sizeof(buf)), -1);
	assert_int_equal(errno, ENOENT);
	assert_null(roots_slurp(&r, "fifo", 100, NULL));
	assert_int_equal(errno, EINVAL);
}

static void links_stay_inside(void **state)
{
	char buf[16];

	(void)state;
	assert_int_equal(roots_read(&r, "sys/absolute", buf, 16), 4);
	assert_int_equal(roots_read(&r, "sys/relative", buf, 16), 4);
	assert_int_equal(roots_read(&r, "there/absolute", buf, 16), 4);
	assert_int_equal(roots_read(&r, "../../sys/mtu", buf, 16), 4);
	assert_int_equal(roots_read(&r, "outside", buf, 16), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(roots_read(&r, "escape", buf, 16), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(roots_read(&r, "loop", buf, 16), -1);
	assert_int_equal(errno, ELOOP);
}

/* The same without openat2(2). 0: opened; else errno. */
static int by_hand(const char *path)
{
	int fd = roots_open_by_hand(r.fd, path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static void links_stay_inside_by_hand(void **state)
{
	(void)state;
	assert_int_equal(by_hand("/"), 0);
	assert_int_equal(by_hand("sys/./mtu"), 0);
	assert_int_equal(by_hand("sys/absolute"), 0);
	assert_int_equal(by_hand("sys/relative"), 0);
	assert_int_equal(by_hand("there/absolute"), 0);
	assert_int_equal(by_hand("../../there/net/../mtu"), 0);
	assert_int_equal(by_hand("outside"), ENOENT);
	assert_int_equal(by_hand("escape"), ENOENT);
	assert_int_equal(by_hand("loop"), ELOOP);
	assert_int_equal(by_hand("sys/mtu/x"), ENOTDIR);
	assert_int_equal(by_hand("nothing/x"), ENOENT);
}

static void openat_never_creates(void **state)
{
	int fd;

	(void)state;
	assert_int_equal(roots_openat(&r, "new", O_CREAT | O_WRONLY), -1);
	assert_int_equal(errno, EINVAL);
	assert_false(roots_exists(&r, "new"));
	fd = roots_openat(&r, "sys/mtu", O_RDONLY);
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
}

static void slurp_sizes(void **state)
{
	char big[10000];
	char *text;
	size_t len = 0;

	(void)state;
	memset(big, 'b', sizeof(big));
	put("big", big, sizeof(big));
	put("empty", "", 0);
	text = roots_slurp(&r, "big", sizeof(big), &len);
	assert_non_null(text);
	assert_int_equal(len, sizeof(big));
	assert_int_equal(strlen(text), sizeof(big));
	free(text);
	assert_null(roots_slurp(&r, "big", sizeof(big) - 1, &len));
	assert_int_equal(errno, EFBIG);
	text = roots_slurp(&r, "empty", 10, &len);
	assert_non_null(text);
	assert_int_equal(len, 0);
	free(text);
}

/* 0: read as *v; else errno. */
static int number(const char *text, size_t len, uint64_t *v)
{
	put("number", text, len);
	return roots_read_u64(&r, v, "%s", "number") < 0 ? errno : 0;
}

static void numbers(void **state)
{
	uint64_t v = 7;

	(void)state;
	assert_int_equal(number("", 0, &v), EINVAL);
	assert_int_equal(number("-1\n", 3, &v), EINVAL);
	assert_int_equal(number("+1\n", 3, &v), EINVAL);
	assert_int_equal(number("0x", 2, &v), EINVAL);
	assert_int_equal(number("12 Gb/s\n", 8, &v), EINVAL);
	assert_int_equal(number("1\0002", 3, &v), EINVAL);
	assert_int_equal(number("ff", 2, &v), EINVAL);
	assert_int_equal(number("18446744073709551616", 20, &v), ERANGE);
	assert_int_equal(v, 7);
	assert_int_equal(number("010\n", 4, &v), 0);
	assert_int_equal(v, 10);
	assert_int_equal(number(" 0x1F \n", 7, &v), 0);
	assert_int_equal(v, 31);
	assert_int_equal(number("18446744073709551615", 20, &v), 0);
	assert_true(v == UINT64_MAX);
	assert_int_equal(roots_read_u64(&r, &v, "nothing"), -1);
	assert_int_equal(errno, ENOENT);
}

/* A rename anywhere makes the kernel say EAGAIN while it resolves "..". */
static void renames_elsewhere_do_no_harm(void **state)
{
	char buf[16];
	pid_t pid = fork();
	int i, bad = 0;

	(void)state;
	while (pid == 0) {
		renameat(r.fd, "ping", r.fd, "pong");
		renameat(r.fd, "pong", r.fd, "ping");
	}
	assert_true(pid > 0);
	put("ping", "", 0);
	for (i = 0; i < 20000; i++)
		bad += roots_read(&r, "sys/relative", buf, 16) != 4;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(bad, 0);
}

static void readlink_as_stored(void **state)
{
	char buf[16];

	(void)state;
	assert_int_equal(roots_readlink(&r, "sys/absolute", buf, 16), 8);
	assert_string_equal(buf, "/sys/mtu");
	assert_int_equal(roots_readlink(&r, "sys/absolute", buf, 8), -1);
	assert_int_equal(errno, ENAMETOOLONG);
	assert_string_equal(buf, "");
	assert_int_equal(roots_readlink(&r, "sys/mtu", buf, 16), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(roots_readlink(&r, "nothing", buf, 16), -1);
	assert_int_equal(errno, ENOENT);
}

static void natural_order(void **state)
{
	(void)state;
	assert_true(roots_natcmp("mlx5_2", "mlx5_10") < 0);
	assert_true(roots_natcmp("mlx5_10", "mlx5_2") > 0);
	assert_true(roots_natcmp("a", "a1") < 0);
	assert_true(roots_natcmp("a1b", "a1") > 0);
	assert_true(roots_natcmp("n007", "n8") < 0);
	assert_true(roots_natcmp("n07", "n7") != 0);
	assert_int_equal(roots_natcmp("n7", "n7"), 0);
	assert_true(roots_natcmp("n99999999999999999998",
				 "n99999999999999999999") < 0);
}

static int collect(const char *name, void *arg)
{
	char *all = arg;

	strcat(strcat(all, name), " ");
	return !strcmp(name, "mlx5_10") ? 42 : 0;
}

static void each_in_order(void **state)
{
	char all[200] = "";
	static const char *const names[] = {"mlx5_10", "mlx5_2", "mlx5_11",
		"0000:1b:00.0", "0000:0f:00.0", "0000:10:00.0"};
	char path[32];
	size_t i;

	(void)state;
	mkdirat(r.fd, "each", 0700);
	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "each/%s", names[i]);
		put(path, "", 0);
	}
	assert_int_equal(roots_each(&r, "each", collect, all), 42);
	assert_string_equal(all, "0000:0f:00.0 0000:10:00.0 0000:1b:00.0 mlx5_2 mlx5_10 ");
	assert_int_equal(roots_each(&r, "sys/net", collect, all), 0);
	assert_int_equal(roots_each(&r, "sys/mtu", collect, all), -1);
	assert_int_equal(errno, ENOTDIR);
	assert_int_equal(roots_each(&r, "nothing", collect, all), -1);
	assert_int_equal(errno, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(injected_is_told_from_the_real_root),
		cmocka_unit_test(read_cuts_one_newline),
		cmocka_unit_test(read_bounds),
		cmocka_unit_test(what_is_not_a_regular_file),
		cmocka_unit_test(links_stay_inside),
		cmocka_unit_test(links_stay_inside_by_hand),
		cmocka_unit_test(openat_never_creates),
		cmocka_unit_test(slurp_sizes),
		cmocka_unit_test(numbers),
		cmocka_unit_test(renames_elsewhere_do_no_harm),
		cmocka_unit_test(readlink_as_stored),
		cmocka_unit_test(natural_order),
		cmocka_unit_test(each_in_order),
	};

	return cmocka_run_group_tests_name("roots", tests, setup, teardown);
}
