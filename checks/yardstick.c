/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/yardstick.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The standard deviation of normally spread samples, by their median absolute
 * deviation; and how many of them are still the usual spread. */
#define MAD_TO_SIGMA 1.4826
#define SIGMAS 6

void yardstick_init(struct yardstick *y)
{
	int k;

	for (k = 0; k < YARD_KINDS; k++)
		y->expected[k] = y->floor[k] = NAN;
}

static void add(struct yardstick *y, enum yard k, double expected, double floor)
{
	if (!isfinite(expected) || !isfinite(floor) || floor <= 0)
		return;
	y->expected[k] = expected;
	y->floor[k] = floor;
}

void yardstick_profile(struct yardstick *y, double measured)
{
	add(y, YARD_PROFILE, measured, YARD_PROFILE_SHARE * measured);
}

void yardstick_site(struct yardstick *y, double expected)
{
	add(y, YARD_SITE, expected, YARD_SITE_SHARE * expected);
}

void yardstick_estimate(struct yardstick *y, double floor)
{
	add(y, YARD_ESTIMATE, floor, floor);
}

void yardstick_physical(struct yardstick *y, double peak, double floor,
			double achieved)
{
	add(y, YARD_PHYSICAL, achieved * peak, floor * peak);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

double yardstick_median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), by_size);
	return v[(n - 1) / 2];
}

void yardstick_peers(struct yardstick *y, double *v, int n, double share)
{
	double median;

	if (n < YARD_PEERS_MIN)
		return;
	median = yardstick_median(v, n);
	add(y, YARD_PEERS, median, share * median);
}

void yardstick_history(struct yardstick *y, double *v, int n, double least)
{
	double median, spread;
	int i;

	if (n < YARD_HISTORY_MIN)
		return;
	median = yardstick_median(v, n);
	for (i = 0; i < n; i++)
		v[i] = fabs(v[i] - median);
	spread = SIGMAS * MAD_TO_SIGMA * yardstick_median(v, n);
	add(y, YARD_HISTORY, median, median - fmax(spread, least * median));
}

/* A share of what the device could at most says little where its equals do no
 * better (then it is the platform, and the site has to say what it expects), or
 * where it does what the site, or another board of the model, says of it. */
static bool is_as_told(const struct yardstick *y, double value)
{
	return value >= y->floor[YARD_PEERS] || value >= y->floor[YARD_SITE] ||
	       value >= y->floor[YARD_PROFILE];
}

static bool missed_by_far(const struct yardstick *y, enum yard k, double value)
{
	if (k == YARD_PHYSICAL && is_as_told(y, value))
		return false;
	return value < YARD_GROSS * y->expected[k];
}

static void violate(struct yard_sight *s, const struct yardstick *y,
		    enum yard k)
{
	if (isnan(s->limit) || y->floor[k] > s->limit) {
		s->limit = y->floor[k];
		s->by = k;
	}
	if (isnan(s->expected) || y->expected[k] > s->expected)
		s->expected = y->expected[k];
}

struct yard_sight yardstick_hold(const struct yardstick *y, double value)
{
	struct yard_sight s = { .limit = NAN, .expected = NAN };
	int k, known = 0, low = 0;
	bool far = false;

	if (!isfinite(value) || value <= 0)
		return s;
	for (k = 0; k < YARD_ESTIMATE; k++) {
		known += !isnan(y->floor[k]);
		if (!(value < y->floor[k]))
			continue;
		low++;
		far |= missed_by_far(y, (enum yard)k, value);
		violate(&s, y, (enum yard)k);
	}
	if (!low && value < y->floor[YARD_ESTIMATE])
		violate(&s, y, YARD_ESTIMATE);
	s.gross = value < YARD_GROSS * s.expected;
	if (low >= 2 || far)
		s.sense = YARD_LOW;
	else if (!isnan(s.limit))
		s.sense = YARD_DOUBTFUL;
	else if (known || !isnan(y->floor[YARD_ESTIMATE]))
		s.sense = YARD_GOOD;
	return s;
}

const char *yardstick_name(enum yard by)
{
	static const char *const name[YARD_KINDS] = {
		"the profile",		     "the site's figure",
		"what it could at most",     "the median of its equals",
		"its own history",	     "another tool's figure",
	};

	return name[by];
}

char *yardstick_number(double v, char *buf, size_t size)
{
	snprintf(buf, size, "%.*f", v >= 99.95 ? 0 : 1, v);
	return buf;
}

static char *compare(double value, const char *sign, double limit, char *buf,
		     size_t size)
{
	char a[32], b[32];
	int digits = limit >= 99.95 ? 0 : 1;
	int most = digits + 2;

	yardstick_number(value, a, sizeof(a));
	yardstick_number(limit, b, sizeof(b));
	for (; !strcmp(a, b) && digits < most; digits++) {
		snprintf(a, sizeof(a), "%.*f", digits + 1, value);
		snprintf(b, sizeof(b), "%.*f", digits + 1, limit);
	}
	snprintf(buf, size, "%s%s%s", a, sign, b);
	return buf;
}

char *yardstick_less(double value, double limit, char *buf, size_t size)
{
	return compare(value, "<", limit, buf, size);
}

char *yardstick_more(double value, double limit, char *buf, size_t size)
{
	return compare(value, ">", limit, buf, size);
}
