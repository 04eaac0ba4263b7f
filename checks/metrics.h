/* SPDX-License-Identifier: Apache-2.0
 * metrics - a textfile for node_exporter, written aside and renamed.
 *
 * assay_gate_runs_total{verdict}, assay_check_status{check} (0 PASS, 1 SKIP,
 * 2 WARN, 3 ERROR, 4 TIMEOUT, 5 FAIL), assay_gate_duration_seconds,
 * assay_gate_blind, assay_gate_last_success_timestamp_seconds,
 * assay_drains_total{check}, assay_measured{check,subject,figure}. The counters
 * are kept in the state document "metrics".
 */
#ifndef ASSAY_METRICS_H
#define ASSAY_METRICS_H

#include <stdio.h>

#include "checks/record.h"

/* Count this run in doc (changed in place) and write DIR/assay.prom; dir ""
 * = only count. 0 or -1 with *e. */
int metrics_write(json_t *doc, const char *dir, const struct record *r,
		  struct err *e);

/* For other writers: a text of their own as DIR/NAME, aside and renamed. */
struct metrics_text {
	const char *name;
	void (*print)(FILE *f, const void *arg);
	const void *arg;
};
int metrics_file(const char *dir, const struct metrics_text *text,
		 struct err *e);
/* The lines before a metric's first value. */
void metrics_head(FILE *f, const char *name, const char *type,
		  const char *help);

#endif
