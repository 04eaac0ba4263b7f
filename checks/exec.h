/* SPDX-License-Identifier: Apache-2.0
 * exec - results of the site's own checks, [exec NAME].
 */
#ifndef ASSAY_EXEC_H
#define ASSAY_EXEC_H

#include "checks/policy.h"

/* What all of them have in common (named "exec"): not in checks_all. */
extern const struct check exec_check;

/* The section of a check named exec_NAME, "exec NAME" (the configuration's);
 * NULL: there is none. */
const char *exec_section(const struct cfg *c, const char *name);

/* Judge facts.exec.exec[i]; the result is named "exec_NAME" (the name lives
 * as long as the process). */
void exec_judge(const struct check_env *env, int i, struct check_result *r);

/* Its action, scope and softness in this context. */
void exec_rule(const struct cfg *c, int i, const struct check_env *env,
	       enum context context, struct rule *rule);

#endif
