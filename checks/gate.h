/* SPDX-License-Identifier: Apache-2.0
 * gate - the passive path around a job, whole: gather, judge, decide, act,
 * record. assay-prolog and assay-epilog differ in their context only.
 */
#ifndef ASSAY_GATE_H
#define ASSAY_GATE_H

#include "checks/check.h"
#include "lib/job.h"
#include "lib/supervise.h"

struct pass;
struct session;

/* What a program does besides, around the pass; either may be NULL. */
struct gate_hooks {
	/* The job is known, nothing of the node has been looked at. */
	void (*before)(struct session *s);
	/* It is decided and done; code: what the program will leave with. */
	void (*after)(struct pass *p, int code);
};

/* main() of assay-prolog and assay-epilog. Mistakes of usage and set-up must
 * not refuse jobs: their exit code is 0. */
struct gate_program {
	const char *name;
	const char *about;		/* one sentence for --help */
	enum context context;
	enum job_context job_context;
	struct gate_hooks hooks;
};
int gate_main(const struct gate_program *p, int argc, char **argv);

struct gate_request {
	const char *config_path;	/* NULL: the default */
	const struct job *job;
	enum context context;		/* PROLOG or EPILOG */
	struct gate_hooks hooks;
};

/* Returns the program's exit code. */
int gate_run(struct supervised *link, const struct gate_request *q);

#endif
