/* SPDX-License-Identifier: Apache-2.0
 * The kernels that walk through memory, against plain loops. */
#include "config.h"
#include "probes/kernels.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#define GRIDS 4
static const unsigned int grids[GRIDS] = { 1, 2, 5, 13 };

/* Less than a block, one more than a block, several turns and a rest. */
#define SIZES 5
static const uint64_t sizes[SIZES] = { 0, 3, 257, 4096, 30011 };

#define MAX_WORDS 30011
#define MAX_GRID 13

static uint32_t a[MAX_WORDS * 4] __attribute__((aligned(16)));
static uint32_t b[MAX_WORDS * 4] __attribute__((aligned(16)));
static uint32_t c[MAX_WORDS * 4] __attribute__((aligned(16)));

static uint64_t address(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

static void launch(enum kernel kernel, const void *args, unsigned int grid)
{
	for (unsigned int i = 0; i < grid; i++) {
		const struct kernel_place here = { i, grid, i };

		kernels_host[kernel].block(args, &here);
	}
}

static void noise(uint32_t *p, uint32_t seed)
{
	uint64_t x = seed;

	for (uint32_t i = 0; i < MAX_WORDS * 4; i++) {
		x = x * 6364136223846793005ull + 1442695040888963407ull;
		p[i] = (uint32_t)(x >> 32);
	}
}

static void fill(uint32_t *dst, uint64_t words, uint32_t seed,
		 unsigned int grid)
{
	const struct kernel_fill k = { address(dst), words, seed, 0 };

	launch(KERNEL_fill, &k, grid);
}

static void table_is_whole(void **state)
{
	static const unsigned long sizes_of[KERNEL_COUNT] = {
		24, 24, 40, 16, 32, 16, 32
	};

	(void)state;
	for (int i = 0; i < KERNEL_COUNT; i++) {
		assert_string_equal(kernels_host[i].symbol, kernels_symbol[i]);
		assert_int_equal(kernels_host[i].args_size, sizes_of[i]);
		assert_non_null(kernels_host[i].block);
		assert_int_equal(kernels_host[i].same,
				 i == KERNEL_gemm || i == KERNEL_sdc);
	}
	assert_string_equal(kernels_symbol[KERNEL_gemm], "assay_gemm");
	assert_int_equal(sizeof(struct kernel_sm), 16);
	assert_int_equal(sizeof(struct kernel_bad), 24);
}

static void fill_is_the_pattern(void **state)
{
	(void)state;
	for (int g = 0; g < GRIDS; g++) {
		for (int s = 0; s < SIZES; s++) {
			memset(a, 0, sizeof(a));
			fill(a, sizes[s], 7, grids[g]);
			for (uint64_t i = 0; i < sizes[s] * 4; i++)
				assert_int_equal(
					a[i], kernels_pattern(i / 4, i % 4, 7));
			if (sizes[s] < MAX_WORDS)
				assert_int_equal(a[sizes[s] * 4], 0);
		}
	}
}

static int by_value(const void *x, const void *y)
{
	const uint32_t l = *(const uint32_t *)x, r = *(const uint32_t *)y;

	return (l > r) - (l < r);
}

static void pattern_tells_addresses_apart(void **state)
{
	uint64_t ones = 0;

	(void)state;
	fill(a, MAX_WORDS, 0, 1);
	for (uint32_t i = 0; i < MAX_WORDS * 4; i++)
		ones += (uint64_t)__builtin_popcount(a[i]);
	/* Half of the bits, within six standard deviations. */
	assert_in_range(ones, MAX_WORDS * 64 - 6 * 981,
			MAX_WORDS * 64 + 6 * 981);
	qsort(a, MAX_WORDS * 4, sizeof(a[0]), by_value);
	for (uint32_t i = 1; i < MAX_WORDS * 4; i++)
		assert_int_not_equal(a[i - 1], a[i]);
	assert_int_not_equal(kernels_pattern(5, 1, 0),
			     kernels_pattern(5, 1, 1));
	assert_int_not_equal(kernels_pattern(5, 1, 0),
			     kernels_pattern(5 + (1ull << 32), 1, 0));
	assert_int_not_equal(kernels_pattern(5, 1, 0),
			     kernels_pattern(5 + (1ull << 30), 1, 0));
}

static uint64_t read_sum(uint64_t words, unsigned int grid)
{
	uint64_t out[MAX_GRID] = { 0 }, sum = 0;
	const struct kernel_read k = { address(a), words, address(out) };

	launch(KERNEL_read, &k, grid);
	for (unsigned int i = 0; i < grid; i++)
		sum += out[i];
	return sum;
}

static void read_sums_everything_once(void **state)
{
	(void)state;
	noise(a, 1);
	for (int s = 0; s < SIZES; s++) {
		uint64_t want = 0;

		for (uint64_t i = 0; i < sizes[s] * 4; i++)
			want += a[i];
		for (int g = 0; g < GRIDS; g++)
			assert_int_equal(read_sum(sizes[s], grids[g]), want);
	}
}

static void read_sees_a_flipped_bit(void **state)
{
	const uint64_t clean = (noise(a, 2), read_sum(4096, 5));

	(void)state;
	for (uint32_t i = 0; i < 4096 * 4; i += 331) {
		a[i] ^= 1u << i % 32;
		assert_int_not_equal(read_sum(4096, 5), clean);
		a[i] ^= 1u << i % 32;
	}
	assert_int_equal(read_sum(4096, 5), clean);
}

static void triad_is_exact(void **state)
{
	const struct kernel_triad k = { address(a), address(b), address(c),
					4099,	    2654435761u, 0 };

	(void)state;
	noise(b, 3);
	noise(c, 4);
	for (int g = 0; g < GRIDS; g++) {
		memset(a, 0, sizeof(a));
		launch(KERNEL_triad, &k, grids[g]);
		for (uint32_t i = 0; i < 4099 * 4; i++)
			assert_int_equal(a[i], b[i] + 2654435761u * c[i]);
		assert_int_equal(a[4099 * 4], 0);
	}
}

static void invert_is_its_own_inverse(void **state)
{
	const struct kernel_invert k = { address(a), 4099 };

	(void)state;
	noise(a, 5);
	memcpy(b, a, sizeof(b));
	launch(KERNEL_invert, &k, 5);
	for (uint32_t i = 0; i < MAX_WORDS * 4; i++)
		assert_int_equal(a[i], i < 4099 * 4 ? ~b[i] : b[i]);
	launch(KERNEL_invert, &k, 2);
	assert_memory_equal(a, b, sizeof(a));
}

/* ---- check --------------------------------------------------------------- */

static struct kernel_bad bad[MAX_GRID];

static uint64_t check(uint64_t words, uint32_t invert, unsigned int grid)
{
	const struct kernel_check k = { address(a),   words, address(bad),
					11,	      invert };
	uint64_t count = 0;

	memset(bad, 0x55, sizeof(bad));
	launch(KERNEL_check, &k, grid);
	for (unsigned int i = 0; i < grid; i++)
		count += bad[i].count;
	return count;
}

static void check_is_silent_on_its_own(void **state)
{
	const struct kernel_invert k = { address(a), MAX_WORDS };

	(void)state;
	fill(a, MAX_WORDS, 11, 3);
	for (int g = 0; g < GRIDS; g++) {
		assert_int_equal(check(MAX_WORDS, 0, grids[g]), 0);
		for (unsigned int i = 0; i < grids[g]; i++)
			assert_true(bad[i].first == ~0ull);
	}
	launch(KERNEL_invert, &k, 3);
	assert_int_equal(check(MAX_WORDS, 1, 5), 0);
	assert_int_equal(check(MAX_WORDS, 0, 5), MAX_WORDS * 4);
}

static void check_names_a_flipped_bit(void **state)
{
	(void)state;
	fill(a, MAX_WORDS, 11, 3);
	for (uint32_t i = 0; i < MAX_WORDS * 4; i += 2999) {
		const unsigned int block = i / 4 / KERNEL_THREADS % 5;

		a[i] ^= 0x80u;
		assert_int_equal(check(MAX_WORDS, 0, 5), 1);
		assert_int_equal(bad[block].count, 1);
		assert_int_equal(bad[block].first, i / 4);
		assert_int_equal(bad[block].got, a[i]);
		assert_int_equal(bad[block].want, a[i] ^ 0x80u);
		assert_true(bad[(block + 1) % 5].first == ~0ull);
		a[i] ^= 0x80u;
	}
}

/* Two of one thread's, one of another's, all of one block. */
static void check_names_the_first(void **state)
{
	(void)state;
	fill(a, MAX_WORDS, 11, 3);
	a[(2560 + 9) * 4 + 3] = 0;
	a[(2560 + 9) * 4 + 2] = 0;
	a[(1280 + 17) * 4 + 1] ^= 1;
	a[(2560 + 17) * 4] ^= 1;
	assert_int_equal(check(MAX_WORDS, 0, 5), 4);
	assert_int_equal(bad[0].count, 4);
	assert_int_equal(bad[0].first, 1280 + 17);
	assert_int_equal(bad[0].got, a[(1280 + 17) * 4 + 1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_is_whole),
		cmocka_unit_test(fill_is_the_pattern),
		cmocka_unit_test(pattern_tells_addresses_apart),
		cmocka_unit_test(read_sums_everything_once),
		cmocka_unit_test(read_sees_a_flipped_bit),
		cmocka_unit_test(triad_is_exact),
		cmocka_unit_test(invert_is_its_own_inverse),
		cmocka_unit_test(check_is_silent_on_its_own),
		cmocka_unit_test(check_names_a_flipped_bit),
		cmocka_unit_test(check_names_the_first),
	};

	return cmocka_run_group_tests_name("kernels", tests, NULL, NULL);
}
