/* SPDX-License-Identifier: Apache-2.0
 * evidence - what has drained this node before: consumed once, never twice.
 *
 * Kept in the state document "evidence": one entry per (check, subject,
 * evidence id). The subject is the GPU's UUID where it is known, so that a
 * replaced GPU is new evidence. Bounded: the oldest entry goes first.
 */
#ifndef ASSAY_EVIDENCE_H
#define ASSAY_EVIDENCE_H

#include <jansson.h>

#include "checks/policy.h"
#include "lib/facts.h"

#define EVIDENCE_KEY_MAX 256

/* "check|subject|evidence" of a finding. Returns buf. */
char *evidence_key(const struct facts *facts, const struct check_result *r,
		   const struct finding *f, char *buf, size_t size);

/* doc: the document of state_get("evidence"), borrowed, changed in place. */
enum evidence_state evidence_state(const json_t *doc, const char *key);

/* When the node was drained for it (wall clock), 0 if it was not. */
int64_t evidence_drained_s(const json_t *doc, const char *key);

/* Note that the node was drained for this (again). */
int evidence_consume(json_t *doc, const char *key, const char *reason,
		     int64_t now_s);

/* Somebody has resumed the node since: every consumed entry. Returns how many
 * entries changed. */
int evidence_resumed(json_t *doc, int64_t now_s);

/* By hand: acknowledge all entries of a check ("" = all). who is recorded.
 * Returns how many. */
int evidence_ack(json_t *doc, const char *check, const char *who,
		 int64_t now_s);

/* The condition is gone (health re-tested it): forget the entry, so that it
 * counts as new when it comes back. */
void evidence_forget(json_t *doc, const char *key);

/* The result of the check that a key is about; NULL: it is not among them. */
const struct check_result *evidence_result(const struct check_result *results,
					   int count, const char *key);

/* The GPU that a key is about: its index in facts->gpus.gpu[], EVIDENCE_GONE
 * if no GPU here has that UUID, EVIDENCE_NO_GPU if the subject is none. */
#define EVIDENCE_GONE (-1)
#define EVIDENCE_NO_GPU (-2)
int evidence_gpu(const struct facts *facts, const char *key);

/* Known evidence (resumed or acknowledged) that its check has not met for
 * min_s, although it judged that subject, is forgotten: should it come back,
 * it is new. A skipped check changes nothing. True if doc changed. */
bool evidence_expire(json_t *doc, const struct facts *facts,
		     const struct check_result *results, int count,
		     int64_t now_s, int min_s);

#endif
