/* SPDX-License-Identifier: Apache-2.0
 * facts_storage - gather whether the required mounts answer.
 */
#ifndef ASSAY_FACTS_STORAGE_H
#define ASSAY_FACTS_STORAGE_H

#include "lib/cfg.h"
#include "lib/facts.h"
#include "lib/roots.h"
#include "lib/sysfacts.h"

/* The paths of [check storage_mounts]; at most deadline_ms. 0 or -1. */
int facts_storage_gather(const struct roots *r, const struct sysfacts *s,
			 const struct cfg *c, int deadline_ms,
			 struct facts_storage *out);

#endif
