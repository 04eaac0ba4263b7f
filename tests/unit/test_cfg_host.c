/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/cfg.h"
#include "lib/cfg_private.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

static const struct cfg_key policy_keys[] = { { .name = "mode",
						.type = CFG_ENUM,
						.def = "observe",
						.choices = "observe|enforce" },
					      { 0 } };
static const struct cfg_key check_keys[] = { { .name = "expected_ports",
					       .type = CFG_INT,
					       .def = "8",
					       .min = 0,
					       .max = 64 },
					     { .name = "action.prolog",
					       .type = CFG_ENUM,
					       .def = "drain",
					       .choices = "ignore|warn|drain" },
					     { 0 } };
static const struct cfg_key exec_keys[] = { { .name = "command",
					      .type = CFG_TEXT },
					    { .name = "action.prolog",
					      .type = CFG_ENUM,
					      .def = "warn",
					      .choices = "ignore|warn|drain" },
					    { 0 } };
static const struct cfg_section tables[] = { { "policy", policy_keys, NULL },
					     { "check ib_ports", check_keys,
					       NULL },
					     { "exec *", exec_keys, NULL },
					     { 0 } };

static struct cfg *parse_for(const char *node, const char *text)
{
	struct cfg *c =
		cfg_parse(text, strlen(text), "a.conf", tables, node, NULL);

	assert_non_null(c);
	return c;
}

static int64_t ports_on(const char *node, const char *text)
{
	struct cfg *c = parse_for(node, text);
	int64_t v = cfg_int(c, "check ib_ports", "expected_ports");

	assert_null(cfg_complaint(c));
	cfg_destroy(c);
	return v;
}

static void later_beats_earlier_beats_plain(void **state)
{
	static const char text[] = "[host small]\nmatch = gpu[001-004]\n"
				   "check.ib_ports.expected_ports = 4\n"
				   "[host odd]\nmatch = gpu003,login1\n"
				   "check.ib_ports.expected_ports = 3\n"
				   "[check ib_ports]\nexpected_ports = 6\n";

	(void)state;
	assert_int_equal(ports_on("gpu001", text), 4);
	assert_int_equal(ports_on("gpu003", text), 3);
	assert_int_equal(ports_on("gpu005", text), 6);
	assert_int_equal(ports_on("gpu01", text), 6);
	assert_int_equal(ports_on(NULL, text), 6);
}

static void keys_with_dots_and_new_sections(void **state)
{
	struct cfg *c = parse_for(
		"n1",
		"[host a]\nmatch = n1\npolicy.mode = enforce\n"
		"check.ib_ports.action.prolog = warn\n"
		"exec.foo.command = /bin/true\nexec.foo.action.prolog = drain\n"
		"exec.a.b.command = /bin/false\n");

	(void)state;
	assert_null(cfg_complaint(c));
	assert_string_equal(cfg_text(c, "policy", "mode"), "enforce");
	assert_string_equal(cfg_source(c, "policy", "mode"), "[host a] a.conf:3");
	assert_string_equal(cfg_text(c, "check ib_ports", "action.prolog"),
			    "warn");
	assert_string_equal(cfg_text(c, "exec foo", "action.prolog"), "drain");
	assert_string_equal(cfg_section_at(c, "exec *", 0), "exec foo");
	assert_string_equal(cfg_text(c, "exec a.b", "command"), "/bin/false");
	cfg_destroy(c);
}

/* On node: broken, with this text; NULL: not broken. */
static void ports_broken_on(const char *node, const char *text, const char *why)
{
	struct cfg *c = parse_for(node, text);

	if (why) {
		assert_non_null(cfg_broken(c, "check ib_ports"));
		assert_string_equal(cfg_broken(c, "check ib_ports"), why);
	} else {
		assert_null(cfg_broken(c, "check ib_ports"));
	}
	assert_null(cfg_broken(c, "policy"));
	cfg_destroy(c);
}

static void a_bad_override_breaks_its_target_there(void **state)
{
	static const char text[] = "[host a]\nmatch = n1\n"
				   "check.ib_ports.expected_ports = four\n";
	static const char key[] = "[host a]\nmatch = n1\n"
				  "check.ib_ports.expected_prts = 4\n";

	(void)state;
	ports_broken_on(
		"n1", text,
		"[host a] a.conf:3: check.ib_ports.expected_ports: \"four\" is not a number");
	ports_broken_on("n2", text, NULL);
	ports_broken_on(
		"n1", key,
		"[host a] a.conf:3: no such key: \"check.ib_ports.expected_prts\"");
	ports_broken_on("n2", key, NULL);
}

static void a_bad_match_breaks_its_targets_everywhere(void **state)
{
	static const char syntax[] = "[host a]\nmatch = n[1-\n"
				     "check.ib_ports.expected_ports = 4\n";
	static const char none[] = "[host a]\n"
				   "check.ib_ports.expected_ports = 4\n";
	static const char bad[] = "[host a]\nmatch = n1 # x\n"
				  "check.ib_ports.expected_ports = 4\n";

	(void)state;
	ports_broken_on("n9", syntax,
			"[host a] a.conf:2: match: \"n[1-\" is no list of hosts");
	ports_broken_on("n9", none, "[host a] a.conf: [host a] has no match");
	ports_broken_on(
		"n9", bad,
		"[host a] a.conf:2: '#' behind a value: a comment there starts with ' ;'");
}

static void a_bad_line_breaks_what_it_is_about(void **state)
{
	static const char bad[] = "[host a]\nmatch = n1\n"
				  "check.ib_ports.expected_ports = 4 # four\n";

	(void)state;
	ports_broken_on(
		"n1", bad,
		"[host a] a.conf:3: '#' behind a value: a comment there starts with ' ;'");
	ports_broken_on("n2", bad, NULL);
}

static void about_nothing_known_is_a_complaint(void **state)
{
	struct cfg *c = parse_for(
		"n1",
		"[host a]\nmatch = n1\n"
		"chek.ib_ports.expected_ports = 4\npolicy.mode = enforce\n");

	(void)state;
	assert_string_equal(
		cfg_complaint(c),
		"[host a] a.conf:3: \"chek.ib_ports.expected_ports\" is no SECTION.KEY");
	assert_string_equal(cfg_text(c, "policy", "mode"), "enforce");
	assert_null(cfg_broken(c, "check ib_ports"));
	cfg_destroy(c);
}

static void a_broken_section_stays_broken(void **state)
{
	struct cfg *c =
		parse_for("n1", "[policy]\nmood = x\n"
				"[host a]\nmatch = n1\npolicy.mode = enforce\n");

	(void)state;
	assert_non_null(cfg_broken(c, "policy"));
	assert_string_equal(cfg_text(c, "policy", "mode"), "observe");
	cfg_destroy(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(later_beats_earlier_beats_plain),
		cmocka_unit_test(keys_with_dots_and_new_sections),
		cmocka_unit_test(a_bad_override_breaks_its_target_there),
		cmocka_unit_test(a_bad_match_breaks_its_targets_everywhere),
		cmocka_unit_test(a_bad_line_breaks_what_it_is_about),
		cmocka_unit_test(about_nothing_known_is_a_complaint),
		cmocka_unit_test(a_broken_section_stays_broken),
	};

	return cmocka_run_group_tests_name("cfg_host", tests, NULL, NULL);
}
