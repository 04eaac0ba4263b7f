/* SPDX-License-Identifier: Apache-2.0
 * gate_side - what Prolog and Epilog have to do with the sampler.
 */
#ifndef ASSAY_WATCH_GATE_SIDE_H
#define ASSAY_WATCH_GATE_SIDE_H

#include "checks/pass.h"

/* The Prolog is done (struct gate_hooks): if the job runs, it is marked, and
 * gets a sampler if it wants one. */
void watch_job_begins(struct pass *p, int code);

/* The Epilog begins: the job is marked as over, and where it was the last one
 * the sampler ends before anything else is done: its session with the driver
 * would stand in the way of a GPU reset. */
void watch_job_ends(struct session *s);

/* The Epilog is done: the job's record goes into the spool, and a process that
 * stays behind brings it where the other nodes' are. */
void watch_job_record(struct pass *p, int code);

#endif
