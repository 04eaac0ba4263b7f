/* SPDX-License-Identifier: Apache-2.0
 * cuda_corrupt - the scenario's "corrupt": {"kernel": "gemm", "sm": 17,
 * "flip_bit": 12}, or a list of them, or a control object in place of either.
 */
#ifndef ASSAY_FAKE_CUDA_CORRUPT_H
#define ASSAY_FAKE_CUDA_CORRUPT_H

#include <stddef.h>
#include <stdint.h>

#include "tests/fake/cuda_device.h"

#define CORRUPT_MAX 8

struct corrupt {
	int sm;			/* -1: all */
	int path;		/* of sdc; -1: all */
	int peer;		/* of p2p; -1: all */
	uint64_t bit;
};

/* What is corrupted in this run of word ("gemm", "h2d"): how many. A sequence
 * moves once for each run of a word that it names. */
int corrupt_list(struct fake_device *d, const char *word,
		 struct corrupt out[CORRUPT_MAX]);

/* Flip a bit, counted from the start; behind the end it counts on from the
 * start again. */
void corrupt_flip(void *p, size_t bytes, uint64_t bit);

/* Bytes that were moved, and where to: a peer's index, or -1. */
struct corrupt_copy {
	void *p;
	size_t bytes;
	int peer;
};

/* Flip what is listed for word in these bytes. */
void corrupt_bytes(struct fake_device *d, const char *word,
		   const struct corrupt_copy *c);

#endif
