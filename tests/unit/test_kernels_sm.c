/* SPDX-License-Identifier: Apache-2.0
 * The kernels that test an SM, against plain C. Built once for each form of
 * the tensor cores' fragments: ARCH says which.
 */
#include "config.h"
#include "probes/kernels.cu"
#include "tests/unit/unit.h"

#include <stdlib.h>

/* ---- assay_gemm in integers ---------------------------------------------- */

/* Everything below is written anew from the words of the headers: operands are
 * integers of 1/128, so the sums are integers of 1/16384. */
#define M 128
#define K 64

static uint32_t ref_mix32(uint32_t x)
{
	x ^= x >> 16;
	x *= 0x85ebca6b;
	x ^= x >> 13;
	x *= 0xc2b2ae35;
	x ^= x >> 16;
	return x;
}

static uint64_t ref_mix64(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccd;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53;
	x ^= x >> 33;
	return x;
}

static int ref_operand(uint32_t seed, int side, int row, int k)
{
	const uint32_t key = ref_mix32(seed + 0x9e3779b9);
	const uint32_t pair = (uint32_t)((side * M + row) * K + k) / 2;
	const uint32_t h = ref_mix32(key + pair) >> 16 * (k % 2);
	const int n = (int)(h % 256 | 32);

	return h & 256 ? -n : n;
}

static int ref_a[M][K], ref_b[M][K];
static float ref_c[M][M];
static int ref_largest;

static int ref_sign(uint32_t i)
{
	return i < 8 || i / 8 % 2 == 1 ? 1 : -1;
}

static int ref_sum(int m, int n, uint32_t i)
{
	int sum = 0;

	for (int s = 0; s < 4; s++) {
		for (int k = 0; k < 16; k++) {
			const int ka = (s + (int)i) % 4 * 16 + k;

			sum += ref_a[(m + 16 * (int)(i % 8)) % M][ka] *
			       ref_b[n][16 * s + k];
		}
	}
	return ref_sign(i) * sum;
}

static void ref_gemm(uint32_t seed, uint32_t iters)
{
	for (int i = 0; i < M * K; i++) {
		ref_a[i / K][i % K] = ref_operand(seed, 0, i / K, i % K);
		ref_b[i / K][i % K] = ref_operand(seed, 1, i / K, i % K);
	}
	ref_largest = 0;
	for (int m = 0; m < M; m++) {
		for (int n = 0; n < M; n++) {
			int sum = 0;

			for (uint32_t i = 0; i < iters; i++) {
				sum += ref_sum(m, n, i);
				if (abs(sum) > ref_largest)
					ref_largest = abs(sum);
			}
			ref_c[m][n] = (float)sum / 16384;
		}
	}
}

static uint64_t ref_term(int m, int n, uint32_t bits)
{
	return ref_mix64((uint64_t)(m * M + n) << 32 | bits);
}

static uint32_t ref_bits(int m, int n)
{
	uint32_t bits;

	memcpy(&bits, &ref_c[m][n], sizeof(bits));
	return bits;
}

static uint64_t ref_digest_sum(void)
{
	uint64_t sum = 0;

	for (int m = 0; m < M; m++) {
		for (int n = 0; n < M; n++)
			sum += ref_term(m, n, ref_bits(m, n));
	}
	return sum;
}

static uint64_t ref_digest(uint32_t seed, uint32_t iters)
{
	return ref_mix64(ref_digest_sum() ^ ((uint64_t)seed << 32 | iters));
}

static struct kernel_sm out[200];

static uint64_t gemm(uint32_t seed, uint32_t iters, struct kernel_place here)
{
	const struct kernel_gemm k = { (uint64_t)(uintptr_t)out, seed, iters };

	memset(out, 0x55, sizeof(out));
	kernels_host[KERNEL_gemm].block(&k, &here);
	assert_int_equal(out[here.block].sm, here.sm);
	assert_int_equal(out[here.block].block, here.block);
	return out[here.block].digest;
}

static const struct kernel_place first = { 0, 1, 0 };

static void gemm_is_what_integers_say(void **state)
{
	static const uint32_t iters[] = { 0, 1, 2, 7, 8, 9, 16, 17, 23, 25 };

	(void)state;
	for (size_t i = 0; i < sizeof(iters) / sizeof(iters[0]); i++) {
		ref_gemm(42, iters[i]);
		assert_true(gemm(42, iters[i], first) ==
			    ref_digest(42, iters[i]));
	}
}

/* The CPU leaves iterations out; the reference does not. */
static void gemm_repeats_after_a_while(void **state)
{
	(void)state;
	ref_gemm(7, 93);
	assert_true(gemm(7, 93, first) == ref_digest(7, 93));
	ref_gemm(8, 104);
	assert_true(gemm(8, 104, first) == ref_digest(8, 104));
}

static void gemm_stays_exact(void **state)
{
	(void)state;
	for (uint32_t seed = 0; seed < 3; seed++) {
		ref_gemm(seed, 40);
		assert_in_range(ref_largest, 1, 1024 * 16384 - 1);
	}
}

static void gemm_is_the_same_everywhere(void **state)
{
	const uint64_t want = gemm(3, 5, first);

	(void)state;
	for (unsigned int block = 1; block < 200; block += 66) {
		const struct kernel_place here = { block, 200, 199 - block };

		assert_true(gemm(3, 5, here) == want);
	}
}

static void gemm_depends_on_seed_and_iters(void **state)
{
	(void)state;
	assert_true(gemm(0, 5, first) != gemm(1, 5, first));
	assert_true(gemm(3, 5, first) != gemm(3, 6, first));
	assert_true(gemm(3, 9, first) != gemm(3, 25, first));
	assert_true(gemm(3, 1000000, first) != gemm(3, 999984, first));
}

/* One bit of one sum changes one term of the digest, and so the digest. */
static void gemm_digest_sees_every_bit(void **state)
{
	uint64_t sum;

	(void)state;
	ref_gemm(42, 3);
	sum = ref_digest_sum();
	assert_true(gemm(42, 3, first) ==
		    ref_mix64(sum ^ (42ull << 32 | 3)));
	for (int i = 0; i < M * M; i++) {
		const int m = i / M, n = i % M;
		const uint32_t bits = ref_bits(m, n);

		for (int bit = 0; bit < 32; bit++)
			assert_true(sum - ref_term(m, n, bits) +
					    ref_term(m, n, bits ^ 1u << bit) !=
				    sum);
	}
}

/* ---- fragments ----------------------------------------------------------- */

/* Corners, read off the figures and formulas of the PTX manual. */
static void fragments_lie_as_documented(void **state)
{
	(void)state;
#if ARCH >= 750
	/* m16n8k16: a0 of lane 0, a1 and a3 of lane 31, b1 of lane 6 */
	assert_int_equal(frag_row(0, 0, SIDE_A), 0);
	assert_int_equal(frag_k(0, 0, 2), 0);
	assert_int_equal(frag_row(31, 1, SIDE_A), 15);
	assert_int_equal(frag_k(31, 1, 2), 6);
	assert_int_equal(frag_row(31, 3, SIDE_A), 15);
	assert_int_equal(frag_k(31, 3, 2), 14);
	assert_int_equal(frag_row(6, 2, SIDE_B), 1);
	assert_int_equal(frag_k(6, 2, 2), 12);
	/* m16n8k32: a2 of lane 5 */
	assert_int_equal(frag_row(5, 2, SIDE_A), 1);
	assert_int_equal(frag_k(5, 2, 4), 20);
	/* c2 of lane 9; c1 of lane 31 in the right half */
	assert_int_equal(acc_row(9, 2), 10);
	assert_int_equal(acc_col(9, 2), 2);
	assert_int_equal(acc_row(31, 5), 7);
	assert_int_equal(acc_col(31, 5), 15);
#else
	/* m8n8k4: lane 18 is in quad-pair 0, lane 7 in 1, lane 28 in 3 */
	assert_int_equal(frag_row(18, 0, SIDE_A), 6);
	assert_int_equal(frag_row(18, 0, SIDE_B), 6);
	assert_int_equal(frag_row(7, 0, SIDE_A), 8 + 3);
	assert_int_equal(frag_row(7, 0, SIDE_B), 3);
	assert_int_equal(frag_row(28, 0, SIDE_A), 8 + 4);
	assert_int_equal(frag_row(28, 0, SIDE_B), 8 + 4);
	assert_int_equal(frag_k(28, 5, 2), 10);
	/* c7 of lane 3; c2 of lane 17; c4 of lane 30 */
	assert_int_equal(acc_row(3, 7), 3);
	assert_int_equal(acc_col(3, 7), 7);
	assert_int_equal(acc_row(17, 2), 7);
	assert_int_equal(acc_col(17, 2), 0);
	assert_int_equal(acc_row(30, 4), 8 + 4);
	assert_int_equal(acc_col(30, 4), 8 + 6);
#endif
}

/* Each element of the 16x16 in exactly one place. */
static void sums_cover_the_unit(void **state)
{
	int seen[UNIT][UNIT] = { { 0 } };

	(void)state;
	for (uint32_t l = 0; l < WARP; l++) {
		for (uint32_t i = 0; i < ACC; i++)
			seen[acc_row(l, i)][acc_col(l, i)]++;
	}
	for (int i = 0; i < UNIT * UNIT; i++)
		assert_int_equal(seen[i / UNIT][i % UNIT], 1);
}

static void operands_are_ordinary_numbers(void **state)
{
	(void)state;
	for (uint32_t h = 0; h < 512; h++) {
		const float x = half_float(operand(h));
		const float n = (float)(h % 256 | 32) / 128;

		assert_true(x == (h & 256 ? -n : n));
	}
	assert_true(half_float(HALF_ONE) == 1);
	assert_true(half_float(HALF_ONE ^ HALF_ANY) == -1.9921875f);
	assert_true(e4m3_float(E4M3_ONE) == 1);
	assert_true(e4m3_float(E4M3_ONE ^ E4M3_ANY) == -1.875f);
}

/* ---- assay_sdc ----------------------------------------------------------- */

#define WORDS 300
static struct word l2[200 * WORDS];

static uint64_t sdc(enum kernel_path path, uint32_t seed, uint32_t iters,
		    unsigned int block)
{
	const struct kernel_place here = { block, 200, 7 };
	const struct kernel_sdc k = {
		(uint64_t)(uintptr_t)out, (uint64_t)(uintptr_t)l2, WORDS,
		path, seed, iters
	};

	memset(out, 0x55, sizeof(out));
	kernels_host[KERNEL_sdc].block(&k, &here);
	assert_int_equal(out[block].sm, 7);
	assert_int_equal(out[block].block, block);
	return out[block].digest;
}

static void sdc_paths_are_told_apart(void **state)
{
	(void)state;
	for (int p = 0; p < KERNEL_PATHS; p++) {
		const uint64_t want = sdc(p, 5, 9, 0);

		assert_int_equal(want != 0, kernels_has_path(ARCH / 10, p));
		assert_true(sdc(p, 5, 9, 150) == want);
		if (want == 0)
			continue;
		assert_true(sdc(p, 6, 9, 0) != want);
		assert_true(sdc(p, 5, 10, 0) != want);
		for (int q = 0; q < p; q++)
			assert_true(sdc(q, 5, 9, 0) != want ||
				    (q == KERNEL_PATH_SHARED &&
				     p == KERNEL_PATH_L2));
	}
	assert_true(sdc(KERNEL_PATHS, 5, 9, 0) == 0);
}

static void fp8_begins_with_sm_89(void **state)
{
	(void)state;
	assert_false(kernels_has_path(86, KERNEL_PATH_FP8));
	assert_true(kernels_has_path(89, KERNEL_PATH_FP8));
	assert_true(kernels_has_path(100, KERNEL_PATH_FP8));
	assert_true(kernels_has_path(70, KERNEL_PATH_BF16));
	assert_false(kernels_has_path(90, KERNEL_PATHS));
}

/* Sums of the tensor cores' paths against a naive product of the matrices that
 * the fragments mean. */
static void units_multiply(void **state)
{
	static struct frag a[WARP], b[WARP];
	static struct acc c[WARP];
	static float ma[UNIT][UNIT], mb[UNIT][UNIT];

	(void)state;
	for (uint32_t l = 0; l < WARP; l++) {
		for (uint32_t r = 0; r < FRAG; r++) {
			a[l].r[r] = operand_pair(mix32(
				frag_row(l, r, SIDE_A) * 64 + frag_k(l, r, 2)));
			b[l].r[r] = operand_pair(mix32(
				~(frag_row(l, r, SIDE_B) * 64 +
				  frag_k(l, r, 2))));
		}
	}
	for (uint32_t i = 0; i < UNIT * UNIT; i++) {
		const uint32_t row = i / UNIT, k = i % UNIT;
		const uint32_t at = row * 64 + k / 2 * 2;

		ma[row][k] = half_float(
			operand(ref_mix32(at) >> 16 * (k % 2)));
		mb[row][k] = half_float(
			operand(ref_mix32(~at) >> 16 * (k % 2)));
	}
	unit_mma_8(c, a, b);
	unit_mma(c, a, b);
	for (uint32_t e = 0; e < WARP * ACC; e++) {
		const uint32_t row = acc_row(e / ACC, e % ACC);
		const uint32_t col = acc_col(e / ACC, e % ACC);
		float want = 0;

		for (uint32_t k = 0; k < UNIT; k++)
			want += ma[row][k] * mb[col][k] * (k < 8 ? 2 : 1);
		assert_true(c[e / ACC].c[e % ACC] == want);
	}
}

/* Shared memory of any size, even and odd, is walked through whole: each word
 * of it counts. */
static void sweeps_visit_every_word(void **state)
{
	static struct word mem[3 * KERNEL_THREADS];
	static unsigned char seen[3 * KERNEL_THREADS];

	(void)state;
	for (uint32_t half = 1; half <= WORDS; half += 13) {
		const struct sweep s = { mem, half, 0 };

		memset(seen, 0, sizeof(seen));
		for (uint32_t j = 0; j < half; j++)
			mem[j].part[0] = j;
		sweep_once(&s, 0);
		for (uint32_t j = half; j < 2 * half; j++) {
			const uint32_t v = mem[j].part[0] ^ ref_mix32(~0u);

			seen[v >> 1 | v << 31]++;
		}
		for (uint32_t j = 0; j < half; j++)
			assert_int_equal(seen[j], 1);
	}
}

static void sdc_without_scratch_tells_nothing(void **state)
{
	const struct kernel_sdc k = { (uint64_t)(uintptr_t)out, 0, 1000,
				      KERNEL_PATH_L2, 1, 3 };

	(void)state;
	out[0].digest = 1;
	kernels_host[KERNEL_sdc].block(&k, &first);
	assert_int_equal(out[0].digest, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gemm_is_what_integers_say),
		cmocka_unit_test(gemm_repeats_after_a_while),
		cmocka_unit_test(gemm_stays_exact),
		cmocka_unit_test(gemm_is_the_same_everywhere),
		cmocka_unit_test(gemm_depends_on_seed_and_iters),
		cmocka_unit_test(gemm_digest_sees_every_bit),
		cmocka_unit_test(fragments_lie_as_documented),
		cmocka_unit_test(sums_cover_the_unit),
		cmocka_unit_test(operands_are_ordinary_numbers),
		cmocka_unit_test(sdc_paths_are_told_apart),
		cmocka_unit_test(fp8_begins_with_sm_89),
		cmocka_unit_test(units_multiply),
		cmocka_unit_test(sweeps_visit_every_word),
		cmocka_unit_test(sdc_without_scratch_tells_nothing),
	};

	return cmocka_run_group_tests_name("kernels_sm", tests, NULL, NULL);
}
