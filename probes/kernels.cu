/* SPDX-License-Identifier: Apache-2.0
 * The kernels, for two compilers: kernels.h is the contract, kernels_lang.h
 * says how one text serves both, and the parts hold what a block does. Here is
 * how a block is entered.
 */
#include "probes/kernels_lang.h"
#include "probes/kernels_mem.h"
#include "probes/kernels_sdc.h"

#define REDUCE_BYTES (KERNEL_THREADS * sizeof(uint64_t))

#ifdef __CUDACC__

extern __shared__ struct word launch_shared[];

PART struct kernel_place place(void)
{
	struct kernel_place here = { blockIdx.x, gridDim.x, 0 };

	asm("mov.u32 %0, %%smid;" : "=r"(here.sm));
	return here;
}

/* Through memory: as many blocks as keep the loads coming. */
#define KERNEL_MEM(name) \
	extern "C" __global__ void __launch_bounds__(KERNEL_THREADS, 4) \
		assay_##name(const struct kernel_##name k) \
	{ \
		__shared__ struct word scratch[REDUCE_BYTES / \
					       sizeof(struct word)]; \
		const struct kernel_place here = place(); \
\
		block_##name(&k, &here, scratch); \
	}

/* One block for an SM, shared memory given by the launch. */
#define KERNEL_SM(name) \
	extern "C" __global__ void __launch_bounds__(KERNEL_THREADS, 1) \
		assay_##name(const struct kernel_##name k) \
	{ \
		const struct kernel_place here = place(); \
\
		block_##name(&k, &here, launch_shared); \
	}

#else

#define HOST_BLOCK(name, bytes) \
	static void host_##name(const void *args, \
				const struct kernel_place *here) \
	{ \
		struct word shared[(bytes) / sizeof(struct word)]; \
\
		block_##name((const struct kernel_##name *)args, here, shared); \
	}

#define KERNEL_MEM(name) HOST_BLOCK(name, REDUCE_BYTES)
#define KERNEL_SM(name) HOST_BLOCK(name, KERNEL_SHARED_MAX)

#endif

KERNEL_MEM(fill)
KERNEL_MEM(read)
KERNEL_MEM(triad)
KERNEL_SM(gemm)
KERNEL_SM(sdc)
KERNEL_MEM(invert)
KERNEL_MEM(check)

#ifndef __CUDACC__

#define X(name) "assay_" #name,
const char *const kernels_symbol[KERNEL_COUNT] = { KERNELS(X) };
#undef X

#define SAME(which) (which == KERNEL_gemm || which == KERNEL_sdc)
#define X(name) \
	{ "assay_" #name, sizeof(struct kernel_##name), host_##name, \
	  SAME(KERNEL_##name) },
const struct kernel_host kernels_host[KERNEL_COUNT] = { KERNELS(X) };
#undef X

uint32_t kernels_pattern(uint64_t word, int part, uint32_t seed)
{
	return pattern_part(word, (uint32_t)part, pattern_key(word, seed));
}

int kernels_has_path(int cc, enum kernel_path path)
{
	return path < KERNEL_PATHS && (path != KERNEL_PATH_FP8 || cc >= 89);
}

#endif
