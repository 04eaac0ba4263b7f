/* SPDX-License-Identifier: Apache-2.0
 * [exec NAME]: what the site's own command says, by the codes that Nagios
 * plugins use. */
#include "config.h"
#include "checks/exec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "checks/node.h"

enum nagios { NAGIOS_OK, NAGIOS_WARNING, NAGIOS_CRITICAL, NAGIOS_UNKNOWN };

/* Not in checks.def: there is one for each section of the configuration. */
const struct check exec_check = {
	.name = "exec",
	.summary = "a command of the site's own",
	.reads = "what the command reads, for at most timeout_ms",
	.fails = "the command ends with 2; warns if with 1, and with anything "
		 "else the check itself has failed",
	.advice = "see the site's documentation",
	.domain = DOMAIN_EXEC,
	.scope = SCOPE_NODE,
	.def = ACTION_WARN,
	.soft = true,
};

static const char *name_of(int i, const struct exec_fact *x)
{
	static char name[FACTS_EXECS_MAX][sizeof(x->name) + 8];

	snprintf(name[i], sizeof(name[i]), "exec_%s", x->name);
	return name[i];
}

static void add(const struct check_env *env, struct check_result *r,
		enum status status, const char *suffix,
		const struct exec_fact *x)
{
	struct finding *f;

	f = result_add(r, status, suffix, "node", "%s",
		       x->line[0] ? x->line : suffix);
	node_numbers(f, x->exit_code, NAN, "");
	node_evidence(f, env, "exit=%d", x->exit_code);
}

const char *exec_section(const struct cfg *c, const char *name)
{
	const char *sec;
	int i;

	if (strncmp(name, "exec_", strlen("exec_")))
		return NULL;
	for (i = 0; (sec = cfg_section_at(c, "exec *", i)); i++)
		if (!strcmp(sec + strlen("exec "), name + strlen("exec_")))
			return sec;
	return NULL;
}

void exec_judge(const struct check_env *env, int i, struct check_result *r)
{
	const struct exec_fact *x = &env->facts->exec.exec[i];
	struct finding *f;

	r->check = &exec_check;
	r->name = name_of(i, x);
	r->elapsed_us = x->elapsed_us;
	if (!x->started) {
		f = result_add(r, STATUS_ERROR, "not_run", "node", "%s",
			       x->why);
		node_remedy(f, REMEDY_CONFIG);
	} else if (x->timed_out) {
		f = result_add(r, STATUS_TIMEOUT, "timeout", "node",
			       "command did not end in time");
		node_numbers(f, (double)(x->elapsed_us / 1000), NAN, "ms");
	} else if (x->signal) {
		result_add(r, STATUS_ERROR, "signal", "node",
			   "command ended by signal %d", x->signal);
	} else if (x->exit_code == NAGIOS_CRITICAL) {
		add(env, r, STATUS_FAIL, "critical", x);
	} else if (x->exit_code == NAGIOS_WARNING) {
		add(env, r, STATUS_WARN, "warning", x);
	} else if (x->exit_code != NAGIOS_OK) {
		add(env, r, STATUS_ERROR, "unknown", x);
	}
	r->status = result_status(r);
}

void exec_rule(const struct cfg *c, int i, const struct check_env *env,
	       enum context context, struct rule *rule)
{
	char sec[64];
	const char *scope;

	snprintf(sec, sizeof(sec), "exec %s", env->facts->exec.exec[i].name);
	scope = cfg_text(c, sec, "scope");
	*rule = (struct rule){ .soft = true };
	rule->action = check_action(c, sec, context, ACTION_WARN);
	if (scope && !strcmp(scope, "domain"))
		rule->scope = SCOPE_DOMAIN;
	if (scope && !strcmp(scope, "site"))
		rule->scope = SCOPE_SITE;
}
