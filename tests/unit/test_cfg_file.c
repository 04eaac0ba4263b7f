/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/cfg.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct cfg_key keys[] = {
	{.name = "mode", .type = CFG_ENUM, .def = "observe",
	 .choices = "observe|enforce"},
	{0}
};
static const struct cfg_section tables[] = {{"policy", keys, NULL}, {0}};

static char dir[] = "/tmp/test_cfg.XXXXXX";
static char conf[64], copy[64];
static struct err e;

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(chmod(path, 0644), 0);
}

static void has(const char *path, const char *text)
{
	char buf[256] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_true(fread(buf, 1, sizeof(buf) - 1, f) < sizeof(buf));
	fclose(f);
	assert_string_equal(buf, text);
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(conf, sizeof(conf), "%s/assay.conf", dir);
	snprintf(copy, sizeof(copy), "%s/copy", dir);
	return 0;
}

static int teardown(void **state)
{
	char cmd[64];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd);
}

static int fresh(void **state)
{
	(void)state;
	unlink(copy);
	unlink(conf);
	rmdir(conf);
	put(conf, "[policy]\nmode = enforce\n");
	return chmod(dir, 0700);
}

static void loads_a_trusted_file(void **state)
{
	struct cfg *c = cfg_load(conf, tables, NULL, &e);

	(void)state;
	assert_non_null(c);
	assert_string_equal(cfg_source(c, "policy", "mode"), "assay.conf:2");
	cfg_destroy(c);
	assert_int_equal(cfg_file_trusted("/proc/self/../1/../../etc", &e), 0);
	assert_int_equal(cfg_file_trusted("/", &e), 0);
}

static void missing_is_enoent(void **state)
{
	char text[256];

	(void)state;
	unlink(conf);
	assert_null(cfg_load(conf, tables, NULL, &e));
	assert_int_equal(errno, ENOENT);
	snprintf(text, sizeof(text), "look at %s: No such file or directory",
		 conf);
	assert_string_equal(e.text, text);
}

/* Refused with EPERM because of what (below dir) "says". */
static void not_trusted(const char *name, const char *says)
{
	char text[256];

	assert_null(cfg_load(conf, tables, NULL, &e));
	assert_int_equal(errno, EPERM);
	snprintf(text, sizeof(text), "%s%s %s", dir, name, says);
	assert_string_equal(e.text, text);
}

static void writable_by_others(void **state)
{
	struct cfg *c;

	(void)state;
	chmod(conf, 0646);
	not_trusted("/assay.conf", "may be written by others (mode 0646)");
	chmod(conf, 0664);
	not_trusted("/assay.conf", "may be written by others (mode 0664)");
	chmod(conf, 0644);
	chmod(dir, 0777);
	not_trusted("", "may be written by others (mode 0777)");
	chmod(dir, 01777);
	c = cfg_load(conf, tables, NULL, &e);
	assert_non_null(c);
	cfg_destroy(c);
	/* The sticky bit of a file says nothing. */
	chmod(conf, 01646);
	not_trusted("/assay.conf", "may be written by others (mode 1646)");
}

static void owned_by_somebody(void **state)
{
	(void)state;
	if (chown(conf, 12345, (gid_t)-1) < 0)
		skip();
	not_trusted("/assay.conf", "is owned by uid 12345, neither root nor the user who runs this");
}

static void links_are_judged_where_they_point_and_lie(void **state)
{
	char lax[80], target[80];
	struct cfg *c;

	(void)state;
	snprintf(lax, sizeof(lax), "%s/lax", dir);
	snprintf(target, sizeof(target), "%s/lax/target", dir);
	mkdir(lax, 0700);
	put(target, "[policy]\nmode = enforce\n");
	unlink(conf);
	assert_int_equal(symlink("lax/../lax/./target", conf), 0);
	c = cfg_load(conf, tables, NULL, &e);
	assert_non_null(c);
	cfg_destroy(c);
	chmod(lax, 0777);
	not_trusted("/lax", "may be written by others (mode 0777)");
	/* A link in a lax directory to what is safe. */
	unlink(target);
	put(copy, "[policy]\nmode = enforce\n");
	assert_int_equal(symlink(copy, target), 0);
	not_trusted("/lax", "may be written by others (mode 0777)");
	chmod(lax, 0700);
	c = cfg_load(conf, tables, NULL, &e);
	assert_non_null(c);
	cfg_destroy(c);
	unlink(conf);
	assert_int_equal(symlink("assay.conf", conf), 0);
	assert_null(cfg_load(conf, tables, NULL, &e));
	assert_int_equal(errno, ELOOP);
}

static void neither_fifo_nor_directory_nor_huge(void **state)
{
	(void)state;
	unlink(conf);
	assert_int_equal(mkfifo(conf, 0600), 0);
	assert_null(cfg_load(conf, tables, NULL, &e));
	assert_int_equal(errno, EINVAL);
	unlink(conf);
	assert_int_equal(mkdir(conf, 0700), 0);
	assert_null(cfg_load(conf, tables, NULL, &e));
	assert_int_equal(errno, EINVAL);
	rmdir(conf);
	put(conf, "");
	assert_int_equal(truncate(conf, 1024 * 1024 + 1), 0);
	assert_null(cfg_load(conf, tables, NULL, &e));
	assert_int_equal(errno, EFBIG);
}

static void relative_paths(void **state)
{
	char cwd[PATH_MAX];
	struct cfg *c;

	(void)state;
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	assert_int_equal(chdir(dir), 0);
	c = cfg_load("assay.conf", tables, NULL, &e);
	assert_int_equal(chdir(cwd), 0);
	assert_non_null(c);
	cfg_destroy(c);
}

/* Loads with the net; returns what it gave. */
static struct cfg *load(bool *used)
{
	memset(&e, 0, sizeof(e));
	return cfg_load_or_last_good(conf, copy, tables, NULL, used, &e);
}

static void good_is_kept(void **state)
{
	struct stat st, again;
	bool used = true;
	struct cfg *c = load(&used);

	(void)state;
	assert_non_null(c);
	assert_false(used);
	cfg_destroy(c);
	has(copy, "[policy]\nmode = enforce\n");
	assert_int_equal(stat(copy, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	/* The same once more: not written again. */
	cfg_destroy(load(&used));
	assert_int_equal(stat(copy, &again), 0);
	assert_true(st.st_ino == again.st_ino);
	put(conf, "[policy]\nmode = observe\n");
	cfg_destroy(load(&used));
	has(copy, "[policy]\nmode = observe\n");
}

static void broken_falls_back(void **state)
{
	bool used = false;
	struct cfg *c;

	(void)state;
	cfg_destroy(load(&used));
	put(conf, "[policy\nmode = observe\n");
	c = load(&used);
	assert_non_null(c);
	assert_true(used);
	assert_string_equal(e.text, "assay.conf:1: a section without ']'");
	assert_string_equal(cfg_text(c, "policy", "mode"), "enforce");
	cfg_destroy(c);
	has(copy, "[policy]\nmode = enforce\n");
	chmod(conf, 0666);
	c = load(&used);
	assert_non_null(c);
	assert_true(used);
	cfg_destroy(c);
}

static void half_broken_is_used_but_not_kept(void **state)
{
	bool used = true;
	struct cfg *c;

	(void)state;
	put(conf, "[policy]\nmood = enforce\n");
	c = load(&used);
	assert_non_null(c);
	assert_false(used);
	assert_non_null(cfg_broken(c, "policy"));
	cfg_destroy(c);
	assert_int_equal(access(copy, F_OK), -1);
}

static void no_net(void **state)
{
	bool used = true;

	(void)state;
	put(conf, "mode = observe\n");
	assert_null(load(&used));
	assert_int_equal(errno, EINVAL);
	assert_string_equal(e.text, "assay.conf:1: a key before the first section");
	assert_false(used);
	/* A copy that anybody could have written is none. */
	put(copy, "[policy]\nmode = enforce\n");
	chmod(copy, 0666);
	assert_null(load(&used));
	assert_int_equal(errno, EINVAL);
	/* Missing: the caller's defaults, not yesterday's file. */
	chmod(copy, 0600);
	unlink(conf);
	assert_null(load(&used));
	assert_int_equal(errno, ENOENT);
	assert_false(used);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(loads_a_trusted_file, fresh),
		cmocka_unit_test_setup(missing_is_enoent, fresh),
		cmocka_unit_test_setup(writable_by_others, fresh),
		cmocka_unit_test_setup(owned_by_somebody, fresh),
		cmocka_unit_test_setup(links_are_judged_where_they_point_and_lie,
				       fresh),
		cmocka_unit_test_setup(neither_fifo_nor_directory_nor_huge,
				       fresh),
		cmocka_unit_test_setup(relative_paths, fresh),
		cmocka_unit_test_setup(good_is_kept, fresh),
		cmocka_unit_test_setup(broken_falls_back, fresh),
		cmocka_unit_test_setup(half_broken_is_used_but_not_kept, fresh),
		cmocka_unit_test_setup(no_net, fresh),
	};

	return cmocka_run_group_tests_name("cfg_file", tests, setup, teardown);
}
