/* SPDX-License-Identifier: Apache-2.0
 * kline - what a line of the kernel log says about the hardware.
 *
 * Pure: text in, struct fault out. Everything is anchored at the start of the
 * text, and numbers are taken before any process name, so that a process
 * cannot forge a fault by what it is called.
 */
#ifndef ASSAY_KLINE_H
#define ASSAY_KLINE_H

#include "lib/facts.h"
#include "lib/kmsg.h"

/* What must be remembered between records: the driver's off-bus message may
 * be spread over three of them. */
struct kline {
	char pending[24];	/* device named by the first part, "" none */
	uint64_t pending_seq;
};

/* 1 and *out if the record tells of a fault, else 0. The caller has made sure
 * that the record is the kernel's own (kmsg_is_kernels()). XID 154 with the
 * new action 0 is returned as well: it closes faults. */
int kline_fault(struct kline *k, const struct kmsg_record *rec,
		struct fault *out);

#endif
