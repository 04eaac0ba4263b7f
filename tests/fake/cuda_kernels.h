/* SPDX-License-Identifier: Apache-2.0
 * cuda_kernels - the project's kernels, run on the CPU: what each one touches,
 * what it costs, and what may go wrong in it.
 */
#ifndef ASSAY_FAKE_CUDA_KERNELS_H
#define ASSAY_FAKE_CUDA_KERNELS_H

#include "probes/kernels.h"
#include "tests/fake/cuda_time.h"

#define KERNEL_ARGS_MAX 64

/* A launch: args is a copy, in which the plan turns device addresses into
 * host addresses and makes the work small enough for a CPU. */
struct launch {
	struct fake_device *dev;
	enum kernel kernel;
	unsigned int grid, sms;
	union {
		unsigned char bytes[KERNEL_ARGS_MAX];
		uint64_t words[KERNEL_ARGS_MAX / 8];
		struct kernel_fill fill;
		struct kernel_read read;
		struct kernel_triad triad;
		struct kernel_gemm gemm;
		struct kernel_sdc sdc;
		struct kernel_invert invert;
		struct kernel_check check;
	} args;
	struct cost cost;
	int rc;			/* an address that is not all ours */
};

/* Run it: 0 or an rc. The caller holds the lock, and charges the cost. */
int cukern_run(struct launch *l);

#endif
