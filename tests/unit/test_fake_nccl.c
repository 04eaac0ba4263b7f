/* SPDX-License-Identifier: Apache-2.0
 * The fake NCCL, with the fake CUDA whose streams it works on.
 */
#include "config.h"
#include "tests/unit/fake_cuda.h"

#include <time.h>

#define COUNT 1000

static struct devlibs_nccl nccl;

/* One rank of a ring of two. */
struct rank {
	struct cuda_context *context;
	struct cuda_stream *stream;
	struct nccl_comm *comm;
	cuda_ptr send, recv;
	int32_t got[COUNT];
};

static struct rank rank[2];

static int load_nccl(void)
{
	char path[512];
	struct err e;

	snprintf(path, sizeof(path), "%.*s/libnccl.so.2",
		 (int)(strrchr(library, '/') - library), library);
	return devlibs_nccl_load(&nccl, path, &e);
}

/* Two devices, each with 1000 numbers, and as yet no communicator. */
static void two_ranks(void)
{
	int32_t number[COUNT];
	int i, k;

	load();
	SAME(load_nccl(), 0);
	SAME(nccl.missing_optional, 0);
	SAME(cu.init(0), 0);
	for (k = 0; k < 2; k++) {
		rank[k].context = use(k);
		rank[k].stream = stream();
		rank[k].send = alloc(sizeof(number));
		rank[k].recv = alloc(sizeof(number));
		for (i = 0; i < COUNT; i++)
			number[i] = k ? i * i : -7 * i;
		SAME(cu.copy_h2d(rank[k].send, number, sizeof(number),
				 rank[k].stream),
		     0);
	}
}

static int connect(void)
{
	struct nccl_comm *comm[2];
	int devices[] = { 0, 1 };
	int rc = nccl.init_all(comm, 2, devices);

	rank[0].comm = comm[0];
	rank[1].comm = comm[1];
	return rc;
}

static int reduce(int k, int type)
{
	return nccl.all_reduce((void *)(uintptr_t)rank[k].send,
			       (void *)(uintptr_t)rank[k].recv, COUNT, type,
			       NCCL_SUM, rank[k].comm, rank[k].stream);
}

static int reduce_both(int type)
{
	SAME(nccl.group_start(), 0);
	SAME(reduce(0, type), 0);
	SAME(reduce(1, type), 0);
	return nccl.group_end();
}

static void fetch(void)
{
	int k;

	for (k = 0; k < 2; k++) {
		SAME(cu.set_current(rank[k].context), 0);
		SAME(cu.copy_d2h(rank[k].got, rank[k].recv,
				 sizeof(rank[k].got), rank[k].stream),
		     0);
	}
}

/* Microseconds of an all-reduce, on each rank's stream. */
static void timed(long long us)
{
	struct cuda_event *begin[2];
	int k;

	for (k = 0; k < 2; k++) {
		SAME(cu.set_current(rank[k].context), 0);
		begin[k] = mark(rank[k].stream);
	}
	SAME(reduce_both(NCCL_INT32), 0);
	for (k = 0; k < 2; k++) {
		SAME(cu.set_current(rank[k].context), 0);
		SAME(between(begin[k], mark(rank[k].stream)), us);
	}
}

static void see_sums(void)
{
	int i, version = 0;

	two_ranks();
	SAME(nccl.version(&version), 0);
	SAME(version, 22703);
	SAME(connect(), 0);
	SAME(reduce_both(NCCL_INT32), 0);
	fetch();
	for (i = 0; i < COUNT; i++) {
		SAME(rank[0].got[i], i * i - 7 * i);
		SAME(rank[1].got[i], i * i - 7 * i);
	}
	SAME(nccl.destroy(rank[0].comm), 0);
	SAME(reduce(0, NCCL_INT32), NCCL_RC_INVALID_ARGUMENT);
	SAME(nccl.abort(rank[1].comm), 0);
	SAME(nccl.destroy(rank[1].comm), NCCL_RC_INVALID_ARGUMENT);
}

static void the_ranks_are_summed(void **state)
{
	(void)state;
	play(NODE("{\"gpus\": [{}, {}]}, \"nccl\": {}"), see_sums);
}

static void see_float_sums(void)
{
	float number[COUNT];
	int i, k;

	two_ranks();
	for (i = 0; i < COUNT; i++)
		number[i] = (float)i / 4;
	for (k = 0; k < 2; k++) {
		SAME(cu.set_current(rank[k].context), 0);
		SAME(cu.copy_h2d(rank[k].send, number, sizeof(number),
				 rank[k].stream),
		     0);
		rank[k].recv = rank[k].send; /* in place */
	}
	SAME(connect(), 0);
	SAME(reduce_both(NCCL_FLOAT32), 0);
	fetch();
	for (i = 0; i < COUNT; i++) {
		memcpy(number, &rank[1].got[i], sizeof(float));
		SAME((long long)(number[0] * 4), 2 * i);
	}
}

static void floats_in_place(void **state)
{
	(void)state;
	play(NODE("{\"gpus\": [{}, {}]}, \"nccl\": {}"), see_float_sums);
}

/* Of two ranks each moves its 4000 bytes once: 2 (n - 1) / n is 1. */
static void see_time(void)
{
	two_ranks();
	SAME(connect(), 0);
	timed(40);
}

static void see_time_by_size(void)
{
	two_ranks();
	SAME(connect(), 0);
	timed(20);
}

static void see_no_time(void)
{
	two_ranks();
	SAME(connect(), 0);
	timed(-CUDA_RC_NOT_SUPPORTED);
}

static void see_one_rank(void)
{
	struct cuda_event *a;

	two_ranks();
	SAME(nccl.init_all(&rank[0].comm, 1, NULL), 0);
	SAME(cu.set_current(rank[0].context), 0);
	a = mark(rank[0].stream);
	SAME(reduce(0, NCCL_INT32), 0);
	SAME(between(a, mark(rank[0].stream)), 40);
}

static void the_bus_has_its_rate(void **state)
{
	(void)state;
	play(NODE("{\"gpus\": [{}, {}]}, "
		  "\"nccl\": {\"allreduce_busbw_gbps\": 0.1}"),
	     see_time);
	play(NODE("{\"gpus\": [{}, {}]}, \"nccl\": "
		  "{\"allreduce_busbw_gbps\": {\"4000\": 0.2, \"8000\": 1}}"),
	     see_time_by_size);
	play(NODE("{\"gpus\": [{}, {}]}, \"nccl\": "
		  "{\"allreduce_busbw_gbps\": {\"8000\": 1}}"),
	     see_no_time);
	play(NODE("{\"gpus\": [{}, {}]}, "
		  "\"nccl\": {\"allreduce_busbw_gbps\": 0.1}"),
	     see_one_rank);
}

/* More is charged than summed. */
static void see_large(void)
{
	struct cuda_event *a;
	size_t count = 256 << 20;
	int32_t first, v = 5;

	two_ranks();
	SAME(cu.set_current(rank[0].context), 0);
	rank[0].send = alloc(count * 4);
	SAME(nccl.init_all(&rank[0].comm, 1, NULL), 0);
	SAME(cu.copy_h2d(rank[0].send, &v, 4, rank[0].stream), 0);
	a = mark(rank[0].stream);
	SAME(nccl.all_reduce((void *)(uintptr_t)rank[0].send,
			     (void *)(uintptr_t)rank[0].send, count,
			     NCCL_INT32, NCCL_SUM, rank[0].comm,
			     rank[0].stream),
	     0);
	SAME(between(a, mark(rank[0].stream)) / 10, 268435);
	SAME(cu.copy_d2h(&first, rank[0].send, 4, rank[0].stream), 0);
	SAME(first, 5);
}

static void large_buffers_are_charged(void **state)
{
	(void)state;
	play(NODE("{\"gpus\": [{\"h2d_gbps\": 1}, {}]}, "
		  "\"nccl\": {\"allreduce_busbw_gbps\": 0.4}"),
	     see_large);
}

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static void see_slow_init(void)
{
	long long t;

	two_ranks();
	t = now_ms();
	SAME(connect(), 0);
	SAME(now_ms() - t >= 50, 1);
}

static void see_failing_init(void)
{
	two_ranks();
	SAME(connect(), NCCL_RC_SYSTEM);
	SAME(strcmp(nccl.error_string(NCCL_RC_SYSTEM), "system error"), 0);
	SAME(strcmp(nccl.last_error(NULL), "no socket interface found"), 0);
}

static void see_second_init(void)
{
	two_ranks();
	SAME(connect(), NCCL_RC_UNHANDLED_CUDA);
	SAME(connect(), 0);
}

static void init_answers_as_listed(void **state)
{
	(void)state;
	play(NODE("{\"gpus\": [{}, {}]}, \"nccl\": {\"init_ms\": 50}"),
	     see_slow_init);
	play(NODE("{\"gpus\": [{}, {}]}, \"nccl\": {\"init_rc\": 2, "
		  "\"last_error\": \"no socket interface found\"}"),
	     see_failing_init);
	play(NODE("{\"gpus\": [{}, {}]}, \"nccl\": "
		  "{\"init_rc\": {\"seq\": [1, 0]}}"),
	     see_second_init);
	play(NODE("{\"gpus\": [{}, {}]}, \"nccl\": "
		  "{\"CommInitAll\": {\"seq\": [{\"rc\": 1}, 0]}}"),
	     see_second_init);
	play(NODE("{\"gpus\": [{}, {}]}, \"nccl\": {\"init_rc\": {\"rc\": 2}, "
		  "\"last_error\": \"no socket interface found\"}"),
	     see_failing_init);
}

static void see_wrong_use(void)
{
	struct nccl_comm *comm[2];
	int twice[] = { 1, 1 };

	two_ranks();
	SAME(nccl.init_all(comm, 2, twice), NCCL_RC_INVALID_USAGE);
	SAME(nccl.init_all(comm, 0, NULL), NCCL_RC_INVALID_ARGUMENT);
	SAME(nccl.group_end(), NCCL_RC_INVALID_USAGE);
	SAME(connect(), 0);
	SAME(reduce(0, 4711), NCCL_RC_INVALID_ARGUMENT);
	SAME(nccl.group_start(), 0);
	SAME(reduce(0, NCCL_INT32), 0);
	SAME(nccl.group_end(), NCCL_RC_INVALID_USAGE); /* where is rank 1? */
	rank[0].send += 8; /* behind its end */
	SAME(reduce_both(NCCL_INT32), NCCL_RC_UNHANDLED_CUDA);
	rank[0].send -= 8;
	SAME(reduce_both(NCCL_INT32), 0);
	SAME(nccl.all_reduce(NULL, NULL, 0, NCCL_INT32, NCCL_SUM,
			     rank[0].comm, NULL),
	     NCCL_RC_INVALID_ARGUMENT);
}

static void wrong_use_is_refused(void **state)
{
	(void)state;
	play(NODE("{\"gpus\": [{}, {}]}, \"nccl\": {}"), see_wrong_use);
}

static void see_flipped(void)
{
	two_ranks();
	SAME(connect(), 0);
	SAME(reduce_both(NCCL_INT32), 0);
	fetch();
	SAME(rank[1].got[2] ^ rank[0].got[2], 1 << 5);
	rank[1].got[2] = rank[0].got[2];
	SAME(memcmp(rank[0].got, rank[1].got, sizeof(rank[0].got)), 0);
}

static void see_flipped_once(void)
{
	see_flipped();
	SAME(reduce_both(NCCL_INT32), 0);
	fetch();
	SAME(memcmp(rank[0].got, rank[1].got, sizeof(rank[0].got)), 0);
}

static void results_can_be_corrupted(void **state)
{
	(void)state;
	play(NODE("{\"gpus\": [{}, {}]}, \"nccl\": "
		  "{\"corrupt\": {\"rank\": 1, \"flip_bit\": 69}}"),
	     see_flipped);
	play(NODE("{\"gpus\": [{}, {}]}, \"nccl\": {\"corrupt\": "
		  "{\"seq\": [{\"rank\": 1, \"flip_bit\": 69}, null]}}"),
	     see_flipped_once);
}

static void see_other_version(void)
{
	int version = 0;

	two_ranks();
	SAME(nccl.version(&version), 0);
	SAME(version, 21805);
	SAME(connect(), 0);
	SAME(reduce(0, NCCL_INT32), NCCL_RC_REMOTE);
}

static void see_missing(void)
{
	SAME(load_nccl(), -1);
	SAME(nccl.missing_required, 1);
	SAME(nccl.all_reduce == NULL, 1);
}

static void functions_answer_as_listed(void **state)
{
	(void)state;
	play(NODE("{\"gpus\": [{}, {}]}, \"nccl\": {\"version\": 21805, "
		  "\"AllReduce\": {\"rc\": 6}}"),
	     see_other_version);
	play("{\"nccl\": {\"missing_symbols\": [\"ncclAllReduce\"]}}",
	     see_missing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ranks_are_summed),
		cmocka_unit_test(floats_in_place),
		cmocka_unit_test(the_bus_has_its_rate),
		cmocka_unit_test(large_buffers_are_charged),
		cmocka_unit_test(init_answers_as_listed),
		cmocka_unit_test(wrong_use_is_refused),
		cmocka_unit_test(results_can_be_corrupted),
		cmocka_unit_test(functions_answer_as_listed),
	};

	return cmocka_run_group_tests_name("fake_nccl", tests, fake_set_up,
					   fake_tear_down);
}
