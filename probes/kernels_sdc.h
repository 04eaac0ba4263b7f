/* SPDX-License-Identifier: Apache-2.0
 * kernels_sdc - other kinds of instruction, the same on every SM. Here no rate
 * counts: every intermediate result goes into a running digest by fold(), from
 * which no difference gets lost.
 */
#ifndef ASSAY_KERNELS_SDC_H
#define ASSAY_KERNELS_SDC_H

#include "probes/kernels_gemm.h"

#define CHAINS 4	/* independent, of a thread */

PART uint32_t high_product(uint32_t a, uint32_t b)
{
	return (uint32_t)((uint64_t)a * b >> 32);
}

PART uint32_t path_int(uint32_t key, uint32_t iters)
{
	uint32_t x[CHAINS], h = 0;

	UNROLL
	for (uint32_t j = 0; j < CHAINS; j++)
		x[j] = mix32(key + j);
	ROLLED
	for (uint32_t i = 0; i < iters; i++) {
		UNROLL
		for (uint32_t j = 0; j < CHAINS; j++) {
			const uint32_t y = x[(j + 1) % CHAINS];
			const uint32_t z = x[(j + 2) % CHAINS];

			x[j] = rotate(x[j] * (i | 1) + high_product(y, z), 11);
			x[j] ^= (y & ~z) | (y << 5 & z >> 3);
		}
		h = fold(h, x[0] + x[1] * 3 + x[2] * 5 + x[3] * 7);
	}
	return h;
}

/* Any mantissa and sign, the exponent of [1, 2). */
PART float one_to_two(uint32_t bits)
{
	return bits_float((bits & 0x807fffffu) | 0x3f800000u);
}

PART uint32_t path_fp32(uint32_t key, uint32_t iters)
{
	float x[CHAINS];
	uint32_t h = 0;

	UNROLL
	for (uint32_t j = 0; j < CHAINS; j++)
		x[j] = one_to_two(mix32(key + j));
	ROLLED
	for (uint32_t i = 0; i < iters; i++) {
		const float c = one_to_two(mix32(i));

		UNROLL
		for (uint32_t j = 0; j < CHAINS; j++) {
			const uint32_t bits = float_bits(
				FMA32(x[j], x[(j + 1) % CHAINS], c));

			h = fold(h, bits);
			x[j] = one_to_two(bits ^ h);
		}
	}
	return h;
}

PART double one_to_two_64(uint32_t high, uint32_t low)
{
	return bits_double(
		((uint64_t)high << 32 & 0x800fffff00000000ull) | low |
		0x3ff0000000000000ull);
}

PART uint32_t path_fp64(uint32_t key, uint32_t iters)
{
	double x[CHAINS];
	uint32_t h = 0;

	UNROLL
	for (uint32_t j = 0; j < CHAINS; j++)
		x[j] = one_to_two_64(mix32(key + j), mix32(~key - j));
	ROLLED
	for (uint32_t i = 0; i < iters; i++) {
		const double c = one_to_two_64(mix32(i), mix32(~i));

		UNROLL
		for (uint32_t j = 0; j < CHAINS; j++) {
			const uint64_t bits = double_bits(
				FMA64(x[j], x[(j + 1) % CHAINS], c));

			h = fold(fold(h, (uint32_t)bits),
				 (uint32_t)(bits >> 32));
			x[j] = one_to_two_64((uint32_t)(bits >> 32) ^ h,
					     (uint32_t)bits ^ mix32(h));
		}
	}
	return h;
}

/* Each thread on its own. */
PART void sdc_threads(uint64_t *mine, const struct kernel_sdc *k)
{
	EACH_THREAD(t) {
		const uint32_t key = mix32(seed_key(k->seed) + t);
		uint32_t h = 0;

		if (k->path == KERNEL_PATH_INT)
			h = path_int(key, k->iters);
		else if (k->path == KERNEL_PATH_FP32)
			h = path_fp32(key, k->iters);
		else if (k->path == KERNEL_PATH_FP64)
			h = path_fp64(key, k->iters);
		mine[MINE(t)] = mix64((uint64_t)t << 32 | h);
	}
}

/* ---- tensor cores -------------------------------------------------------- */

#define SDC_UNITS 4	/* a sum of four products */

/* Of one warp: operands that stay in registers and sums that are digested
 * after every iteration. */
struct sdc_warp {
	struct frag a[SDC_UNITS][LANES], b[SDC_UNITS][LANES];
	uint32_t h[ACC][LANES];
};

/* What differs between the formats. */
struct sdc_format {
	uint32_t per_reg;	/* elements */
	uint32_t one, any;	/* of all of them */
};

PART void sdc_warp_start(struct sdc_warp *g, uint32_t key,
			 const struct sdc_format *f)
{
	EACH_LANE(l) {
		UNROLL
		for (uint32_t u = 0; u < SDC_UNITS; u++) {
			UNROLL
			for (uint32_t r = 0; r < FRAG; r++) {
				const uint32_t k = frag_k(l, r, f->per_reg);
				const uint32_t ra = frag_row(l, r, SIDE_A);
				const uint32_t rb = frag_row(l, r, SIDE_B);
				const uint32_t at = key + (u << 9 | k);

				g->a[u][AT(l)].r[r] = f->one ^
					(mix32(at + (ra << 5)) & f->any);
				g->b[u][AT(l)].r[r] = f->one ^
					(mix32(~at - (rb << 5)) & f->any);
			}
		}
		UNROLL
		for (uint32_t i = 0; i < ACC; i++)
			g->h[i][AT(l)] = 0;
	}
}

/* Other signs and mantissas for the next time. */
PART void sdc_warp_turn(struct sdc_warp *g, uint32_t i, uint32_t any)
{
	EACH_LANE(l) {
		UNROLL
		for (uint32_t u = 0; u < SDC_UNITS; u++) {
			UNROLL
			for (uint32_t r = 0; r < FRAG; r++) {
				g->a[u][AT(l)].r[r] ^= mix32(i + u) & any;
				g->b[u][AT(l)].r[r] ^= mix32(~i - u) & any;
			}
		}
	}
}

PART void sdc_warp_iterate(struct sdc_warp *g, int fp8)
{
	struct acc c[LANES];

	EACH_LANE(l) {
		UNROLL
		for (uint32_t i = 0; i < ACC; i++)
			c[AT(l)].c[i] = 0;
	}
	UNROLL
	for (uint32_t u = 0; u < SDC_UNITS; u++) {
		if (fp8)
			unit_mma_fp8(c, g->a[u], g->b[u]);
		else
			unit_mma_8(c, g->a[u], g->b[u]);
	}
	EACH_LANE(l) {
		UNROLL
		for (uint32_t i = 0; i < ACC; i++)
			g->h[i][AT(l)] = fold(g->h[i][AT(l)],
					      float_bits(c[AT(l)].c[i]));
	}
}

PART void sdc_tensor(uint64_t *mine, const struct kernel_sdc *k, int fp8)
{
	const struct sdc_format f = {
		fp8 ? 4u : 2u,
		fp8 ? E4M3_ONE * 0x01010101u : HALF_ONE * 0x00010001u,
		fp8 ? E4M3_ANY * 0x01010101u : HALF_ANY * 0x00010001u
	};

	EACH_WARP(w) {
		struct sdc_warp g;

		sdc_warp_start(&g, mix32(seed_key(k->seed) + w), &f);
		ROLLED
		for (uint32_t i = 0; i < k->iters; i++) {
			sdc_warp_iterate(&g, fp8);
			sdc_warp_turn(&g, i, f.any);
		}
		EACH_LANE(l) {
			uint64_t sum = 0;

			UNROLL
			for (uint32_t i = 0; i < ACC; i++) {
				const uint64_t at = w << 8 |
					acc_row(l, i) << 4 | acc_col(l, i);

				sum += mix64(at << 32 | g.h[i][AT(l)]);
			}
			mine[MINE(w * WARP + l)] = sum;
		}
	}
}

/* ---- memory -------------------------------------------------------------- */

/* Larger than any half, so that every half is walked through completely. */
#define STRIDE_PRIME 1048583u

/* From one half of a buffer into the other, to and fro: each word goes to
 * another place, turned by a bit and changed by a key. */
struct sweep {
	struct word *mem;
	uint32_t half;		/* words */
	int l2;			/* global memory, past L1 */
};

PART struct word sweep_load(const struct sweep *s, uint32_t i)
{
	return s->l2 ? word_load_l2(s->mem + i) : s->mem[i];
}

PART void sweep_start(const struct sweep *s, uint32_t key)
{
	EACH_THREAD(t) {
		ROLLED
		for (uint32_t i = t; i < s->half; i += KERNEL_THREADS) {
			UNROLL
			for (uint32_t p = 0; p < 4; p++)
				s->mem[i].part[p] = mix32(key + 4 * i + p);
		}
	}
}

PART void sweep_once(const struct sweep *s, uint32_t i)
{
	const uint32_t from = i % 2 * s->half, to = s->half - from;
	const uint32_t start = mix32(i) % s->half, key = mix32(~i);

	EACH_THREAD(t) {
		ROLLED
		for (uint32_t j = t; j < s->half; j += KERNEL_THREADS) {
			const uint64_t step = (uint64_t)j * STRIDE_PRIME;
			struct word w = sweep_load(
				s, from + (uint32_t)((step + start) % s->half));

			UNROLL
			for (uint32_t p = 0; p < 4; p++)
				w.part[p] = rotate(w.part[p], 1) ^ key;
			s->mem[to + j] = w;
		}
	}
}

PART void sweep_digest(uint64_t *mine, const struct sweep *s, uint32_t iters)
{
	const uint32_t from = iters % 2 * s->half;

	EACH_THREAD(t) {
		uint64_t sum = 0;

		ROLLED
		for (uint32_t j = t; j < s->half; j += KERNEL_THREADS) {
			const struct word w = sweep_load(s, from + j);

			UNROLL
			for (uint32_t p = 0; p < 4; p++)
				sum += mix64((uint64_t)(4 * j + p) << 32 |
					     w.part[p]);
		}
		mine[MINE(t)] = sum;
	}
}

PART int sdc_sweep(uint64_t *mine, const struct kernel_sdc *k,
		   const struct sweep *s)
{
	if (s->half == 0)
		return 0;
	sweep_start(s, seed_key(k->seed));
	SYNC();
	ROLLED
	for (uint32_t i = 0; i < k->iters; i++) {
		sweep_once(s, i);
		SYNC();
	}
	sweep_digest(mine, s, k->iters);
	return 1;
}

PART int sdc_shared(uint64_t *mine, const struct kernel_sdc *k,
		    struct word *shared)
{
	const uint32_t have = shared_bytes() / sizeof(struct word);
	const uint32_t want = k->scratch_words ?
		k->scratch_words : KERNEL_GEMM_SHARED_MIN / sizeof(struct word);
	const struct sweep s = { shared, (want < have ? want : have) / 2, 0 };

	return sdc_sweep(mine, k, &s);
}

PART int sdc_l2(uint64_t *mine, const struct kernel_sdc *k, uint32_t block)
{
	const struct sweep s = {
		words_at(k->scratch) + (uint64_t)block * k->scratch_words,
		k->scratch ? k->scratch_words / 2 : 0, 1
	};

	return sdc_sweep(mine, k, &s);
}

/* ---- the kernel ---------------------------------------------------------- */

/* What each thread adds. 0: there is no such path here, or nothing to run it
 * on. */
PART int sdc_run(uint64_t *mine, const struct kernel_sdc *k, uint32_t block,
		 struct word *shared)
{
	if (k->path <= KERNEL_PATH_FP64)
		sdc_threads(mine, k);
	else if (k->path == KERNEL_PATH_BF16)
		sdc_tensor(mine, k, 0);
	else if (k->path == KERNEL_PATH_FP8 && HAVE_FP8)
		sdc_tensor(mine, k, 1);
	else if (k->path == KERNEL_PATH_SHARED)
		return sdc_shared(mine, k, shared);
	else if (k->path == KERNEL_PATH_L2)
		return sdc_l2(mine, k, block);
	else
		return 0;
	return 1;
}

PART void block_sdc(const struct kernel_sdc *k,
		    const struct kernel_place *here, struct word *shared)
{
	uint64_t *scratch = (uint64_t *)shared;
	uint64_t mine[THREADS];

	if (!sdc_run(mine, k, here->block, shared)) {
		EACH_THREAD(t) {
			if (t == 0) {
				const struct kernel_sm none = { here->sm,
								here->block, 0 };

				((struct kernel_sm *)(uintptr_t)
					 k->out)[here->block] = none;
			}
		}
		return;
	}
	SYNC();
	block_reduce(scratch, mine, REDUCE_SUM);
	sm_result(k->out, here, scratch, (uint64_t)k->seed << 32 | k->iters);
}

#endif
