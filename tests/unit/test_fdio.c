/* SPDX-License-Identifier: Apache-2.0
 * Whole reads and writes; a file that is replaced whole or not at all. */
#include "config.h"
#include "tests/unit/fixture.h"

#include <fcntl.h>

#include "lib/fdio.h"

static struct fixture x;

static int put(const char *name, const char *text)
{
	return fdio_replace(x.roots.fd, name, 0600, text, strlen(text));
}

static void assert_content(const char *name, const char *want)
{
	char buf[64];

	assert_true(roots_read(&x.roots, name, buf, sizeof(buf)) >= 0);
	assert_string_equal(buf, want);
}

static void a_file_is_made_and_replaced(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(put("a.json", "one"), 0);
	assert_content("a.json", "one");
	assert_int_equal(put("a.json", "2"), 0);
	assert_content("a.json", "2");
	assert_int_equal(fstatat(x.roots.fd, "a.json", &st, 0), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(faccessat(x.roots.fd, ".a.json.new", F_OK, 0), -1);
}

static void what_a_killed_run_left_does_no_harm(void **state)
{
	(void)state;
	assert_int_equal(symlinkat("victim", x.roots.fd, ".b.new"), 0);
	assert_int_equal(put("b", "text"), 0);
	assert_content("b", "text");
	assert_int_equal(faccessat(x.roots.fd, "victim", F_OK, 0), -1);
}

static void a_failure_leaves_things_as_they_were(void **state)
{
	char name[300];

	(void)state;
	assert_int_equal(mkdirat(x.roots.fd, "d", 0700), 0);
	assert_int_equal(put("d", "text"), -1);
	assert_int_equal(errno, EISDIR);
	assert_int_equal(faccessat(x.roots.fd, ".d.new", F_OK, 0), -1);
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(put(name, "text"), -1);
	assert_int_equal(errno, ENAMETOOLONG);
	assert_int_equal(fdio_replace(-1, "c", 0600, "", 0), -1);
	assert_int_equal(errno, EBADF);
}

static void a_read_ends_with_the_file(void **state)
{
	char buf[8];
	int fd;

	(void)state;
	assert_int_equal(put("r", "12345"), 0);
	fd = openat(x.roots.fd, "r", O_RDONLY);
	assert_int_equal(fdio_read(fd, buf, 3), 3);
	assert_int_equal(fdio_read(fd, buf, sizeof(buf)), 2);
	assert_int_equal(fdio_write(fd, "no", 2), -1);
	errno = EDOM;
	fdio_close(fd);
	fdio_close(-1);
	assert_int_equal(errno, EDOM);
}

static void slurped(const char *name, size_t max, const char *want)
{
	struct stat st;
	char *text = fdio_slurp(x.roots.fd, name, max, &st);

	assert_non_null(text);
	assert_string_equal(text, want);
	assert_int_equal(st.st_size, strlen(want));
	assert_int_equal(st.st_uid, geteuid());
	free(text);
}

static void refused(const char *name, size_t max, int why)
{
	struct stat st;

	assert_null(fdio_slurp(x.roots.fd, name, max, &st));
	assert_int_equal(errno, why);
}

static void a_regular_file_is_read_whole(void **state)
{
	(void)state;
	assert_int_equal(put("s", "12345"), 0);
	assert_int_equal(put("s.empty", ""), 0);
	slurped("s", 5, "12345");
	slurped("s.empty", 0, "");
}

/* None of these is waited for, or followed. */
static void nothing_else_is_read(void **state)
{
	(void)state;
	assert_int_equal(put("s", "12345"), 0);
	assert_int_equal(symlinkat("s", x.roots.fd, "s.link"), 0);
	assert_int_equal(mkfifoat(x.roots.fd, "s.fifo", 0600), 0);
	assert_int_equal(mkdirat(x.roots.fd, "s.dir", 0700), 0);
	refused("s", 4, EFBIG);
	refused("s.absent", 99, ENOENT);
	refused("s.link", 99, ELOOP);
	refused("s.fifo", 99, EPERM);
	refused("s.dir", 99, EPERM);
}

static int set_up(void **state)
{
	(void)state;
	fixture_open(&x);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fixture_close(&x);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_made_and_replaced),
		cmocka_unit_test(what_a_killed_run_left_does_no_harm),
		cmocka_unit_test(a_failure_leaves_things_as_they_were),
		cmocka_unit_test(a_read_ends_with_the_file),
		cmocka_unit_test(a_regular_file_is_read_whole),
		cmocka_unit_test(nothing_else_is_read),
	};

	return cmocka_run_group_tests_name("fdio", tests, set_up, tear_down);
}
