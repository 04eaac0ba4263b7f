/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int64_t us_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t clock_mono_us(void)
{
	return us_of(CLOCK_MONOTONIC);
}

int64_t clock_mono_ms(void)
{
	return clock_mono_us() / 1000;
}

int64_t clock_wall_s(void)
{
	return (int64_t)time(NULL);
}

/* Two clocks that are cut to seconds each at its own time differ by one now
 * and then: what lies between them is cut instead. */
struct instant clock_now(void)
{
	int64_t wall_us = us_of(CLOCK_REALTIME);
	int64_t apart_us = wall_us - us_of(CLOCK_BOOTTIME);
	struct instant now = { .wall_s = wall_us / 1000000,
			      .mono_us = clock_mono_us() };

	now.up_s = now.wall_s - (apart_us + 500000) / 1000000;
	return now;
}

struct instant clock_at(const struct instant *now, int64_t mono_us)
{
	int64_t ago_s = (now->mono_us - mono_us) / 1000000;

	return (struct instant){ now->wall_s - ago_s, now->up_s - ago_s,
				mono_us };
}

void clock_sleep_ms(int ms)
{
	struct timespec t = { ms / 1000, (ms % 1000) * 1000000L };

	while (nanosleep(&t, &t) < 0 && errno == EINTR)
		;
}

char *clock_iso(int64_t wall_s, char buf[21])
{
	time_t t = (time_t)wall_s;
	struct tm tm;

	if (!gmtime_r(&t, &tm) || !strftime(buf, 21, "%Y-%m-%dT%H:%M:%SZ", &tm))
		memcpy(buf, "unknown", 8);
	return buf;
}
