/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "tests/fake/cuda_kernels.h"

#include <string.h>

#include "tests/fake/cuda_corrupt.h"
#include "tests/fake/cuda_memory.h"

#define WORD 16		/* bytes of a word of the memory kernels */
#define ITERS_MAX 1	/* run for real; all of them are charged */

/* ---- what a kernel touches and costs ------------------------------------ */

/* From here on the address is the host's. */
static void reach(struct launch *l, uint64_t *address, uint64_t count,
		  size_t size)
{
	void *p = NULL;

	if (count <= SIZE_MAX / size)
		p = cumem_reach(l->dev, *address, (size_t)count * size);
	if (!p)
		l->rc = CUDA_RC_ILLEGAL_ADDRESS;
	*address = (uint64_t)(uintptr_t)p;
}

/* A memory kernel: it moves so many bytes a word. */
static void cost(struct launch *l, enum rate rate, uint64_t *words, int bytes)
{
	l->cost = (struct cost){ rate, 0, (double)*words * bytes, l->dev };
	*words = cumem_real(l->dev, (double)*words * WORD) / WORD;
}

static void plan_fill(struct launch *l)
{
	struct kernel_fill *a = &l->args.fill;

	reach(l, &a->dst, a->words, WORD);
	cost(l, RATE_HBM, &a->words, WORD);
}

static void plan_read(struct launch *l)
{
	struct kernel_read *a = &l->args.read;

	reach(l, &a->src, a->words, WORD);
	reach(l, &a->out, l->grid, sizeof(uint64_t));
	cost(l, RATE_READ, &a->words, WORD);
}

static void plan_triad(struct launch *l)
{
	struct kernel_triad *a = &l->args.triad;

	reach(l, &a->a, a->words, WORD);
	reach(l, &a->b, a->words, WORD);
	reach(l, &a->c, a->words, WORD);
	cost(l, RATE_TRIAD, &a->words, 3 * WORD);
}

static void plan_invert(struct launch *l)
{
	struct kernel_invert *a = &l->args.invert;

	reach(l, &a->dst, a->words, WORD);
	cost(l, RATE_HBM, &a->words, 2 * WORD);
}

static void plan_check(struct launch *l)
{
	struct kernel_check *a = &l->args.check;

	reach(l, &a->src, a->words, WORD);
	reach(l, &a->out, l->grid, sizeof(struct kernel_bad));
	cost(l, RATE_READ, &a->words, WORD);
}

static void plan_gemm(struct launch *l)
{
	struct kernel_gemm *a = &l->args.gemm;

	reach(l, &a->out, l->grid, sizeof(struct kernel_sm));
	l->cost = (struct cost){ RATE_GEMM, 0,
				 KERNEL_GEMM_FLOP * a->iters * l->grid, l->dev };
	if (a->iters > ITERS_MAX)
		a->iters = ITERS_MAX;
}

static void plan_sdc(struct launch *l)
{
	struct kernel_sdc *a = &l->args.sdc;

	reach(l, &a->out, l->grid, sizeof(struct kernel_sm));
	if (a->path == KERNEL_PATH_L2)
		reach(l, &a->scratch, (uint64_t)a->scratch_words * l->grid,
		      WORD);
	l->cost = (struct cost){ RATE_SDC, a->path, 1, l->dev };
	if (a->iters > ITERS_MAX)
		a->iters = ITERS_MAX;
}

/* ---- what goes wrong in it ---------------------------------------------- */

/* A block's place, as a device with so many SMs deals them out. */
static struct kernel_place place(const struct launch *l, unsigned int block)
{
	return (struct kernel_place){ block, l->grid, block % l->sms };
}

static int is_hit(const struct launch *l, const struct corrupt *c, int block)
{
	return c->sm < 0 || c->sm == block % (int)l->sms;
}

/* One word of a list of results, by the SM that the block ran on. */
static void spoil_results(const struct launch *l, const struct corrupt *c,
			  void *out, size_t size)
{
	unsigned int b;

	for (b = 0; b < l->grid; b++)
		if (is_hit(l, c, (int)b))
			corrupt_flip((char *)out + b * size, 8, c->bit);
}

static void spoil_digests(const struct launch *l, const struct corrupt *c,
			  uint64_t out)
{
	struct kernel_sm *r = (struct kernel_sm *)(uintptr_t)out;

	spoil_results(l, c, &r->digest, sizeof(*r));
}

static void spoil_gemm(const struct launch *l, const struct corrupt *c)
{
	spoil_digests(l, c, l->args.gemm.out);
}

static void spoil_sdc(const struct launch *l, const struct corrupt *c)
{
	if (c->path < 0 || (uint32_t)c->path == l->args.sdc.path)
		spoil_digests(l, c, l->args.sdc.out);
}

static void spoil_read(const struct launch *l, const struct corrupt *c)
{
	spoil_results(l, c, (void *)(uintptr_t)l->args.read.out, 8);
}

static void spoil_memory(uint64_t at, uint64_t words, const struct corrupt *c)
{
	corrupt_flip((void *)(uintptr_t)at, (size_t)words * WORD, c->bit);
}

static void spoil_fill(const struct launch *l, const struct corrupt *c)
{
	spoil_memory(l->args.fill.dst, l->args.fill.words, c);
}

static void spoil_triad(const struct launch *l, const struct corrupt *c)
{
	spoil_memory(l->args.triad.a, l->args.triad.words, c);
}

static void spoil_invert(const struct launch *l, const struct corrupt *c)
{
	spoil_memory(l->args.invert.dst, l->args.invert.words, c);
}

/* The memory went bad before it was looked at. */
static void spoil_check(const struct launch *l, const struct corrupt *c)
{
	spoil_memory(l->args.check.src, l->args.check.words, c);
}

/* ---- running ------------------------------------------------------------ */

static const struct {
	const char *word;
	bool spoil_first;
	void (*plan)(struct launch *l);
	void (*spoil)(const struct launch *l, const struct corrupt *c);
} table[KERNEL_COUNT] = {
	[KERNEL_fill] = { "fill", false, plan_fill, spoil_fill },
	[KERNEL_read] = { "read", false, plan_read, spoil_read },
	[KERNEL_triad] = { "triad", false, plan_triad, spoil_triad },
	[KERNEL_gemm] = { "gemm", false, plan_gemm, spoil_gemm },
	[KERNEL_sdc] = { "sdc", false, plan_sdc, spoil_sdc },
	[KERNEL_invert] = { "invert", false, plan_invert, spoil_invert },
	[KERNEL_check] = { "check", true, plan_check, spoil_check },
};

static void spoil(const struct launch *l)
{
	struct corrupt list[CORRUPT_MAX];
	int i, n = corrupt_list(l->dev, table[l->kernel].word, list);

	for (i = 0; i < n; i++)
		table[l->kernel].spoil(l, &list[i]);
}

/* Instructions that the device has not got leave no digest. */
static bool has_path(const struct launch *l)
{
	int major = 0, minor = 0;

	if (l->kernel != KERNEL_sdc)
		return true;
	cudev_attribute(l->dev, CUDA_ATTR_CC_MAJOR, &major);
	cudev_attribute(l->dev, CUDA_ATTR_CC_MINOR, &minor);
	return kernels_has_path(major * 10 + minor,
				(enum kernel_path)l->args.sdc.path);
}

/* One block told all: the others differ in their place only. */
static void copy_digests(const struct launch *l)
{
	struct kernel_sm *r = (struct kernel_sm *)(uintptr_t)l->args.gemm.out;
	struct kernel_place p;
	unsigned int b;

	if (!has_path(l))
		r[0].digest = 0;
	for (b = 1; b < l->grid; b++) {
		p = place(l, b);
		r[b] = (struct kernel_sm){ p.sm, b, r[0].digest };
	}
}

static void run_blocks(const struct launch *l)
{
	const struct kernel_host *k = &kernels_host[l->kernel];
	unsigned int b, n = k->same ? 1 : l->grid;
	struct kernel_place p;

	for (b = 0; b < n; b++) {
		p = place(l, b);
		k->block(&l->args, &p);
	}
	if (k->same)
		copy_digests(l);
}

int cukern_run(struct launch *l)
{
	table[l->kernel].plan(l);
	if (l->rc)
		return l->rc;
	if (table[l->kernel].spoil_first)
		spoil(l);
	run_blocks(l);
	if (!table[l->kernel].spoil_first)
		spoil(l);
	return CUDA_RC_OK;
}
