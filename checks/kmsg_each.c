/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/kmsg_each.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "checks/gpu_each.h"

#define DAY_S 86400

bool kmsg_ready(const struct check_env *env, struct check_result *r, int *rc)
{
	const struct facts_kmsg *k = &env->facts->kmsg;
	const char *why = k->gather.why;

	switch (k->gather.end) {
	case GATHER_DONE:
		*rc = 0;
		if (k->gap)
			snprintf(r->note, sizeof(r->note),
				 "records of the kernel log were lost");
		return true;
	case GATHER_NONE:
		*rc = result_skip(r, "the kernel log was not asked for");
		break;
	case GATHER_ABSENT:
		*rc = result_skip(r, "%s", *why ? why : "no kernel log");
		break;
	case GATHER_TIMEOUT:
		*rc = result_error(r, "the kernel log did not answer in time");
		break;
	default:
		*rc = result_error(r, "%s",
				   *why ? why : "the kernel log was not read");
		break;
	}
	return false;
}

/* XID 154 tells the driver's conclusion; what happened comes before it. */
static bool before(const struct fault *a, const struct fault *b,
		   const struct xid_table *t)
{
	enum xid_class ca = faults_class(a, t), cb = faults_class(b, t);

	if (ca != cb)
		return ca > cb;
	if ((a->recovery_to >= 0) != (b->recovery_to >= 0))
		return b->recovery_to >= 0;
	return a->first_seq < b->first_seq;
}

int kmsg_by_weight(const struct check_env *env, enum fault_kind kind,
		   const struct fault **order)
{
	const struct facts_kmsg *k = &env->facts->kmsg;
	const struct fault *f;
	int count = 0, i, at;

	for (i = 0; i < k->fault_count; i++) {
		f = &k->fault[i];
		if (f->kind != kind)
			continue;
		for (at = count; at > 0; at--) {
			if (!before(f, order[at - 1], env->xids))
				break;
			order[at] = order[at - 1];
		}
		order[at] = f;
		count++;
	}
	return count;
}

int kmsg_gpu(const struct check_env *env, const struct fault *f)
{
	const struct facts_gpus *g = &env->facts->gpus;
	int i;

	for (i = 0; i < g->count; i++)
		if (faults_same_device(f->device, g->gpu[i].bus_id))
			return i;
	return -1;
}

static enum remedy remedy_of(enum xid_class c)
{
	switch (c) {
	case XID_RESET:
		return REMEDY_RESET_GPU;
	case XID_REBOOT:
		return REMEDY_REBOOT;
	case XID_SERVICE:
		return REMEDY_SERVICE;
	default:
		return REMEDY_NONE;
	}
}

struct finding *kmsg_add(const struct check_env *env, struct check_result *r,
			 enum status status, const char *suffix,
			 const struct fault *f, const char *text, ...)
{
	int gpu = kmsg_gpu(env, f);
	char words[128], bus[32];
	const char *subject = "node";
	struct finding *found;
	va_list ap;

	va_start(ap, text);
	vsnprintf(words, sizeof(words), text, ap);
	va_end(ap);
	if (strchr(f->device, ':'))
		subject = gpu_nvml_bus_id(f->device, bus, sizeof(bus));
	if (gpu >= 0)
		found = result_add_gpu(r, status, suffix, env, gpu, "%s",
				       words);
	else
		found = result_add(r, status, suffix, subject, "%s", words);
	if (!found)
		return NULL;
	found->everybodys = gpu < 0;
	found->remedy = remedy_of(faults_class(f, env->xids));
	snprintf(found->evidence, sizeof(found->evidence), "%s:%" PRIu64,
		 env->facts->kmsg.boot_id, f->seq);
	return found;
}

enum status kmsg_status(enum xid_class c)
{
	if (c == XID_RESET || c == XID_REBOOT || c == XID_SERVICE)
		return STATUS_FAIL;
	return c == XID_WARN ? STATUS_WARN : STATUS_PASS;
}

bool kmsg_is_recent(const struct check_env *env, const struct fault *f)
{
	int64_t up = env->facts->kmsg.uptime_s;

	return up < 0 || up - f->usec / 1000000 < DAY_S;
}
