/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/kernel.h"

#include <string.h>

#include "lib/clock.h"

int kernel_open(struct kernel *k, const struct roots *r, uint64_t next_seq)
{
	memset(&k->line, 0, sizeof(k->line));
	k->next_seq = next_seq;
	k->time_ms = 0;
	k->seen_up_s = 0;
	k->is_open = kmsg_open(&k->log, r, NULL) == 0;
	return k->is_open ? 0 : -1;
}

void kernel_close(struct kernel *k)
{
	if (k->is_open)
		kmsg_close(&k->log);
	k->is_open = false;
}

static const enum story_event_kind kind_of[] = {
	[FAULT_XID] = EVENT_XID,   [FAULT_SXID] = EVENT_SXID,
	[FAULT_OFFBUS] = EVENT_OFFBUS, [FAULT_MCE] = EVENT_HW,
	[FAULT_AER] = EVENT_HW,	   [FAULT_EDAC] = EVENT_HW,
	[FAULT_OOM] = EVENT_OOM,
};

/* The log counts from boot; between the last look and now is all that can be
 * said for sure, and the first look may find what is older. */
static struct instant time_of(const struct kernel *k, const struct fault *f,
			     const struct instant *now)
{
	struct instant at = clock_at(now, f->usec);

	return f->usec > now->mono_us || at.up_s < k->seen_up_s ? *now : at;
}

void kernel_event(const struct fault *f, const struct instant *when,
		  struct event *ev)
{
	memset(ev, 0, sizeof(*ev));
	ev->kind = kind_of[f->kind];
	ev->time_s = when->wall_s;
	ev->up_s = when->up_s;
	ev->number = f->number;
	ev->subcode = f->subcode;
	ev->fatal = f->fatal;
	ev->pid = f->pid;
	ev->seq = f->seq;
	ev->count = 1;
	memcpy(ev->device, f->device, sizeof(f->device));
	memcpy(ev->text, f->text, sizeof(ev->text));
}

bool kernel_read(struct kernel *k, const struct instant *now, kernel_f fn,
		 void *arg)
{
	struct instant when;
	struct kmsg_record rec;
	struct event ev;
	struct fault f;
	bool lost;

	if (!k->is_open)
		return false;
	kmsg_again(&k->log);
	if (k->time_ms)
		k->log.deadline_ms = clock_mono_ms() + k->time_ms;
	while (kmsg_next(&k->log, &rec) > 0) {
		if (rec.seq < k->next_seq)
			continue;
		k->next_seq = rec.seq + 1;
		if (!kmsg_is_kernels(&rec) || !kline_fault(&k->line, &rec, &f))
			continue;
		when = time_of(k, &f, now);
		kernel_event(&f, &when, &ev);
		fn(&ev, &f, arg);
	}
	if (!k->log.cut)
		k->seen_up_s = now->up_s;
	lost = k->log.gap;
	k->log.gap = false;
	return lost;
}
