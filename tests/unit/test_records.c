/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "epilog/records.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/fdio.h"
#include "tests/unit/unit.h"

#define RECORD(job) "{\"schema\": \"assay.job/1\", \"job\": {\"id\": " #job "}}"

static char top[] = "/tmp/test_records.XXXXXX";
static int dir;
static struct err e;

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(top) ||
	    (dir = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return -1;
	return 0;
}

static int clean(void **state)
{
	char cmd[100];

	(void)state;
	memset(&e, 0, sizeof(e));
	snprintf(cmd, sizeof(cmd), "rm -rf %s/*", top);
	return system(cmd);
}

static int teardown(void **state)
{
	(void)state;
	close(dir);
	return rmdir(top);
}

static void put(const char *name, const char *text)
{
	int fd = openat(dir, name, O_CREAT | O_TRUNC | O_WRONLY, 0600);

	assert_true(fd >= 0);
	assert_int_equal(fdio_write(fd, text, strlen(text)), 0);
	close(fd);
}

static void refused(const char *name, int why)
{
	assert_null(records_read(dir, name, geteuid(), 7, &e));
	assert_int_equal(errno, why);
	assert_non_null(strstr(e.text, name));
}

static void a_record_of_the_job_is_read(void **state)
{
	json_t *r;

	(void)state;
	put("a", RECORD(7));
	r = records_read(dir, "a", geteuid(), 7, &e);
	assert_non_null(r);
	json_decref(r);
}

static void what_is_no_record_of_it_is_refused(void **state)
{
	(void)state;
	put("other", RECORD(8));
	put("torn", "{\"schema\": \"assay.job/1\", \"job\"");
	put("empty", "");
	put("future", "{\"schema\": \"assay.job/2\", \"job\": {\"id\": 7}}");
	put("twice", "{\"schema\": \"assay.job/1\", \"job\": {\"id\": 7},"
		     " \"job\": {\"id\": 7}}");
	refused("other", EINVAL);
	refused("torn", EINVAL);
	refused("empty", EINVAL);
	refused("future", EINVAL);
	refused("twice", EINVAL);
	refused("absent", ENOENT);
}

/* None of these may be waited for, or followed. */
static void only_regular_files_are_opened(void **state)
{
	(void)state;
	put("a", RECORD(7));
	assert_int_equal(symlinkat("a", dir, "link"), 0);
	assert_int_equal(mkfifoat(dir, "fifo", 0600), 0);
	assert_int_equal(mkdirat(dir, "dir", 0700), 0);
	refused("link", ELOOP);
	refused("fifo", EPERM);
	refused("dir", EPERM);
}

static void the_owner_must_be_the_right_one(void **state)
{
	(void)state;
	put("a", RECORD(7));
	assert_null(records_read(dir, "a", geteuid() + 1, 7, &e));
	assert_int_equal(errno, EPERM);
}

static void a_huge_file_is_not_read(void **state)
{
	int fd;

	(void)state;
	put("a", "{}");
	fd = openat(dir, "a", O_WRONLY | O_CLOEXEC);
	assert_int_equal(ftruncate(fd, RECORDS_FILE_MAX + 1), 0);
	close(fd);
	refused("a", EFBIG);
}

static int told_by(int (*f)(const struct records_query *q, json_t *list,
			    struct err *e),
		   uint32_t job, long restart, json_t *list)
{
	struct records_query q = { top, geteuid(), job, restart };

	return f(&q, list, &e);
}

static void of_a_spool_the_newest_restart_counts(void **state)
{
	json_t *list = json_array();

	(void)state;
	put("7.0.n1.json", RECORD(7));
	put("7.2.n1.json", RECORD(7));
	put("7.2.n2.json", RECORD(7));
	put("7.2.n3.json.new", RECORD(7));
	put("77.9.n1.json", RECORD(77));
	put("7.9", RECORD(7));
	put("7x.9.n1.json", RECORD(7));
	assert_int_equal(unlinkat(dir, "7.9", 0), 0);
	assert_int_equal(told_by(records_of_spool, 7, RECORDS_NEWEST, list), 2);
	assert_int_equal(told_by(records_of_spool, 7, 0, list), 1);
	assert_int_equal(told_by(records_of_spool, 6, RECORDS_NEWEST, list), 0);
	assert_int_equal(json_array_size(list), 3);
	json_decref(list);
}

static void of_the_shared_directory_all_nodes_count(void **state)
{
	json_t *list = json_array();

	(void)state;
	assert_int_equal(mkdirat(dir, "jobs", 0700), 0);
	assert_int_equal(mkdirat(dir, "jobs/7.0", 0700), 0);
	assert_int_equal(mkdirat(dir, "jobs/7.1", 0700), 0);
	put("jobs/7.0/n1.json", RECORD(7));
	put("jobs/7.1/n1.json", RECORD(7));
	put("jobs/7.1/n2.json", RECORD(7));
	put("jobs/7.1/n3.json", "torn");
	put("jobs/7.1/n1.series", RECORD(7));
	put("jobs/7.1/.n4.json.new", RECORD(7));
	assert_int_equal(told_by(records_of_shared, 7, RECORDS_NEWEST, list), 2);
	assert_int_equal(told_by(records_of_shared, 8, RECORDS_NEWEST, list), 0);
	assert_int_equal(json_array_size(list), 2);
	json_decref(list);
}

static void a_directory_that_is_not_there_is_told(void **state)
{
	json_t *list = json_array();

	(void)state;
	assert_int_equal(told_by(records_of_shared, 7, RECORDS_NEWEST, list), -1);
	assert_int_equal(errno, ENOENT);
	json_decref(list);
}

static int add(uint32_t job, uint32_t restart, void *arg)
{
	*(unsigned int *)arg += job * 10 + restart;
	return 0;
}

static void each_job_by_its_name(void **state)
{
	unsigned int sum = 0;

	(void)state;
	put("7.0.n1.json", "");
	put("8.2.n1.json", "");
	put("9", "");
	put("x.1", "");
	put("4294967296.0.n1.json", "");
	assert_int_equal(records_each_job(top, add, &sum), 0);
	assert_int_equal(sum, 152);
}

static void a_name_tells_job_and_run(void **state)
{
	static const char *const bad[] = { "",	   "7",	   "7.",   "0.1",
					   "07.1", "7.01", "7.1x", "7.-1",
					   ".7.1", "7.4294967296" };
	uint32_t job, restart;
	size_t i;

	(void)state;
	assert_string_equal(records_name("7.0", &job, &restart), "");
	assert_int_equal(restart, 0);
	assert_string_equal(records_name("8.10.n1.json", &job, &restart),
			    ".n1.json");
	assert_int_equal(job, 8);
	assert_int_equal(restart, 10);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_null(records_name(bad[i], &job, &restart));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_record_of_the_job_is_read, clean),
		cmocka_unit_test_teardown(what_is_no_record_of_it_is_refused,
					  clean),
		cmocka_unit_test_teardown(only_regular_files_are_opened, clean),
		cmocka_unit_test_teardown(the_owner_must_be_the_right_one, clean),
		cmocka_unit_test_teardown(a_huge_file_is_not_read, clean),
		cmocka_unit_test_teardown(of_a_spool_the_newest_restart_counts,
					  clean),
		cmocka_unit_test_teardown(
			of_the_shared_directory_all_nodes_count, clean),
		cmocka_unit_test_teardown(a_directory_that_is_not_there_is_told,
					  clean),
		cmocka_unit_test_teardown(each_job_by_its_name, clean),
		cmocka_unit_test(a_name_tells_job_and_run),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
