/* SPDX-License-Identifier: Apache-2.0
 * accounting_row - a job as sacct prints it. Pure.
 */
#ifndef ASSAY_ACCOUNTING_ROW_H
#define ASSAY_ACCOUNTING_ROW_H

#include <stdbool.h>
#include <stdint.h>

/* What to ask for, in the order that is parsed. */
#define ACCOUNTING_ROW_FIELDS \
	"JobIDRaw,JobID,Cluster,State,Start,ElapsedRaw,NNodes,AllocCPUS," \
	"AllocTRES,NodeList,AdminComment"

struct accounting_row {
	uint32_t id;
	char job[32]; /* its name: "12", "12_3" of an array */
	char cluster[64];
	char state[32];	 /* its first word: COMPLETED, CANCELLED, ... */
	int64_t start_s; /* since 1970, 0 unknown; within slack_s */
	int64_t slack_s;
	/* -1 unknown */
	int64_t elapsed_s, nodes, cpus, gpus, mem_bytes;
	char *nodelist, *comment; /* malloc'ed, never NULL */
};

/* The last line of the job among the lines that sacct printed. 0, or -1 with
 * ENOENT there is none, EINVAL it is not as asked for, ENOMEM. */
int accounting_row_parse(struct accounting_row *r, const char *lines,
			 uint32_t job);
void accounting_row_fini(struct accounting_row *r);

/* How the accounting calls the job ("12_3" of an array), by lines of
 * ACCOUNTING_NAME_FIELDS. False: they do not tell. */
#define ACCOUNTING_NAME_FIELDS "JobIDRaw,JobID"
bool accounting_row_name(const char *lines, uint32_t job, char name[32]);

/* Will nothing more come of it? */
bool accounting_row_is_over(const struct accounting_row *r);

/* Did what began then (seconds since 1970) begin in this run of the job? */
bool accounting_row_has(const struct accounting_row *r, int64_t start_s);

#endif
