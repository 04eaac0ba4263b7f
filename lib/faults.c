/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/faults.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DAY_USEC INT64_C(86400000000)

static enum xid_class xid_class(const struct fault *f,
				const struct xid_table *t)
{
	/* The follower of another error counts as that error. */
	int32_t number = f->previous > 0 ? f->previous : f->number;
	const struct xid_row *row = xid_find(t, number, f->subcode, f->fatal);

	if (!row)
		return XID_WARN;
	if (row->class != XID_FOLLOW)
		return row->class;
	switch (f->recovery_to) {
	case 0:
		return XID_NOTE;
	case 1:			/* reset the GPU */
	case 4:			/* drain, then reset */
		return XID_RESET;
	case 2:			/* reboot the node */
		return XID_REBOOT;
	default:
		return XID_WARN;
	}
}

static enum xid_class sxid_class(const struct fault *f,
				 const struct xid_table *t)
{
	const struct xid_row *row = sxid_find(t, f->number, f->fatal);

	if (row && row->class != XID_FOLLOW)
		return row->class;
	return f->fatal ? XID_RESET : XID_NOTE;
}

enum xid_class faults_class(const struct fault *f, const struct xid_table *t)
{
	switch (f->kind) {
	case FAULT_XID:
		return xid_class(f, t);
	case FAULT_SXID:
		return sxid_class(f, t);
	case FAULT_OFFBUS:
		return XID_REBOOT;
	case FAULT_MCE:
	case FAULT_AER:
	case FAULT_EDAC:
		return f->fatal ? XID_SERVICE : XID_WARN;
	case FAULT_OOM:
		break;
	}
	return XID_NOTE;
}

const char *faults_name(const struct fault *f, const struct xid_table *t)
{
	const struct xid_row *row = NULL;

	if (f->kind == FAULT_XID)
		row = xid_find(t, f->previous > 0 ? f->previous : f->number,
			       f->subcode, f->fatal);
	else if (f->kind == FAULT_SXID)
		row = sxid_find(t, f->number, f->fatal);
	return row ? row->name : f->text;
}

bool faults_same_device(const char *a, const char *b)
{
	const char *dot = strchr(a, '.');
	size_t len = dot ? (size_t)(dot - a) : strlen(a);

	return len && !strncasecmp(a, b, len) &&
	       (b[len] == '.' || b[len] == '\0');
}

bool faults_gpu_dead(const struct facts_kmsg *k, const struct xid_table *t,
		     const char *bus_id)
{
	const struct xid_row *row;
	const struct fault *f;
	int i;

	for (i = 0; i < k->fault_count; i++) {
		f = &k->fault[i];
		if (!faults_same_device(f->device, bus_id))
			continue;
		if (f->kind == FAULT_OFFBUS)
			return true;
		if (f->kind != FAULT_XID)
			continue;
		row = xid_find(t, f->number, f->subcode, f->fatal);
		if (row && row->dead)
			return true;
	}
	return false;
}

static void drop(struct facts_kmsg *k, int i)
{
	k->fault_count--;
	memmove(&k->fault[i], &k->fault[i + 1],
		(size_t)(k->fault_count - i) * sizeof(k->fault[0]));
}

/* The driver says that the GPU needs nothing (any more). Hardware that waits
 * for a hand does not get well by a reset. */
static bool close_by_driver(struct facts_kmsg *k, const struct fault *f,
			    const struct xid_table *t)
{
	int before = k->fault_count, i;
	const struct fault *old;

	for (i = k->fault_count - 1; i >= 0; i--) {
		old = &k->fault[i];
		if ((old->kind == FAULT_XID || old->kind == FAULT_OFFBUS) &&
		    faults_same_device(old->device, f->device) &&
		    old->seq < f->seq && faults_class(old, t) != XID_SERVICE)
			drop(k, i);
	}
	return before != k->fault_count;
}

static struct fault *same(struct facts_kmsg *k, const struct fault *f)
{
	struct fault *old;
	int i;

	for (i = 0; i < k->fault_count; i++) {
		old = &k->fault[i];
		if (old->kind == f->kind && old->number == f->number &&
		    old->subcode == f->subcode &&
		    old->previous == f->previous && old->fatal == f->fatal &&
		    !strcmp(old->device, f->device))
			return old;
	}
	return NULL;
}

static void add_pid(struct fault *f, int64_t pid)
{
	int i;

	if (pid < 0)
		return;
	for (i = 0; i < f->pid_count; i++)
		if (f->pids[i] == pid)
			return;
	if (f->pid_count < FACTS_FAULT_PIDS)
		f->pids[f->pid_count++] = pid;
}

/* The newest record tells; the count and the processes add up. */
static bool update(struct fault *old, const struct fault *f)
{
	struct fault was = *old;

	if (f->seq <= old->seq)
		return false;
	*old = *f;
	old->first_seq = was.first_seq;
	old->seen_s = was.seen_s;
	old->count = was.count < UINT32_MAX ? was.count + 1 : was.count;
	old->pid_count = 0;
	if (f->usec - was.usec < DAY_USEC) {
		old->pid_count = was.pid_count;
		memcpy(old->pids, was.pids, sizeof(old->pids));
	}
	add_pid(old, f->pid);
	return true;
}

/* The entry that would be missed least; the oldest of equals. */
static int least(const struct facts_kmsg *k, const struct xid_table *t)
{
	int i, worst = 0;
	enum xid_class a, b;

	for (i = 1; i < k->fault_count; i++) {
		a = faults_class(&k->fault[i], t);
		b = faults_class(&k->fault[worst], t);
		if (a < b || (a == b && k->fault[i].seq < k->fault[worst].seq))
			worst = i;
	}
	return worst;
}

bool faults_merge(struct facts_kmsg *k, const struct fault *f,
		  const struct xid_table *t)
{
	struct fault *old, *new;
	int i;

	if (f->kind == FAULT_XID && f->number == 154 && f->recovery_to == 0)
		return close_by_driver(k, f, t);
	old = same(k, f);
	if (old)
		return update(old, f);
	if (k->fault_count == FACTS_FAULTS_MAX) {
		k->truncated = true;
		i = least(k, t);
		if (faults_class(f, t) < faults_class(&k->fault[i], t))
			return false;
		drop(k, i);
	}
	new = &k->fault[k->fault_count++];
	*new = *f;
	new->pid_count = 0;
	add_pid(new, f->pid);
	return true;
}

json_t *faults_ack(const json_t *doc, const char *device, int32_t number,
		   int *closed)
{
	struct facts_kmsg *k = calloc(1, sizeof(*k));
	json_t *out = NULL;
	int i;

	*closed = 0;
	if (!k)
		return NULL;
	faults_load(k, doc);
	for (i = k->fault_count - 1; i >= 0; i--) {
		if (*device && !faults_same_device(k->fault[i].device, device))
			continue;
		if (number >= 0 && k->fault[i].number != number)
			continue;
		drop(k, i);
		(*closed)++;
	}
	out = faults_save(k);
	free(k);
	return out;
}
