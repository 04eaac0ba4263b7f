/* SPDX-License-Identifier: Apache-2.0
 * Prints every section and key of assay.conf as JSON, for tests/meta/conf.py,
 * and of each check its default action. */
#include "config.h"

#include <jansson.h>
#include <stdio.h>

#include "checks/check.h"
#include "checks/schema.h"

static const char *const type_name[] = {
	[CFG_BOOL] = "bool", [CFG_INT] = "int",	  [CFG_ENUM] = "enum",
	[CFG_TEXT] = "text", [CFG_PATH] = "path", [CFG_LIST] = "list",
};

static void add_keys(json_t *list, const struct cfg_key *k)
{
	for (; k && k->name; k++)
		json_array_append_new(
			list,
			json_pack("{s:s, s:s, s:s?, s:s?, s:I, s:I, s:s?, s:s}",
				  "name", k->name, "type", type_name[k->type],
				  "unit", k->unit, "def", k->def, "min",
				  (json_int_t)k->min, "max", (json_int_t)k->max,
				  "choices", k->choices, "help", k->help));
}

int main(void)
{
	const struct cfg_section *s;
	json_t *sections = json_array(), *checks = json_object();
	json_t *keys, *doc;
	int i;

	for (s = schema_sections(); s->name; s++) {
		keys = json_array();
		add_keys(keys, s->keys);
		add_keys(keys, s->extra);
		json_array_append_new(sections, json_pack("{s:s, s:o}", "name",
							  s->name, "keys",
							  keys));
	}
	for (i = 0; checks_all[i]; i++)
		json_object_set_new(checks, checks_all[i]->name,
				    json_string(action_name(
					    checks_all[i]->def)));
	doc = json_pack("{s:o, s:o, s:{s:s, s:s, s:s, s:s}}", "sections",
			sections, "checks", checks, "places",
			ASSAY_SYSCONFDIR, "/etc/assay", ASSAY_RUNDIR,
			"/run/assay", ASSAY_STATEDIR, "/var/lib/assay",
			ASSAY_SCONTROL, "/usr/bin/scontrol");
	json_dumpf(doc, stdout, JSON_INDENT(1) | JSON_SORT_KEYS);
	putchar('\n');
	json_decref(doc);
	return 0;
}
