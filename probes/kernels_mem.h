/* SPDX-License-Identifier: Apache-2.0
 * kernels_mem - the kernels that walk through memory: 16 bytes for a thread
 * and access, a grid's width apart, several loads under way before the first
 * is needed.
 */
#ifndef ASSAY_KERNELS_MEM_H
#define ASSAY_KERNELS_MEM_H

#include "probes/kernels_lang.h"

#define READ_AHEAD 8
#define TRIAD_AHEAD 4	/* of two streams */
#define CHECK_AHEAD 4

/* A thread's way: words i, i + step, i + 2 step, ... below end. */
struct walk {
	uint64_t i, step, end;
};

PART struct walk walk_start(const struct kernel_place *here, uint32_t t,
			    uint64_t words)
{
	const struct walk w = { (uint64_t)here->block * KERNEL_THREADS + t,
				(uint64_t)here->grid * KERNEL_THREADS, words };

	return w;
}

/* Are n more words of this thread's there? */
PART int walk_has(const struct walk *w, uint32_t n)
{
	return w->i + (n - 1) * w->step < w->end;
}

/* Within 16 GiB no two parts are equal, so that a word that was read from a
 * wrong address shows. */
PART uint32_t pattern_key(uint64_t word, uint32_t seed)
{
	return mix32(seed_key(seed) + (uint32_t)(word >> 30));
}

PART uint32_t pattern_part(uint64_t word, uint32_t part, uint32_t key)
{
	return mix32(((uint32_t)word * 4 + part) ^ key);
}

PART struct word pattern_word(uint64_t word, uint32_t seed)
{
	const uint32_t key = pattern_key(word, seed);
	struct word w;

	UNROLL
	for (uint32_t part = 0; part < 4; part++)
		w.part[part] = pattern_part(word, part, key);
	return w;
}

PART void block_fill(const struct kernel_fill *k,
		     const struct kernel_place *here, struct word *shared)
{
	struct word *dst = words_at(k->dst);

	(void)shared;
	EACH_THREAD(t) {
		for (struct walk w = walk_start(here, t, k->words);
		     w.i < w.end; w.i += w.step)
			word_store(dst + w.i, pattern_word(w.i, k->seed));
	}
}

PART uint64_t word_sum(struct word w)
{
	return (uint64_t)w.part[0] + w.part[1] + w.part[2] + w.part[3];
}

PART uint64_t read_walk(const struct word *src, struct walk w)
{
	uint64_t sum = 0;

	for (; walk_has(&w, READ_AHEAD); w.i += READ_AHEAD * w.step) {
		struct word v[READ_AHEAD];

		UNROLL
		for (uint32_t j = 0; j < READ_AHEAD; j++)
			v[j] = word_load(src + w.i + j * w.step);
		UNROLL
		for (uint32_t j = 0; j < READ_AHEAD; j++)
			sum += word_sum(v[j]);
	}
	for (; w.i < w.end; w.i += w.step)
		sum += word_sum(word_load(src + w.i));
	return sum;
}

PART void block_read(const struct kernel_read *k,
		     const struct kernel_place *here, struct word *shared)
{
	uint64_t *scratch = (uint64_t *)shared;
	uint64_t mine[THREADS];

	EACH_THREAD(t)
		mine[MINE(t)] = read_walk(words_at(k->src),
					  walk_start(here, t, k->words));
	block_reduce(scratch, mine, REDUCE_SUM);
	EACH_THREAD(t) {
		if (t == 0)
			((uint64_t *)(uintptr_t)k->out)[here->block] =
				scratch[0];
	}
}

PART struct word word_triad(struct word b, struct word c, uint32_t scale)
{
	UNROLL
	for (uint32_t part = 0; part < 4; part++)
		b.part[part] += scale * c.part[part];
	return b;
}

PART void triad_walk(const struct kernel_triad *k, struct walk w)
{
	const struct word *b = words_at(k->b), *c = words_at(k->c);
	struct word *a = words_at(k->a);

	for (; walk_has(&w, TRIAD_AHEAD); w.i += TRIAD_AHEAD * w.step) {
		struct word vb[TRIAD_AHEAD], vc[TRIAD_AHEAD];

		UNROLL
		for (uint32_t j = 0; j < TRIAD_AHEAD; j++) {
			vb[j] = word_load(b + w.i + j * w.step);
			vc[j] = word_load(c + w.i + j * w.step);
		}
		UNROLL
		for (uint32_t j = 0; j < TRIAD_AHEAD; j++)
			word_store(a + w.i + j * w.step,
				   word_triad(vb[j], vc[j], k->scale));
	}
	for (; w.i < w.end; w.i += w.step)
		word_store(a + w.i, word_triad(word_load(b + w.i),
					       word_load(c + w.i), k->scale));
}

PART void block_triad(const struct kernel_triad *k,
		      const struct kernel_place *here, struct word *shared)
{
	(void)shared;
	EACH_THREAD(t)
		triad_walk(k, walk_start(here, t, k->words));
}

PART struct word word_invert(struct word w)
{
	UNROLL
	for (uint32_t part = 0; part < 4; part++)
		w.part[part] = ~w.part[part];
	return w;
}

PART void invert_walk(struct word *dst, struct walk w)
{
	for (; walk_has(&w, CHECK_AHEAD); w.i += CHECK_AHEAD * w.step) {
		struct word v[CHECK_AHEAD];

		UNROLL
		for (uint32_t j = 0; j < CHECK_AHEAD; j++)
			v[j] = word_load(dst + w.i + j * w.step);
		UNROLL
		for (uint32_t j = 0; j < CHECK_AHEAD; j++)
			word_store(dst + w.i + j * w.step, word_invert(v[j]));
	}
	for (; w.i < w.end; w.i += w.step)
		word_store(dst + w.i, word_invert(word_load(dst + w.i)));
}

PART void block_invert(const struct kernel_invert *k,
		       const struct kernel_place *here, struct word *shared)
{
	(void)shared;
	EACH_THREAD(t)
		invert_walk(words_at(k->dst), walk_start(here, t, k->words));
}

/* Adds the parts of word i that are not as they should be. */
PART void check_word(struct kernel_bad *bad, const struct kernel_check *k,
		     uint64_t i, struct word got)
{
	struct word want = pattern_word(i, k->seed);

	UNROLL
	for (uint32_t part = 0; part < 4; part++) {
		want.part[part] ^= 0u - k->invert;
		if (want.part[part] == got.part[part])
			continue;
		bad->count++;
		if (bad->first != ~0ull)
			continue;
		bad->first = i;
		bad->want = want.part[part];
		bad->got = got.part[part];
	}
}

PART struct kernel_bad check_walk(const struct kernel_check *k, struct walk w)
{
	const struct word *src = words_at(k->src);
	struct kernel_bad bad = { 0, ~0ull, 0, 0 };

	for (; walk_has(&w, CHECK_AHEAD); w.i += CHECK_AHEAD * w.step) {
		struct word v[CHECK_AHEAD];

		UNROLL
		for (uint32_t j = 0; j < CHECK_AHEAD; j++)
			v[j] = word_load(src + w.i + j * w.step);
		UNROLL
		for (uint32_t j = 0; j < CHECK_AHEAD; j++)
			check_word(&bad, k, w.i + j * w.step, v[j]);
	}
	for (; w.i < w.end; w.i += w.step)
		check_word(&bad, k, w.i, word_load(src + w.i));
	return bad;
}

/* The thread that met the block's first bad word tells of it; of a clean
 * block, thread 0 does. */
PART void block_check(const struct kernel_check *k,
		      const struct kernel_place *here, struct word *shared)
{
	struct kernel_bad *out =
		(struct kernel_bad *)(uintptr_t)k->out + here->block;
	uint64_t *scratch = (uint64_t *)shared;
	struct kernel_bad bad[THREADS];
	uint64_t mine[THREADS], count[THREADS];

	EACH_THREAD(t) {
		bad[MINE(t)] = check_walk(k, walk_start(here, t, k->words));
		mine[MINE(t)] = bad[MINE(t)].count;
	}
	block_reduce(scratch, mine, REDUCE_SUM);
	EACH_THREAD(t) {
		count[MINE(t)] = scratch[0];
		mine[MINE(t)] = bad[MINE(t)].first;
	}
	SYNC();
	block_reduce(scratch, mine, REDUCE_MIN);
	EACH_THREAD(t) {
		const int teller = scratch[0] == ~0ull ?
			t == 0 : bad[MINE(t)].first == scratch[0];

		bad[MINE(t)].count = count[MINE(t)];
		if (teller)
			*out = bad[MINE(t)];
	}
}

#endif
