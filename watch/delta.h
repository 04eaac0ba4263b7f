/* SPDX-License-Identifier: Apache-2.0
 * delta - the difference of two snapshots, as the numbers of a story. Pure.
 */
#ifndef ASSAY_WATCH_DELTA_H
#define ASSAY_WATCH_DELTA_H

#include <jansson.h>

#include "epilog/story.h"

/* One device, or one port, before and after; NULL: there is no such look. */
struct delta {
	const json_t *before, *after;
	enum story_why why; /* what a missing look means */
};

/* after - before of a member. Not known: not told by this device, or gone
 * back (reset). */
struct story_number delta_of(const struct delta *d, const char *name);

/* The sum of several members: all have to be known that the device tells at
 * all; unsupported if it tells none. scale is applied to the sum. */
struct story_number delta_sum(const struct delta *d, const char *const *names,
			      double scale);

/* As delta_of(), of a port's counter, some of which stop at their highest. */
struct story_number delta_port(const struct delta *d, const char *name);

/* All counters of a port that count errors: {"symbol_error": 3}, those that
 * rose (new reference, never NULL but on ENOMEM), and their sum. */
json_t *delta_errors(const struct delta *d, struct story_number *sum);

#endif
