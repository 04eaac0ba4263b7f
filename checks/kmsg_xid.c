/* SPDX-License-Identifier: Apache-2.0
 * kmsg_xid: what the GPU driver has reported about its GPUs since the boot.
 */
#include "config.h"
#include "checks/check.h"

#include <stdio.h>

#include "checks/kmsg_each.h"

extern const struct check check_kmsg_xid;

/* "XID 79 GPU has fallen off the bus", "XID 45 after 95: uncontained memory
 * error", "XID 154 the driver asks for a node reboot". */
static void describe(const struct check_env *env, const struct fault *f,
		     char *buf, size_t size)
{
	static const char *const asks[] = {
		[1] = "GPU reset", [2] = "node reboot",
		[3] = "drain of peer traffic", [4] = "drain and GPU reset",
		[5] = "IMEX domain recovery",
	};
	const char *name = faults_name(f, env->xids);

	if (f->recovery_to > 0 && f->recovery_to < 6)
		snprintf(buf, size, "XID %d driver asks for %s", f->number,
			 asks[f->recovery_to]);
	else if (f->previous > 0)
		snprintf(buf, size, "XID %d after %d: %.60s", f->number,
			 f->previous, name);
	else if (f->subcode > 0)
		snprintf(buf, size, "XID %d.%d %.60s", f->number, f->subcode,
			 name);
	else
		snprintf(buf, size, "XID %d %.60s", f->number, name);
}

/* The driver looked again after the record: where it says that this GPU
 * needs nothing, an older call for a reset is history. A lost GPU is never
 * believed to be well. */
static bool overruled(const struct check_env *env, const struct fault *f)
{
	int gpu = kmsg_gpu(env, f);
	struct val recovery;

	if (gpu < 0 || faults_class(f, env->xids) != XID_RESET)
		return false;
	recovery = env->facts->gpus.gpu[gpu].recovery;
	return VAL_KNOWN(recovery) && recovery.v == 0;
}

/* One job's mistake is its own; the same from several on one GPU is not. */
static void judge_app(const struct check_env *env, struct check_result *r,
		      const struct fault *f, const char *suffix)
{
	int64_t limit = check_cfg_int(env, &check_kmsg_xid, "repeat_pids");
	struct finding *found;

	if (!limit || f->pid_count < limit || !kmsg_is_recent(env, f))
		return;
	found = kmsg_add(env, r, STATUS_WARN, suffix, f,
			 "XID %d from %d processes: %.50s", f->number,
			 f->pid_count, faults_name(f, env->xids));
	if (found) {
		found->value = f->pid_count;
		found->limit = (double)limit;
	}
}

static void judge(const struct check_env *env, struct check_result *r,
		  const struct fault *f)
{
	enum xid_class class = faults_class(f, env->xids);
	enum status status = kmsg_status(class);
	char suffix[16], text[112];
	struct finding *found;

	snprintf(suffix, sizeof(suffix), "%d", f->number);
	if (class == XID_APP)
		judge_app(env, r, f, suffix);
	if (status == STATUS_PASS)
		return;
	describe(env, f, text, sizeof(text));
	if (!overruled(env, f)) {
		kmsg_add(env, r, status, suffix, f, "%s", text);
		return;
	}
	found = kmsg_add(env, r, STATUS_WARN, suffix, f,
			 "%s, driver asks for no reset", text);
	if (found)
		found->remedy = REMEDY_NONE;
}

static int run(const struct check_env *env, struct check_result *r)
{
	const struct fault *order[FACTS_FAULTS_MAX];
	int count, rc, i;

	if (!kmsg_ready(env, r, &rc))
		return rc;
	count = kmsg_by_weight(env, FAULT_XID, order);
	for (i = 0; i < count; i++)
		judge(env, r, order[i]);
	return 0;
}

static const struct cfg_key keys[] = {
	{ .name = "repeat_pids",
	  .type = CFG_INT,
	  .def = "3",
	  .min = 0,
	  .max = FACTS_FAULT_PIDS,
	  .help = "warn when so many processes met the same application "
		  "XID on one GPU within a day; 0: never" },
	{ .name = NULL },
};

const struct check check_kmsg_xid = {
	.name = "kmsg_xid",
	.summary = "no XID of this boot asks for a reset, a reboot or a hand",
	.reads = "the kernel log from where the last run ended, and the table "
		 "of open faults; no driver call, about a millisecond",
	.fails = "an XID of class reset, reboot or service (xid.json) is open "
		 "on a GPU; the driver's recovery action 0 overrules a reset; "
		 "warns of class warn, and of an application XID from several "
		 "processes on one GPU",
	.advice = "Do what the number asks for (assay explain NUMBER): reset "
		  "the GPU, reboot, or have it looked at. A reboot or the "
		  "driver's own all-clear closes a fault; assay ack does it "
		  "by hand.",
	.domain = DOMAIN_KMSG,
	.scope = SCOPE_NODE,
	.def = ACTION_DRAIN,
	.keys = keys,
	.run = run,
};
