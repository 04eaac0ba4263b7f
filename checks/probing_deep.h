/* SPDX-License-Identifier: Apache-2.0
 * probing_deep - what the deep tier's probes want to know of the configuration
 * and of earlier runs.
 */
#ifndef ASSAY_PROBING_DEEP_H
#define ASSAY_PROBING_DEEP_H

#include "checks/runner.h"
#include "probes/crew.h"

/* Can it be measured at all? The storage cannot where no file is configured,
 * or an earlier reader still hangs. */
bool probing_deep_can(const struct run *r, enum probe probe);

/* Fill the plan's members for them; plan->gpu[] and probe[] are set, and the
 * storage's is taken out where it cannot be measured. */
void probing_deep_plan(struct run *r, struct crew_plan *plan);

/* Behind crew_run(): say in r->probes why the storage was not read. */
void probing_deep_finish(struct run *r, const struct crew_plan *plan);

#endif
