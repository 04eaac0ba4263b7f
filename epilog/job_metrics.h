/* SPDX-License-Identifier: Apache-2.0
 * job_metrics - what the jobs of the last hour did on this node, as metrics:
 * assay-jobs.prom in [report] metrics_dir, for node_exporter.
 *
 * One set of series for each job and its devices; what is not known has none.
 */
#ifndef ASSAY_EPILOG_JOB_METRICS_H
#define ASSAY_EPILOG_JOB_METRICS_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/err.h"

#define JOB_METRICS_FILE "assay-jobs.prom"
#define JOB_METRICS_AGE_S 3600
#define JOB_METRICS_MAX 64 /* jobs, the newest */

/* Records of this node (an array) as text. Of several runs of a job the last
 * one counts. Pure. */
void job_metrics_print(FILE *f, const void *records);

/* From the spool to the file; where there is no such job, to none. 0, or -1
 * with errno and *e. */
int job_metrics_write(const char *spool, const char *metrics_dir, int64_t now_s,
		      struct err *e);

#endif
