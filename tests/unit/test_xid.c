/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/xid.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/unit.h"

static struct xid_table *table;

static int setup(void **state)
{
	(void)state;
	table = xid_load(NULL, NULL);
	return table ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	xid_destroy(table);
	return 0;
}

static enum xid_class class_of(int number)
{
	const struct xid_row *r = xid_find(table, number, -1, false);

	assert_non_null(r);
	assert_true(r->name[0] && r->advice[0] && r->source[0]);
	return r->class;
}

static void builtin_knows_the_policy(void **state)
{
	(void)state;
	assert_int_equal(class_of(13), XID_APP);
	assert_int_equal(class_of(31), XID_APP);
	assert_int_equal(class_of(43), XID_APP);
	assert_int_equal(class_of(63), XID_NOTE);
	assert_int_equal(class_of(92), XID_WARN);
	assert_int_equal(class_of(48), XID_RESET);
	assert_int_equal(class_of(95), XID_RESET);
	assert_int_equal(class_of(79), XID_REBOOT);
	assert_int_equal(class_of(54), XID_SERVICE);
	assert_int_equal(class_of(154), XID_FOLLOW);
	assert_null(xid_find(table, 9999, -1, false));
}

static void dead_gpus_are_few(void **state)
{
	(void)state;
	assert_true(xid_find(table, 79, -1, false)->dead);
	assert_true(xid_find(table, 119, -1, false)->dead);
	assert_true(xid_find(table, 120, -1, false)->dead);
	assert_false(xid_find(table, 48, -1, false)->dead);
}

static enum xid_blame blame_of(int number)
{
	return xid_find(table, number, -1, true)->blame;
}

static void the_number_tells_whose_fault_it_was(void **state)
{
	(void)state;
	assert_int_equal(blame_of(13), XID_BLAME_PROGRAM);
	assert_int_equal(blame_of(31), XID_BLAME_PROGRAM);
	assert_int_equal(blame_of(79), XID_BLAME_HARDWARE);
	assert_int_equal(blame_of(92), XID_BLAME_HARDWARE);
	assert_int_equal(blame_of(45), XID_BLAME_UNKNOWN);
	/* the row says otherwise than its class */
	assert_int_equal(blame_of(94), XID_BLAME_HARDWARE);
	assert_int_equal(blame_of(109), XID_BLAME_UNKNOWN);
}

static void fatal_and_subcode_narrow(void **state)
{
	(void)state;
	assert_int_equal(xid_find(table, 145, 0, true)->class, XID_RESET);
	assert_int_equal(xid_find(table, 145, 0, false)->class, XID_NOTE);
	assert_int_equal(xid_find(table, 149, 5, true)->class, XID_RESET);
	assert_int_equal(xid_find(table, 149, 38, true)->class, XID_WARN);
}

static void switch_numbers_are_another_space(void **state)
{
	(void)state;
	assert_int_equal(sxid_find(table, 20034, true)->class, XID_REBOOT);
	assert_int_equal(sxid_find(table, 11012, true)->class, XID_NOTE);
	assert_int_equal(sxid_find(table, 12028, true)->class, XID_WARN);
	assert_null(sxid_find(table, 24007, false));
	assert_null(sxid_find(table, 79, true));
}

static void classes_have_words(void **state)
{
	(void)state;
	assert_string_equal(xid_class_name(XID_NOTE), "note");
	assert_string_equal(xid_class_name(XID_SERVICE), "service");
	assert_string_equal(xid_class_name(XID_FOLLOW), "follow");
}

static struct xid_table *load_text(const char *text, struct err *e)
{
	char path[] = "/tmp/test_xid.XXXXXX";
	struct xid_table *t;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	t = xid_load(path, e);
	unlink(path);
	return t;
}

#define ROW "\"class\":\"warn\",\"name\":\"n\",\"source\":\"s\""
#define HEAD "{\"schema\":\"assay.xid/1\",\"sxid\":[],\"xid\":["

static void a_site_table_replaces_the_builtin(void **state)
{
	struct xid_table *t;

	(void)state;
	t = load_text(HEAD "{\"number\":13," ROW "}]}", NULL);
	assert_non_null(t);
	assert_int_equal(xid_find(t, 13, -1, false)->class, XID_WARN);
	assert_null(xid_find(t, 79, -1, false));
	xid_destroy(t);
}

static void refused(const char *text, const char *why)
{
	struct xid_table *t;
	struct err e = { "" };

	errno = 0;
	t = load_text(text, &e);
	assert_null(t);
	assert_int_equal(errno, EINVAL);
	if (!strstr(e.text, why))
		fail_msg("\"%s\" lacks \"%s\"", e.text, why);
}

static void bad_tables_are_refused_with_their_place(void **state)
{
	(void)state;
	refused("", "1:");
	refused("\x7f" "ELF\x01", "1:");
	refused("[]", "schema");
	refused("{\"schema\":\"assay.xid/2\"}", "schema");
	refused("{\"schema\":\"assay.xid/1\",\"xids\":[]}", "unknown key");
	refused("{\"schema\":\"assay.xid/1\"}", "list of rows");
	refused(HEAD "7]}", "xid row 1");
	refused(HEAD "{\"number\":13}]}", "required");
	refused(HEAD "{\"number\":13," ROW ",\"klass\":1}]}", "klass");
	refused(HEAD "{\"number\":13,\"class\":\"bad\",\"name\":\"n\","
		"\"source\":\"s\"}]}", "class");
	refused(HEAD "{\"number\":-1," ROW "}]}", "number");
	refused(HEAD "{\"number\":1.5," ROW "}]}", "number");
	refused(HEAD "{\"number\":13,\"blame\":\"me\"," ROW "}]}", "blame");
	refused(HEAD "{\"number\":13,\"dead\":1," ROW "}]}", "dead");
	refused(HEAD "{\"number\":13,\"subcode\":64," ROW "}]}", "subcode");
	refused(HEAD "{\"number\":13," ROW "},{\"number\":13," ROW "}]}",
		"row 2");
}

static void missing_and_odd_files(void **state)
{
	struct err e;

	(void)state;
	assert_null(xid_load("/nonexistent/xid.json", &e));
	assert_int_equal(errno, ENOENT);
	assert_null(xid_load("/dev/null", &e));
	assert_int_equal(errno, EINVAL);
	assert_null(xid_load("/tmp", &e));
	xid_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(builtin_knows_the_policy),
		cmocka_unit_test(dead_gpus_are_few),
		cmocka_unit_test(the_number_tells_whose_fault_it_was),
		cmocka_unit_test(fatal_and_subcode_narrow),
		cmocka_unit_test(switch_numbers_are_another_space),
		cmocka_unit_test(classes_have_words),
		cmocka_unit_test(a_site_table_replaces_the_builtin),
		cmocka_unit_test(bad_tables_are_refused_with_their_place),
		cmocka_unit_test(missing_and_odd_files),
	};

	return cmocka_run_group_tests_name("xid", tests, setup, teardown);
}
