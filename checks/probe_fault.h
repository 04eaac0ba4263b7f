/* SPDX-License-Identifier: Apache-2.0
 * probe_fault - what a return code of the CUDA driver means to a judge.
 */
#ifndef ASSAY_PROBE_FAULT_H
#define ASSAY_PROBE_FAULT_H

#include "checks/check.h"

/* FAIL: the device says itself that it is broken. WARN: it failed, but so it
 * would with a fault of the driver or of assay's kernels. SKIP: it could not
 * be measured, for reasons that are nobody's fault. ERROR: assay's own. */
struct probe_fault {
	int rc;
	enum status status;
	enum remedy remedy;
	const char *text;
};

/* Never NULL; for a code that is not in the table a WARN "CUDA error". */
const struct probe_fault *probe_fault(int rc);

#endif
