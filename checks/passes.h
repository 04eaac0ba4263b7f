/* SPDX-License-Identifier: Apache-2.0
 * passes - the state document "probes": when which place passed which probe,
 * and when one was tried that did not pass.
 *
 * {"boot": ID, "driver": VERSION, "build": kernels,
 *  "gpus": {UUID: {PROBE: time}}, "tried": {UUID: {PROBE: time}},
 *  "ports": {"boot": ID, "build": kernels,
 *            "passed": {"mlx5_0:1": {PROBE: time}}, "tried": {...}}}
 *
 * Another boot or build of the kernels voids it, and what is of GPUs another
 * driver as well.
 */
#ifndef ASSAY_PASSES_H
#define ASSAY_PASSES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/facts.h"
#include "lib/facts_probe.h"

/* What did not pass is likely not to pass a minute later: a power cap stays,
 * a broken library stays broken. */
#define PASSES_RETRY_S 3600

struct passes {
	json_t *doc; /* NULL: nothing is remembered */
	const struct facts *facts;
	int64_t now_s;
};

/* Void what is of other circumstances. Before passes_note(). */
void passes_begin(const struct passes *p);
void passes_note(const struct passes *p, int place, enum probe probe, bool ok);

/* When that place passed it; 0: never, or in other circumstances. */
int64_t passes_at(const struct passes *p, int place, enum probe probe);

/* When that place was last measured, or tried, likewise. */
int64_t passes_seen(const struct passes *p, int place, enum probe probe);

/* Is it to be measured: its pass is older than ttl_s, and its last attempt
 * than PASSES_RETRY_S (than ttl_s, if that is less)? */
bool passes_want(const struct passes *p, int place, enum probe probe, int ttl_s);

#endif
