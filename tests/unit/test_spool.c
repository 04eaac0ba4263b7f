/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "epilog/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/unit.h"

#include "tests/unit/tmpdir.h"

static struct err e;

static json_t *record(int job, int restart, const char *node)
{
	return json_pack("{s:s, s:{s:i, s:i, s:s}}", "schema", "assay.job/1",
			 "job", "id", job, "restart", restart, "node", node);
}

static int store(int job, int restart, const char *node, bool share)
{
	json_t *r = record(job, restart, node);
	int rc;

	memset(&e, 0, sizeof(e));
	rc = spool_store(tmpdir_path("spool"), r, geteuid(), share, &e);
	json_decref(r);
	return rc;
}

static struct stat look(const char *name)
{
	struct stat st = { 0 };

	assert_int_equal(fstatat(tmpdir_fd, name, &st, AT_SYMLINK_NOFOLLOW), 0);
	return st;
}

static void a_record_has_a_name(void **state)
{
	char buf[SPOOL_NAME_MAX];
	json_t *r = record(7, 2, "gpu-01.site");

	(void)state;
	assert_string_equal(spool_name(r, buf), "7.2.gpu-01.site.json");
	json_decref(r);
}

/* It becomes a file's. */
static void a_node_that_is_a_path_has_none(void **state)
{
	static const char *const bad[] = { "",	   ".",	  "..",	  ".n", "a/b",
					   "../x", "a b", "a\nb", "ä" };
	char buf[SPOOL_NAME_MAX];
	json_t *r;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		r = record(7, 0, bad[i]);
		assert_null(spool_name(r, buf));
		json_decref(r);
	}
	r = record(0, 0, "n1");
	assert_null(spool_name(r, buf));
	json_decref(r);
}

static void it_is_stored_for_root_and_for_its_owner(void **state)
{
	(void)state;
	assert_int_equal(store(7, 0, "n1", false), 0);
	assert_string_equal(e.text, "");
	assert_int_equal(look("spool/7.0.n1.json").st_mode & 07777, 0600);
	assert_int_equal(look("spool").st_mode & 07777, 0711);
	assert_false(tmpdir_has("spool/pending/7.0.n1.json"));
	if (geteuid() == 0)
		assert_int_equal(look("spool/users/0/7.json").st_mode & 07777,
				 0400);
}

static void what_is_to_be_shared_is_pending(void **state)
{
	ino_t first;

	(void)state;
	assert_int_equal(store(7, 0, "n1", true), 0);
	first = look("spool/pending/7.0.n1.json").st_ino;
	assert_int_equal(first, look("spool/7.0.n1.json").st_ino);
	assert_int_equal(store(7, 0, "n1", true), 0);
	assert_int_not_equal(first, look("spool/pending/7.0.n1.json").st_ino);
}

enum { MAY_READ = 1, MAY_WRITE = 2, MAY_CHMOD = 4 };

/* What uid may do with a file of root's. */
static int may(const char *path, uid_t uid)
{
	pid_t pid = fork();
	int status, can = 0;

	assert_true(pid >= 0);
	if (!pid) {
		if (setgroups(0, NULL) < 0 || setgid(uid) < 0 || setuid(uid) < 0)
			_exit(99);
		can |= open(path, O_RDONLY) >= 0 ? MAY_READ : 0;
		can |= open(path, O_RDWR) >= 0 ? MAY_WRITE : 0;
		can |= chmod(path, 0600) == 0 ? MAY_CHMOD : 0;
		_exit(can);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Who owned it could fill the disk through it. */
static void a_user_reads_his_copy_and_no_more(void **state)
{
	json_t *r = record(7, 0, "n1");
	char path[4200];

	(void)state;
	if (geteuid() == 0) {
		assert_int_equal(fchmod(tmpdir_fd, 0711), 0);
		assert_int_equal(
			spool_store(tmpdir_path("spool"), r, 65534, false, &e),
			0);
		assert_string_equal(e.text, "");
		snprintf(path, sizeof(path), "%s",
			 tmpdir_path("spool/users/65534/7.json"));
		assert_int_equal(look("spool/users/65534/7.json").st_uid, 0);
		assert_int_equal(look("spool/users/65534").st_uid, 0);
		assert_int_equal(may(path, 65534), MAY_READ);
		assert_int_equal(may(path, 65533), 0);
		assert_int_equal(may(path, 0), MAY_READ | MAY_WRITE | MAY_CHMOD);
	}
	json_decref(r);
}

/* Somebody else has prepared the place. */
static void a_spool_of_others_is_not_used(void **state)
{
	(void)state;
	assert_int_equal(mkdirat(tmpdir_fd, "spool", 0700), 0);
	assert_int_equal(fchmodat(tmpdir_fd, "spool", 0777, 0), 0);
	assert_int_equal(store(7, 0, "n1", false), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(unlinkat(tmpdir_fd, "spool", AT_REMOVEDIR), 0);
	assert_int_equal(mkdirat(tmpdir_fd, "other", 0700), 0);
	assert_int_equal(symlinkat("other", tmpdir_fd, "spool"), 0);
	assert_int_equal(store(7, 0, "n1", false), -1);
	assert_false(tmpdir_has("other/7.0.n1.json"));
}

static void a_copy_that_cannot_be_made_is_no_failure(void **state)
{
	(void)state;
	assert_int_equal(store(8, 0, "n1", false), 0);
	assert_int_equal(system("exit 0"), 0);
	assert_int_equal(renameat(tmpdir_fd, "spool/users", tmpdir_fd, "away"),
			 0);
	assert_int_equal(symlinkat("../away", tmpdir_fd, "spool/users"), 0);
	assert_int_equal(store(7, 0, "n1", false), 0);
	assert_string_not_equal(e.text, "");
	assert_true(tmpdir_has("spool/7.0.n1.json"));
}

static void age(const char *name, int64_t s)
{
	struct timespec t[2] = { { .tv_sec = s }, { .tv_sec = s } };

	assert_int_equal(utimensat(tmpdir_fd, name, t, AT_SYMLINK_NOFOLLOW), 0);
}

static void what_is_old_goes(void **state)
{
	(void)state;
	assert_int_equal(store(7, 0, "n1", true), 0);
	assert_int_equal(store(8, 0, "n1", false), 0);
	age("spool/7.0.n1.json", 1000);
	age("spool/8.0.n1.json", 5000);
	assert_int_equal(spool_prune(tmpdir_path("spool"), 3000, 1 << 30, 5000),
			 2);
	assert_false(tmpdir_has("spool/7.0.n1.json"));
	assert_false(tmpdir_has("spool/pending/7.0.n1.json"));
	assert_true(tmpdir_has("spool/8.0.n1.json"));
}

/* Of three files of a block each only the newest may stay. */
static void what_is_too_much_goes_oldest_first(void **state)
{
	int64_t block;

	(void)state;
	assert_int_equal(mkdirat(tmpdir_fd, "spool", 0711), 0);
	tmpdir_put("spool/a", "x");
	tmpdir_put("spool/b", "x");
	tmpdir_put("spool/c", "x");
	age("spool/a", 3000);
	age("spool/b", 1000);
	age("spool/c", 2000);
	block = (int64_t)look("spool/a").st_blocks * 512;
	assert_int_equal(spool_prune(tmpdir_path("spool"), 90000, block, 5000),
			 block ? 2 : 0);
	assert_true(tmpdir_has("spool/a"));
	if (block)
		assert_false(tmpdir_has("spool/b"));
}

static void one_at_a_time(void **state)
{
	int fd;

	(void)state;
	assert_int_equal(store(7, 0, "n1", false), 0);
	age("spool/7.0.n1.json", 1000);
	fd = openat(tmpdir_fd, "spool", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(spool_prune(tmpdir_path("spool"), 10, 0, 5000), 0);
	close(fd);
	assert_true(spool_prune(tmpdir_path("spool"), 10, 0, 5000) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_has_a_name),
		cmocka_unit_test(a_node_that_is_a_path_has_none),
		cmocka_unit_test_teardown(
			it_is_stored_for_root_and_for_its_owner, tmpdir_clean),
		cmocka_unit_test_teardown(what_is_to_be_shared_is_pending,
					  tmpdir_clean),
		cmocka_unit_test_teardown(a_user_reads_his_copy_and_no_more,
					  tmpdir_clean),
		cmocka_unit_test_teardown(a_spool_of_others_is_not_used,
					  tmpdir_clean),
		cmocka_unit_test_teardown(
			a_copy_that_cannot_be_made_is_no_failure, tmpdir_clean),
		cmocka_unit_test_teardown(what_is_old_goes, tmpdir_clean),
		cmocka_unit_test_teardown(what_is_too_much_goes_oldest_first,
					  tmpdir_clean),
		cmocka_unit_test_teardown(one_at_a_time, tmpdir_clean),
	};

	return cmocka_run_group_tests(tests, tmpdir_setup, tmpdir_teardown);
}
