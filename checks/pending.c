/* SPDX-License-Identifier: Apache-2.0
 * Stands in for gatherers and commands that land next. */
#include "config.h"

#include "checks/exec.h"
#include "lib/facts_exec.h"
#include "lib/facts_storage.h"

#define WEAK __attribute__((weak))

WEAK int facts_storage_gather(const struct roots *r, const struct sysfacts *s,
			      const struct cfg *c, int deadline_ms,
			      struct facts_storage *out)
{
	(void)r;
	(void)s;
	(void)c;
	(void)deadline_ms;
	(void)out;
	return 0;
}

WEAK int facts_exec_gather(const struct cfg *c, const struct job *j,
			   int deadline_ms, struct facts_exec *out)
{
	(void)c;
	(void)j;
	(void)deadline_ms;
	(void)out;
	return 0;
}

WEAK void exec_judge(const struct check_env *env, int i,
		     struct check_result *r)
{
	(void)env;
	(void)i;
	(void)r;
}

WEAK void exec_rule(const struct cfg *c, int i, const struct check_env *env,
		    enum context context, struct rule *rule)
{
	(void)c;
	(void)i;
	(void)env;
	(void)context;
	(void)rule;
}
