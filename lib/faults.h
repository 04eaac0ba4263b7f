/* SPDX-License-Identifier: Apache-2.0
 * faults - the table of open faults of this boot.
 *
 * It lives in struct facts_kmsg and, between runs, in a JSON document. New
 * records are merged: a storm (same kind, number, device, sub-code, severity)
 * is one entry. A fault is closed by another boot, by an XID 154 that says
 * "no action" for its GPU, and by hand; a new record opens it again.
 */
#ifndef ASSAY_FAULTS_H
#define ASSAY_FAULTS_H

#include <jansson.h>
#include <stdbool.h>

#include "lib/facts.h"
#include "lib/xid.h"

/* Fill boot_id, next_seq, gap_noted and the faults from a document as
 * faults_save() makes it. What is malformed in it is left out; NULL counts as
 * empty. The rest of *k is not touched. */
void faults_load(struct facts_kmsg *k, const json_t *doc);

/* The document (new reference), NULL on ENOMEM. */
json_t *faults_save(const struct facts_kmsg *k);

/* Merge one fault from the log. True if the table now holds it, as new or as
 * news about an old one. A full table gives up its least severe and oldest
 * entry (k->truncated). */
bool faults_merge(struct facts_kmsg *k, const struct fault *f,
		  const struct xid_table *t);

/* What a fault asks for; never XID_FOLLOW. */
enum xid_class faults_class(const struct fault *f, const struct xid_table *t);

/* "GPU has fallen off the bus": a borrowed name of what happened. */
const char *faults_name(const struct fault *f, const struct xid_table *t);

/* Two PCI addresses up to the function, in either case of letters. */
bool faults_same_device(const char *a, const char *b);

/* May the driver hang on this GPU, so that it is not to be asked? */
bool faults_gpu_dead(const struct facts_kmsg *k, const struct xid_table *t,
		     const char *bus_id);

/* Close by hand: a copy of the document (new reference) without the faults of
 * device ("": of every device) and number (-1: every number). *closed counts
 * them. NULL on ENOMEM. */
json_t *faults_ack(const json_t *doc, const char *device, int32_t number,
		   int *closed);

#endif
