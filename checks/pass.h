/* SPDX-License-Identifier: Apache-2.0
 * pass - one pass over the node, in the steps that the gate and the health
 * check share: gather and judge, weigh and decide, act, keep.
 */
#ifndef ASSAY_PASS_H
#define ASSAY_PASS_H

#include "checks/act.h"
#include "checks/policy.h"
#include "checks/record.h"
#include "checks/runner.h"
#include "checks/session.h"

/* Documents of the state directory that a pass works on. */
enum pass_doc {
	DOC_EVIDENCE, DOC_FUSE, DOC_MEMO, DOC_TALLY, DOC_METRICS, DOC_PROMOTED,
	DOC_DRAIN, DOC_COUNT
};

struct pass {
	struct session *s;
	enum context context;
	int64_t now_s;
	bool exempt;		/* this job is only observed */
	bool from_memory;	/* nothing was gathered but the kernel log */
	json_t *doc[DOC_COUNT];
	struct run run;
	struct verdict verdict;
	char reason[128];
	struct act_outcome outcome;
};

/* Lock the state (or go on read-only) and read the documents. */
void pass_open(struct pass *p, struct session *s, enum context context);
void pass_close(struct pass *p);

/* Gather, judge, weigh, decide. 0, or -1 when our own tool broke (logged). */
int pass_judge(struct pass *p);

/* Carry the verdict out (only if verdict.act wants it) and consume the
 * evidence of what was drained. */
void pass_act(struct pass *p);

/* The record of this pass; everything in it is borrowed. */
void pass_record(const struct pass *p, struct record *rec);

/* Store what the next pass shall know; write the metrics. */
void pass_keep(struct pass *p);

/* Say on the log what a person should read. */
void pass_say(const struct pass *p);

/* Store one document; a failure is logged, not returned. */
void pass_put(struct pass *p, enum pass_doc which);

#endif
