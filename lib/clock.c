/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

int64_t clock_mono_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t clock_mono_ms(void)
{
	return clock_mono_us() / 1000;
}

int64_t clock_wall_s(void)
{
	return (int64_t)time(NULL);
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
