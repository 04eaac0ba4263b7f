/* SPDX-License-Identifier: Apache-2.0
 * The job's directory: only its owner's files are touched, whatever lies
 * there, and a full or torn one harms nobody. */
#include "config.h"

#include <sys/stat.h>

#include "tests/unit/rundirs.h"

static int opens(struct fixture *x, uint32_t job)
{
	int fd = rundir_open(x->dir, job);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void change(struct fixture *x, const char *name, mode_t mode)
{
	char full[1024];

	assert_int_equal(chmod(fixture_path(x, name, full), mode), 0);
}

static void whose_directory(void **state)
{
	struct rundirs d;

	(void)state;
	rundirs_open(&d);
	assert_true(opens(&d.x, 12));
	assert_false(opens(&d.x, 13));
	fixture_link(&d.x, "14", "12");
	assert_false(opens(&d.x, 14));
	fixture_file(&d.x, "15", "");
	assert_false(opens(&d.x, 15));
	change(&d.x, "12", 0775);
	assert_false(opens(&d.x, 12));
	change(&d.x, "12", 0757);
	assert_false(opens(&d.x, 12));
	change(&d.x, "12", 0711);
	assert_true(opens(&d.x, 12));
	change(&d.x, ".", 0777);
	assert_false(opens(&d.x, 12));
	change(&d.x, ".", 0711);
	if (geteuid() == 0) {
		char full[1024];

		assert_int_equal(chown(fixture_path(&d.x, "12", full), 65534,
				       65534), 0);
		assert_false(opens(&d.x, 12));
	}
	assert_int_equal(rundir_open("/nonexistent", 12), -1);
	rundirs_close(&d);
}

static void lines_are_appended(void **state)
{
	struct rundirs d;
	struct stat st;

	(void)state;
	rundirs_open(&d);
	assert_int_equal(rundir_append(d.dir, "f", "one\n", 100), 0);
	assert_int_equal(rundir_append(d.dir, "f", "two\n", 100), 0);
	rundirs_is(&d, "f", "one\ntwo\n");
	assert_int_equal(fstatat(d.dir, "f", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	rundirs_put(&d, "f", "a torn li");
	change(&d.x, "12/f", 0600);
	assert_int_equal(rundir_append(d.dir, "f", "three\n", 100), 0);
	rundirs_is(&d, "f", "a torn li\nthree\n");
	rundirs_close(&d);
}

static void to_a_limit(void **state)
{
	struct rundirs d;

	(void)state;
	rundirs_open(&d);
	assert_int_equal(rundir_append(d.dir, "f", "1234567\n", 9), 0);
	assert_int_equal(rundir_append(d.dir, "f", "1234567\n", 9), 0);
	assert_int_equal(rundir_append(d.dir, "f", "1234567\n", 9), -1);
	assert_int_equal(errno, EFBIG);
	rundirs_is(&d, "f", "1234567\n1234567\n");
	rundirs_close(&d);
}

static void no_line_is_too_long_for_the_stack(void **state)
{
	struct rundirs d;
	char *line = calloc(1, 9001);

	(void)state;
	assert_non_null(line);
	memset(line, 'x', 9000);
	rundirs_open(&d);
	assert_int_equal(rundir_append(d.dir, "f", line, 100000), -1);
	assert_int_equal(errno, E2BIG);
	rundirs_is(&d, "f", "");
	free(line);
	rundirs_close(&d);
}

/* Only root could put these there. Nothing behind them is touched. */
static void what_is_no_file_of_ours(struct rundirs *d, const char *name)
{
	char buf[16] = "old";

	assert_int_equal(rundir_append(d->dir, name, "x\n", 100), -1);
	assert_int_equal(rundir_note(d->dir, name, "x\n"), -1);
	assert_int_equal(rundir_read(d->dir, name, buf, sizeof(buf)), -1);
	assert_string_equal(buf, "");
	assert_false(rundir_has(d->dir, name));
}

static void links_and_pipes(void **state)
{
	struct rundirs d;
	char full[1024];

	(void)state;
	rundirs_open(&d);
	fixture_file(&d.x, "victim", "precious");
	fixture_link(&d.x, "12/link", "../victim");
	what_is_no_file_of_ours(&d, "link");
	rundirs_is(&d, "../victim", "precious");
	fixture_link(&d.x, "12/dangling", "../new");
	what_is_no_file_of_ours(&d, "dangling");
	assert_false(roots_exists(&d.x.roots, "new"));
	fixture_dir(&d.x, "12/dir");
	what_is_no_file_of_ours(&d, "dir");
	assert_int_equal(mkfifo(fixture_path(&d.x, "12/pipe", full), 0600), 0);
	what_is_no_file_of_ours(&d, "pipe");
	rundirs_put(&d, "open", "precious");
	change(&d.x, "12/open", 0666);
	what_is_no_file_of_ours(&d, "open");
	rundirs_is(&d, "open", "precious");
	rundirs_close(&d);
}

/* With somebody at its other end a pipe can be opened. */
static void a_pipe_that_is_read(void **state)
{
	struct rundirs d;
	char full[1024];
	char c;
	int fd;

	(void)state;
	rundirs_open(&d);
	assert_int_equal(mkfifo(fixture_path(&d.x, "12/pipe", full), 0600), 0);
	fd = open(full, O_RDWR | O_NONBLOCK);
	assert_true(fd >= 0);
	what_is_no_file_of_ours(&d, "pipe");
	assert_int_equal(read(fd, &c, 1), -1);
	close(fd);
	rundirs_close(&d);
}

static void the_first_note_stays(void **state)
{
	struct rundirs d;

	(void)state;
	rundirs_open(&d);
	assert_int_equal(rundir_note(d.dir, "n", "one\n"), 0);
	assert_true(rundir_has(d.dir, "n"));
	assert_int_equal(rundir_note(d.dir, "n", "two\n"), -1);
	assert_int_equal(errno, EEXIST);
	rundirs_is(&d, "n", "one\n");
	assert_false(rundir_has(d.dir, "m"));
	rundirs_close(&d);
}

static void the_beginning_is_read(void **state)
{
	struct rundirs d;
	char buf[5];

	(void)state;
	rundirs_open(&d);
	assert_int_equal(rundir_note(d.dir, "n", "123456"), 0);
	assert_int_equal(rundir_read(d.dir, "n", buf, sizeof(buf)), 4);
	assert_string_equal(buf, "1234");
	rundirs_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whose_directory),
		cmocka_unit_test(lines_are_appended),
		cmocka_unit_test(to_a_limit),
		cmocka_unit_test(no_line_is_too_long_for_the_stack),
		cmocka_unit_test(links_and_pipes),
		cmocka_unit_test(a_pipe_that_is_read),
		cmocka_unit_test(the_first_note_stays),
		cmocka_unit_test(the_beginning_is_read),
	};

	umask(022);
	return cmocka_run_group_tests_name("spank_rundir", tests, NULL, NULL);
}
