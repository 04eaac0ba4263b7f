/* SPDX-License-Identifier: Apache-2.0
 * headroom - how much memory this process may still take.
 */
#ifndef ASSAY_HEADROOM_H
#define ASSAY_HEADROOM_H

#include <stdint.h>

#include "lib/roots.h"

/* Bytes: the least of what the machine has available and of what the limits
 * of this process's cgroup and its parents (v2) leave, with what the kernel
 * would give back. -1 unknown. */
int64_t headroom_bytes(const struct roots *r);

#endif
