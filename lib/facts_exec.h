/* SPDX-License-Identifier: Apache-2.0
 * facts_exec - run the site's own checks, [exec NAME].
 */
#ifndef ASSAY_FACTS_EXEC_H
#define ASSAY_FACTS_EXEC_H

#include "lib/cfg.h"
#include "lib/facts.h"
#include "lib/job.h"

/* All enabled [exec NAME] at once; at most deadline_ms. 0 or -1. */
int facts_exec_gather(const struct cfg *c, const struct job *j,
		      int deadline_ms, struct facts_exec *out);

#endif
