/* SPDX-License-Identifier: Apache-2.0
 * kernels_gemm - the same tile on every SM, as fast as mma.sync goes.
 *
 * Iteration i adds s(i) A' B to C, where A' is A with its rows turned by
 * 16 (i mod 8) and its four slices of k by i mod 4: so other data meet, and
 * nothing can be kept. Eight warps own 64x32 of C each; a warp keeps its part
 * of B in registers and streams A.
 *
 * s is +1 for the first eight iterations and then, eight by eight, +1, -1, +1,
 * ...: C stays bounded and every product exact (kernels_mma.h), whatever iters
 * is, yet no data's share of C returns to nothing, so that a wrong product
 * stays visible even if its negative is wrong the same way. From the eighth
 * iteration on C repeats after 16.
 */
#ifndef ASSAY_KERNELS_GEMM_H
#define ASSAY_KERNELS_GEMM_H

#include "probes/kernels_mma.h"

#define TILE_ROWS KERNEL_GEMM_M
#define TILE_SLICES (KERNEL_GEMM_K / UNIT)
#define TILE_WORDS (TILE_ROWS * KERNEL_GEMM_K / 8)
#define TILE_BLOCKS (TILE_ROWS / UNIT)	/* of 16 rows */

#define WARP_M 4	/* units of a warp */
#define WARP_N 2
#define ACROSS_N (KERNEL_GEMM_N / UNIT / WARP_N)	/* warps along N */

#define PASS TILE_BLOCKS	/* iterations until the same data meet again */

#if KERNEL_GEMM_M != KERNEL_GEMM_N
#error "the tiles of A and B are one code"
#endif

/* Of one warp, from all its lanes. */
struct gemm_warp {
	struct acc c[WARP_M][WARP_N][LANES];
	struct frag b[TILE_SLICES][WARP_N][LANES];
};

/* Elements 2 pair and 2 pair + 1 of a row of A (column of B). */
PART uint32_t gemm_pair(uint32_t key, enum side side, uint32_t row,
			uint32_t pair)
{
	return operand_pair(mix32(key + (side * TILE_ROWS + row) *
						(KERNEL_GEMM_K / 2) + pair));
}

PART void gemm_operands(struct word *shared, uint32_t seed)
{
	const uint32_t key = seed_key(seed);

	EACH_THREAD(t) {
		ROLLED
		for (uint32_t i = t; i < 2 * TILE_WORDS; i += KERNEL_THREADS) {
			const enum side side = i < TILE_WORDS ? SIDE_A : SIDE_B;
			const uint32_t row = i % TILE_ROWS;
			const uint32_t col = i % TILE_WORDS / TILE_ROWS;

			UNROLL
			for (uint32_t p = 0; p < 4; p++)
				shared[i].part[p] = gemm_pair(key, side, row,
							      4 * col + p);
		}
	}
}

/* Where the unit of that block of rows and slice of k begins. */
PART const struct word *tile_unit(const struct word *tile, uint32_t block,
				  uint32_t slice)
{
	return tile + slice % TILE_SLICES * 2 * TILE_ROWS +
		block % TILE_BLOCKS * UNIT;
}

PART void gemm_start(struct gemm_warp *g, const struct word *tile_b, uint32_t w)
{
	UNROLL
	for (uint32_t m = 0; m < WARP_M; m++) {
		UNROLL
		for (uint32_t n = 0; n < WARP_N; n++) {
			EACH_LANE(l) {
				UNROLL
				for (uint32_t i = 0; i < ACC; i++)
					g->c[m][n][AT(l)].c[i] = 0;
			}
		}
	}
	UNROLL
	for (uint32_t s = 0; s < TILE_SLICES; s++) {
		UNROLL
		for (uint32_t n = 0; n < WARP_N; n++)
			unit_load(g->b[s][n],
				  tile_unit(tile_b, w % ACROSS_N * WARP_N + n,
					    s),
				  TILE_ROWS, SIDE_B);
	}
}

PART void gemm_negate(struct gemm_warp *g)
{
	UNROLL
	for (uint32_t s = 0; s < TILE_SLICES; s++) {
		UNROLL
		for (uint32_t n = 0; n < WARP_N; n++) {
			EACH_LANE(l) {
				UNROLL
				for (uint32_t r = 0; r < FRAG; r++)
					g->b[s][n][AT(l)].r[r] ^= 0x80008000u;
			}
		}
	}
}

PART void gemm_iterate(struct gemm_warp *g, const struct word *tile_a,
		       uint32_t w, uint32_t i)
{
	UNROLL
	for (uint32_t s = 0; s < TILE_SLICES; s++) {
		struct frag a[WARP_M][LANES];

		UNROLL
		for (uint32_t m = 0; m < WARP_M; m++)
			unit_load(a[m],
				  tile_unit(tile_a, w / ACROSS_N * WARP_M + m + i,
					    s + i),
				  TILE_ROWS, SIDE_A);
		UNROLL
		for (uint32_t m = 0; m < WARP_M; m++) {
			UNROLL
			for (uint32_t n = 0; n < WARP_N; n++)
				unit_mma(g->c[m][n], a[m], g->b[s][n]);
		}
	}
}

/* What a lane's sums add to the digest: each bit with its place, so that it
 * does not matter which lane has it. */
PART uint64_t gemm_lane_digest(const struct gemm_warp *g, uint32_t w,
			       uint32_t l)
{
	const uint32_t row0 = w / ACROSS_N * WARP_M * UNIT;
	const uint32_t col0 = w % ACROSS_N * WARP_N * UNIT;
	uint64_t sum = 0;

	UNROLL
	for (uint32_t u = 0; u < WARP_M * WARP_N; u++) {
		const uint32_t m = u / WARP_N, n = u % WARP_N;

		UNROLL
		for (uint32_t i = 0; i < ACC; i++) {
			const uint32_t row = row0 + m * UNIT + acc_row(l, i);
			const uint32_t col = col0 + n * UNIT + acc_col(l, i);
			const uint64_t at = row * KERNEL_GEMM_N + col;
			const float c = g->c[m][n][AT(l)].c[i];

			sum += mix64(at << 32 | float_bits(c));
		}
	}
	return sum;
}

/* The CPU leaves out iterations behind which C is the same. */
PART uint32_t gemm_needed(uint32_t iters)
{
#ifdef __CUDACC__
	return iters;
#else
	return iters < 3 * PASS ? iters : PASS + (iters - PASS) % (2 * PASS);
#endif
}

PART void gemm_warp(uint64_t *mine, const struct kernel_gemm *k,
		    const struct word *tile_a, uint32_t w)
{
	const uint32_t iters = gemm_needed(k->iters);
	struct gemm_warp g;

	gemm_start(&g, tile_a + TILE_WORDS, w);
	ROLLED
	for (uint32_t i = 0; i < iters; i++) {
		if (i >= 2 * PASS && i % PASS == 0)
			gemm_negate(&g);
		gemm_iterate(&g, tile_a, w, i);
	}
	EACH_LANE(l)
		mine[MINE(w * WARP + l)] = gemm_lane_digest(&g, w, l);
}

/* The block's result, from what each thread adds to its digest; tag: what the
 * digest is of, besides. */
PART void sm_result(uint64_t out, const struct kernel_place *here,
		    uint64_t *scratch, uint64_t tag)
{
	EACH_THREAD(t) {
		if (t == 0) {
			const struct kernel_sm sm = {
				here->sm, here->block, mix64(scratch[0] ^ tag)
			};

			((struct kernel_sm *)(uintptr_t)out)[here->block] = sm;
		}
	}
}

PART void block_gemm(const struct kernel_gemm *k,
		     const struct kernel_place *here, struct word *shared)
{
	uint64_t *scratch = (uint64_t *)shared;
	uint64_t mine[THREADS];

	gemm_operands(shared, k->seed);
	SYNC();
	EACH_WARP(w)
		gemm_warp(mine, k, shared, w);
	SYNC();
	block_reduce(scratch, mine, REDUCE_SUM);
	sm_result(k->out, here, scratch, (uint64_t)k->seed << 32 | k->iters);
}

#endif
