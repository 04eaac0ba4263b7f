/* SPDX-License-Identifier: Apache-2.0
 * figures_rise - inside of figures: what those of all kinds share.
 */
#ifndef ASSAY_WATCH_FIGURES_RISE_H
#define ASSAY_WATCH_FIGURES_RISE_H

#include "watch/figures.h"

/* The rise of a counter, NAN if it is not known or went back. */
double rise(const struct val *a, const struct val *b);

struct figures_span {
	int32_t from_s;
	float length_s;
};

/* The time between two readings; false: there is none, or no first one. */
bool figures_span(int64_t before_us, int64_t now_us,
		  const struct figures_when *when, struct figures_span *out);

#endif
