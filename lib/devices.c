/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/devices.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define UUID_PREFIX_MIN 8	/* "GPU-" and four digits */

static void say(char why[160], const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void say(char why[160], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, 160, fmt, ap);
	va_end(ap);
}

static void mark(struct devices *out, int i)
{
	if (!out->gpu[i])
		out->count++;
	out->gpu[i] = true;
}

static void mark_all(struct devices *out, const struct facts_gpus *g)
{
	int i;

	for (i = 0; i < g->count; i++)
		mark(out, i);
}

static bool in_mig_mode(const struct gpu *g)
{
	return VAL_KNOWN(g->mig_mode) && g->mig_mode.v == 1;
}

static bool any_mig(const struct facts_gpus *g)
{
	int i;

	for (i = 0; i < g->count; i++)
		if (in_mig_mode(&g->gpu[i]))
			return true;
	return false;
}

/* ---- by UUID ----------------------------------------------------------- */

/* Which GPU has this UUID, or one that starts so? -1 none, or several. */
static int gpu_by_uuid(const struct facts_gpus *g, const char *uuid, size_t len)
{
	int i, found = -1;

	if (len < UUID_PREFIX_MIN)
		return -1;
	for (i = 0; i < g->count; i++) {
		if (strncasecmp(g->gpu[i].uuid, uuid, len))
			continue;
		if (!g->gpu[i].uuid[len])
			return i;
		if (found >= 0)
			return -1;
		found = i;
	}
	return found;
}

/* "GPU-<uuid>", or the older "MIG-GPU-<uuid>/gi/ci". What a "MIG-<uuid>" is
 * part of, only the driver could tell. */
static int gpu_of_token(const struct facts_gpus *g, const char *token,
			bool *mig)
{
	if (!strncmp(token, "MIG-", 4)) {
		*mig = true;
		token += 4;
		if (strncmp(token, "GPU-", 4))
			return -1;
	}
	return gpu_by_uuid(g, token, strcspn(token, "/"));
}

/* True if the tokens settle the matter. */
static bool by_uuid(const struct job *j, const struct facts_gpus *g,
		    struct devices *out)
{
	int i, at, found = 0;

	for (i = 0; i < j->uuid_count; i++) {
		at = gpu_of_token(g, j->uuid[i], &out->mig);
		if (at >= 0) {
			mark(out, at);
			found++;
		}
	}
	if (!found)
		return false;
	out->how = DEVICES_UUID;
	out->sure = true;
	out->unmapped = found < j->uuid_count ||
			(!out->mig && found < j->gpu_count);
	say(out->why, "%d of %d UUIDs found", found,
	    j->uuid_count > j->gpu_count ? j->uuid_count : j->gpu_count);
	return true;
}

static bool any_nameless(const struct facts_gpus *g)
{
	int i;

	for (i = 0; i < g->count; i++)
		if (!g->gpu[i].uuid[0])
			return true;
	return false;
}

/* ---- by position ------------------------------------------------------- */

/* The pos-th GPU when counted by minor number; -1 where one is unknown. */
static int gpu_by_rank(const struct facts_gpus *g, int pos)
{
	int i, k, below;

	for (i = 0; i < g->count; i++)
		if (g->gpu[i].minor < 0)
			return -1;
	for (i = 0; i < g->count; i++) {
		for (below = k = 0; k < g->count; k++)
			below += g->gpu[k].minor < g->gpu[i].minor;
		if (below == pos)
			return i;
	}
	return -1;
}

static int gpu_by_minor(const struct facts_gpus *g, int minor)
{
	int i;

	for (i = 0; minor >= 0 && i < g->count; i++)
		if (g->gpu[i].minor == minor)
			return i;
	return -1;
}

/* The GPU at a position of the node's gres list, -1 if there is none. */
static int place(const struct facts_gpus *g, const struct gres_conf *gres,
		 enum gres_order order, int pos)
{
	switch (order) {
	case GRES_ORDER_FILE:
		return gpu_by_rank(g, pos);
	case GRES_ORDER_LIST:
		if (!gres || pos >= gres->count)
			return -1;
		return gpu_by_minor(g, gres->minor[pos]);
	default:
		return pos < g->count ? pos : -1;
	}
}

/* AUTO made definite; AUTO if gres.conf does not say. */
static enum gres_order settle(enum gres_order order,
			      const struct gres_conf *gres)
{
	if (order != GRES_ORDER_AUTO || !gres)
		return order;
	if (gres->autodetect == GRES_AUTO_NVML)
		return GRES_ORDER_NVML;
	if (gres->autodetect == GRES_AUTO_NVIDIA)
		return GRES_ORDER_FILE;
	if (gres->autodetect == GRES_AUTO_NONE && gres->count)
		return GRES_ORDER_LIST;
	return GRES_ORDER_AUTO;
}

/* Mark by one order. Number of positions that have no GPU. */
static int mark_by(const struct job *j, const struct facts_gpus *g,
		   const struct gres_conf *gres, enum gres_order order,
		   struct devices *out)
{
	int i, at, missing = 0;

	for (i = 0; i < j->gpu_count; i++) {
		at = place(g, gres, order, j->gpu_pos[i]);
		if (at >= 0)
			mark(out, at);
		else
			missing++;
	}
	return missing;
}

static void ambiguous(struct devices *out, const char *why)
{
	out->how = DEVICES_AMBIGUOUS;
	out->sure = false;
	say(out->why, "%s", why);
}

/* With MIG, positions count instances: only a list that names the parent's
 * device file maps them. */
static void by_mig(const struct job *j, const struct facts_gpus *g,
		   const struct gres_conf *gres, enum gres_order order,
		   struct devices *out)
{
	int i;

	if (order == GRES_ORDER_LIST && !mark_by(j, g, gres, order, out)) {
		for (i = 0; i < g->count; i++)
			out->mig |= out->gpu[i] && in_mig_mode(&g->gpu[i]);
		out->how = DEVICES_ORDER;
		out->sure = true;
		say(out->why, "order of gres.conf, MIG on the node");
		return;
	}
	out->mig = true;
	for (i = 0; i < g->count; i++)
		if (in_mig_mode(&g->gpu[i]))
			mark(out, i);
	if (!out->count)
		mark_all(out, g);
	ambiguous(out, "MIG instances, and nothing says of which GPU");
}

static void by_one_order(const struct job *j, const struct facts_gpus *g,
			 const struct gres_conf *gres, enum gres_order order,
			 struct devices *out)
{
	static const char *const names[] = { "auto", "NVML order",
					     "order of device files",
					     "order of gres.conf" };
	int missing = mark_by(j, g, gres, order, out);

	out->unmapped = missing > 0;
	if (!out->count && g->count) {
		mark_all(out, g);
		ambiguous(out, "no GPU found at the job's positions");
		return;
	}
	out->how = DEVICES_ORDER;
	/* Where a GPU is gone, those behind it may have moved up; a list of
	 * files does not move. */
	out->sure = out->count && (!missing || order == GRES_ORDER_LIST);
	if (missing)
		say(out->why, "%s; %d of %d positions have no GPU",
		    names[order], missing, j->gpu_count);
	else
		say(out->why, "%s", names[order]);
}

/* Nothing says which order it is: sure only where it makes no difference. */
static void by_both_orders(const struct job *j, const struct facts_gpus *g,
			   struct devices *out)
{
	struct devices file = { .count = 0 };
	int missing = mark_by(j, g, NULL, GRES_ORDER_NVML, out);
	int i;

	missing += mark_by(j, g, NULL, GRES_ORDER_FILE, &file);
	out->unmapped = missing > 0;
	if (out->count && !memcmp(out->gpu, file.gpu, sizeof(file.gpu))) {
		out->how = DEVICES_ORDER;
		out->sure = !missing;
		say(out->why, "NVML order and device files agree%s",
		    missing ? "; some positions have no GPU" : "");
		return;
	}
	for (i = 0; i < g->count; i++)
		if (file.gpu[i])
			mark(out, i);
	if (!out->count)
		mark_all(out, g);
	ambiguous(out, "no gres.conf; NVML order and device files differ");
}

void devices_of_job(const struct job *j, const struct facts_gpus *g,
		    const struct gres_conf *gres, enum gres_order order,
		    struct devices *out)
{
	bool all = g->count && j->gpu_count == g->count;
	bool mig;

	memset(out, 0, sizeof(*out));
	if (!j->has_gpus || !j->gpu_count) {
		say(out->why, "no SLURM_JOB_GPUS");
		return;
	}
	if (j->uuid_count && by_uuid(j, g, out) &&
	    !(out->unmapped && all && any_nameless(g)))
		return;
	mig = out->mig;
	memset(out, 0, sizeof(*out));
	out->mig = mig;
	order = settle(order, gres);
	if (mig || any_mig(g)) {
		by_mig(j, g, gres, order, out);
	} else if (all) {
		mark_all(out, g);
		out->how = DEVICES_ALL;
		out->sure = true;
		say(out->why, "all %d GPUs of the node", g->count);
	} else if (order == GRES_ORDER_AUTO) {
		by_both_orders(j, g, out);
	} else {
		by_one_order(j, g, gres, order, out);
	}
}

static void not_owned(struct ownership *out, const char *why)
{
	out->owned = false;
	say(out->why, "%s", why);
}

/* Is somebody else on the node, or may be? */
static bool has_company(const struct job *j, int other_jobs,
			struct ownership *out)
{
	if (other_jobs > 0)
		say(out->why, "other jobs on the node: %d", other_jobs);
	else if (other_jobs < 0)
		not_owned(out, "whether other jobs are here cannot be told");
	else if (j->oversubscribe == OVERSUB_YES)
		not_owned(out, "Slurm may place other jobs on the node");
	else
		return false;
	return true;
}

/* Without GPUs to go by, only Slurm's word makes a node the job's: who does not
 * run our Prolog, and has no cgroup, leaves no trace. */
static void own_by_word(const struct job *j, int other_jobs,
			struct ownership *out)
{
	if (has_company(j, other_jobs, out))
		return;
	out->owned = j->oversubscribe == OVERSUB_NO;
	say(out->why, out->owned ?
			      "no GPUs, no other job here, exclusive" :
			      "no GPUs, and Slurm does not tell whether the "
			      "job is exclusive");
}

void devices_owned(const struct job *j, const struct devices *d,
		   const struct facts_gpus *g, int other_jobs,
		   struct ownership *out)
{
	memset(out, 0, sizeof(*out));
	if (!j->has_gpus && !g->count)
		own_by_word(j, other_jobs, out);
	else if (d->how == DEVICES_NONE || !g->count)
		not_owned(out, "the job has no GPUs");
	else if (d->mig)
		not_owned(out, "the job has MIG instances");
	else if (!d->sure || d->unmapped)
		not_owned(out, "it is not sure which GPUs are the job's");
	else if (d->count < g->count)
		say(out->why, "the job has %d of %d GPUs", d->count, g->count);
	else if (!has_company(j, other_jobs, out)) {
		out->owned = true;
		say(out->why, "all %d GPUs, no other job here%s", g->count,
		    j->oversubscribe == OVERSUB_NO ? ", exclusive" : "");
	}
}
