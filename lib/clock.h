/* SPDX-License-Identifier: Apache-2.0
 * clock - time as integers with their unit in the name.
 */
#ifndef ASSAY_CLOCK_H
#define ASSAY_CLOCK_H

#include <stdint.h>

int64_t clock_mono_us(void);	/* CLOCK_MONOTONIC, microseconds */
int64_t clock_mono_ms(void);
int64_t clock_wall_s(void);	/* seconds since 1970, UTC */

/* One moment by the clock that people read, which may be set at any time, by
 * the time since boot, also while suspended, and by that without. up_s goes as
 * wall_s does, to the second, as long as nobody sets the clock. */
struct instant {
	int64_t wall_s;
	int64_t up_s;
	int64_t mono_us;
};
struct instant clock_now(void);

/* The moment of a clock_mono_us() not long before now; pure. */
struct instant clock_at(const struct instant *now, int64_t mono_us);

/* Sleep, resuming after signals. */
void clock_sleep_ms(int ms);

/* "2026-11-30T15:26:58Z" into buf[21]. Returns buf. */
char *clock_iso(int64_t wall_s, char buf[21]);

#endif
