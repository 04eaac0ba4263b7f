/* SPDX-License-Identifier: Apache-2.0
 * figures - what happened between two readings of a device, as a sample of
 * its track. Pure.
 *
 * A counter that went back, or that is not known on both sides, gives an
 * unknown figure, never 0.
 */
#ifndef ASSAY_WATCH_FIGURES_H
#define ASSAY_WATCH_FIGURES_H

#include "lib/track.h"
#include "watch/driver.h"
#include "watch/look.h"

/* The time that the later reading belongs to: both since boot. */
struct figures_when {
	int64_t up_s;		/* of the later reading */
	int64_t epoch_up_s;	/* of the track */
};

/* False: no time lies between them. */
bool figures_of_gpu(const struct driver_reading *before,
		    const struct driver_reading *now,
		    const struct figures_when *when, struct track_sample *out);
bool figures_of_port(const struct port_reading *before,
		     const struct port_reading *now,
		     const struct figures_when *when,
		     struct track_traffic *out);
/* Both readings of a job's cgroup, and of the node's file systems. */
struct host_readings {
	const struct host_reading *host;
	const struct netfs *net;
};
bool figures_of_host(const struct host_readings *before,
		     const struct host_readings *now,
		     const struct figures_when *when, struct track_host *out);

#endif
