/* SPDX-License-Identifier: Apache-2.0
 * kernels - what runs on the GPU: names, launch shapes and parameters.
 *
 * kernels.cu is one source for two compilers. nvcc makes the fat binary of
 * it that the probes load; the C compiler makes the table kernels_host[] of
 * it, by which tests and the stand-in for libcuda run the same code on a CPU,
 * block by block. Every kernel takes one struct by value.
 *
 * No kernel uses atomics, and the result of a block depends on its arguments
 * (and, where said, on its place in the grid) only: the same arguments give
 * the same bits on every SM. Sums of assay_gemm are exact, so its digest is
 * even the same on all architectures and on the CPU; so are those of
 * assay_sdc, but for KERNEL_PATH_FP8, which promises an architecture only.
 */
#ifndef ASSAY_KERNELS_H
#define ASSAY_KERNELS_H

#include <stdint.h>

#define KERNEL_THREADS 256	/* of every block, of every kernel */

/* One block's result of an SM kernel. */
struct kernel_sm {
	uint32_t sm;		/* %smid */
	uint32_t block;
	uint64_t digest;
};

/* assay_fill: word i (16 bytes) of dst becomes pattern(i, seed). */
struct kernel_fill {
	uint64_t dst;		/* device address, 16-byte aligned */
	uint64_t words;		/* of 16 bytes */
	uint32_t seed;
	uint32_t unused;
};

/* assay_read: every word is read once; out[block] is the sum, modulo 2^64, of
 * all 32-bit parts that this block read. The sum over the blocks does not
 * depend on the grid. */
struct kernel_read {
	uint64_t src;
	uint64_t words;
	uint64_t out;		/* uint64_t[grid] */
};

/* assay_triad: a = b + scale * c in 32-bit integers, 16 bytes at a time. */
struct kernel_triad {
	uint64_t a, b, c;
	uint64_t words;
	uint32_t scale;
	uint32_t unused;
};

/* assay_gemm: every block multiplies the same tile, made from seed, iters
 * times over on the tensor cores (bf16 in, fp32 out; fp16 before sm_80), and
 * writes a digest of all bits of the result. Launched with one block for each
 * SM and at least KERNEL_GEMM_SHARED_MIN bytes of dynamic shared memory, so
 * much that no two blocks fit on one SM. iters may be anything: the sums stay
 * bounded. The CPU needs up to 1 ms for an iteration, and 24 of them at most. */
struct kernel_gemm {
	uint64_t out;		/* struct kernel_sm[grid] */
	uint32_t seed;
	uint32_t iters;
};

/* assay_sdc: the same, launched likewise, with another kind of instruction.
 * The CPU needs about 10 us for an iteration, up to 200 with tensor cores. */
enum kernel_path {
	KERNEL_PATH_INT,	/* multiply-add, shifts, logic */
	KERNEL_PATH_FP32,
	KERNEL_PATH_FP64,
	KERNEL_PATH_BF16,	/* tensor cores, other fragments than gemm;
				 * fp16 before sm_80 */
	KERNEL_PATH_FP8,	/* tensor cores, sm_89 and later (by way of
				 * fp16 on sm_90, whose fp8 is wgmma's) */
	KERNEL_PATH_SHARED,	/* shared memory: write, permute, read */
	KERNEL_PATH_L2,		/* a scratch buffer through L2 */
	KERNEL_PATHS
};

/* Does a device of that capability (90 for 9.0) have the path? Where it has
 * not, or there is no scratch to run it on, the digest is 0. */
int kernels_has_path(int cc, enum kernel_path path);

struct kernel_sdc {
	uint64_t out;		/* struct kernel_sm[grid] */
	uint64_t scratch;	/* KERNEL_PATH_L2: scratch_words for each block */
	uint32_t scratch_words;	/* of 16 bytes; KERNEL_PATH_SHARED: so much of
				 * the launch's shared memory, 0 the minimum */
	uint32_t path;		/* enum kernel_path */
	uint32_t seed;
	uint32_t iters;
};

/* assay_check: compares src with what assay_fill wrote (invert: its
 * complement, which assay_invert makes of it in place). */
struct kernel_invert {
	uint64_t dst;
	uint64_t words;
};

struct kernel_check {
	uint64_t src;
	uint64_t words;
	uint64_t out;		/* struct kernel_bad[grid] */
	uint32_t seed;
	uint32_t invert;	/* 0 or 1 */
};

struct kernel_bad {
	uint64_t count;		/* 32-bit parts that differ, of this block */
	uint64_t first;		/* index of the first bad word, ~0 none */
	uint32_t want, got;	/* there */
};

/* The tile of assay_gemm and what a launch costs. */
#define KERNEL_GEMM_M 128
#define KERNEL_GEMM_N 128
#define KERNEL_GEMM_K 64
#define KERNEL_GEMM_FLOP \
	(2.0 * KERNEL_GEMM_M * KERNEL_GEMM_N * KERNEL_GEMM_K) /* block, iter */
/* The least of shared memory that assay_gemm works with. A block is to have its
 * SM for itself, so the probe asks for all that the device gives a block: more
 * than half of an SM's. */
#define KERNEL_GEMM_SHARED_MIN (32 * 1024)
/* What any device gives a block. */
#define KERNEL_SHARED_MAX (227 * 1024)

/* What every implementation must agree on. */
uint32_t kernels_pattern(uint64_t word, int part, uint32_t seed);

#define KERNELS(X) \
	X(fill) X(read) X(triad) X(gemm) X(sdc) X(invert) X(check)

enum kernel {
#define X(name) KERNEL_##name,
	KERNELS(X)
#undef X
	KERNEL_COUNT
};

/* The symbol in the module: "assay_gemm". */
extern const char *const kernels_symbol[KERNEL_COUNT];

/* ---- the fat binary (kernels_fatbin.c, made by mkfatbin) ---------------- */

/* NULL if this build has none (no nvcc). */
extern const unsigned char *const kernels_fatbin;
extern const unsigned long kernels_fatbin_size;
/* Architectures with native code: {75, 80, ..., 0}, and of the PTX, or 0. */
extern const int kernels_native[];
extern const int kernels_ptx;
/* Twelve hex digits that name the sources of kernels and probes, compiler and
 * architectures: figures compare only where it is the same. */
extern const char kernels_build_id[];

/* Does code for that capability lie in the fat binary, without a compiler in
 * the driver? Native code of the same major and no higher minor number. */
int kernels_is_native(int major, int minor);

/* ---- on the CPU (kernels.cu compiled by the C compiler) ------------------ */

/* Where a block believes it is; set before it is run, one thread at a time. */
struct kernel_place {
	unsigned int block, grid;
	unsigned int sm;
};

struct kernel_host {
	const char *symbol;
	unsigned long args_size;
	/* Runs one block over host memory: addresses in args are pointers. */
	void (*block)(const void *args, const struct kernel_place *place);
	/* Each block writes the same digest, but for its place: one run of a
	 * block tells all (SM kernels). */
	int same;
};

extern const struct kernel_host kernels_host[KERNEL_COUNT];

#endif
