/* SPDX-License-Identifier: Apache-2.0
 * What the judges of host, storage and fabric facts share. */
#include "config.h"
#include "checks/node.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/scrub.h"

void node_numbers(struct finding *f, double value, double limit,
		  const char *unit)
{
	if (!f)
		return;
	f->value = value;
	f->limit = limit;
	scrub_copy(f->unit, sizeof(f->unit), unit);
}

void node_remedy(struct finding *f, enum remedy remedy)
{
	if (f)
		f->remedy = remedy;
}

void node_evidence(struct finding *f, const struct check_env *env,
		   const char *fmt, ...)
{
	char text[sizeof(f->evidence)];
	va_list ap;

	if (!f)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	snprintf(f->evidence, sizeof(f->evidence), "%.40s:%.54s",
		 node_boot(env), text);
}

const char *node_boot(const struct check_env *env)
{
	return env->facts->kmsg.boot_id;
}

bool node_memory_is_fresh(const struct check_env *env)
{
	const char *boot = json_string_value(json_object_get(env->memory,
							     "boot"));

	return boot && !strcmp(boot, node_boot(env));
}

int64_t node_recall(const struct check_env *env, const char *key,
		    int64_t fallback)
{
	const json_t *v = json_object_get(env->memory, key);

	return json_is_integer(v) ? json_integer_value(v) : fallback;
}
