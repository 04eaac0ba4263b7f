/* SPDX-License-Identifier: Apache-2.0
 *
 * Attacks the reading of assay.conf. Whatever the file is: it is refused
 * with one printable line, or every value in force has passed its key's
 * check and a broken section answers its defaults.
 */
#include "config.h"
#include "lib/cfg.h"
#include "lib/cfg_private.h"
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <string.h>

const char fuzz_name[] = "cfg";
const char *const fuzz_words[] = { "\n[",
				   "]\n",
				   " ;",
				   " #",
				   "\"",
				   "=",
				   ":",
				   "\n  ",
				   "\r\n",
				   "\n[policy]\n",
				   "\n[check ib_ports]\n",
				   "\n[exec a]\n",
				   "\n[host h]\n",
				   "match = ",
				   "n[1-3]",
				   "\ncheck.ib_ports.",
				   "\npolicy.mode = ",
				   ".action.prolog",
				   "\nmode = enforce\n",
				   "\nwindow_s = 60s\n",
				   "\xef\xbb\xbf",
				   "\t",
				   "/..",
				   "99999999999999999999",
				   "-1",
				   NULL };

static const struct cfg_key policy_keys[] = {
	{ .name = "mode",
	  .type = CFG_ENUM,
	  .def = "observe",
	  .choices = "observe|enforce" },
	{ .name = "notify", .type = CFG_BOOL, .def = "no" },
	{ .name = "window_s",
	  .type = CFG_INT,
	  .unit = "s",
	  .def = "600",
	  .min = 1,
	  .max = 86400 },
	{ .name = "users", .type = CFG_LIST },
	{ .name = "run", .type = CFG_PATH, .def = "/run" },
	{ 0 }
};
static const struct cfg_key check_keys[] = {
	{ .name = "enabled", .type = CFG_BOOL, .def = "yes" },
	{ .name = "action.prolog",
	  .type = CFG_ENUM,
	  .def = "drain",
	  .choices = "ignore|warn|drain" },
	{ 0 }
};
static const struct cfg_key more_keys[] = {
	{ .name = "expected_ports", .type = CFG_INT, .min = 0, .max = 64 },
	{ .name = "command", .type = CFG_TEXT },
	{ 0 }
};
static const struct cfg_section tables[] = { { "policy", policy_keys, NULL },
					     { "check ib_ports", check_keys,
					       more_keys },
					     { "exec *", check_keys, more_keys },
					     { 0 } };

static void is_line(const char *text)
{
	FUZZ_HOLDS(text[0]);
	FUZZ_HOLDS(strlen(text) < ERR_TEXT_MAX);
	for (; *text; text++)
		FUZZ_HOLDS(*text >= ' ' && *text <= '~');
}

static int is_checked(const char *sec, const struct cfg_key *key,
		      const char *value, const char *source, void *arg)
{
	const struct cfg *c = arg;
	char out[CFG_LINE_MAX + 1];
	struct err why;

	FUZZ_HOLDS(!strcmp(cfg_text(c, sec, key->name), value));
	FUZZ_HOLDS(!strcmp(cfg_source(c, sec, key->name), source));
	if (!strcmp(source, "default")) {
		FUZZ_HOLDS(!strcmp(value, key->def ? key->def : ""));
		return 0;
	}
	FUZZ_HOLDS(!cfg_broken(c, sec));
	FUZZ_HOLDS(cfg_value_check(key, value, out, sizeof(out), &why) == 0);
	FUZZ_HOLDS(!strcmp(out, value));
	if (key->type == CFG_INT)
		FUZZ_HOLDS(cfg_int(c, sec, key->name) >= key->min &&
			   cfg_int(c, sec, key->name) <= key->max);
	return 0;
}

static struct cfg *parse(const uint8_t *data, size_t size, const char *node,
			 struct err *e)
{
	return cfg_parse((const char *)data, size, "f", tables, node, e);
}

static void attack(const uint8_t *data, size_t size, const char *node)
{
	struct err e = { .text = "" };
	struct cfg *c = parse(data, size, node, &e);
	struct cfg *again = parse(data, size, node, NULL);
	const char *name;
	int i;

	FUZZ_HOLDS(!c == !again);
	if (!c) {
		FUZZ_HOLDS(errno == EINVAL);
		is_line(e.text);
		return;
	}
	FUZZ_HOLDS(cfg_digest(c) == cfg_digest(again));
	cfg_each(c, is_checked, c);
	for (i = 0; cfg_complaint_at(c, i); i++)
		is_line(cfg_complaint_at(c, i));
	for (i = 0; (name = cfg_section_at(c, "exec *", i)); i++)
		FUZZ_HOLDS(!strncmp(name, "exec ", 5) && name[5]);
	if (cfg_broken(c, "policy"))
		is_line(cfg_broken(c, "policy"));
	cfg_destroy(again);
	cfg_destroy(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	attack(data, size, NULL);
	attack(data, size, "n2");
	return 0;
}
