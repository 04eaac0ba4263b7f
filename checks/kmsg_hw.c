/* SPDX-License-Identifier: Apache-2.0
 * kmsg_hw: what the kernel has reported about the rest of the machine:
 * machine checks, PCIe errors, memory controllers; out of memory as a note.
 */
#include "config.h"
#include "checks/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "checks/kmsg_each.h"

/* "1 UE memory read error on CPU0_DIMM_A1 (channel:0 ...": the DIMM. */
static void dimm_of(const struct fault *f, char *buf, size_t size)
{
	const char *on = strstr(f->text, " on "), *end;

	buf[0] = '\0';
	if (!on)
		return;
	end = strstr(on, " (");
	if (end)
		snprintf(buf, size, "%.*s", (int)(end - on), on);
}

static void judge_memory(const struct check_env *env, struct check_result *r,
			 const struct fault *f)
{
	char dimm[64];

	dimm_of(f, dimm, sizeof(dimm));
	kmsg_add(env, r, STATUS_FAIL, "edac", f, "uncorrected memory error%s",
		 dimm);
}

static void judge_mce(const struct check_env *env, struct check_result *r,
		      const struct fault *f)
{
	if (f->fatal)
		kmsg_add(env, r, STATUS_FAIL, "mce", f,
			 "uncorrected machine check");
	else
		kmsg_add(env, r, STATUS_WARN, "mce", f,
			 "machine check, recovered or from before the boot");
}

static void judge_pcie(const struct check_env *env, struct check_result *r,
		       const struct fault *f)
{
	if (f->fatal)
		kmsg_add(env, r, STATUS_FAIL, "aer", f, "fatal PCIe error");
	else if (kmsg_is_recent(env, f))
		kmsg_add(env, r, STATUS_WARN, "aer", f,
			 "non-fatal PCIe errors (%" PRIu32 ")", f->count);
}

static void note_oom(struct check_result *r, const struct fault *f)
{
	if (!r->note[0])
		snprintf(r->note, sizeof(r->note),
			 "out of memory: the kernel killed %s (%" PRIu32
			 " kills)", f->comm[0] ? f->comm : "a process",
			 f->count);
}

static int run(const struct check_env *env, struct check_result *r)
{
	const struct fault *order[FACTS_FAULTS_MAX];
	int count, rc, i;

	if (!kmsg_ready(env, r, &rc))
		return rc;
	count = kmsg_by_weight(env, FAULT_MCE, order);
	for (i = 0; i < count; i++)
		judge_mce(env, r, order[i]);
	count = kmsg_by_weight(env, FAULT_EDAC, order);
	for (i = 0; i < count; i++)
		judge_memory(env, r, order[i]);
	count = kmsg_by_weight(env, FAULT_AER, order);
	for (i = 0; i < count; i++)
		judge_pcie(env, r, order[i]);
	count = kmsg_by_weight(env, FAULT_OOM, order);
	for (i = 0; i < count; i++)
		note_oom(r, order[i]);
	return 0;
}

const struct check check_kmsg_hw = {
	.name = "kmsg_hw",
	.summary = "no uncorrected error of CPU, memory or PCIe since the boot",
	.reads = "the table of open faults (see kmsg_xid); no driver call",
	.fails = "the kernel has logged an uncorrected machine check, a fatal "
		 "PCIe error or an uncorrected memory error; warns of what was "
		 "recovered; notes kills for want of memory",
	.advice = "Memory: exchange the DIMM that the line names. PCIe: look "
		  "at seating, risers and cables of the device. Machine "
		  "check: read the system event log of the board.",
	.domain = DOMAIN_KMSG,
	.scope = SCOPE_NODE,
	.def = ACTION_DRAIN,
	.run = run,
};
