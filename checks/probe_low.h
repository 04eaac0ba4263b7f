/* SPDX-License-Identifier: Apache-2.0
 * probe_low - what a low rate comes to: one rule for all that is measured, by
 * GPU or for the node. Nothing fails that is excused, of a model that no
 * profile knows, or not low twice.
 */
#ifndef ASSAY_PROBE_LOW_H
#define ASSAY_PROBE_LOW_H

#include <stdbool.h>

#include "checks/yardstick.h"
#include "lib/facts_probe.h"

#define LOW_EXCUSE_MAX 80

struct low_rate {
	bool known_model;			  /* a profile is about it */
	char excuse[PROBE_SHOTS][LOW_EXCUSE_MAX]; /* "": none */
	bool repeated, measured_again;
	enum yard_sense again; /* of the repeat, where it was measured */
};

#define LOW_UNCONFIRMED "unconfirmed"

/* Why it is a warning only: words of l, or constant (LOW_UNCONFIRMED: the
 * repeat was not low). NULL: it has failed. */
const char *low_warns(const struct low_rate *l);

/* May a repeat make it fail? */
bool low_is_doubted(const struct low_rate *l);

/* Is a figure to be remembered? What one reference holds to be low is no
 * basis: a GPU that fades would pull its history down with it. Where the
 * history alone is wrong, it stays a warning until driver or kernels change. */
bool low_is_basis(enum yard_sense sense);

#endif
