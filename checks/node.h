/* SPDX-License-Identifier: Apache-2.0
 * node - what the judges of host, storage and fabric facts share.
 */
#ifndef ASSAY_CHECKS_NODE_H
#define ASSAY_CHECKS_NODE_H

#include "checks/check.h"

/* All of these take f == NULL (no memory for a finding) and do nothing. */

/* Value, limit (NAN: none) and their unit. */
void node_numbers(struct finding *f, double value, double limit,
		  const char *unit);
void node_remedy(struct finding *f, enum remedy remedy);

/* Evidence that belongs to this boot: "BOOT:<text>". */
void node_evidence(struct finding *f, const struct check_env *env,
		   const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The boot id, "" if it is not known. */
const char *node_boot(const struct check_env *env);

/* Is memory from this boot (its member "boot")? */
bool node_memory_is_fresh(const struct check_env *env);

/* A number of the check's memory, or fallback. */
int64_t node_recall(const struct check_env *env, const char *key,
		    int64_t fallback);

#endif
