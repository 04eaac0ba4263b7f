/* SPDX-License-Identifier: Apache-2.0
 * The fake CUDA: the project's kernels run for real, what they take, and what
 * goes wrong in them.
 */
#include "config.h"
#include "tests/unit/fake_cuda.h"

#include "probes/kernels.h"

#define SMS 132
#define WORDS 10000
#define GRID 7

static struct cuda_function *function(const char *name)
{
	struct cuda_function *f = NULL;
	struct cuda_module *m = NULL;

	SAME(cu.module_load(&m, "any image"), 0);
	SAME(cu.module_function(&f, m, name), 0);
	return f;
}

static int try_launch(const char *name, unsigned int grid, void *args)
{
	void *params[] = { args };

	return cu.launch(function(name), grid, 1, 1, KERNEL_THREADS, 1, 1,
			 KERNEL_GEMM_SHARED_MIN, NULL, params, NULL);
}

/* Microseconds of a launch. */
static long long launch(const char *name, unsigned int grid, void *args)
{
	struct cuda_event *a = mark(NULL);

	SAME(try_launch(name, grid, args), 0);
	SAME(cu.stream_wait(NULL), 0);
	return between(a, mark(NULL));
}

static void fetch(void *to, cuda_ptr from, size_t bytes)
{
	SAME(cu.copy_d2h(to, from, bytes, NULL), 0);
}

/* ---- memory kernels -------------------------------------------------------- */

static uint64_t plain_sum(uint64_t words, uint32_t seed)
{
	uint64_t i, sum = 0;
	int part;

	for (i = 0; i < words; i++)
		for (part = 0; part < 4; part++)
			sum += kernels_pattern(i, part, seed);
	return sum;
}

static uint64_t read_sum(cuda_ptr src, uint64_t words, unsigned int grid,
			 long long *us)
{
	struct kernel_read k = { src, words, alloc(grid * 8) };
	uint64_t part[64], sum = 0;
	unsigned int b;

	*us = launch("assay_read", grid, &k);
	fetch(part, k.out, grid * 8);
	for (b = 0; b < grid; b++)
		sum += part[b];
	return sum;
}

static cuda_ptr filled(uint64_t words, uint32_t seed)
{
	struct kernel_fill k = { alloc(words * 16), words, seed, 0 };

	SAME(launch("assay_fill", GRID, &k),
	     ((long long)words * 16 + 50000) / 100000);
	return k.dst;
}

static void see_read(void)
{
	long long us;
	cuda_ptr p;

	start();
	p = filled(WORDS, 42);
	SAME(read_sum(p, WORDS, GRID, &us) == plain_sum(WORDS, 42), 1);
	SAME(us, 2);
	SAME(read_sum(p, WORDS, 1, &us) == plain_sum(WORDS, 42), 1);
	SAME(read_sum(p, WORDS - 1, 3, &us) == plain_sum(WORDS, 42), 0);
	SAME(read_sum(p, WORDS, 3, &us) == plain_sum(WORDS, 43), 0);
}

static void what_is_filled_is_read(void **state)
{
	(void)state;
	play(GPUS("\"hbm_gbps\": 100", ""), see_read);
}

static void see_triad(void)
{
	struct kernel_triad k = { 0, 0, 0, WORDS, 3, 0 };
	uint32_t got[4];
	int part;

	start();
	k.b = filled(WORDS, 1);
	k.c = filled(WORDS, 2);
	k.a = alloc(WORDS * 16);
	SAME(launch("assay_triad", GRID, &k), 5);
	fetch(got, k.a + 16 * 77, 16);
	for (part = 0; part < 4; part++)
		SAME(got[part] == kernels_pattern(77, part, 1) +
					  3 * kernels_pattern(77, part, 2),
		     1);
}

static void see_own_rates(void)
{
	struct kernel_triad k = { 0, 0, 0, WORDS, 3, 0 };
	long long us;

	start();
	k.a = k.b = k.c = filled(WORDS, 1);
	read_sum(k.b, WORDS, GRID, &us);
	SAME(us, 16);
	SAME(launch("assay_triad", GRID, &k), 24);
}

static void each_word_costs_what_it_moves(void **state)
{
	(void)state;
	play(GPUS("\"hbm_gbps\": 100", ""), see_triad);
	play(GPUS("\"hbm_gbps\": 100, \"read_gbps\": 10, \"triad_gbps\": 20",
		  ""),
	     see_own_rates);
}

static uint64_t bad_words(cuda_ptr p, uint32_t seed, int inverted)
{
	struct kernel_check k = { p, WORDS, alloc(GRID * 24), seed,
				  (uint32_t)inverted };
	struct kernel_bad bad[GRID];
	uint64_t n = 0;
	int b;

	SAME(sizeof(bad[0]), 24);
	launch("assay_check", GRID, &k);
	fetch(bad, k.out, sizeof(bad));
	for (b = 0; b < GRID; b++)
		n += bad[b].count;
	return n;
}

static void see_patterns(void)
{
	struct kernel_invert k = { 0, WORDS };

	start();
	k.dst = filled(WORDS, 9);
	SAME(bad_words(k.dst, 9, 0), 0);
	SAME(bad_words(k.dst, 10, 0) > WORDS, 1);
	SAME(launch("assay_invert", GRID, &k), 3);
	SAME(bad_words(k.dst, 9, 1), 0);
	SAME(bad_words(k.dst, 9, 0), 4 * WORDS);
}

static void see_one_bad_word(void)
{
	start();
	SAME(bad_words(filled(WORDS, 9), 9, 0), 1);
}

static void memory_that_went_bad_is_found(void **state)
{
	(void)state;
	play(GPUS("\"hbm_gbps\": 100", ""), see_patterns);
	play(GPUS("\"hbm_gbps\": 100, "
		  "\"corrupt\": {\"kernel\": \"check\", \"flip_bit\": 999}",
		  ""),
	     see_one_bad_word);
	play(GPUS("\"hbm_gbps\": 100, "
		  "\"corrupt\": {\"kernel\": \"fill\", \"flip_bit\": 999}",
		  ""),
	     see_one_bad_word);
}

/* 16 GiB are charged, little is touched. */
static void see_much_work(void)
{
	uint64_t words = 1ULL << 30;
	long long us;
	cuda_ptr p;

	start();
	p = filled(words, 42);
	SAME(read_sum(p, words, GRID, &us) == plain_sum(65536, 42), 1);
	SAME(us, 171799);
}

static void much_work_is_charged_and_not_done(void **state)
{
	(void)state;
	play(GPUS("\"hbm_gbps\": 100, \"real_mib\": 1", ""), see_much_work);
}

/* ---- SM kernels -------------------------------------------------------------- */

static struct kernel_sm sm[2 * SMS];

static long long gemm(unsigned int grid, uint32_t seed, uint32_t iters)
{
	struct kernel_gemm k = { alloc(sizeof(sm)), seed, iters };
	long long us = launch("assay_gemm", grid, &k);

	fetch(sm, k.out, grid * sizeof(sm[0]));
	return us;
}

static long long sdc(enum kernel_path path)
{
	struct kernel_sdc k = { alloc(sizeof(sm)), alloc(SMS * 1024), 64,
				(uint32_t)path, 5, 1000 };
	long long us = launch("assay_sdc", SMS, &k);

	fetch(sm, k.out, SMS * sizeof(sm[0]));
	return us;
}

/* The only SM whose digest differs from most; -1 none, -2 several. */
static int odd_one(void)
{
	uint64_t most = sm[0].digest == sm[1].digest ? sm[0].digest
						     : sm[2].digest;
	int i, odd = -1;

	for (i = 0; i < SMS; i++) {
		SAME(sm[i].sm, i);
		SAME(sm[i].block, i);
		if (sm[i].digest != most)
			odd = odd == -1 ? i : -2;
	}
	return odd;
}

/* 128 x 128 x 64 x 2 operations, 1000 times on each SM, at 100 TFLOP/s. */
#define GEMM_US 2768

static void see_gemm(void)
{
	uint64_t digest;

	start();
	SAME(gemm(SMS, 1, 1000), GEMM_US);
	SAME(odd_one(), -1);
	digest = sm[0].digest;
	SAME(gemm(2 * SMS, 1, 1000), 2 * GEMM_US);
	SAME(sm[SMS + 5].sm, 5);
	SAME(sm[SMS + 5].block, SMS + 5);
	SAME(sm[SMS + 5].digest == digest, 1);
	gemm(SMS, 2, 1000);
	SAME(sm[0].digest == digest, 0);
}

static void every_sm_tells_the_same(void **state)
{
	(void)state;
	play(GPUS("\"gemm_tflops\": 100", ""), see_gemm);
}

static void see_odd_sm(void)
{
	uint64_t good;

	start();
	SAME(gemm(SMS, 1, 1000), GEMM_US);
	SAME(odd_one(), 17);
	good = sm[0].digest;
	SAME(sm[17].digest == (good ^ 1 << 12), 1);
	gemm(SMS, 1, 1000);
	SAME(odd_one(), 17);
}

static void see_odd_once(void)
{
	start();
	SAME(sdc(KERNEL_PATH_INT), 5000); /* does not move it */
	gemm(SMS, 1, 1000);
	SAME(odd_one(), 17);
	gemm(SMS, 1, 1000);
	SAME(odd_one(), -1);
}

static void see_two_odd(void)
{
	start();
	gemm(SMS, 1, 1000);
	SAME(odd_one(), -2);
}

static void one_sm_can_be_corrupt(void **state)
{
	(void)state;
	play(GPUS("\"gemm_tflops\": 100, \"corrupt\": {\"kernel\": \"gemm\", "
		  "\"sm\": 17, \"flip_bit\": 12}",
		  ""),
	     see_odd_sm);
	play(GPUS("\"gemm_tflops\": 100, \"sdc_ms\": 5, \"corrupt\": "
		  "{\"seq\": [{\"kernel\": \"gemm\", \"sm\": 17}, null]}",
		  ""),
	     see_odd_once);
	play(GPUS("\"gemm_tflops\": 100, \"corrupt\": "
		  "[{\"kernel\": \"gemm\", \"sm\": 17}, "
		  "{\"kernel\": \"gemm\", \"sm\": 18}]",
		  ""),
	     see_two_odd);
}

static void see_paths(void)
{
	int path;

	start();
	for (path = 0; path < KERNEL_PATHS; path++) {
		SAME(sdc((enum kernel_path)path), path == 2 ? 7000 : 1000);
		SAME(odd_one(), path == 2 ? 3 : -1);
	}
}

/* An A100 has no 8-bit floats. */
static void see_no_fp8(void)
{
	struct kernel_sdc k = { 0, 0, 0, KERNEL_PATH_FP8, 5, 10 };
	int i;

	start();
	use(1);
	k.out = alloc(sizeof(sm));
	SAME(try_launch("assay_sdc", 108, &k), 0);
	fetch(sm, k.out, 108 * sizeof(sm[0]));
	for (i = 0; i < 108; i++)
		SAME(sm[i].digest, 0);
	k.path = KERNEL_PATH_FP32;
	SAME(try_launch("assay_sdc", 108, &k), 0);
	fetch(sm, k.out, sizeof(sm[0]));
	SAME(sm[0].digest == 0, 0);
}

static void each_path_has_its_time_and_faults(void **state)
{
	(void)state;
	play(GPUS("", ""), see_no_fp8);
	play(GPUS("\"sdc_ms\": {\"0\": 1, \"1\": 1, \"2\": 7, \"3\": 1, "
		  "\"4\": 1, \"5\": 1, \"6\": 1}, \"corrupt\": "
		  "{\"kernel\": \"sdc\", \"path\": 2, \"sm\": 3}",
		  ""),
	     see_paths);
}

/* ---- modules and wrong launches --------------------------------------------- */

static int function_attribute(int which)
{
	int v = 4711;
	int rc = cu.function_get(&v, which, function("assay_gemm"));

	return rc ? -rc : v;
}

static void see_native(void)
{
	struct cuda_function *f;
	struct cuda_module *m;

	start();
	SAME(function_attribute(CUDA_FUNC_BINARY_VERSION), 90);
	SAME(function_attribute(CUDA_FUNC_LOCAL_SIZE_BYTES), 0);
	SAME(cu.module_load(&m, NULL), CUDA_RC_INVALID_VALUE);
	SAME(cu.module_load(&m, "image"), 0);
	SAME(cu.module_function(&f, m, "assay_none"), CUDA_RC_NOT_FOUND);
	SAME(cu.module_function(&f, m, "assay_read"), 0);
	SAME(cu.function_set(f, CUDA_FUNC_MAX_DYNAMIC_SHARED, 232448), 0);
	SAME(cu.function_set(f, CUDA_FUNC_MAX_DYNAMIC_SHARED, 232449),
	     CUDA_RC_INVALID_VALUE);
	SAME(cu.module_unload(m), 0);
	SAME(cu.function_set(f, CUDA_FUNC_MAX_DYNAMIC_SHARED, 1), 400);
}

static void see_compiled_by_driver(void)
{
	start();
	SAME(function_attribute(CUDA_FUNC_BINARY_VERSION), 94);
	SAME(function_attribute(CUDA_FUNC_LOCAL_SIZE_BYTES), 128);
}

static void functions_tell_their_architecture(void **state)
{
	(void)state;
	play(GPUS("", ""), see_native);
	play(GPUS("\"jit\": true, \"FuncGetAttribute\": {\"3\": 128}", ""),
	     see_compiled_by_driver);
}

static void see_wrong_shapes(void)
{
	struct kernel_gemm k;
	void *params[] = { &k }, **none = NULL;
	struct cuda_function *f;

	start();
	f = function("assay_gemm");
	k = (struct kernel_gemm){ alloc(sizeof(sm)), 1, 1 };
	SAME(cu.launch(f, 1, 1, 1, 32, 1, 1, 0, NULL, params, none), 1);
	SAME(cu.launch(f, 1, 2, 1, 256, 1, 1, 0, NULL, params, none), 1);
	SAME(cu.launch(f, 1, 1, 1, 256, 1, 1, 49153, NULL, params, none), 1);
	SAME(cu.function_set(f, CUDA_FUNC_MAX_DYNAMIC_SHARED, 49153), 0);
	SAME(cu.launch(f, 1, 1, 1, 256, 1, 1, 49153, NULL, params, none), 0);
	use(1);
	SAME(cu.launch(f, 1, 1, 1, 256, 1, 1, 0, NULL, params, none), 400);
}

static void see_foreign_memory(void)
{
	struct kernel_fill k = { 0, 3, 1, 0 };

	start();
	use(1);
	k.dst = alloc(48);
	use(0);
	SAME(try_launch("assay_fill", 1, &k), 0);
	SAME(cu.stream_wait(NULL), CUDA_RC_ILLEGAL_ADDRESS);
	SAME(cu.mem_free(k.dst), CUDA_RC_ILLEGAL_ADDRESS);
}

static void see_short_memory(void)
{
	struct kernel_fill k = { 0, 3, 1, 0 };

	start();
	k.dst = alloc(48);
	SAME(try_launch("assay_fill", 1, &k), 0);
	SAME(cu.stream_wait(NULL), 0);
	k.words = 4;
	SAME(try_launch("assay_fill", 1, &k), 0);
	SAME(cu.stream_wait(NULL), CUDA_RC_ILLEGAL_ADDRESS);
}

static void see_host_memory(void)
{
	static _Alignas(16) unsigned char buffer[48];
	struct kernel_fill k = { (uint64_t)(uintptr_t)buffer, 3, 1, 0 };

	start();
	SAME(cu.host_register(buffer, sizeof(buffer), 0), 0);
	SAME(try_launch("assay_fill", 1, &k), 0);
	SAME(cu.host_unregister(buffer), 0);
	SAME(try_launch("assay_fill", 1, &k), 0);
	SAME(cu.stream_wait(NULL), CUDA_RC_ILLEGAL_ADDRESS);
}

static void wrong_launches_are_refused(void **state)
{
	(void)state;
	play(GPUS("", ""), see_wrong_shapes);
	play(GPUS("", ""), see_foreign_memory);
	play(GPUS("", ""), see_short_memory);
	play(GPUS("", ""), see_host_memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_filled_is_read),
		cmocka_unit_test(each_word_costs_what_it_moves),
		cmocka_unit_test(memory_that_went_bad_is_found),
		cmocka_unit_test(much_work_is_charged_and_not_done),
		cmocka_unit_test(every_sm_tells_the_same),
		cmocka_unit_test(one_sm_can_be_corrupt),
		cmocka_unit_test(each_path_has_its_time_and_faults),
		cmocka_unit_test(functions_tell_their_architecture),
		cmocka_unit_test(wrong_launches_are_refused),
	};

	return cmocka_run_group_tests_name("fake_cuda_kernels", tests,
					   fake_set_up, fake_tear_down);
}
