/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "cmd/explain.h"

#include <stdbool.h>
#include <string.h>

#include "checks/exec.h"
#include "checks/schema.h"
#include "cmd/page.h"

static const char *scope_text(enum scope s)
{
	static const char *const text[] = {
		"node: it can drain",
		"domain (beyond this node): it warns, it never drains",
		"site (beyond this node): it warns, it never drains"
	};

	return text[s];
}

static void needs(FILE *f, const struct check *c)
{
	char text[80] = "";

	if (c->needs & NEED_GPU)
		strcat(text, "GPUs here, and given to the job");
	if (c->needs & NEED_NVML)
		strcat(text, "; NVML answers");
	if (c->needs & NEED_HCA)
		strcat(text, "RDMA devices here, or expected");
	if (text[0])
		page_itemf(f, EXPLAIN_INDENT, "  needs",
			   "%s; else it is skipped",
			   text[0] == ';' ? text + 2 : text);
}

static void key(FILE *f, const struct cfg_key *k, const char *def)
{
	bool action = !strncmp(k->name, "action.", 7);
	char label[80], value[48];

	snprintf(value, sizeof(value), "%.24s%s%s", def ? def : "unset",
		 def && k->unit ? " " : "", def && k->unit ? k->unit : "");
	snprintf(label, sizeof(label), "    %-16s %-11s ", k->name, value);
	page_itemf(f, 34, label, "%s%s%s%s", k->help,
		   k->choices && !action ? " (" : "",
		   k->choices && !action ? k->choices : "",
		   k->choices && !action ? ")" : "");
}

/* Actions have no default of their own: that of the check stands in. */
static void keys(FILE *f, const struct check *c)
{
	const struct cfg_section *s;
	const struct cfg_key *k;
	char name[64];

	snprintf(name, sizeof(name), "check %s", c->name);
	for (s = schema_sections(); s->name && strcmp(s->name, name); s++)
		;
	if (!s->name)
		return;
	fprintf(f, "\n  [%s] in assay.conf, with defaults:\n", name);
	for (k = s->keys; k->name; k++)
		key(f, k, strncmp(k->name, "action.", 7) ?
				  k->def : action_name(c->def));
	for (k = s->extra; k && k->name; k++)
		key(f, k, k->def);
	fprintf(f, "  An action is one of ignore, warn, drain-after, drain.\n");
}

void explain_check(FILE *f, const struct check *c)
{
	fprintf(f, "%s - %s\n\n", c->name, c->summary);
	page_item(f, EXPLAIN_INDENT, "  reads", c->reads);
	needs(f, c);
	page_item(f, EXPLAIN_INDENT, "  fails", c->fails);
	page_item(f, EXPLAIN_INDENT, "  do", c->advice);
	page_itemf(f, EXPLAIN_INDENT, "  action", "%s%s", action_name(c->def),
		   c->soft ? "; soft: limited in number, and observing only "
			     "after a change until it has passed once" : "");
	page_item(f, EXPLAIN_INDENT, "  scope", scope_text(c->scope));
	keys(f, c);
}

struct exec_keys {
	FILE *f;
	const char *sec;
};

static int exec_key(const char *sec, const struct cfg_key *k,
		    const char *value, const char *source, void *arg)
{
	const struct exec_keys *x = arg;

	(void)source;
	if (!strcmp(sec, x->sec) && strcmp(k->name, "command"))
		key(x->f, k, value);
	return 0;
}

void explain_exec(FILE *f, const struct cfg *cfg, const char *sec)
{
	struct exec_keys x = { f, sec };
	const char *broken = cfg_broken(cfg, sec);

	fprintf(f, "exec_%s - %s\n\n", sec + strlen("exec "),
		exec_check.summary);
	page_item(f, EXPLAIN_INDENT, "  command",
		  cfg_text(cfg, sec, "command"));
	if (broken)
		page_itemf(f, EXPLAIN_INDENT, "  broken", "%s", broken);
	page_item(f, EXPLAIN_INDENT, "  reads", exec_check.reads);
	page_item(f, EXPLAIN_INDENT, "  fails", exec_check.fails);
	page_item(f, EXPLAIN_INDENT, "  do", exec_check.advice);
	fprintf(f, "\n  [%s] in assay.conf, as it is:\n", sec);
	cfg_each(cfg, exec_key, &x);
	fprintf(f, "  An action is one of ignore, warn, drain-after, drain.\n");
}

static void list_one(FILE *f, const struct check *c)
{
	char label[64];

	snprintf(label, sizeof(label), "%-15s %-11s ", c->name,
		 action_name(c->def));
	page_item(f, 28, label, c->summary);
}

void explain_list(FILE *f)
{
	int i;

	for (i = 0; checks_all[i]; i++)
		list_one(f, checks_all[i]);
	fprintf(f, "\nThe word is the default action of a failure. "
		   "assay explain CHECK tells more.\n");
}
