/* SPDX-License-Identifier: Apache-2.0
 * alarm - what two readings of a device say has happened to it. Pure.
 */
#ifndef ASSAY_WATCH_ALARM_H
#define ASSAY_WATCH_ALARM_H

#include "watch/driver.h"
#include "watch/events.h"
#include "watch/look.h"

#define ALARM_HELD_S 60		/* held down by hardware for so long */
#define ALARMS_MAX 4

/* How a GPU has been; zero at first. */
struct alarm_gpu {
	int64_t held_since_s;	/* 0: it is not held down */
	bool held_told;
};

struct alarm_port {
	int rate_gbit;		/* when it was active last, 0 unknown */
};

/* Events into out[ALARMS_MAX], without device and time; how many. */
int alarm_of_gpu(struct alarm_gpu *a, const struct driver_reading *before,
		 const struct driver_reading *now, int64_t now_s,
		 struct event *out);
int alarm_of_port(struct alarm_port *a, const struct port_reading *before,
		  const struct port_reading *now, struct event *out);

#endif
