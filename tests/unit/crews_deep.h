/* SPDX-License-Identifier: Apache-2.0
 * crews_deep - a crew as crews.h has it, with what the deep tier wants: the
 * stand-ins for NCCL and cuBLASLt, and a file to read. */
#ifndef ASSAY_TESTS_CREWS_DEEP_H
#define ASSAY_TESTS_CREWS_DEEP_H

#include "tests/unit/crews.h"

static char nccl[512], cublaslt[512];

/* Nothing but these. */
static inline void only(enum probe a, enum probe b)
{
	int i;

	for (i = 0; i < PROBE_COUNT; i++)
		plan.probe[i] = i == (int)a || i == (int)b;
}

static inline int deep_setup(void **state)
{
	int rc = setup(state);

	snprintf(nccl, sizeof(nccl), "%s/tests/fake/.libs/libnccl.so.2",
		 getenv("BUILD"));
	snprintf(cublaslt, sizeof(cublaslt),
		 "%s/tests/fake/.libs/libcublasLt.so.13", getenv("BUILD"));
	plan.nccl_path = nccl;
	plan.cublaslt_path = cublaslt;
	plan.storage_path = "data/file";
	plan.storage_mb = 1024;
	plan.sustain_s = 2;
	plan.budget_ms = 60000;
	fixture_dir(&x, "seq.d");
	return rc;
}

#define D(f) cmocka_unit_test_setup_teardown(f, deep_setup, teardown)

#endif
