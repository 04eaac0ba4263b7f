/* SPDX-License-Identifier: Apache-2.0
 * facts_exec - run the site's own checks, [exec NAME].
 */
#ifndef ASSAY_FACTS_EXEC_H
#define ASSAY_FACTS_EXEC_H

#include "lib/cfg.h"
#include "lib/facts.h"
#include "lib/job.h"

struct exec_request {
	const struct cfg *cfg;
	const struct job *job;
	const char *only;	/* exec_NAMEs divided by commas, NULL: all */
	int deadline_ms;
};

/* All enabled [exec NAME] that are asked for, at once; at most deadline_ms.
 * 0 or -1. */
int facts_exec_gather(const struct exec_request *q, struct facts_exec *out);

#endif
