/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/jsonfile.h"

#include <errno.h>

#include "tests/unit/unit.h"

#include "tests/unit/tmpdir.h"

static void what_is_written_is_read(void **state)
{
	json_t *doc = json_pack("{s:[i, i]}", "a", 1, 2), *again;
	struct stat st;

	(void)state;
	assert_int_equal(
		jsonfile_replace(tmpdir_fd, "x", 0600, doc, JSON_COMPACT), 0);
	assert_int_equal(fstatat(tmpdir_fd, "x", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_size, strlen("{\"a\":[1,2]}"));
	again = jsonfile_read(tmpdir_fd, "x");
	assert_true(json_equal(doc, again));
	json_decref(again);
	json_decref(doc);
}

static void a_document_that_was_not_made_writes_nothing(void **state)
{
	(void)state;
	tmpdir_put("x", "{}");
	assert_int_equal(jsonfile_replace(tmpdir_fd, "x", 0600, NULL, 0), -1);
	assert_int_equal(errno, ENOMEM);
	assert_true(tmpdir_has("x"));
}

static void refused(const char *name, int why)
{
	assert_null(jsonfile_read(tmpdir_fd, name));
	assert_int_equal(errno, why);
}

/* A FIFO that nobody writes must not hold anybody. */
static void only_whole_regular_files_are_read(void **state)
{
	(void)state;
	tmpdir_put("x", "{}");
	tmpdir_put("torn", "{\"a\": ");
	tmpdir_put("huge", "{}");
	assert_int_equal(truncate(tmpdir_path("huge"), JSONFILE_MAX + 1), 0);
	assert_int_equal(symlinkat("x", tmpdir_fd, "link"), 0);
	assert_int_equal(mkfifoat(tmpdir_fd, "fifo", 0600), 0);
	refused("absent", ENOENT);
	refused("torn", EINVAL);
	refused("huge", EFBIG);
	refused("link", ELOOP);
	refused("fifo", EPERM);
	assert_null(jsonfile_read(-1, "x"));
	assert_int_equal(errno, EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(what_is_written_is_read, tmpdir_clean),
		cmocka_unit_test_teardown(
			a_document_that_was_not_made_writes_nothing, tmpdir_clean),
		cmocka_unit_test_teardown(only_whole_regular_files_are_read,
					  tmpdir_clean),
	};

	return cmocka_run_group_tests(tests, tmpdir_setup, tmpdir_teardown);
}
