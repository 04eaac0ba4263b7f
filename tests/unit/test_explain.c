/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/explain.h"
#include "tests/unit/unit.h"

static struct xid_wish w;

static void test_numbers(void **state)
{
	(void)state;
	assert_true(explain_parse_xid("79", &w));
	assert_true(w.xid && !w.sxid);
	assert_int_equal(w.number, 79);
	assert_int_equal(w.subcode, -1);
	assert_true(explain_parse_xid("20034", &w));
	assert_true(w.sxid && !w.xid);
	assert_true(explain_parse_xid("XID: 48", &w));
	assert_true(w.xid);
	assert_true(explain_parse_xid("sxid20034 ", &w));
	assert_true(w.sxid);
	assert_true(explain_parse_xid("Xid 145/9", &w));
	assert_int_equal(w.number, 145);
	assert_int_equal(w.subcode, 9);
	assert_true(explain_parse_xid("145.9", &w));
	assert_int_equal(w.subcode, 9);
}

static void test_no_numbers(void **state)
{
	(void)state;
	assert_false(explain_parse_xid("", &w));
	assert_false(explain_parse_xid("xid", &w));
	assert_false(explain_parse_xid("gpu_ecc", &w));
	assert_false(explain_parse_xid("79x", &w));
	assert_false(explain_parse_xid("-79", &w));
	assert_false(explain_parse_xid("145/64", &w));
	assert_false(explain_parse_xid("sxid 20034/1", &w));
	assert_false(explain_parse_xid("99999999999999999999", &w));
}

static char *explained(const struct xid_table *t, const char *text)
{
	size_t size;
	char *out = NULL;
	FILE *f = open_memstream(&out, &size);
	struct reason r;

	assert_non_null(f);
	if (explain_parse_xid(text, &w))
		explain_xid(f, t, &w);
	else if (reason_parse(text, &r))
		explain_reason(f, t, &r);
	fclose(f);
	return out;
}

static void has(const struct xid_table *t, const char *text, const char *want)
{
	char *s = explained(t, text);

	if (!strstr(s, want))
		fail_msg("no '%s' in:\n%s", want, s);
	free(s);
}

static void test_texts(void **state)
{
	struct xid_table *t = xid_load(NULL, NULL);

	(void)state;
	assert_non_null(t);
	has(t, "79", "class     reboot");
	has(t, "13", "class     app");
	has(t, "154", "class     follow");
	has(t, "999", "not in the table");
	has(t, "99999", "Fatal fails");
	has(t, "assay:kmsg_sxid node SXid 20034 LTSSM fault up", "SXid 20034,");
	has(t, "assay:exec_scratch node disk is full", "a command of this site");
	has(t, "assay:gpu_nothing GPU0 odd", "not a check of this version");
	has(t, "assay:gpu_mode GPU0 odd [config]", "by itself");
	has(t, "assay:gpu_remap GPU0 odd [service]", "trace of a hand");
	xid_destroy(t);
}

/* Every check explains itself: no text may be missing. */
static void test_checks(void **state)
{
	char *out = NULL;
	size_t size;
	FILE *f;
	int i;

	(void)state;
	for (i = 0; checks_all[i]; i++) {
		f = open_memstream(&out, &size);
		assert_non_null(f);
		explain_check(f, checks_all[i]);
		fclose(f);
		assert_null(strstr(out, "(null)"));
		assert_non_null(strstr(out, "  reads "));
		assert_non_null(strstr(out, "[check "));
		free(out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_no_numbers),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_checks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
