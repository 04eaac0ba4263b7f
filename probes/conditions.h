/* SPDX-License-Identifier: Apache-2.0
 * conditions - under which circumstances a figure came about.
 */
#ifndef ASSAY_PROBES_CONDITIONS_H
#define ASSAY_PROBES_CONDITIONS_H

#include "probes/device.h"

/* Everything unknown. */
void conditions_init(struct probe_conditions *c);

/* Is confidential computing on? 1 yes, 0 no, -1 unknown. */
int32_t conditions_confidential(struct probe_libs *l);

/* One look while the probe runs: throttle bits are ORed, temperatures and
 * clocks of the SM keep their extremes, the PCIe link its lowest. */
void conditions_look(struct probe_device *d, struct probe_conditions *c);

/* What does not move: limits, application clocks, foreign processes. */
void conditions_fixed(struct probe_device *d, struct probe_conditions *c);

#endif
