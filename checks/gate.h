/* SPDX-License-Identifier: Apache-2.0
 * gate - the passive path around a job, whole: gather, judge, decide, act,
 * record. assay-prolog and assay-epilog differ in their context only.
 */
#ifndef ASSAY_GATE_H
#define ASSAY_GATE_H

#include "checks/check.h"
#include "lib/job.h"
#include "lib/supervise.h"

/* main() of assay-prolog and assay-epilog. Mistakes of usage and set-up must
 * not refuse jobs: their exit code is 0. */
struct gate_program {
	const char *name;
	const char *about;		/* one sentence for --help */
	enum context context;
	enum job_context job_context;
};
int gate_main(const struct gate_program *p, int argc, char **argv);

struct gate_request {
	const char *config_path;	/* NULL: the default */
	const struct job *job;
	enum context context;		/* PROLOG or EPILOG */
};

/* Returns the program's exit code. */
int gate_run(struct supervised *link, const struct gate_request *q);

#endif
