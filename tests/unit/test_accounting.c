/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/accounting.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/fdio.h"
#include "tests/unit/unit.h"

static char top[] = "/tmp/test_accounting.XXXXXX";
static char path[64];
static struct err e;

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(top))
		return -1;
	snprintf(path, sizeof(path), "%s/sacct", top);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(top);
}

/* A sacct that does this, and what it answers. */
static char *ask(const char *job, const char *body)
{
	struct accounting a = { .sacct = path,
				.conf = "/etc/some/slurm.conf",
				.deadline_ms = 2000 };
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0700);

	assert_true(fd >= 0);
	assert_int_equal(fdio_write(fd, "#!/bin/sh\n", 10), 0);
	assert_int_equal(fdio_write(fd, body, strlen(body)), 0);
	close(fd);
	if (strstr(body, "sleep"))
		a.deadline_ms = 200;
	memset(&e, 0, sizeof(e));
	return accounting_ask(&a, job, "JobIDRaw,AdminComment", &e);
}

static void job_ids_are_numbers(void **state)
{
	static const char *const good[] = { "1", "123", "123_4", "4294967295" };
	static const char *const bad[] = { "",	  "-1",	   "1_",
					   "_1",  "1_2_3", "1 2",
					   "1,2", "1;id",  "12345678901",
					   "1_x", "0x1",   "1\n",
					   "0",	  "0123",  "4294967296" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(accounting_is_job(good[i]));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(accounting_is_job(bad[i]));
}

static void it_is_asked_for_the_job_only(void **state)
{
	char *line = ask("7_1", "echo \"$SLURM_CONF|$HOME|$*\"\n");

	(void)state;
	assert_string_equal(line, "/etc/some/slurm.conf||-n -P -X -j 7_1 -o "
				  "JobIDRaw,AdminComment");
	free(line);
}

static void a_requeued_jobs_last_line_counts(void **state)
{
	char *line = ask("7", "printf '7|\\n7|JS1:Short\\n'\n");

	(void)state;
	assert_string_equal(line, "7|JS1:Short");
	free(line);
}

static void an_empty_field_is_an_answer(void **state)
{
	char *line = ask("7", "echo\n");

	(void)state;
	assert_string_equal(line, "");
	free(line);
	line = ask("7", "printf 'JS1:Short\n\n'\n");
	assert_string_equal(line, "");
	free(line);
}

static void no_answer_is_told_apart_from_no_job(void **state)
{
	(void)state;
	assert_null(ask("7", "exit 0\n"));
	assert_int_equal(errno, ENOENT);
	assert_null(ask("7", "echo 'sacct: error: so' >&2\n"
			     "echo 'sacct: fatal: no\033[31m' >&2; exit 1\n"));
	assert_int_equal(errno, EIO);
	assert_non_null(strstr(e.text, "sacct of job 7: fatal: no"));
	assert_null(strstr(e.text, "so"));
	assert_null(strchr(e.text, '\033'));
	assert_null(ask("7", "exec sleep 5\n"));
	assert_int_equal(errno, ETIMEDOUT);
	assert_null(ask("7", "exec head -c 9000000 /dev/zero\n"));
	assert_int_equal(errno, EFBIG);
	assert_non_null(strstr(e.text, "too much"));
	assert_null(ask("7;reboot", "echo reached\n"));
	assert_int_equal(errno, EINVAL);
}

/* ---- the writer --------------------------------------------------------------- */

static int set_comment(const char *job, const char *cluster, const char *text,
		       const char *body)
{
	struct accounting a = { .sacctmgr = path,
				.conf = "/etc/some/slurm.conf",
				.deadline_ms = 2000 };
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0700);

	assert_true(fd >= 0);
	assert_int_equal(fdio_write(fd, "#!/bin/sh\n", 10), 0);
	assert_int_equal(fdio_write(fd, body, strlen(body)), 0);
	close(fd);
	if (strstr(body, "sleep"))
		a.deadline_ms = 200;
	memset(&e, 0, sizeof(e));
	return accounting_comment(&a, job, cluster, text, &e);
}

static void a_comment_is_one_argument(void **state)
{
	(void)state;
	assert_int_equal(set_comment("7_1", "lab", "JS1:a b;$(id)=",
				     "[ $# = 8 ] && [ \"$1\" = -i ] && "
				     "[ \"$5\" = jobid=7_1 ] && "
				     "[ \"$6\" = cluster=lab ] && "
				     "[ \"$8\" = 'AdminComment=JS1:a b;$(id)=' ]"
				     " && [ $SLURM_CONF = /etc/some/slurm.conf ]"
				     " && [ -z \"$HOME\" ]\n"),
			 0);
	assert_int_equal(
		set_comment("7", "lab", "", "[ \"$8\" = AdminComment= ]\n"), 0);
}

static void no_job_or_cluster_is_no_call(void **state)
{
	static const char *const bad[][2] = {
		{ "", "lab" },	 { "7 or 1", "lab" }, { "7", "" },
		{ "7", "-lab" }, { "7", "a b" },      { "7", "a=b" },
		{ "7", "a,b" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(
			set_comment(bad[i][0], bad[i][1], "x", "exit 0\n"), -1);
		assert_int_equal(errno, EINVAL);
	}
}

static void a_writer_that_fails(void **state)
{
	(void)state;
	assert_int_equal(set_comment("7", "lab", "x",
				     "echo ' Nothing modified'; exit 1\n"),
			 -1);
	assert_int_equal(errno, EIO);
	assert_non_null(strstr(e.text, "Nothing modified"));
	assert_int_equal(set_comment("7", "lab", "x", "sleep 5\n"), -1);
	assert_int_equal(errno, ETIMEDOUT);
}

static void many_lines(void **state)
{
	struct accounting a = { .sacct = path, .deadline_ms = 2000 };
	char *lines;

	(void)state;
	free(ask("7", "printf 'a\\nb\\n'\n"));
	lines = accounting_lines(&a, "7", "JobID", &e);
	assert_string_equal(lines, "a\nb\n");
	free(lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(job_ids_are_numbers),
		cmocka_unit_test(it_is_asked_for_the_job_only),
		cmocka_unit_test(a_requeued_jobs_last_line_counts),
		cmocka_unit_test(an_empty_field_is_an_answer),
		cmocka_unit_test(no_answer_is_told_apart_from_no_job),
		cmocka_unit_test(a_comment_is_one_argument),
		cmocka_unit_test(no_job_or_cluster_is_no_call),
		cmocka_unit_test(a_writer_that_fails),
		cmocka_unit_test(many_lines),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
