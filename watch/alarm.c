/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/alarm.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/nvml.h"

#define REASONS_HARDWARE \
	(NVML_REASON_HW_SLOWDOWN | NVML_REASON_HW_THERMAL | \
	 NVML_REASON_HW_POWER_BRAKE)
#define PORT_ACTIVE 4

static int __attribute__((format(printf, 4, 5)))
add(struct event *out, int n, enum story_event_kind kind, const char *fmt, ...)
{
	va_list ap;

	if (n == ALARMS_MAX)
		return n;
	memset(&out[n], 0, sizeof(out[n]));
	out[n].kind = kind;
	out[n].number = out[n].subcode = -1;
	out[n].fatal = kind == EVENT_ECC;
	out[n].pid = -1;
	out[n].count = 1;
	va_start(ap, fmt);
	vsnprintf(out[n].text, sizeof(out[n].text), fmt, ap);
	va_end(ap);
	return n + 1;
}

/* Once, when it has been for so long without a break. */
static bool held_for_long(struct alarm_gpu *a, const struct gpu *g,
			  int64_t now_s)
{
	if (!VAL_KNOWN(g->throttle))
		return false;
	if (!((uint64_t)g->throttle.v & REASONS_HARDWARE)) {
		a->held_since_s = 0;
		a->held_told = false;
		return false;
	}
	if (!a->held_since_s)
		a->held_since_s = now_s;
	if (a->held_told || now_s - a->held_since_s < ALARM_HELD_S)
		return false;
	a->held_told = true;
	return true;
}

static int64_t more(const struct val *a, const struct val *b)
{
	return VAL_KNOWN(*a) && VAL_KNOWN(*b) && b->v > a->v ? b->v - a->v : 0;
}

int alarm_of_gpu(struct alarm_gpu *a, const struct driver_reading *before,
		 const struct driver_reading *now, int64_t now_s,
		 struct event *out)
{
	int64_t ecc = more(&before->gpu.ecc_unc_volatile,
			   &now->gpu.ecc_unc_volatile);
	int n = 0;

	if (held_for_long(a, &now->gpu, now_s))
		n = add(out, n, EVENT_HELD,
			"clocks held down by hardware for %d s, reasons 0x%" PRIx64,
			(int)(now_s - a->held_since_s),
			(uint64_t)now->gpu.throttle.v);
	if (before->round && ecc)
		n = add(out, n, EVENT_ECC,
			"%" PRId64 " uncorrected memory errors", ecc);
	return n;
}

/* From one look to the next. */
static int link_events(const struct ib_port *a, const struct ib_port *b,
		       struct event *out)
{
	int64_t downs = more(&a->link_downed, &b->link_downed);
	int n = 0;

	if (a->state == PORT_ACTIVE && b->state >= 0 && b->state != PORT_ACTIVE)
		n = add(out, n, EVENT_LINK_DOWN, "port is no longer active");
	else if (downs && b->state == PORT_ACTIVE)
		n = add(out, n, EVENT_LINK_DOWN,
			"link went down and came back, %" PRId64 " times",
			downs);
	if (a->state >= 0 && a->state != PORT_ACTIVE && b->state == PORT_ACTIVE)
		n = add(out, n, EVENT_LINK_UP, "port is active again");
	return n;
}

int alarm_of_port(struct alarm_port *a, const struct port_reading *before,
		  const struct port_reading *now, struct event *out)
{
	const struct ib_port *p = &now->port;
	int n = 0;

	if (before->at_us)
		n = link_events(&before->port, p, out);
	if (p->state != PORT_ACTIVE || p->rate_gbit <= 0)
		return n;
	if (p->rate_gbit < a->rate_gbit)
		n = add(out, n, EVENT_RATE_DROP, "rate fell from %d to %d Gb/s",
			a->rate_gbit, p->rate_gbit);
	a->rate_gbit = p->rate_gbit;
	return n;
}
