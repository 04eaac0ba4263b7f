/* SPDX-License-Identifier: Apache-2.0
 * kmsg_each - what the judges of the kernel log share.
 */
#ifndef ASSAY_KMSG_EACH_H
#define ASSAY_KMSG_EACH_H

#include <stdbool.h>

#include "checks/check.h"
#include "lib/faults.h"

/* Was the log read? If not, the result is set (SKIP or ERROR) and *rc is what
 * the check returns. A gap in the log is noted. */
bool kmsg_ready(const struct check_env *env, struct check_result *r, int *rc);

/* The open faults of one kind, the one that asks for most first, then by age.
 * order takes FACTS_FAULTS_MAX places; returns how many were filled. */
int kmsg_by_weight(const struct check_env *env, enum fault_kind kind,
		   const struct fault **order);

/* The place in facts.gpus.gpu[] of the GPU that a fault names, or -1. */
int kmsg_gpu(const struct check_env *env, const struct fault *f);

/* Add a finding about a fault: subject is its GPU, else its PCI address as
 * NVML prints it, else "node"; what cannot be mapped is everybody's; evidence
 * is the newest record. NULL as result_add(). */
struct finding *kmsg_add(const struct check_env *env, struct check_result *r,
			 enum status status, const char *suffix,
			 const struct fault *f, const char *text, ...)
	__attribute__((format(printf, 6, 7)));

/* FAIL for the classes that drain, WARN for XID_WARN, else PASS. */
enum status kmsg_status(enum xid_class c);

/* Is the newest record of a fault less than a day old? */
bool kmsg_is_recent(const struct check_env *env, const struct fault *f);

#endif
