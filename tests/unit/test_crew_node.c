/* SPDX-License-Identifier: Apache-2.0
 * The deep tier's probes of the node as a whole, by a crew: all GPUs by the
 * stand-in for libnccl, and a file. */
#include "config.h"
#include "tests/unit/crews_deep.h"

#include <sys/stat.h>

#define NODE_NCCL \
	", \"nccl\": {\"allreduce_busbw_gbps\": 430, \"version\": 22807}"

/* ---- NCCL -------------------------------------------------------------------- */

static void all_gpus_reduce(void **state)
{
	int i;

	(void)state;
	scenario_with("", NODE_NCCL);
	only(PROBE_nccl, PROBE_nccl);
	run(0);
	assert_int_equal(out.nccl_version, 22807);
	assert_int_equal(out.nccl_gpus, GPUS);
	assert_int_equal(out.nccl_bytes, 1 << 20);
	for (i = 0; i < GPUS; i++) {
		assert_int_equal(shot(i, PROBE_nccl, 0)->end, PROBE_DONE);
		assert_false(shot(i, PROBE_nccl, 0)->corrupt);
		NEAR(shot(i, PROBE_nccl, 0)->figure[0], 430.0);
		NEAR(shot(i, PROBE_nccl, 0)->figure[1], 430.0);
		assert_true(shot(i, PROBE_nccl, 0)->figure[2] >= 0);
	}
}

static void a_wrong_sum_is_seen(void **state)
{
	(void)state;
	/* Of rank 1 the second third is compared. */
	scenario_with("", ", \"nccl\": {\"allreduce_busbw_gbps\": 430, "
			  "\"corrupt\": {\"rank\": 1, \"flip_bit\": 2800000}}");
	only(PROBE_nccl, PROBE_nccl);
	run(0);
	assert_int_equal(shot(0, PROBE_nccl, 0)->end, PROBE_DONE);
	assert_true(shot(0, PROBE_nccl, 0)->corrupt);
}

static void a_set_up_that_fails_tells_why(void **state)
{
	(void)state;
	scenario_with("", ", \"nccl\": {\"init_rc\": 2, \"last_error\": "
			  "\"no socket interface found\"}");
	only(PROBE_nccl, PROBE_sustain);
	run(0);
	assert_int_equal(shot(2, PROBE_nccl, 0)->end, PROBE_FAULT);
	assert_int_equal(shot(2, PROBE_nccl, 0)->rc, 2);
	assert_string_equal(shot(2, PROBE_nccl, 0)->call, "ncclCommInitAll");
	assert_string_equal(shot(2, PROBE_nccl, 0)->why,
			    "no socket interface found");
	/* No GPU is the worse for it. */
	assert_int_equal(shot(2, PROBE_sustain, 0)->end,
			 kernels_fatbin ? PROBE_DONE : PROBE_UNABLE);
}

static void one_gpu_does_not_reduce(void **state)
{
	(void)state;
	scenario_with("", NODE_NCCL);
	plan.chosen[0] = plan.chosen[2] = false;
	only(PROBE_nccl, PROBE_nccl);
	run(0);
	assert_int_equal(shot(1, PROBE_nccl, 0)->end, PROBE_UNABLE);
	assert_string_equal(shot(1, PROBE_nccl, 0)->why, "needs two GPUs");
}

static bool doubts_all_reduces(enum probe p, int gpu, void *arg)
{
	(void)arg;
	return p == PROBE_nccl && gpu == 0;
}

static void a_doubted_all_reduce_is_repeated(void **state)
{
	(void)state;
	scenario_with("", NODE_NCCL);
	plan.doubts = doubts_all_reduces;
	only(PROBE_nccl, PROBE_nccl);
	run(0);
	assert_int_equal(shot(0, PROBE_nccl, 1)->end, PROBE_DONE);
	NEAR(shot(0, PROBE_nccl, 1)->figure[1], 430.0);
}

static void libraries_go_together(void **state)
{
	(void)state;
	plan.nccl_path = "";
	plan.cublaslt_path = NULL;
	only(PROBE_nccl, PROBE_gemm_peak);
	run(0);
	assert_int_equal(shot(0, PROBE_nccl, 0)->end, PROBE_UNABLE);
	assert_non_null(strstr(shot(0, PROBE_nccl, 0)->why, "[libraries]"));
	assert_int_equal(shot(0, PROBE_gemm_peak, 0)->end, PROBE_UNABLE);
	assert_non_null(strstr(shot(0, PROBE_gemm_peak, 0)->why, "libraries"));
}

static void a_library_that_is_named_has_to_be_there(void **state)
{
	(void)state;
	nccl[strlen(nccl) - 1] = '9';
	plan.cublaslt_path = nvml;	/* a library, and the wrong one */
	only(PROBE_nccl, PROBE_gemm_peak);
	run(0);
	assert_int_equal(shot(1, PROBE_nccl, 0)->end, PROBE_BROKEN);
	assert_non_null(strstr(shot(1, PROBE_nccl, 0)->why, "libnccl.so.9"));
	assert_int_equal(shot(1, PROBE_gemm_peak, 0)->end, PROBE_BROKEN);
	assert_non_null(strstr(shot(1, PROBE_gemm_peak, 0)->why, "lacks"));
}

/* ---- storage ----------------------------------------------------------------- */

static void file_of(const char *path, size_t size)
{
	char *bytes = calloc(1, size);

	assert_non_null(bytes);
	fixture_bytes(&x, path, bytes, size);
	free(bytes);
}

static void read_file(enum probe_end end)
{
	only(PROBE_storage, PROBE_storage);
	run(0);
	assert_int_equal(out.storage.shot[0].end, end);
}

static void a_file_is_read(void **state)
{
	const struct probe_shot *s = &out.storage.shot[0];

	(void)state;
	file_of("data/file", (3 << 20) + 4711);
	read_file(PROBE_DONE);
	assert_true(s->figure[0] > 0);
	assert_true(s->figure[1] > 0);
	NEAR(s->figure[2], 3.0 / 1024);
	assert_int_equal(out.storage_pid, 0);
}

static void no_more_is_read_than_asked_for(void **state)
{
	(void)state;
	file_of("data/file", 5 << 20);
	plan.storage_mb = 2;
	read_file(PROBE_DONE);
	NEAR(out.storage.shot[0].figure[2], 2.0 / 1024);
}

static void a_directory_stands_for_its_file(void **state)
{
	(void)state;
	file_of("data/assay-read.dat", 1 << 20);
	plan.storage_path = "data";
	read_file(PROBE_DONE);
}

static void what_cannot_be_read_is_told(void **state)
{
	const char *why = out.storage.shot[0].why;

	(void)state;
	fixture_dir(&x, "data");
	read_file(PROBE_UNABLE);
	assert_string_equal(why, "open data/file: No such file or directory");
	plan.storage_path = "data";
	read_file(PROBE_UNABLE);
	assert_non_null(strstr(why, "data/assay-read.dat"));
	file_of("data/assay-read.dat", 4711);
	read_file(PROBE_UNABLE);
	assert_string_equal(why, "data has less than 1 MiB");
}

/* A FIFO without a writer would be waited for. */
static void only_files_are_read(void **state)
{
	char path[1024];

	(void)state;
	assert_int_equal(mkfifo(fixture_path(&x, "data/file", path), 0600), 0);
	read_file(PROBE_UNABLE);
	assert_string_equal(out.storage.shot[0].why,
			    "data/file is no regular file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		D(all_gpus_reduce),
		D(a_wrong_sum_is_seen),
		D(a_set_up_that_fails_tells_why),
		D(one_gpu_does_not_reduce),
		D(a_doubted_all_reduce_is_repeated),
		D(libraries_go_together),
		D(a_library_that_is_named_has_to_be_there),
		D(a_file_is_read),
		D(no_more_is_read_than_asked_for),
		D(a_directory_stands_for_its_file),
		D(what_cannot_be_read_is_told),
		D(only_files_are_read),
	};

	return cmocka_run_group_tests_name("crew_node", tests, NULL, NULL);
}
