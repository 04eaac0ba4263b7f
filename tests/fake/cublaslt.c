/* SPDX-License-Identifier: Apache-2.0
 * A stand-in for libcublasLt.so: nothing is multiplied, but the matrices have
 * to be memory of the stream's device, and the time goes to its clock.
 */
#include "config.h"

#include <stdlib.h>

#include "lib/cublaslt.h"
#include "tests/fake/cuda_stream.h"
#include "tests/fake/export.h"

#define FAKE_SECTION "cublaslt"
#define EXPORT(name, params) EXPORT_AS(cublasLt, int, name, params)

#define RC_NOT_INITIALIZED 1	/* as cublas_api.h has them */
#define RC_ALLOC_FAILED 3
#define RC_INVALID_VALUE 7

struct blas_handle {
	int unused;
};

struct blas_matmul {
	int compute, scale;
};

struct blas_layout {
	int type;
	uint64_t rows, columns;
	int64_t lead;
};

struct blas_preference {
	uint64_t workspace;
};

/* A call begins: what the scenario has it answer. */
static int begin(const char *func)
{
	struct scn_device library = scn_library(FAKE_SECTION);
	struct scn_path p = { { func, NULL } };

	scn_begin();
	return scn_at(&library, &p).rc;
}

static int create(const char *func, void *out, size_t size)
{
	void **place = out;
	int rc = begin(func);

	if (rc || !place)
		return rc ? rc : RC_INVALID_VALUE;
	*place = calloc(1, size);
	return *place ? BLAS_RC_OK : RC_ALLOC_FAILED;
}

static int destroy(const char *func, void *thing)
{
	int rc = begin(func);

	if (rc || !thing)
		return rc ? rc : RC_INVALID_VALUE;
	free(thing);
	return BLAS_RC_OK;
}

EXPORT(Create, (struct blas_handle * *out))
{
	if (!scn_section(FAKE_SECTION))
		return RC_NOT_INITIALIZED;
	return create("Create", out, sizeof(**out));
}

EXPORT(Destroy, (struct blas_handle * handle))
{
	return destroy("Destroy", handle);
}

EXPORT(MatmulDescCreate, (struct blas_matmul * *out, int compute, int scale))
{
	int rc = create("MatmulDescCreate", out, sizeof(**out));

	if (!rc)
		**out = (struct blas_matmul){ compute, scale };
	return rc;
}

EXPORT(MatmulDescSetAttribute,
	(struct blas_matmul * m, int which, const void *value, size_t size))
{
	int rc = begin("MatmulDescSetAttribute");

	if (rc)
		return rc;
	return m && which == BLAS_MATMUL_TRANSA && value &&
			       size == sizeof(int32_t)
		       ? BLAS_RC_OK
		       : RC_INVALID_VALUE;
}

EXPORT(MatmulDescDestroy, (struct blas_matmul * m))
{
	return destroy("MatmulDescDestroy", m);
}

EXPORT(MatrixLayoutCreate, (struct blas_layout * *out, int type, uint64_t rows,
			    uint64_t columns, int64_t lead))
{
	int rc = create("MatrixLayoutCreate", out, sizeof(**out));

	if (!rc)
		**out = (struct blas_layout){ type, rows, columns, lead };
	return rc;
}

EXPORT(MatrixLayoutDestroy, (struct blas_layout * l))
{
	return destroy("MatrixLayoutDestroy", l);
}

EXPORT(MatmulPreferenceCreate, (struct blas_preference * *out))
{
	return create("MatmulPreferenceCreate", out, sizeof(**out));
}

EXPORT(MatmulPreferenceSetAttribute, (struct blas_preference * p, int which,
				      const void *value, size_t size))
{
	int rc = begin("MatmulPreferenceSetAttribute");

	if (rc)
		return rc;
	if (!p || which != BLAS_PREFERENCE_WORKSPACE || !value ||
	    size != sizeof(uint64_t))
		return RC_INVALID_VALUE;
	p->workspace = *(const uint64_t *)value;
	return BLAS_RC_OK;
}

EXPORT(MatmulPreferenceDestroy, (struct blas_preference * p))
{
	return destroy("MatmulPreferenceDestroy", p);
}

EXPORT(MatmulAlgoGetHeuristic,
	(struct blas_handle * handle, struct blas_matmul *m,
	struct blas_layout *a, struct blas_layout *b, struct blas_layout *c,
	struct blas_layout *d, struct blas_preference *p, int wanted,
	struct blas_choice *choice, int *found))
{
	int rc = begin("MatmulAlgoGetHeuristic");

	if (rc)
		return rc;
	if (!handle || !m || !a || !b || !c || !d || !p || wanted < 1 ||
	    !choice || !found)
		return RC_INVALID_VALUE;
	*choice = (struct blas_choice){ .workspace = p->workspace,
					.waves = 1 };
	*found = 1;
	return BLAS_RC_OK;
}

/* Is a matrix of 16-bit numbers there? */
static int reaches(struct fake_stream *s, const void *p,
		   const struct blas_layout *l)
{
	return p && l && l->columns &&
	       (l->type == BLAS_BFLOAT16 || l->type == BLAS_FLOAT16) &&
	       s->reach(s, (uint64_t)(uintptr_t)p,
			(size_t)l->lead * l->columns * 2);
}

EXPORT(Matmul,
	(struct blas_handle * handle, struct blas_matmul *m, const void *alpha,
	const void *a, struct blas_layout *la, const void *b,
	struct blas_layout *lb, const void *beta, const void *c,
	struct blas_layout *lc, void *d, struct blas_layout *ld,
	const struct blas_algo *algo, void *workspace, size_t size,
	struct cuda_stream *stream))
{
	struct fake_stream *s = (struct fake_stream *)stream;
	int rc = begin("Matmul");

	if (rc)
		return rc;
	if (!handle || !m || !alpha || !beta || !algo || !s ||
	    s->magic != FAKE_STREAM_MAGIC || !reaches(s, a, la) ||
	    !reaches(s, b, lb) || !reaches(s, c, lc) || !reaches(s, d, ld) ||
	    !s->reach(s, (uint64_t)(uintptr_t)workspace, size))
		return RC_INVALID_VALUE;
	s->operations(s, 2.0 * (double)ld->rows * (double)ld->columns *
				 (double)la->rows);
	return BLAS_RC_OK;
}
