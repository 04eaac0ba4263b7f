/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/hostlist.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Each text with what "scontrol show hostnames" of 22.05 makes of it. */
static const struct {
	const char *text, *names;
} pairs[] = {
	{ "login1", "login1" },
	{ "gpu[001-004,7],login1", "gpu001 gpu002 gpu003 gpu004 gpu7 login1" },
	{ "a[1-2]b[3-4]", "a1b3 a1b4 a2b3 a2b4" },
	{ "a[1-2][3-4]", "a13 a14 a23 a24" },
	{ "n[08-11]", "n08 n09 n10 n11" },
	{ "n[8-011]", "n8 n9 n10 n11" },
	{ "n[099-101]", "n099 n100 n101" },
	{ "n[00-1]", "n00 n01" },
	{ "x[1,1,2]", "x1 x1 x2" },
	{ "gpu[1-2],gpu[2-3]", "gpu1 gpu2 gpu2 gpu3" },
	{ "a,,b", "a b" },
	{ ",a,", "a" },
	{ "a b", "a b" },
};

static char *joined(char **names, int n)
{
	static char buf[512];
	size_t len = 0;
	int i;

	buf[0] = 0;
	for (i = 0; i < n; i++)
		len += (size_t)snprintf(buf + len, sizeof(buf) - len, "%s%s",
					i ? " " : "", names[i]);
	return buf;
}

static void expands_as_scontrol_does(void **state)
{
	char **names;
	size_t i;
	int n;

	(void)state;
	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		n = hostlist_expand(pairs[i].text, &names);
		assert_true(n > 0);
		assert_string_equal(joined(names, n), pairs[i].names);
		hostlist_free(names, n);
	}
}

static void text_behind_the_brackets_is_part_of_the_name(void **state)
{
	char **names;
	int n = hostlist_expand("n[1-2]-ib[0-1].foo", &names);

	(void)state;
	assert_int_equal(n, 4);
	assert_string_equal(joined(names, n),
			    "n1-ib0.foo n1-ib1.foo n2-ib0.foo n2-ib1.foo");
	hostlist_free(names, n);
}

static void broken_lists_are_refused(void **state)
{
	static const char *const bad[] = {
		"a[", "a]", "a[1-3", "a[]", "a[1-2,]", "a[,1]", "a[x]",
		"a[1,3-2]", "a[1 - 3]", "a[1-]", "a[-1]", "a[[1]]", "a[1]]",
		"a;b", "a/b", "a\nb", "a\x80", "a[1-2", "a[1-2-3]",
		"a[1234567890123456789]",
		"a[1][1][1][1][1][1][1][1][1]",
	};
	char **names = NULL;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		errno = 0;
		assert_int_equal(hostlist_expand(bad[i], &names), -1);
		assert_int_equal(errno, EINVAL);
		assert_null(names);
		assert_int_equal(hostlist_index(bad[i], "a"), -1);
		assert_int_equal(errno, EINVAL);
	}
	assert_int_equal(hostlist_expand(NULL, &names), -1);
	assert_int_equal(errno, EINVAL);
}

static void nothing_is_an_empty_list(void **state)
{
	char **names = NULL;

	(void)state;
	assert_int_equal(hostlist_expand("", &names), 0);
	assert_null(names);
	assert_int_equal(hostlist_expand(" ,, ", &names), 0);
	hostlist_free(NULL, 0);
}

static void the_limits_hold(void **state)
{
	static char big[70000];
	char **names = NULL;
	int n;

	(void)state;
	n = hostlist_expand("n[0-65535]", &names);
	assert_int_equal(n, 65536);
	assert_string_equal(names[65535], "n65535");
	hostlist_free(names, n);
	names = NULL;
	assert_int_equal(hostlist_expand("n[0-65536]", &names), -1);
	assert_int_equal(errno, E2BIG);
	assert_int_equal(hostlist_expand("n[0-65535],b", &names), -1);
	assert_int_equal(errno, E2BIG);
	assert_int_equal(hostlist_expand("a[0-999][0-999]", &names), -1);
	assert_int_equal(errno, E2BIG);
	memset(big, 'a', sizeof(big) - 1);
	assert_int_equal(hostlist_expand(big, &names), -1);
	assert_int_equal(errno, E2BIG);
	big[255] = 0;
	n = hostlist_expand(big, &names);
	assert_int_equal(n, 1);
	hostlist_free(names, n);
	big[255] = 'a';
	big[256] = 0;
	assert_int_equal(hostlist_expand(big, &names), -1);
	assert_int_equal(errno, EINVAL);
}

static void index_counts_from_zero(void **state)
{
	(void)state;
	assert_int_equal(hostlist_index("gpu[001-004],b", "gpu001"), 0);
	assert_int_equal(hostlist_index("gpu[001-004],b", "gpu004"), 3);
	assert_int_equal(hostlist_index("gpu[001-004],b", "b"), 4);
	assert_int_equal(hostlist_index("gpu[001-004],b", "gpu1"), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(hostlist_index("", "b"), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(hostlist_index("b,a[", "b"), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(hostlist_index("b", NULL), -1);
	assert_int_equal(errno, EINVAL);
}

/* The table above against the real command; needs no controller. */
static void the_installed_scontrol_agrees(void **state)
{
	char conf[] = "/tmp/assay-hostlist.XXXXXX";
	char cmd[512], line[512];
	size_t i, n;
	FILE *f;
	int fd;

	(void)state;
	if (access("/usr/bin/scontrol", X_OK))
		skip();
	fd = mkstemp(conf);
	assert_true(fd >= 0);
	assert_true(dprintf(fd, "ClusterName=t\nSlurmctldHost=localhost\n") > 0);
	close(fd);
	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		snprintf(cmd, sizeof(cmd),
			 "SLURM_CONF=%s timeout 10 /usr/bin/scontrol show "
			 "hostnames '%s' 2>&1 | tr '\\n' ' '", conf,
			 pairs[i].text);
		f = popen(cmd, "r");
		assert_non_null(f);
		n = fread(line, 1, sizeof(line) - 1, f);
		pclose(f);
		while (n && line[n - 1] == ' ')
			n--;
		line[n] = 0;
		assert_string_equal(line, pairs[i].names);
	}
	unlink(conf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expands_as_scontrol_does),
		cmocka_unit_test(text_behind_the_brackets_is_part_of_the_name),
		cmocka_unit_test(broken_lists_are_refused),
		cmocka_unit_test(nothing_is_an_empty_list),
		cmocka_unit_test(the_limits_hold),
		cmocka_unit_test(index_counts_from_zero),
		cmocka_unit_test(the_installed_scontrol_agrees),
	};

	return cmocka_run_group_tests_name("hostlist", tests, NULL, NULL);
}
