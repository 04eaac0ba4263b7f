/* SPDX-License-Identifier: Apache-2.0
 * facts_storage - gather whether the required mounts answer.
 */
#ifndef ASSAY_FACTS_STORAGE_H
#define ASSAY_FACTS_STORAGE_H

#include <jansson.h>
#include <stdbool.h>

#include "lib/cfg.h"
#include "lib/facts.h"
#include "lib/roots.h"
#include "lib/sysfacts.h"

/* Is there a path to ask about? If not, nothing can block. */
bool facts_storage_wanted(const struct cfg *c);

/* Look at the paths of [check storage_mounts], each in a process of its own;
 * at most timeout_ms of that section and at most deadline_ms. memory: what
 * the check storage_mounts keeps, may be NULL: a path in which an earlier
 * process still hangs is reported as hung, and no other one is sent there. A
 * mount that starts on first use (autofs) is looked for after that. 0. */
int facts_storage_gather(const struct roots *r, const struct sysfacts *s,
			 const struct cfg *c, const json_t *memory,
			 int deadline_ms, struct facts_storage *out);

#endif
