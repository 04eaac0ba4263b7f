/* SPDX-License-Identifier: Apache-2.0
 * cpulist - the kernel's lists of numbers: "0-3,8,10-11".
 */
#ifndef ASSAY_CPULIST_H
#define ASSAY_CPULIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPULIST_MAX 8192

struct cpulist {
	uint64_t word[CPULIST_MAX / 64];
};

/* An empty text is an empty list. -1 with EINVAL (not such a list) or ERANGE
 * (a number beyond CPULIST_MAX - 1); *out is then empty. */
int cpulist_parse(const char *text, struct cpulist *out);

bool cpulist_has(const struct cpulist *l, int n);
int cpulist_count(const struct cpulist *l);
/* The first member >= from, or -1. */
int cpulist_next(const struct cpulist *l, int from);

/* What is in a but not in b. */
void cpulist_minus(const struct cpulist *a, const struct cpulist *b,
		   struct cpulist *out);

/* As text; what does not fit ends in "...". Returns buf. */
char *cpulist_format(const struct cpulist *l, char *buf, size_t size);

#endif
