/* SPDX-License-Identifier: Apache-2.0
 * kernels - every kernel once on a small piece of work, on the GPU and on the
 * CPU: is it the same? Small, because compute-sanitizer runs it too. */
#include "config.h"
#include "tests/device/rig.h"

#include <stdlib.h>
#include <string.h>

#define WORDS 65536u
#define WORD 16
#define SEED 7u
#define SCRATCH_WORDS 64u	/* of a block; fits WORDS up to 1024 SMs */

enum buf { A, B, C, OUT, BUFS };

/* The same work as one of the two sees it. */
struct side {
	uint64_t at[BUFS];	/* addresses */
	uint32_t iters;
};

union args {
	struct kernel_fill fill;
	struct kernel_read read;
	struct kernel_triad triad;
	struct kernel_gemm gemm;
	struct kernel_sdc sdc;
	struct kernel_invert invert;
	struct kernel_check check;
};

struct both {
	struct rig *r;
	struct side gpu, cpu;
	unsigned int grid;
	cuda_ptr dev[BUFS];
	void *host[BUFS], *back;
};

/* ---- the work ------------------------------------------------------------ */

static void fill_b(const struct side *s, union args *k)
{
	k->fill = (struct kernel_fill){ s->at[B], WORDS, SEED, 0 };
}

static void fill_c(const struct side *s, union args *k)
{
	k->fill = (struct kernel_fill){ s->at[C], WORDS, SEED + 1, 0 };
}

static void triad(const struct side *s, union args *k)
{
	k->triad = (struct kernel_triad){ s->at[A], s->at[B], s->at[C], WORDS,
					  3, 0 };
}

static void read_a(const struct side *s, union args *k)
{
	k->read = (struct kernel_read){ s->at[A], WORDS, s->at[OUT] };
}

static void check_b(const struct side *s, union args *k)
{
	k->check = (struct kernel_check){ s->at[B], WORDS, s->at[OUT], SEED, 0 };
}

/* Finds all words bad. */
static void check_c(const struct side *s, union args *k)
{
	k->check = (struct kernel_check){ s->at[C], WORDS, s->at[OUT], SEED, 0 };
}

static void invert_b(const struct side *s, union args *k)
{
	k->invert = (struct kernel_invert){ s->at[B], WORDS };
}

static void check_inverted(const struct side *s, union args *k)
{
	k->check = (struct kernel_check){ s->at[B], WORDS, s->at[OUT], SEED, 1 };
}

static void gemm(const struct side *s, union args *k)
{
	k->gemm = (struct kernel_gemm){ s->at[OUT], SEED, s->iters };
}

#define SDC(name, which) \
	static void name(const struct side *s, union args *k) \
	{ \
		k->sdc = (struct kernel_sdc){ s->at[OUT], s->at[A], \
					      SCRATCH_WORDS, which, SEED, \
					      s->iters }; \
	}
SDC(sdc_int, KERNEL_PATH_INT)
SDC(sdc_fp32, KERNEL_PATH_FP32)
SDC(sdc_fp64, KERNEL_PATH_FP64)
SDC(sdc_bf16, KERNEL_PATH_BF16)
SDC(sdc_fp8, KERNEL_PATH_FP8)
SDC(sdc_shared, KERNEL_PATH_SHARED)
SDC(sdc_l2, KERNEL_PATH_L2)

static const struct work {
	const char *name;
	enum kernel kernel;
	void (*args)(const struct side *s, union args *k);
	enum buf result;
	size_t each;		/* bytes of a block's result; 0: all of it */
	bool own;		/* the architecture's own digest, not the CPU's */
} works[] = {
	{ "fill", KERNEL_fill, fill_b, B, 0, false },
	{ "fill, another seed", KERNEL_fill, fill_c, C, 0, false },
	{ "triad", KERNEL_triad, triad, A, 0, false },
	{ "read", KERNEL_read, read_a, OUT, 8, false },
	{ "check", KERNEL_check, check_b, OUT, 24, false },
	{ "check, all bad", KERNEL_check, check_c, OUT, 24, false },
	{ "invert", KERNEL_invert, invert_b, B, 0, false },
	{ "check, inverted", KERNEL_check, check_inverted, OUT, 24, false },
	{ "gemm", KERNEL_gemm, gemm, OUT, 0, false },
	{ "sdc int", KERNEL_sdc, sdc_int, OUT, 0, false },
	{ "sdc fp32", KERNEL_sdc, sdc_fp32, OUT, 0, false },
	{ "sdc fp64", KERNEL_sdc, sdc_fp64, OUT, 0, false },
	{ "sdc bf16", KERNEL_sdc, sdc_bf16, OUT, 0, false },
	{ "sdc fp8", KERNEL_sdc, sdc_fp8, OUT, 0, true },
	{ "sdc shared", KERNEL_sdc, sdc_shared, OUT, 0, false },
	{ "sdc l2", KERNEL_sdc, sdc_l2, OUT, 0, false },
};

/* ---- both run it --------------------------------------------------------- */

static int run_gpu(struct both *b, const struct work *w)
{
	struct rig *r = b->r;
	union args k;
	struct kernel_run run = { .kernel = w->kernel,
				  .blocks = b->grid,
				  .args = &k };

	if (kernels_host[w->kernel].same)
		run.shared_bytes = KERNEL_GEMM_SHARED_MIN;
	w->args(&b->gpu, &k);
	return device_launch(&r->gpu, &r->shot, &run) < 0 ||
			       DEVICE_CALL(&r->libs, &r->shot, copy_d2h,
					   b->back, b->dev[w->result],
					   WORDS * WORD, r->gpu.stream) < 0 ||
			       device_wait(&r->gpu, &r->shot) < 0 ?
		       -1 :
		       0;
}

static void run_cpu(struct both *b, const struct work *w)
{
	const struct kernel_host *k = &kernels_host[w->kernel];
	struct kernel_place here = { 0, b->grid, 0 };
	union args args;

	w->args(&b->cpu, &args);
	for (; here.block < (k->same ? 1 : b->grid); here.block++)
		k->block(&args, &here);
}

/* Every block's digest, against the CPU's or, of their own, the first one. */
static bool same_digests(const struct both *b, const struct work *w)
{
	const struct kernel_sm *gpu = b->back;
	uint64_t want = w->own ? gpu[0].digest :
				 ((struct kernel_sm *)b->host[OUT])->digest;
	unsigned int i;

	for (i = 0; i < b->grid; i++)
		if (gpu[i].digest != want)
			return false;
	return true;
}

static bool same(const struct both *b, const struct work *w)
{
	size_t size = w->each ? w->each * b->grid : WORDS * WORD;

	if (kernels_host[w->kernel].same)
		return same_digests(b, w);
	return memcmp(b->back, b->host[w->result], size) == 0;
}

static int run_all(struct both *b)
{
	json_t *wrong = json_array();
	size_t i, n = sizeof(works) / sizeof(*works);

	rig_put(b->r, "wrong", wrong);
	rig_put(b->r, "count", json_integer((json_int_t)n));
	for (i = 0; i < n; i++) {
		if (run_gpu(b, &works[i]) < 0)
			return rig_ended(b->r);
		run_cpu(b, &works[i]);
		if (!same(b, &works[i]))
			json_array_append_new(wrong,
					      json_string(works[i].name));
	}
	return json_array_size(wrong) ? RIG_WRONG : RIG_OK;
}

/* ---- their memory -------------------------------------------------------- */

static int open_buffers(struct both *b)
{
	struct rig *r = b->r;
	int i;

	b->back = calloc(WORDS, WORD);
	for (i = 0; i < BUFS; i++) {
		b->host[i] = calloc(WORDS, WORD);
		if (!b->host[i] || !b->back)
			return rig_none("out of memory");
		if (device_alloc(&r->gpu, &r->shot, &b->dev[i],
				 WORDS * WORD) < 0 ||
		    DEVICE_CALL(&r->libs, &r->shot, memset_d32, b->dev[i], 0,
				WORDS * WORD / 4, r->gpu.stream) < 0)
			return rig_ended(r);
		b->gpu.at[i] = b->dev[i];
		b->cpu.at[i] = (uint64_t)(uintptr_t)b->host[i];
	}
	return RIG_OK;
}

static void close_buffers(struct both *b)
{
	int i;

	for (i = 0; i < BUFS; i++) {
		if (b->r->gpu.libs)
			device_free(&b->r->gpu, &b->dev[i], WORDS * WORD);
		free(b->host[i]);
	}
	free(b->back);
}

int rig_kernels(struct rig *r)
{
	struct both b = { .r = r };
	int rc = rig_open_gpu(r);

	if (rc != RIG_OK)
		return rc;
	if (r->gpu.no_kernels[0])
		return rig_none("%s", r->gpu.no_kernels);
	b.grid = (unsigned int)(r->gpu.sms > 0 ? r->gpu.sms : 1);
	b.gpu.iters = b.cpu.iters = (uint32_t)r->n;
	rc = open_buffers(&b);
	if (rc == RIG_OK)
		rc = run_all(&b);
	close_buffers(&b);
	return rc;
}
