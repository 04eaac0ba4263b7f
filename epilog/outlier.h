/* SPDX-License-Identifier: Apache-2.0
 * outlier - which of many like numbers is low beyond chance: under the median
 * by more than a tenth of it and more than five median deviations.
 */
#ifndef ASSAY_EPILOG_OUTLIER_H
#define ASSAY_EPILOG_OUTLIER_H

#include <stdbool.h>

#define OUTLIER_MIN 3 /* of fewer, nobody is in the middle */

struct outlier {
	double median, limit; /* below it; NAN: too few to tell */
};

/* x: n finite numbers, which are left sorted. */
double outlier_median(double *x, int n);
struct outlier outlier_limit(double *x, int n);
bool outlier_is(const struct outlier *o, double x);

#endif
