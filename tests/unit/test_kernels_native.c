/* SPDX-License-Identifier: Apache-2.0
 * The fat binary in this build: whole where there is nvcc, none where not. */
#include "config.h"
#include "probes/kernels.h"
#include "tests/unit/unit.h"

#include <string.h>

#ifdef HAVE_NVCC
static void fat_binary_is_there(void **state)
{
	/* magic and version of the container */
	static const unsigned char head[] = { 0x50, 0xed, 0x55, 0xba, 1, 0 };

	(void)state;
	assert_non_null(kernels_fatbin);
	assert_in_range(kernels_fatbin_size, 10000, 16 << 20);
	assert_int_equal((uintptr_t)kernels_fatbin % 8, 0);
	assert_memory_equal(kernels_fatbin, head, sizeof(head));
	assert_int_equal(strlen(kernels_build_id), 12);
	assert_int_equal(strspn(kernels_build_id, "0123456789abcdef"), 12);
}

static void architectures_are_in_order(void **state)
{
	int last = 0;

	(void)state;
	for (const int *cc = kernels_native; *cc != 0; cc++) {
		assert_true(*cc > last);
		last = *cc;
	}
	assert_int_equal(kernels_ptx, last);
}

/* Every CUDA that will do knows these. */
static void native_code_is_told_from_ptx(void **state)
{
	(void)state;
	assert_true(kernels_is_native(7, 5));
	assert_true(kernels_is_native(8, 0));
	assert_true(kernels_is_native(8, 9));
	assert_false(kernels_is_native(6, 1));
	assert_false(kernels_is_native(99, 0));
	for (const int *cc = kernels_native; *cc != 0; cc++)
		assert_true(kernels_is_native(*cc / 10, *cc % 10));
}
#else
static void there_is_none(void **state)
{
	(void)state;
	assert_null(kernels_fatbin);
	assert_int_equal(kernels_fatbin_size, 0);
	assert_int_equal(kernels_native[0], 0);
	assert_int_equal(kernels_ptx, 0);
	assert_string_equal(kernels_build_id, "");
	assert_false(kernels_is_native(9, 0));
	assert_false(kernels_is_native(0, 0));
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef HAVE_NVCC
		cmocka_unit_test(fat_binary_is_there),
		cmocka_unit_test(architectures_are_in_order),
		cmocka_unit_test(native_code_is_told_from_ptx),
#else
		cmocka_unit_test(there_is_none),
#endif
	};

	return cmocka_run_group_tests_name("kernels_native", tests, NULL,
					   NULL);
}
