/* SPDX-License-Identifier: Apache-2.0
 * explain - the parts of assay explain: checks, kernel-log numbers, reasons.
 */
#ifndef ASSAY_EXPLAIN_H
#define ASSAY_EXPLAIN_H

#include <stdio.h>

#include "checks/check.h"
#include "cmd/reason.h"
#include "lib/xid.h"

#define EXPLAIN_INDENT 12

/* What a check reads, costs, when it fails, what to do, its keys. */
void explain_check(FILE *f, const struct check *c);
/* The same of a site's own check, section sec ("exec NAME") of cfg. */
void explain_exec(FILE *f, const struct cfg *cfg, const char *sec);
/* All checks, one line each. */
void explain_list(FILE *f);

/* A number of the kernel log as a person writes it. */
struct xid_wish {
	bool xid, sxid;		/* which tables to look into */
	int32_t number;
	int32_t subcode;	/* -1: not told */
};

/* "79", "xid 79", "Xid 145/9", "145.9", "sxid 20034". False if it is none. */
bool explain_parse_xid(const char *text, struct xid_wish *out);
void explain_xid(FILE *f, const struct xid_table *t, const struct xid_wish *w);

/* A drain reason, piece by piece. */
void explain_reason(FILE *f, const struct xid_table *t, const struct reason *r);

#endif
