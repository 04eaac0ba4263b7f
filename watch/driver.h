/* SPDX-License-Identifier: Apache-2.0
 * driver - the child that asks the GPU driver, and its parent's hand on it.
 *
 * The sampler itself never calls a vendor library. The child keeps the library
 * open, and two samples of each GPU's performance counters, between rounds; a
 * round is asked for and comes back later, or does not: then the child is
 * noted as stuck (gather_stuck.c), left alone, and no other is sent into the
 * driver until it has gone.
 */
#ifndef ASSAY_WATCH_DRIVER_H
#define ASSAY_WATCH_DRIVER_H

#include "checks/session.h"
#include "lib/facts_gpu.h"
#include "lib/spawn.h"

/* What the performance counters say of the time since the round before;
 * NAN unknown. Shares are 0..1. */
struct gpm_figures {
	double busy, sm, tensor, dram;
	/* Counts since boot, of drivers that tell them. */
	double sm_cycles, sm_active_cycles, tensor_cycles;
};

/* One GPU in one round. */
struct driver_reading {
	int64_t at_us;		/* clock_mono_us() */
	uint32_t round;		/* in which it was read, 0 never */
	struct gpu gpu;		/* facts_gpu_ask_counters() */
	struct gpm_figures gpm;
};

struct driver_page;

enum driver_state {
	DRIVER_IDLE,		/* nothing is asked */
	DRIVER_ASKED,
	DRIVER_STUCK,		/* a child is in the driver and stays there */
	DRIVER_BROKEN		/* no library, no answer: why says so */
};

struct driver {
	const struct session *s;
	struct worker worker;
	struct driver_page *page;
	enum driver_state state;
	uint32_t round;
	int failed;		/* rounds in a row that gave nothing */
	int64_t again_ms;	/* not before then, after a failure */
	int64_t until_ms;	/* of the round that is asked for */
	char why[160];
};

#define DRIVER_ROUND_MS 5000

void driver_init(struct driver *d, const struct session *s);

/* Ask for a round over these GPUs, "0000:1b:00.0"; their place is their slot.
 * Starts the child if need be. False: not now (d->state, d->why). */
bool driver_ask(struct driver *d, const char (*bus_id)[24], int count);

/* Where to wait for news; -1: nowhere. */
int driver_fd(const struct driver *d);

/* Hear what there is. True: the round is over, well or not. */
bool driver_hear(struct driver *d, int64_t now_ms);

/* The reading of a slot in the last round; NULL: it was not read in it. */
const struct driver_reading *driver_reading(const struct driver *d, int slot);

/* End the child, in at most that time; one that is in the driver stays behind,
 * and is noted. */
void driver_end(struct driver *d, int patience_ms);

#endif
