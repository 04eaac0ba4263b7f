/* SPDX-License-Identifier: Apache-2.0
 * rdma_fault - what it means to a judge how an RDMA port failed a probe.
 */
#ifndef ASSAY_RDMA_FAULT_H
#define ASSAY_RDMA_FAULT_H

#include "checks/probe_fault.h"

/* rc: as in facts_rdma.h. Never NULL; for one that is not in the table a
 * WARN. */
const struct probe_fault *rdma_fault_of(int rc);

#endif
