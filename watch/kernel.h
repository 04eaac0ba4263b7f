/* SPDX-License-Identifier: Apache-2.0
 * kernel - the kernel log as it grows: its faults as events.
 *
 * A reader of its own, beside the gate's: it keeps its own place in the log
 * and writes nothing of the gate's state.
 */
#ifndef ASSAY_WATCH_KERNEL_H
#define ASSAY_WATCH_KERNEL_H

#include "lib/kline.h"
#include "lib/kmsg.h"
#include "watch/events.h"

struct kernel {
	bool is_open;
	struct kmsg log;
	struct kline line;
	uint64_t next_seq;	/* what is before it is not told */
	int time_ms;		/* for one read, 0 as kmsg.h says */
	int64_t seen_up_s;	/* all was read at that time, 0 never */
};

/* 0, or -1: there is no kernel log for us. */
int kernel_open(struct kernel *k, const struct roots *r, uint64_t next_seq);
void kernel_close(struct kernel *k);

/* A fault of the log as an event of that moment. */
void kernel_event(const struct fault *f, const struct instant *when,
		  struct event *ev);

/* fn for each fault that has come since; device is the fault's own (a PCI
 * address), job 0. */
typedef void (*kernel_f)(struct event *ev, const struct fault *f, void *arg);
/* True: the log has overrun us, some were lost. */
bool kernel_read(struct kernel *k, const struct instant *now, kernel_f fn,
		 void *arg);

#endif
