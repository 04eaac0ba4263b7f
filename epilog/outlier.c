/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "epilog/outlier.h"

#include <math.h>
#include <stdlib.h>

#define SHARE 0.10
#define DEVIATIONS 5.0

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double outlier_median(double *x, int n)
{
	if (n < 1)
		return NAN;
	qsort(x, (size_t)n, sizeof(*x), ascending);
	return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

struct outlier outlier_limit(double *x, int n)
{
	struct outlier o = { NAN, NAN };
	double mad;
	int i;

	if (n < OUTLIER_MIN)
		return o;
	o.median = outlier_median(x, n);
	for (i = 0; i < n; i++)
		x[i] = fabs(x[i] - o.median);
	mad = outlier_median(x, n);
	o.limit = o.median - fmax(SHARE * fabs(o.median), DEVIATIONS * mad);
	return o;
}

bool outlier_is(const struct outlier *o, double x)
{
	return x < o->limit; /* false where either is not known */
}
