/* SPDX-License-Identifier: Apache-2.0
 * cublaslt - the part of cuBLASLt's binary interface that assay calls, in its
 * own words; the library is loaded at run time, by a worker, and only for the
 * deep tier: it is half a gigabyte. Names, numbers and argument lists are
 * those of cublasLt.h of CUDA 11 to 13; tests/unit/test_cublaslt_abi.c
 * compares them with the header where there is one.
 */
#ifndef ASSAY_CUBLASLT_H
#define ASSAY_CUBLASLT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/cuda.h"

struct blas_handle;		/* known to the library only */
struct blas_matmul;
struct blas_layout;
struct blas_preference;

/* cublasLtMatmulAlgo_t, cublasLtMatmulHeuristicResult_t */
struct blas_algo {
	uint64_t data[8];
};

struct blas_choice {
	struct blas_algo algo;
	size_t workspace;
	int rc;
	float waves;
	int reserved[4];
};

#define BLAS_RC_OK 0
#define BLAS_FLOAT32 0			/* cudaDataType */
#define BLAS_FLOAT16 2
#define BLAS_BFLOAT16 14
#define BLAS_COMPUTE_32F 68		/* cublasComputeType_t */
#define BLAS_MATMUL_TRANSA 3		/* attribute; int32_t: */
#define BLAS_TRANSPOSED 1
#define BLAS_PREFERENCE_WORKSPACE 1	/* attribute; uint64_t, bytes at most */

/* X(need, member, symbol, arguments); every one returns a cublasStatus_t. */
#define DEVLIBS_CUBLASLT(X) \
	X(REQUIRED, create, "cublasLtCreate", (struct blas_handle **)) \
	X(REQUIRED, destroy, "cublasLtDestroy", (struct blas_handle *)) \
	X(REQUIRED, matmul_create, "cublasLtMatmulDescCreate", \
	  (struct blas_matmul **, int, int)) \
	X(REQUIRED, matmul_set, "cublasLtMatmulDescSetAttribute", \
	  (struct blas_matmul *, int, const void *, size_t)) \
	X(REQUIRED, matmul_destroy, "cublasLtMatmulDescDestroy", \
	  (struct blas_matmul *)) \
	X(REQUIRED, layout_create, "cublasLtMatrixLayoutCreate", \
	  (struct blas_layout **, int, uint64_t, uint64_t, int64_t)) \
	X(REQUIRED, layout_destroy, "cublasLtMatrixLayoutDestroy", \
	  (struct blas_layout *)) \
	X(REQUIRED, preference_create, "cublasLtMatmulPreferenceCreate", \
	  (struct blas_preference **)) \
	X(REQUIRED, preference_set, "cublasLtMatmulPreferenceSetAttribute", \
	  (struct blas_preference *, int, const void *, size_t)) \
	X(REQUIRED, preference_destroy, "cublasLtMatmulPreferenceDestroy", \
	  (struct blas_preference *)) \
	X(REQUIRED, choose, "cublasLtMatmulAlgoGetHeuristic", \
	  (struct blas_handle *, struct blas_matmul *, struct blas_layout *, \
	   struct blas_layout *, struct blas_layout *, struct blas_layout *, \
	   struct blas_preference *, int, struct blas_choice *, int *)) \
	X(REQUIRED, matmul, "cublasLtMatmul", \
	  (struct blas_handle *, struct blas_matmul *, const void *, \
	   const void *, struct blas_layout *, const void *, \
	   struct blas_layout *, const void *, const void *, \
	   struct blas_layout *, void *, struct blas_layout *, \
	   const struct blas_algo *, void *, size_t, struct cuda_stream *))

struct devlibs_cublaslt {
	void *so;
	int missing_required;
	int missing_optional;
#define X(need, member, symbol, args) int (*member) args;
	DEVLIBS_CUBLASLT(X)
#undef X
};

#endif
