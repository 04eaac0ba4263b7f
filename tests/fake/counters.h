/* SPDX-License-Identifier: Apache-2.0
 * counters - how often each sequence of a scenario was asked, counted across
 * all processes that use the same scenario file.
 */
#ifndef ASSAY_FAKE_COUNTERS_H
#define ASSAY_FAKE_COUNTERS_H

#include <stdint.h>

/* Name the scenario file. Counters live in the directory "seq.d" beside it
 * if there is one, else in /tmp/assay-fake-UID; in a file named after the
 * scenario's device, inode and time, so that a new copy starts at 0. */
void counters_use(const char *scenario);

/* The number of earlier calls with this key; counts this one. Without a
 * place to count in, counts in this process only. */
uint32_t counters_next(uint64_t key);

#endif
