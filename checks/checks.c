/* SPDX-License-Identifier: Apache-2.0
 * The list of checks, made from checks.def. */
#include "config.h"
#include "checks/check.h"

#include <stdio.h>
#include <string.h>

#define CHECK(name) extern const struct check check_##name;
#include "checks/checks.def"
#undef CHECK

const struct check *const checks_all[] = {
#define CHECK(name) &check_##name,
#include "checks/checks.def"
#undef CHECK
	NULL
};

const struct check *checks_find(const char *name)
{
	int i;

	for (i = 0; checks_all[i]; i++)
		if (!strcmp(checks_all[i]->name, name))
			return checks_all[i];
	return NULL;
}

enum action check_action(const struct cfg *c, const char *section,
			 enum context context, enum action def)
{
	const char *word = cfg_text(c, section, action_key(context));
	int a;

	for (a = ACTION_IGNORE; a <= ACTION_DRAIN; a++)
		if (!strcmp(word, action_name((enum action)a)))
			return (enum action)a;
	return def;
}

static const char *section(const struct check *c, char *buf, size_t size)
{
	snprintf(buf, size, "check %s", c->name);
	return buf;
}

int64_t check_cfg_int(const struct check_env *env, const struct check *c,
		      const char *key)
{
	char sec[64];

	return cfg_int(env->cfg, section(c, sec, sizeof(sec)), key);
}

bool check_cfg_bool(const struct check_env *env, const struct check *c,
		    const char *key)
{
	char sec[64];

	return cfg_bool(env->cfg, section(c, sec, sizeof(sec)), key);
}

const char *check_cfg_text(const struct check_env *env, const struct check *c,
			   const char *key)
{
	char sec[64];

	return cfg_text(env->cfg, section(c, sec, sizeof(sec)), key);
}
