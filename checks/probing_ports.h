/* SPDX-License-Identifier: Apache-2.0
 * probing_ports - the RDMA ports in a round of probes: which may be measured,
 * which of them at once, and through which one each GPU's memory is written.
 */
#ifndef ASSAY_PROBING_PORTS_H
#define ASSAY_PROBING_PORTS_H

#include "checks/runner.h"
#include "probes/crew.h"

/* Why that port is not to be measured; NULL: it may be. */
const char *probing_port_unfit(const struct run *r, int place);

/* Why none of them is, in buf; NULL: some may be. */
const char *probing_ports_none(const struct run *r, char *buf, size_t size);

/* Writing the GPUs' memory takes a port of real hardware; all others can. */
bool probing_ports_can(const struct run *r, enum probe probe);

/* Which ports there are, into the plan. */
void probing_ports_list(const struct run *r, struct crew_plan *plan);

/* Fill the plan's other members for them; chosen[] and order[] are set. */
void probing_ports_plan(const struct run *r, struct crew_plan *plan);

/* Behind crew_run(): say in r->probes why ports were left out. */
void probing_ports_finish(struct run *r, const struct crew_plan *plan);

#endif
