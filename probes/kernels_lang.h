/* SPDX-License-Identifier: Apache-2.0
 * kernels_lang - one text for two compilers: what nvcc and a C compiler call
 * differently. Only kernels.cu and its parts include this.
 *
 * A block is written as phases: EACH_THREAD(t) { ... } between two SYNC(). On
 * the GPU each thread runs a phase once; on the CPU a loop runs it for all
 * threads of the block, one after the other. So a phase must not read what
 * another thread writes in the same phase, and what a thread keeps from one
 * phase to the next lives in an array of THREADS, at [MINE(t)]: one element on
 * the GPU, one for each thread on the CPU. Likewise EACH_WARP(w) for what a
 * warp does together, with EACH_LANE(l), LANES and [AT(l)] inside.
 */
#ifndef ASSAY_KERNELS_LANG_H
#define ASSAY_KERNELS_LANG_H

#include "probes/kernels.h"

#define WARP 32u
#define WARPS (KERNEL_THREADS / WARP)

/* 16 bytes: the unit of all memory traffic. */
#ifdef __CUDACC__
struct __align__(16) word {
	uint32_t part[4];
};
#else
struct word {
	_Alignas(16) uint32_t part[4];
};
#endif

#ifdef __CUDACC__

#define PART static __device__ __forceinline__
#define UNROLL _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")
#define SYNC() __syncthreads()

#define THREADS 1
#define MINE(t) ((t) * 0)
#define ONCE(v, value) \
	for (uint32_t v = (value), v##_once = 1; v##_once; v##_once = 0)
#define EACH_THREAD(t) ONCE(t, threadIdx.x)

#define LANES 1
#define AT(l) ((l) * 0)
#define EACH_WARP(w) ONCE(w, threadIdx.x / WARP)
#define EACH_LANE(l) ONCE(l, threadIdx.x % WARP)

#ifdef __CUDA_ARCH__
#define ARCH __CUDA_ARCH__
#else
#define ARCH 900	/* nvcc looks at device code in its host pass, too */
#endif

/* Streaming: nothing is read twice. */
PART struct word word_load(const struct word *p)
{
	const uint4 v = __ldcs((const uint4 *)p);
	const struct word w = { { v.x, v.y, v.z, v.w } };

	return w;
}

PART void word_store(struct word *p, struct word w)
{
	__stcs((uint4 *)p, make_uint4(w.part[0], w.part[1], w.part[2],
				      w.part[3]));
}

/* Past L1: global memory only. */
PART struct word word_load_l2(const struct word *p)
{
	const uint4 v = __ldcg((const uint4 *)p);
	const struct word w = { { v.x, v.y, v.z, v.w } };

	return w;
}

PART uint32_t float_bits(float x)
{
	return __float_as_uint(x);
}

PART float bits_float(uint32_t bits)
{
	return __uint_as_float(bits);
}

PART uint64_t double_bits(double x)
{
	return (uint64_t)__double_as_longlong(x);
}

PART double bits_double(uint64_t bits)
{
	return __longlong_as_double((long long)bits);
}

#define FMA32(a, b, c) __fmaf_rn(a, b, c)
#define FMA64(a, b, c) __fma_rn(a, b, c)

/* Dynamic shared memory of this launch. */
PART uint32_t shared_bytes(void)
{
	uint32_t n;

	asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(n));
	return n;
}

#else /* the C compiler */

#include <math.h>
#include <string.h>

#define PART static inline
#define UNROLL
#define ROLLED
#define SYNC() ((void)0)

#define THREADS KERNEL_THREADS
#define MINE(t) (t)
#define EACH_THREAD(t) for (uint32_t t = 0; t < KERNEL_THREADS; t++)

#define LANES WARP
#define AT(l) (l)
#define EACH_WARP(w) for (uint32_t w = 0; w < WARPS; w++)
#define EACH_LANE(l) for (uint32_t l = 0; l < WARP; l++)

/* Which GPU's fragments the CPU plays; a test looks at the older ones. */
#ifndef ARCH
#define ARCH 900
#endif

PART struct word word_load(const struct word *p)
{
	return *p;
}

PART void word_store(struct word *p, struct word w)
{
	*p = w;
}

PART struct word word_load_l2(const struct word *p)
{
	return *p;
}

PART uint32_t float_bits(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

PART float bits_float(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

PART uint64_t double_bits(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

PART double bits_double(uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

#define FMA32(a, b, c) fmaf(a, b, c)
#define FMA64(a, b, c) fma(a, b, c)

PART uint32_t shared_bytes(void)
{
	return KERNEL_SHARED_MAX;
}

#endif

/* ---- for both ------------------------------------------------------------ */

PART struct word *words_at(uint64_t address)
{
	return (struct word *)(uintptr_t)address;
}

/* MurmurHash3's finalizers: bijective, every bit depends on every bit. */
PART uint32_t mix32(uint32_t x)
{
	x = (x ^ x >> 16) * 0x85ebca6bu;
	x = (x ^ x >> 13) * 0xc2b2ae35u;
	return x ^ x >> 16;
}

PART uint64_t mix64(uint64_t x)
{
	x = (x ^ x >> 33) * 0xff51afd7ed558ccdull;
	x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ull;
	return x ^ x >> 33;
}

PART uint32_t rotate(uint32_t x, uint32_t n)
{
	return x << n | x >> (32 - n);
}

/* A seed of 0 is as good as any other. */
PART uint32_t seed_key(uint32_t seed)
{
	return mix32(seed + 0x9e3779b9u);
}

/* A step of a running digest: bijective in both, so that a difference, once
 * in, stays. */
PART uint32_t fold(uint32_t h, uint32_t bits)
{
	return rotate(h ^ bits, 7) * 0x9e3779b1u;
}

enum reduction { REDUCE_SUM, REDUCE_MIN };

/* One value of all threads', in scratch[0] behind it. */
PART void block_reduce(uint64_t *scratch, const uint64_t *mine,
		       enum reduction how)
{
	EACH_THREAD(t)
		scratch[t] = mine[MINE(t)];
	SYNC();
	for (uint32_t half = KERNEL_THREADS / 2; half > 0; half /= 2) {
		EACH_THREAD(t) {
			if (t < half && how == REDUCE_SUM)
				scratch[t] += scratch[t + half];
			else if (t < half && scratch[t + half] < scratch[t])
				scratch[t] = scratch[t + half];
		}
		SYNC();
	}
}

#endif
