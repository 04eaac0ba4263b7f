/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/cfg.h"
#include "lib/cfg_private.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct cfg_key policy_keys[] = {
	{ .name = "mode",
	  .type = CFG_ENUM,
	  .def = "observe",
	  .choices = "observe|enforce" },
	{ .name = "notify", .type = CFG_BOOL, .def = "yes" },
	{ .name = "window_s",
	  .type = CFG_INT,
	  .unit = "s",
	  .def = "600",
	  .min = 1,
	  .max = 86400 },
	{ .name = "exempt_users", .type = CFG_LIST },
	{ 0 }
};
static const struct cfg_key budget_keys[] = { { .name = "total_ms",
						.type = CFG_INT,
						.unit = "ms",
						.def = "8000",
						.min = 100,
						.max = 60000 },
					      { 0 } };
static const struct cfg_key check_keys[] = {
	{ .name = "enabled", .type = CFG_BOOL, .def = "yes" },
	{ .name = "action.prolog",
	  .type = CFG_ENUM,
	  .def = "drain",
	  .choices = "ignore|warn|drain-after|drain" },
	{ 0 }
};
static const struct cfg_key ib_keys[] = {
	{ .name = "expected_ports", .type = CFG_INT, .min = 0, .max = 64 },
	{ .name = "floor", .type = CFG_INT, .def = "-5", .min = -10, .max = 10 },
	{ 0 }
};
static const struct cfg_key exec_keys[] = {
	{ .name = "command", .type = CFG_TEXT },
	{ .name = "action.prolog",
	  .type = CFG_ENUM,
	  .def = "warn",
	  .choices = "ignore|warn|drain-after|drain" },
	{ 0 }
};
static const struct cfg_key paths_keys[] = {
	{ .name = "run", .type = CFG_PATH, .def = "/run/assay" }, { 0 }
};
static const struct cfg_section tables[] = {
	{ "policy", policy_keys, NULL },
	{ "budget", budget_keys, NULL },
	{ "paths", paths_keys, NULL },
	{ "check ib_ports", check_keys, ib_keys },
	{ "check gpu_ecc", check_keys, NULL },
	{ "exec *", exec_keys, NULL },
	{ 0 }
};

static struct err e;

static struct cfg *parse_for(const char *node, const char *text)
{
	memset(&e, 0, sizeof(e));
	return cfg_parse(text, strlen(text), "assay.conf", tables, node, &e);
}

/* The file loads, and section sec is broken: with this text. */
static void breaks(const char *text, const char *sec, const char *why)
{
	struct cfg *c = parse_for("n1", text);

	assert_non_null(c);
	assert_non_null(cfg_broken(c, sec));
	assert_string_equal(cfg_broken(c, sec), why);
	assert_string_equal(cfg_complaint(c), why);
	if (strncmp(sec, "host ", 5))
		assert_string_equal(cfg_complaint_section(c, 0), sec);
	else
		assert_null(cfg_complaint_section(c, 0));
	cfg_destroy(c);
}

/* The whole file is refused. */
static void refused(const char *text, const char *why)
{
	assert_null(parse_for("n1", text));
	assert_int_equal(errno, EINVAL);
	assert_string_equal(e.text, why);
}

static void defaults_of_every_type(void **state)
{
	struct cfg *c = cfg_defaults(tables);

	(void)state;
	assert_string_equal(cfg_text(c, "policy", "mode"), "observe");
	assert_true(cfg_bool(c, "policy", "notify"));
	assert_int_equal(cfg_int(c, "budget", "total_ms"), 8000);
	assert_int_equal(cfg_int(c, "check ib_ports", "floor"), -5);
	assert_false(cfg_is_set(c, "check ib_ports", "expected_ports"));
	assert_int_equal(cfg_int(c, "check ib_ports", "expected_ports"), 0);
	assert_string_equal(cfg_text(c, "exec foo", "command"), "");
	assert_string_equal(cfg_source(c, "policy", "mode"), "default");
	assert_null(cfg_complaint(c));
	assert_null(cfg_broken(c, "policy"));
	assert_null(cfg_section_at(c, "exec *", 0));
	cfg_destroy(c);
	cfg_destroy(NULL);
}

static void values_and_their_places(void **state)
{
	struct cfg *c = parse_for(
		"n1", "# a comment\n; another\n\n[policy]\nmode = enforce ; why\n"
		      "notify=off\r\nexempt_users = alice, bob\tcarol\n"
		      "  window_s : 60\n[  check   ib_ports ] # c\n"
		      "floor=-7\naction.prolog = warn\n[policy]\n");
	char word[8];

	(void)state;
	assert_non_null(c);
	assert_null(cfg_complaint(c));
	assert_string_equal(cfg_text(c, "policy", "mode"), "enforce");
	assert_string_equal(cfg_source(c, "policy", "mode"), "assay.conf:5");
	assert_false(cfg_bool(c, "policy", "notify"));
	assert_int_equal(cfg_int(c, "policy", "window_s"), 60);
	assert_int_equal(cfg_int(c, "check ib_ports", "floor"), -7);
	assert_string_equal(cfg_text(c, "check ib_ports", "action.prolog"),
			    "warn");
	assert_string_equal(cfg_source(c, "check ib_ports", "enabled"),
			    "default");
	assert_true(cfg_list_has(c, "policy", "exempt_users", "carol"));
	assert_false(cfg_list_has(c, "policy", "exempt_users", "caro"));
	assert_true(cfg_list_at(c, "policy", "exempt_users", 1, word, 8));
	assert_string_equal(word, "bob");
	assert_false(cfg_list_at(c, "policy", "exempt_users", 3, word, 8));
	assert_false(cfg_list_at(c, "policy", "exempt_users", -1, word, 8));
	cfg_destroy(c);
}

static void empty_and_bom(void **state)
{
	struct cfg *c = parse_for("n1", "");

	(void)state;
	assert_non_null(c);
	cfg_destroy(c);
	c = parse_for("n1", "\xef\xbb\xbf[policy]\nmode = enforce");
	assert_non_null(c);
	assert_string_equal(cfg_text(c, "policy", "mode"), "enforce");
	cfg_destroy(c);
}

static void a_bad_value_breaks_only_its_section(void **state)
{
	struct cfg *c = parse_for(
		"n1", "[policy]\nmode = enforce\nmode2 = x\nnotify = no\n"
		      "[budget]\ntotal_ms = 500\n");

	(void)state;
	assert_non_null(c);
	assert_string_equal(cfg_broken(c, "policy"),
			    "assay.conf:3: unknown key \"mode2\" in [policy]");
	assert_string_equal(cfg_text(c, "policy", "mode"), "observe");
	assert_true(cfg_bool(c, "policy", "notify"));
	assert_string_equal(cfg_source(c, "policy", "mode"), "default");
	assert_null(cfg_broken(c, "budget"));
	assert_int_equal(cfg_int(c, "budget", "total_ms"), 500);
	cfg_destroy(c);
}

static void types_refuse(void **state)
{
	(void)state;
	breaks("[policy]\nmode = Enforce\n", "policy",
	       "assay.conf:2: mode: \"Enforce\" is none of observe|enforce");
	breaks("[policy]\nmode = observe|enforce\n", "policy",
	       "assay.conf:2: mode: \"observe|enforce\" is none of observe|enforce");
	breaks("[policy]\nnotify = maybe\n", "policy",
	       "assay.conf:2: notify: \"maybe\" is neither yes nor no");
	breaks("[budget]\ntotal_ms = 99\n", "budget",
	       "assay.conf:2: total_ms: 99 is outside 100..60000 ms");
	breaks("[budget]\ntotal_ms = 99999999999999999999\n", "budget",
	       "assay.conf:2: total_ms: 99999999999999999999 is outside 100..60000 ms");
	breaks("[budget]\ntotal_ms =\n", "budget",
	       "assay.conf:2: total_ms: \"\" is not a number");
	breaks("[budget]\ntotal_ms = +500\n", "budget",
	       "assay.conf:2: total_ms: \"+500\" is not a number");
	breaks("[check ib_ports]\nfloor = 1.5\n", "check ib_ports",
	       "assay.conf:2: floor: \"1.5\" is not a plain number");
	breaks("[paths]\nrun = run/assay\n", "paths",
	       "assay.conf:2: run: \"run/assay\" is not an absolute path");
	breaks("[paths]\nrun = /run/../etc\n", "paths",
	       "assay.conf:2: run: \"/run/../etc\" has \".\" or \"..\" parts");
	breaks("[exec a]\ncommand = /bin/\xc3\xa4\n", "exec a",
	       "assay.conf:2: command: a value outside printable ASCII");
}

static void units(void **state)
{
	struct cfg *c = parse_for("n1", "[policy]\nwindow_s = 60 s\n"
					"[budget]\ntotal_ms = 4000ms\n");

	(void)state;
	assert_non_null(c);
	assert_int_equal(cfg_int(c, "policy", "window_s"), 60);
	assert_int_equal(cfg_int(c, "budget", "total_ms"), 4000);
	assert_string_equal(cfg_text(c, "budget", "total_ms"), "4000");
	cfg_destroy(c);
	breaks("[budget]\ntotal_ms = 4s\n", "budget",
	       "assay.conf:2: total_ms: \"4s\": this is counted in ms");
	breaks("[policy]\nwindow_s = 4000ms\n", "policy",
	       "assay.conf:2: window_s: \"4000ms\": this is counted in s");
}

static void paths_that_only_look_odd(void **state)
{
	struct cfg *c = parse_for("n1", "[paths]\nrun = //run/..a/.b/\n");

	(void)state;
	assert_null(cfg_complaint(c));
	assert_string_equal(cfg_text(c, "paths", "run"), "//run/..a/.b/");
	cfg_destroy(c);
}

static void twice_and_unknown(void **state)
{
	struct cfg *c = parse_for(
		"n1",
		"[check gpu_eec]\nx = 1\n[policy]\nmode = enforce\n[policy]\nnotify = no\n");

	(void)state;
	assert_non_null(c);
	assert_string_equal(cfg_complaint(c),
			    "assay.conf:1: unknown section [check gpu_eec]");
	assert_string_equal(cfg_text(c, "policy", "mode"), "enforce");
	assert_false(cfg_bool(c, "policy", "notify"));
	assert_null(cfg_complaint_section(c, 0));
	assert_null(cfg_complaint_at(c, 1));
	assert_null(cfg_complaint_section(c, 1));
	cfg_destroy(c);
	breaks("[policy]\nmode = enforce\n[paths]\n[policy]\nmode = enforce\n",
	       "policy", "assay.conf:5: mode is set twice in [policy]");
}

static void what_libinih_would_cut(void **state)
{
	char text[600];
	char key[60];

	(void)state;
	memset(key, 'k', sizeof(key));
	snprintf(text, sizeof(text), "[policy]\n%.50s = 1\n", key);
	breaks(text, "policy", "assay.conf:2: a key is longer than 49 bytes");
	snprintf(text, sizeof(text), "[policy]\n%.49s = 1\n", key);
	breaks(text, "policy",
	       "assay.conf:2: unknown key \"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk\" in [policy]");
	snprintf(text, sizeof(text), "[exec a]\ncommand = %0189d\n", 1);
	breaks(text, "exec a", "assay.conf:2: a line is longer than 198 bytes");
	snprintf(text, sizeof(text), "[exec %.45s]\n", key);
	refused(text, "assay.conf:1: a section's name is longer than 49 bytes");
	refused("[check x]y]\n",
		"assay.conf:1: text behind the ']' of a section");
	refused("[policy] junk\n",
		"assay.conf:1: text behind the ']' of a section");
	refused("[policy]\n[policy\nmode=observe\n",
		"assay.conf:2: a section without ']'");
	refused("[ ]\n", "assay.conf:1: not a section's name");
	refused("[a ; b]\n", "assay.conf:1: not a section's name");
}

static void longest_that_is_read(void **state)
{
	char text[600];
	struct cfg *c;

	(void)state;
	snprintf(text, sizeof(text),
		 "[exec a]\n; %0300d\ncommand = %0188d\n[policy]\nmode = enforce\n",
		 1, 1);
	c = parse_for("n1", text);
	assert_non_null(c);
	assert_null(cfg_complaint(c));
	assert_int_equal(strlen(cfg_text(c, "exec a", "command")), 188);
	assert_string_equal(cfg_source(c, "policy", "mode"), "assay.conf:5");
	cfg_destroy(c);
}

static void lines_that_mean_nothing(void **state)
{
	(void)state;
	breaks("[policy]\nmode\n", "policy",
	       "assay.conf:2: neither [section] nor key = value");
	breaks("[policy]\n = enforce\n", "policy",
	       "assay.conf:2: a value without a key");
	breaks("[policy]\nmode = enforce # now\n", "policy",
	       "assay.conf:2: '#' behind a value: a comment there starts with ' ;'");
	breaks("[exec a]\ncommand = /bin/sh -c \"a ; b\"\n", "exec a",
	       "assay.conf:2: ' ;' within quotes: it would start a comment");
	breaks("[policy]\nmode = enf\x01orce\n", "policy",
	       "assay.conf:2: a byte that is no text");
	breaks("[exec a]\ncommand = /bin/a\n  --more\n", "exec a",
	       "assay.conf:3: neither [section] nor key = value");
	refused("mode = enforce\n[policy]\n",
		"assay.conf:1: a key before the first section");
	refused("\x7f"
		"ELF\x02\x01",
		"assay.conf:1: a byte that is no text");
	refused("[pol\x01icy]\n", "assay.conf:1: a byte that is no text");
}

static void nul_bytes_do_not_end_the_file(void **state)
{
	static const char text[] =
		"[policy]\nmode = enforce\n# \0\n[paths]\nrun = /x\0y\n[budget]\ntotal_ms=200\n";
	struct cfg *c = cfg_parse(text, sizeof(text) - 1, "assay.conf", tables,
				  NULL, &e);

	(void)state;
	assert_non_null(c);
	assert_string_equal(cfg_broken(c, "policy"),
			    "assay.conf:3: a byte that is no text");
	assert_string_equal(cfg_broken(c, "paths"),
			    "assay.conf:5: a byte that is no text");
	assert_int_equal(cfg_int(c, "budget", "total_ms"), 200);
	cfg_destroy(c);
}

static void text_of_complaints_is_scrubbed(void **state)
{
	(void)state;
	breaks("[policy]\nm\xff\xfe = 1\n", "policy",
	       "assay.conf:2: unknown key \"m??\" in [policy]");
}

static void limits(void **state)
{
	static char text[200000];
	size_t n = 0;
	int i;

	(void)state;
	for (i = 0; i < CFG_SECTS_MAX + 1; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "[exec e%d]\n", i);
	refused(text, "assay.conf:1025: more than 1024 sections");
	n = (size_t)snprintf(text, sizeof(text), "[host a]\n");
	for (i = 0; i < CFG_ITEMS_MAX + 1; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "exec.e%d.command = x\n", i);
	breaks(text, "host a", "assay.conf:258: more than 256 keys in [host a]");
}

static void sections_by_pattern(void **state)
{
	struct cfg *c = parse_for(
		"n1",
		"[exec b]\n[policy]\n[exec a.1]\ncommand=x\n[exec b]\n[exec a/b]\n[exec]\n");

	(void)state;
	assert_string_equal(cfg_section_at(c, "exec *", 0), "exec b");
	assert_string_equal(cfg_section_at(c, "exec *", 1), "exec a.1");
	assert_null(cfg_section_at(c, "exec *", 2));
	assert_null(cfg_section_at(c, "exec *", -1));
	assert_string_equal(cfg_complaint(c),
			    "assay.conf:6: unknown section [exec a/b]");
	cfg_destroy(c);
}

static int print_one(const char *sec, const struct cfg_key *key,
		     const char *value, const char *source, void *arg)
{
	char *all = arg;

	snprintf(all + strlen(all), 2000 - strlen(all), "%s/%s=%s(%s)\n", sec,
		 key->name, value, source);
	return !strcmp(key->name, "stop") ? 9 : 0;
}

static void each_in_the_tables_order(void **state)
{
	static const struct cfg_key stop[] = { { .name = "stop" }, { 0 } };
	static const struct cfg_section t[] = { { "exec *", exec_keys, NULL },
						{ "a", policy_keys + 2, stop },
						{ "b", stop, NULL },
						{ 0 } };
	char all[2000] = "";
	static const char text[] = "[a]\nwindow_s = 7\n[exec z]\ncommand = c\n";
	struct cfg *c = cfg_parse(text, strlen(text), "f", t, NULL, NULL);

	(void)state;
	assert_int_equal(cfg_each(c, print_one, all), 9);
	assert_string_equal(
		all,
		"exec z/command=c(f:4)\nexec z/action.prolog=warn(default)\n"
		"a/window_s=7(f:2)\na/exempt_users=(default)\na/stop=(default)\n");
	cfg_destroy(c);
}

static uint64_t digest_of(const char *text)
{
	struct cfg *c = parse_for("n1", text);
	uint64_t d = cfg_digest(c);

	cfg_destroy(c);
	return d;
}

static void digest_of_what_is_in_force(void **state)
{
	uint64_t d = digest_of("");

	(void)state;
	assert_true(d == digest_of("# x\n[policy]\nmode = observe\n"));
	assert_true(d == digest_of("[policy]\nnotify = true\n"));
	assert_true(d != digest_of("[policy]\nmode = enforce\n"));
	assert_true(d != digest_of("[exec a]\n"));
	assert_true(d == digest_of("[host a]\nmatch=n2\npolicy.mode=enforce\n"));
	assert_true(d != digest_of("[host a]\nmatch=n1\npolicy.mode=enforce\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_of_every_type),
		cmocka_unit_test(values_and_their_places),
		cmocka_unit_test(empty_and_bom),
		cmocka_unit_test(a_bad_value_breaks_only_its_section),
		cmocka_unit_test(types_refuse),
		cmocka_unit_test(units),
		cmocka_unit_test(paths_that_only_look_odd),
		cmocka_unit_test(twice_and_unknown),
		cmocka_unit_test(what_libinih_would_cut),
		cmocka_unit_test(longest_that_is_read),
		cmocka_unit_test(lines_that_mean_nothing),
		cmocka_unit_test(nul_bytes_do_not_end_the_file),
		cmocka_unit_test(text_of_complaints_is_scrubbed),
		cmocka_unit_test(limits),
		cmocka_unit_test(sections_by_pattern),
		cmocka_unit_test(each_in_the_tables_order),
		cmocka_unit_test(digest_of_what_is_in_force),
	};

	return cmocka_run_group_tests_name("cfg", tests, NULL, NULL);
}
