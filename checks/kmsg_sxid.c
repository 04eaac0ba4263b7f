/* SPDX-License-Identifier: Apache-2.0
 * kmsg_sxid: what the NVSwitch driver has reported since the boot. A switch
 * serves all GPUs of the board, so its faults are everybody's.
 */
#include "config.h"
#include "checks/check.h"

#include <stdio.h>
#include <string.h>

#include "checks/kmsg_each.h"

/* "Link 48 LTSSM Fault Up": the number of the link, or "". */
static void link_of(const struct fault *f, char *buf, size_t size)
{
	int link;

	buf[0] = '\0';
	if (sscanf(f->text, "Link %4d", &link) == 1 && link >= 0)
		snprintf(buf, size, " link %d", link);
}

static void judge(const struct check_env *env, struct check_result *r,
		  const struct fault *f)
{
	enum status status = kmsg_status(faults_class(f, env->xids));
	char suffix[16], link[24];
	struct finding *found;

	if (status == STATUS_PASS)
		return;
	snprintf(suffix, sizeof(suffix), "%d", f->number);
	link_of(f, link, sizeof(link));
	found = kmsg_add(env, r, status, suffix, f, "SXid %d%s%s %.60s",
			 f->number, f->fatal ? " fatal" : "", link,
			 faults_name(f, env->xids));
	if (found)
		found->everybodys = true;
}

static int run(const struct check_env *env, struct check_result *r)
{
	const struct fault *order[FACTS_FAULTS_MAX];
	int count, rc, i;

	if (!kmsg_ready(env, r, &rc))
		return rc;
	count = kmsg_by_weight(env, FAULT_SXID, order);
	for (i = 0; i < count; i++)
		judge(env, r, order[i]);
	return 0;
}

const struct check check_kmsg_sxid = {
	.name = "kmsg_sxid",
	.summary = "no NVSwitch has reported a fatal error since the boot",
	.reads = "the table of open faults (see kmsg_xid); no driver call",
	.fails = "a fatal SXid is open (xid.json; for a number it does not "
		 "know the word Fatal in the line decides); warns where "
		 "sources disagree",
	.advice = "Reset all GPUs and switches of the board together, or "
		  "reboot; look at the link it names and at XID 74 beside it.",
	.domain = DOMAIN_KMSG,
	.scope = SCOPE_NODE,
	.def = ACTION_DRAIN,
	.run = run,
};
