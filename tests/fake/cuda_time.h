/* SPDX-License-Identifier: Apache-2.0
 * cuda_time - virtual time. Nothing sleeps: a stream counts what was done on
 * it (bytes read, operations, bytes copied to a peer), an event keeps that
 * count, and the time between two events is the difference divided by the
 * rates of the scenario, which are asked only then.
 */
#ifndef ASSAY_FAKE_CUDA_TIME_H
#define ASSAY_FAKE_CUDA_TIME_H

#include "tests/fake/cuda_device.h"
#include "tests/fake/cuda_stream.h"

enum rate {
	RATE_HBM,		/* bytes */
	RATE_READ,
	RATE_TRIAD,
	RATE_GEMM,		/* operations */
	RATE_PEAK,		/* those of a library */
	RATE_SDC,		/* launches of a path */
	RATE_H2D,		/* bytes */
	RATE_D2H,
	RATE_P2P,		/* bytes to a peer */
	RATE_ALLREDUCE		/* bytes of busbw, by the size reduced */
};

/* What work costs: so much, of a kind that the scenario has a rate for. */
struct cost {
	enum rate rate;
	uint64_t arg;		/* path, peer or size; else 0 */
	double amount;
	const struct fake_device *of;	/* whose rate; NULL: the stream's */
};

#define TALLY_MAX 96

struct tally {
	int n;			/* TALLY_MAX + 1: it overflowed */
	struct cost cost[TALLY_MAX];
};

struct cuda_stream {
	struct fake_stream head;
	struct fake_device *dev;
	struct tally done;
};

/* A stream for work on d by its handle; NULL: the default one. *rc: why not.
 * The caller holds the lock. */
struct cuda_stream *cutime_stream(struct fake_device *d, struct cuda_stream *s,
				  int *rc);

void cutime_charge(struct cuda_stream *s, struct cost c);

/* Tallies: the sum of costs, and the difference of two. */
void cutime_add(struct tally *t, struct cost c);
void cutime_subtract(struct tally *t, const struct tally *less);

/* What a tally takes; asks the scenario. 0, NOT_SUPPORTED where it has no
 * rate for some of it, or an rc. */
int cutime_ms(const struct tally *t, float *out);

#endif
