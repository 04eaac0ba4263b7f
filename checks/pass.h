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
	DOC_DRAIN, DOC_PROBES, DOC_COUNT
};

struct pass {
	struct session *s;
	enum context context;
	int64_t now_s;
	int64_t up_s;		/* the same, since boot */
	int64_t opened_ms;	/* clock_mono_ms() */
	int64_t until_ms;	/* likewise: the program is ended then; 0: who
				 * opens the gate knows */
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

/* Measure what is due, if job and node allow it, and decide again. In the gate
 * the state stays locked (the job owns the node); the health check lets go of
 * it meanwhile and takes everything back if a job comes. */
void pass_probe(struct pass *p, enum tier tier);

/* Time for that on an idle node. One that is to be given back is tested as a
 * whole, and nobody waits for it: it has the deep tier's, or what comes last
 * could be short of time for ever. */
int pass_probe_ms(const struct pass *p, enum tier tier);

/* Weigh the findings and take the verdict over them (part of the above). */
void pass_decide(struct pass *p);

/* Carry the verdict out (only if verdict.act wants it) and consume the
 * evidence of what was drained. */
void pass_act(struct pass *p);

/* The record of this pass; everything in it is borrowed. */
void pass_record(const struct pass *p, struct record *rec);

/* Store what the next pass shall know; write the metrics. */
void pass_keep(struct pass *p);

/* Say on the log what a person should read. */
void pass_say(const struct pass *p);

/* The log reader's state and the checks' memories, if they changed. */
void pass_put_run(struct pass *p);

/* Lock the state again after it was let go, and read it afresh; but for the
 * document of the probes, which only who has the node to itself writes. */
void pass_reload(struct pass *p);

/* Store one document; a failure is logged, not returned. */
void pass_put(struct pass *p, enum pass_doc which);

#endif
