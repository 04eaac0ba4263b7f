/* SPDX-License-Identifier: Apache-2.0
 * facts_host - gather what /proc, /sys and the kernel tell about the host.
 */
#ifndef ASSAY_FACTS_HOST_H
#define ASSAY_FACTS_HOST_H

#include "lib/facts.h"
#include "lib/roots.h"
#include "lib/sysfacts.h"

/* Fill *out (all of it; what cannot be had is unknown). second_look_ms: how
 * long to wait before tasks found in D are looked at again; nothing is waited
 * for when there are none. Always 0: a missing file is a fact, not an error. */
int facts_host_gather(const struct roots *r, const struct sysfacts *s,
		      int second_look_ms, struct facts_host *out);

/* What processes can have of memory: that of NUMA nodes with CPUs, or else all;
 * kB, -1 unknown. */
int64_t facts_host_memory_kb(const struct roots *r);

#endif
