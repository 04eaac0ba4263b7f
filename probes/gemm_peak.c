/* SPDX-License-Identifier: Apache-2.0
 * gemm_peak - a large multiplication by NVIDIA's own library, where it is
 * there: the rate that datasheets and other tools speak of. */
#include "config.h"
#include "probes/measure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "probes/crew.h"

#define SIDE_MAX 8192		/* n of n x n x n */
#define SIDE_LEAST 1024
#define WORKSPACE_MAX (32LL << 20)	/* NVIDIA's advice from Hopper on */
#define WARM_UPS 3
#define ROUNDS 30		/* 50 ms on a large part */
#define NUMBER 2		/* bytes */
#define PIECE (1 << 20)		/* of random numbers, again and again */

struct peak {
	struct probe_device *d;
	struct probe_shot *shot;
	struct devlibs_cublaslt blas;
	int type;
	int64_t side;
	cuda_ptr a, b, c, workspace;
	int64_t workspace_bytes;
	struct blas_handle *handle;
	struct blas_matmul *matmul;
	struct blas_layout *layout;	/* all three are alike */
	struct blas_preference *preference;
	struct blas_choice choice;
};

/* A call of the library that is no call of the driver: 0, or -1. */
static int leave(struct peak *p, const char *call, int rc)
{
	device_enter(p->d->libs, "");
	return rc == BLAS_RC_OK ? 0 :
				  device_unable(p->shot, "%s: cuBLAS error %d",
						call, rc);
}

#define BLAS_CALL(p, name, ...) \
	(device_enter((p)->d->libs, "cublasLt " #name), \
	 leave(p, "cublasLt " #name, (p)->blas.name(__VA_ARGS__)))

/* ---- memory ---------------------------------------------------------------- */

static int64_t matrix_bytes(const struct peak *p)
{
	return p->side * p->side * NUMBER;
}

/* The largest multiplication that there is room for; a quarter of what is free
 * for each of four buffers. */
static int choose_side(struct peak *p)
{
	int64_t room = device_room(p->d, p->shot, SIDE_MAX * SIDE_MAX * NUMBER,
				   SIDE_LEAST * SIDE_LEAST * NUMBER);

	if (room < 0)
		return -1;
	p->side = SIDE_MAX;
	while (matrix_bytes(p) > room)
		p->side /= 2;
	p->workspace_bytes = room < WORKSPACE_MAX ? room : WORKSPACE_MAX;
	return 0;
}

static int open_memory(struct peak *p)
{
	return choose_side(p) < 0 ||
			       device_alloc(p->d, p->shot, &p->a,
					    matrix_bytes(p)) < 0 ||
			       device_alloc(p->d, p->shot, &p->b,
					    matrix_bytes(p)) < 0 ||
			       device_alloc(p->d, p->shot, &p->c,
					    matrix_bytes(p)) < 0 ||
			       device_alloc(p->d, p->shot, &p->workspace,
					    p->workspace_bytes) < 0 ?
		       -1 :
		       0;
}

static void close_memory(struct peak *p)
{
	device_free(p->d, &p->a, matrix_bytes(p));
	device_free(p->d, &p->b, matrix_bytes(p));
	device_free(p->d, &p->c, matrix_bytes(p));
	device_free(p->d, &p->workspace, p->workspace_bytes);
}

/* Numbers between one and two, either sign, as 16-bit floats: what is the same
 * everywhere, or zero, would cost less power than work does. */
static void make_numbers(const struct peak *p, uint16_t *v, uint64_t x)
{
	uint16_t any = p->type == BLAS_BFLOAT16 ? 0x807f : 0x83ff;
	uint16_t one = p->type == BLAS_BFLOAT16 ? 0x3f80 : 0x3c00;
	size_t i;

	for (i = 0; i < PIECE / NUMBER; i++) {
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		v[i] = (uint16_t)((x >> 48 & any) | one);
	}
}

static int fill(struct peak *p, cuda_ptr to, const void *piece)
{
	int64_t at;

	for (at = 0; at < matrix_bytes(p); at += PIECE)
		if (DEVICE_CALL(p->d->libs, p->shot, copy_h2d,
				to + (uint64_t)at, piece, PIECE,
				p->d->stream) < 0)
			return -1;
	return device_wait(p->d, p->shot);
}

static int fill_both(struct peak *p)
{
	uint16_t *piece = malloc(PIECE);
	int rc = -1;

	if (!piece)
		return device_not_now(p->shot, "out of memory");
	make_numbers(p, piece, 1);
	if (fill(p, p->a, piece) < 0)
		goto out;
	make_numbers(p, piece, 2);
	rc = fill(p, p->b, piece);
out:
	free(piece);
	return rc;
}

/* ---- the library ----------------------------------------------------------- */

static int load(struct peak *p)
{
	const struct crew_plan *plan = p->d->libs->plan;
	struct err e;

	if (measure_may_load(plan, plan->cublaslt_path, p->shot) < 0)
		return -1;
	device_enter(p->d->libs, "dlopen");
	if (devlibs_cublaslt_load(&p->blas, plan->cublaslt_path, &e) < 0)
		return measure_no_library(plan->cublaslt_path, &e, p->shot);
	device_enter(p->d->libs, "");
	return 0;
}

static int choose_algorithm(struct peak *p)
{
	int found = 0;

	if (BLAS_CALL(p, choose, p->handle, p->matmul, p->layout, p->layout,
		      p->layout, p->layout, p->preference, 1, &p->choice,
		      &found) < 0)
		return -1;
	return found > 0 ? 0 : device_unable(p->shot, "cuBLASLt knows no way");
}

/* The inner dimension runs along memory in both factors, as tensor cores like
 * it best. */
static int open_library(struct peak *p)
{
	const int32_t transposed = BLAS_TRANSPOSED;
	const uint64_t n = (uint64_t)p->side;
	const uint64_t room = (uint64_t)p->workspace_bytes;

	if (BLAS_CALL(p, create, &p->handle) < 0 ||
	    BLAS_CALL(p, matmul_create, &p->matmul, BLAS_COMPUTE_32F,
		      BLAS_FLOAT32) < 0 ||
	    BLAS_CALL(p, matmul_set, p->matmul, BLAS_MATMUL_TRANSA,
		      &transposed, sizeof(transposed)) < 0 ||
	    BLAS_CALL(p, layout_create, &p->layout, p->type, n, n,
		      p->side) < 0 ||
	    BLAS_CALL(p, preference_create, &p->preference) < 0 ||
	    BLAS_CALL(p, preference_set, p->preference,
		      BLAS_PREFERENCE_WORKSPACE, &room, sizeof(room)) < 0)
		return -1;
	return choose_algorithm(p);
}

static void close_library(struct peak *p)
{
	device_enter(p->d->libs, "cublasLt destroy");
	if (p->preference)
		p->blas.preference_destroy(p->preference);
	if (p->layout)
		p->blas.layout_destroy(p->layout);
	if (p->matmul)
		p->blas.matmul_destroy(p->matmul);
	if (p->handle)
		p->blas.destroy(p->handle);
	device_enter(p->d->libs, "");
}

static void *address(cuda_ptr p)
{
	return (void *)(uintptr_t)p;
}

static int multiply(struct peak *p, int times)
{
	const float one = 1, zero = 0;
	int i;

	for (i = 0; i < times; i++)
		if (BLAS_CALL(p, matmul, p->handle, p->matmul, &one,
			      address(p->a), p->layout, address(p->b),
			      p->layout, &zero, address(p->c), p->layout,
			      address(p->c), p->layout, &p->choice.algo,
			      address(p->workspace),
			      (size_t)p->workspace_bytes, p->d->stream) < 0)
			return -1;
	return 0;
}

static int run(struct peak *p)
{
	double n = (double)p->side, seconds;

	if (multiply(p, WARM_UPS) < 0 || device_begin(p->d, p->shot) < 0 ||
	    multiply(p, ROUNDS) < 0 ||
	    device_finish(p->d, p->shot, &seconds) < 0)
		return -1;
	p->shot->figure[0] = 2 * n * n * n * ROUNDS / seconds / 1e12;
	p->shot->end = PROBE_DONE;
	return 0;
}

void measure_gemm_peak(struct probe_device *d, struct gpu_probes *g,
		       struct probe_shot *shot, int n)
{
	struct peak p = { .d = d,
			  .shot = shot,
			  .type = d->cc >= 80 ? BLAS_BFLOAT16 : BLAS_FLOAT16 };

	(void)g;
	(void)n;
	if (load(&p) < 0)
		return;
	if (open_memory(&p) == 0 && fill_both(&p) == 0 &&
	    open_library(&p) == 0)
		run(&p);
	close_library(&p);
	close_memory(&p);
}
