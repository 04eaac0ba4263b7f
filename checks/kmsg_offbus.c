/* SPDX-License-Identifier: Apache-2.0
 * kmsg_offbus: has a GPU fallen off the bus? For the lines without a number;
 * what has one is kmsg_xid's, and is not told twice.
 */
#include "config.h"
#include "checks/check.h"

#include <string.h>

#include "checks/kmsg_each.h"

#define XID_OFF_THE_BUS 79

static bool told_as_xid(const struct check_env *env, const struct fault *f)
{
	const struct facts_kmsg *k = &env->facts->kmsg;
	int i;

	for (i = 0; i < k->fault_count; i++)
		if (k->fault[i].kind == FAULT_XID &&
		    k->fault[i].number == XID_OFF_THE_BUS &&
		    (!f->device[0] ||
		     faults_same_device(f->device, k->fault[i].device)))
			return true;
	return false;
}

static int run(const struct check_env *env, struct check_result *r)
{
	const struct fault *order[FACTS_FAULTS_MAX];
	int count, rc, i;

	if (!kmsg_ready(env, r, &rc))
		return rc;
	count = kmsg_by_weight(env, FAULT_OFFBUS, order);
	for (i = 0; i < count; i++)
		if (!told_as_xid(env, order[i]))
			kmsg_add(env, r, STATUS_FAIL, "lost", order[i],
				 "GPU has fallen off the bus");
	return 0;
}

const struct check check_kmsg_offbus = {
	.name = "kmsg_offbus",
	.summary = "no GPU has fallen off the PCI bus since the boot",
	.reads = "the table of open faults (see kmsg_xid); no driver call",
	.fails = "the driver has logged that a GPU has fallen off the bus, "
		 "without XID 79",
	.advice = "Reboot, with a power cycle if a warm reboot does not bring "
		  "the GPU back; then look at power, seating and the PCI "
		  "messages around the line.",
	.domain = DOMAIN_KMSG,
	.scope = SCOPE_NODE,
	.def = ACTION_DRAIN,
	.run = run,
};
