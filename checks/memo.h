/* SPDX-License-Identifier: Apache-2.0
 * memo - a short job right behind a clean pass is answered from memory.
 *
 * Kept in the state document "memo": boot id, time, the PCI devices and the
 * version of that pass. New kernel-log records or other devices void it.
 */
#ifndef ASSAY_MEMO_H
#define ASSAY_MEMO_H

#include <jansson.h>
#include <stdbool.h>

#include "checks/check.h"
#include "lib/job.h"
#include "lib/roots.h"

#define MEMO_SHORT_JOB_S 600	/* a known limit below this is a short job */

/* Is the job known to be short? An unknown limit is not short. */
bool memo_job_is_short(const struct job *j);

/* A digest of the PCI devices that are there; 0 if there is no PCI bus. */
uint64_t memo_pci_digest(const struct roots *r);

/* May the gate answer from memory? kmsg: facts gathered now; gpus: the job
 * has some, so that pass must have asked them (a job without looks at none). */
bool memo_holds(const json_t *doc, const struct facts_kmsg *kmsg, bool gpus,
		uint64_t pci_digest, uint64_t cfg_digest, int memo_s,
		int64_t now_s);

/* A clean pass: nothing failed, nothing was lowered, nothing broke. */
bool memo_is_clean(const struct check_result *results, int count);
void memo_store(json_t *doc, const struct facts_kmsg *kmsg, bool gpus,
		uint64_t pci_digest, uint64_t cfg_digest, int64_t now_s);

#endif
