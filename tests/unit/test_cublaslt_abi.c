/* SPDX-License-Identifier: Apache-2.0
 * The binary interface of cuBLASLt as literal numbers, read off cublasLt.h of
 * CUDA 12.4 and 13.0, and against that header where it is.
 */
#include "config.h"

#ifdef HAVE_CUBLASLT_H
#include <cublasLt.h>
#endif

#include "lib/cublaslt.h"
#include "tests/unit/unit.h"

#include <string.h>

static void literal_numbers(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct blas_algo), 64);
	assert_int_equal(sizeof(struct blas_choice), 96);
	assert_int_equal(offsetof(struct blas_choice, workspace), 64);
	assert_int_equal(offsetof(struct blas_choice, rc), 72);
	assert_int_equal(offsetof(struct blas_choice, waves), 76);
	assert_int_equal(BLAS_FLOAT32, 0);
	assert_int_equal(BLAS_FLOAT16, 2);
	assert_int_equal(BLAS_BFLOAT16, 14);
	assert_int_equal(BLAS_COMPUTE_32F, 68);
	assert_int_equal(BLAS_MATMUL_TRANSA, 3);
	assert_int_equal(BLAS_TRANSPOSED, 1);
	assert_int_equal(BLAS_PREFERENCE_WORKSPACE, 1);
}

#ifdef HAVE_CUBLASLT_H

static void numbers_of_the_header(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct blas_algo),
			 sizeof(cublasLtMatmulAlgo_t));
	assert_int_equal(sizeof(struct blas_choice),
			 sizeof(cublasLtMatmulHeuristicResult_t));
	assert_int_equal(offsetof(struct blas_choice, workspace),
			 offsetof(cublasLtMatmulHeuristicResult_t,
				  workspaceSize));
	assert_int_equal(offsetof(struct blas_choice, rc),
			 offsetof(cublasLtMatmulHeuristicResult_t, state));
	assert_int_equal(BLAS_RC_OK, CUBLAS_STATUS_SUCCESS);
	assert_int_equal(BLAS_FLOAT32, CUDA_R_32F);
	assert_int_equal(BLAS_FLOAT16, CUDA_R_16F);
	assert_int_equal(BLAS_BFLOAT16, CUDA_R_16BF);
	assert_int_equal(BLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F);
	assert_int_equal(BLAS_MATMUL_TRANSA, CUBLASLT_MATMUL_DESC_TRANSA);
	assert_int_equal(BLAS_TRANSPOSED, CUBLAS_OP_T);
	assert_int_equal(BLAS_PREFERENCE_WORKSPACE,
			 CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
	/* Handed over as int. */
	assert_int_equal(sizeof(cublasStatus_t), sizeof(int));
	assert_int_equal(sizeof(cudaDataType_t), sizeof(int));
	assert_int_equal(sizeof(cublasComputeType_t), sizeof(int));
	assert_int_equal(sizeof(cublasLtMatmulDescAttributes_t), sizeof(int));
}

/* X(member, call): all that we call. */
#define CALLS(X) \
	X(create, cublasLtCreate) X(destroy, cublasLtDestroy) \
	X(matmul_create, cublasLtMatmulDescCreate) \
	X(matmul_set, cublasLtMatmulDescSetAttribute) \
	X(matmul_destroy, cublasLtMatmulDescDestroy) \
	X(layout_create, cublasLtMatrixLayoutCreate) \
	X(layout_destroy, cublasLtMatrixLayoutDestroy) \
	X(preference_create, cublasLtMatmulPreferenceCreate) \
	X(preference_set, cublasLtMatmulPreferenceSetAttribute) \
	X(preference_destroy, cublasLtMatmulPreferenceDestroy) \
	X(choose, cublasLtMatmulAlgoGetHeuristic) X(matmul, cublasLtMatmul)

static void symbols_of_the_header(void **state)
{
	static const struct {
#define X(need, member, symbol, args) const char *member;
		DEVLIBS_CUBLASLT(X)
#undef X
	} ours = {
#define X(need, member, symbol, args) symbol,
		DEVLIBS_CUBLASLT(X)
#undef X
	};

	(void)state;
#define X(member, call) assert_string_equal(ours.member, #call);
	CALLS(X)
#undef X
}

/* The header's handles point at structs without a name that ours could have.
 * So: do its functions take as many arguments as we give, numbers and pointers
 * in the same places? Nothing is called. */
static void arguments_of_the_header(void **state)
{
	void *p = NULL;

	(void)state;
#define TAKES(call) assert_int_equal(sizeof(call), sizeof(int))
	TAKES(cublasLtCreate(p));
	TAKES(cublasLtMatmulDescCreate(p, 68, 0));
	TAKES(cublasLtMatmulDescSetAttribute(p, 3, p, 4));
	TAKES(cublasLtMatrixLayoutCreate(p, 14, 1, 1, 1));
	TAKES(cublasLtMatmulPreferenceCreate(p));
	TAKES(cublasLtMatmulPreferenceSetAttribute(p, 1, p, 8));
	TAKES(cublasLtMatmulAlgoGetHeuristic(p, p, p, p, p, p, p, 1, p, p));
	TAKES(cublasLtMatmul(p, p, p, p, p, p, p, p, p, p, p, p, p, p, 1, p));
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(literal_numbers),
#ifdef HAVE_CUBLASLT_H
		cmocka_unit_test(numbers_of_the_header),
		cmocka_unit_test(symbols_of_the_header),
		cmocka_unit_test(arguments_of_the_header),
#endif
	};

	return cmocka_run_group_tests_name("cublaslt_abi", tests, NULL, NULL);
}
