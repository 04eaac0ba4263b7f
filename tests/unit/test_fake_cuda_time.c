/* SPDX-License-Identifier: Apache-2.0
 * The fake CUDA: copies and their virtual time.
 */
#include "config.h"
#include "tests/unit/fake_cuda.h"

#define BYTES 1000000

static unsigned char host[BYTES], back[BYTES];

static void fill_host(void)
{
	int i;

	for (i = 0; i < BYTES; i++)
		host[i] = (unsigned char)(i * 7 + i / 256);
}

/* Microseconds of a copy there and of one back. */
static long long h2d(struct cuda_stream *s, cuda_ptr p)
{
	struct cuda_event *a = mark(s);

	SAME(cu.copy_h2d(p, host, BYTES, s), 0);
	return between(a, mark(s));
}

static long long d2h(struct cuda_stream *s, cuda_ptr p)
{
	struct cuda_event *a = mark(s);

	SAME(cu.copy_d2h(back, p, BYTES, s), 0);
	return between(a, mark(s));
}

static void see_copies(void)
{
	cuda_ptr p;

	start();
	fill_host();
	p = alloc(BYTES);
	SAME(h2d(NULL, p), 20);
	SAME(d2h(NULL, p), 40);
	SAME(memcmp(host, back, BYTES), 0);
	SAME(h2d(stream(), p), 20);
}

static void copies_take_their_bytes_by_the_rate(void **state)
{
	(void)state;
	play(GPUS("\"h2d_gbps\": 50, \"d2h_gbps\": 25", ""), see_copies);
}

static void see_unknown_rate(void)
{
	struct cuda_event *a;
	cuda_ptr p;

	start();
	p = alloc(BYTES);
	SAME(d2h(NULL, p), -CUDA_RC_NOT_SUPPORTED);
	SAME(h2d(NULL, p), 20);
	a = mark(NULL);
	SAME(between(a, mark(NULL)), 0);
}

static void an_unknown_rate_is_not_invented(void **state)
{
	(void)state;
	play(GPUS("\"h2d_gbps\": 50", ""), see_unknown_rate);
}

static void see_rates_in_turn(void)
{
	cuda_ptr p;

	start();
	p = alloc(BYTES);
	SAME(h2d(NULL, p), 20);
	SAME(h2d(NULL, p), 40);
	SAME(h2d(NULL, p), 40);
}

static void see_second_rate(void)
{
	start();
	SAME(h2d(NULL, alloc(BYTES)), 40);
}

/* Each question moves it once, and processes count together. */
static void a_sequence_moves_once_a_question(void **state)
{
	(void)state;
	play(GPUS("\"h2d_gbps\": {\"seq\": [50, 25]}", ""), see_rates_in_turn);
	in_child(see_second_rate);
}

static void see_overlap(void)
{
	struct cuda_stream *s = NULL, *t = NULL;
	struct cuda_event *a, *b, *end;
	cuda_ptr p, q;

	start();
	p = alloc(BYTES);
	q = alloc(BYTES);
	s = stream();
	t = stream();
	a = mark(s);
	b = mark(t);
	SAME(cu.copy_h2d(p, host, BYTES, s), 0);
	SAME(cu.copy_d2h(back, q, BYTES, t), 0);
	end = mark(t);
	SAME(between(a, mark(s)), 20);
	SAME(between(b, end), 40);
	SAME(between(a, end), 40);
	SAME(cu.copy_h2d(p, host, BYTES, t), 0);
	SAME(between(b, mark(t)), 60);
	SAME(cu.stream_query(s), 0);
	SAME(cu.stream_wait(t), 0);
	SAME(cu.stream_destroy(s), 0);
	SAME(cu.stream_destroy(s), 400);
	SAME(cu.copy_h2d(p, host, BYTES, s), 400);
}

static void streams_overlap(void **state)
{
	(void)state;
	play(GPUS("\"h2d_gbps\": 50, \"d2h_gbps\": 25", ""), see_overlap);
}

static void see_wrong_arguments(void)
{
	struct cuda_event *a, *b = NULL;
	cuda_ptr p;
	float ms;

	start();
	p = alloc(16);
	SAME(cu.copy_h2d(p, host, 17, NULL), CUDA_RC_INVALID_VALUE);
	SAME(cu.copy_h2d(p + 8, host, 8, NULL), 0);
	SAME(cu.copy_d2h(back, p + 17, 1, NULL), CUDA_RC_INVALID_VALUE);
	SAME(cu.copy_d2h(back, (cuda_ptr)(uintptr_t)host, 1, NULL),
	     CUDA_RC_INVALID_VALUE);
	a = mark(NULL);
	SAME(cu.event_create(&b, 0), 0);
	SAME(cu.event_elapsed(&ms, a, b), 400); /* not recorded */
	SAME(cu.event_query(b), 0);
	use(1);
	SAME(cu.copy_h2d(p, host, 1, NULL), CUDA_RC_INVALID_VALUE);
	SAME(cu.event_elapsed(&ms, a, mark(NULL)), 400);
}

static void wrong_arguments_are_refused(void **state)
{
	(void)state;
	play(GPUS("", ""), see_wrong_arguments);
}

/* ---- peers ---------------------------------------------------------------- */

static struct cuda_context *here, *there;
static cuda_ptr mine, theirs;

static void two_devices(void)
{
	load();
	SAME(cu.init(0), 0);
	there = use(1);
	theirs = alloc(BYTES);
	here = use(0);
	mine = alloc(BYTES);
	fill_host();
	SAME(cu.copy_h2d(mine, host, BYTES, NULL), 0);
}

static int access_to(cuda_device a, cuda_device b)
{
	int yes = -1;
	int rc = cu.can_access_peer(&yes, a, b);

	return rc ? -rc : yes;
}

/* Microseconds from here to there, the payload checked. */
static long long peer_copy(void)
{
	struct cuda_event *a = mark(NULL), *b;

	SAME(cu.copy_peer(theirs, there, mine, here, BYTES, NULL), 0);
	b = mark(NULL);
	SAME(cu.set_current(there), 0);
	SAME(cu.copy_d2h(back, theirs, BYTES, NULL), 0);
	SAME(cu.set_current(here), 0);
	return between(a, b);
}

static void see_peers(void)
{
	two_devices();
	SAME(access_to(0, 1), 1);
	SAME(access_to(0, 0), 0);
	SAME(access_to(1, 0), 0);
	SAME(cu.enable_peer(there, 0), 0);
	SAME(cu.enable_peer(there, 0), CUDA_RC_PEER_ACCESS_ALREADY_ENABLED);
	SAME(peer_copy(), 4);
	SAME(memcmp(host, back, BYTES), 0);
	SAME(cu.set_current(there), 0);
	SAME(cu.enable_peer(here, 0), CUDA_RC_PEER_ACCESS_UNSUPPORTED);
}

static void see_staged(void)
{
	two_devices();
	SAME(access_to(0, 1), 0);
	SAME(cu.enable_peer(there, 0), CUDA_RC_PEER_ACCESS_UNSUPPORTED);
	SAME(peer_copy(), 50);
	SAME(memcmp(host, back, BYTES), 0);
}

static void see_all_peers(void)
{
	two_devices();
	SAME(access_to(0, 1), 1);
	SAME(peer_copy(), 10);
	SAME(memcmp(host, back, BYTES), 0);
}

static void peers_are_reached_as_listed(void **state)
{
	(void)state;
	play(GPUS("\"p2p_gbps\": {\"1\": 250}", ""), see_peers);
	play(GPUS("\"p2p_gbps\": 100", ""), see_all_peers);
	play(GPUS("\"p2p_gbps\": {\"1\": 20}, \"p2p_access\": {\"1\": 0}", ""),
	     see_staged);
}

/* ---- what goes wrong ------------------------------------------------------ */

static cuda_ptr payload;

static void see_flipped(void)
{
	start();
	fill_host();
	payload = alloc(BYTES);
	SAME(cu.copy_h2d(payload, host, BYTES, NULL), 0);
	SAME(cu.copy_d2h(back, payload, BYTES, NULL), 0);
	SAME(back[100] ^ host[100], 1 << 3);
	back[100] = host[100];
	SAME(memcmp(host, back, BYTES), 0);
}

static void see_flipped_once(void)
{
	see_flipped();
	SAME(cu.copy_d2h(back, payload, BYTES, NULL), 0);
	SAME(memcmp(host, back, BYTES), 0);
}

static void see_peer_flipped(void)
{
	two_devices();
	peer_copy();
	SAME(back[0] ^ host[0], 1);
	SAME(memcmp(host + 1, back + 1, BYTES - 1), 0);
}

static void payloads_can_be_corrupted(void **state)
{
	(void)state;
	play(GPUS("\"corrupt\": {\"kernel\": \"h2d\", \"flip_bit\": 803}", ""),
	     see_flipped);
	play(GPUS("\"corrupt\": [{\"kernel\": \"gemm\"}, "
		  "{\"kernel\": \"d2h\", \"flip_bit\": 803}]",
		  ""),
	     see_flipped);
	play(GPUS("\"corrupt\": {\"seq\": [{\"kernel\": \"d2h\", "
		  "\"flip_bit\": 803}, null]}",
		  ""),
	     see_flipped_once);
	play(GPUS("\"p2p_gbps\": 100, \"corrupt\": {\"kernel\": \"p2p\"}", ""),
	     see_peer_flipped);
	play(GPUS("\"p2p_gbps\": 100, \"corrupt\": "
		  "{\"kernel\": \"p2p\", \"peer\": 1}",
		  ""),
	     see_peer_flipped);
	play(GPUS("\"p2p_gbps\": 100, \"corrupt\": "
		  "{\"kernel\": \"p2p\", \"peer\": 2}",
		  ""),
	     see_all_peers);
	play(GPUS("\"p2p_gbps\": 100", "\"corrupt\": {\"kernel\": \"p2p\"}"),
	     see_all_peers);
}

static void see_memset(void)
{
	struct cuda_event *a;
	uint32_t v[4];
	cuda_ptr p;

	start();
	p = alloc(BYTES);
	a = mark(NULL);
	SAME(cu.memset_d32(p + 4, 0x01020304, BYTES / 4 - 1, NULL), 0);
	SAME(between(a, mark(NULL)), 1);
	SAME(cu.copy_d2h(v, p, sizeof(v), NULL), 0);
	SAME(v[0], 0);
	SAME(v[1], 0x01020304);
	SAME(cu.memset_d32(p + 2, 0, 1, NULL), CUDA_RC_INVALID_VALUE);
	SAME(cu.memset_d32(p + 4, 0, BYTES / 4, NULL), CUDA_RC_INVALID_VALUE);
}

static void memory_is_set(void **state)
{
	(void)state;
	play(GPUS("\"hbm_gbps\": 1000", ""), see_memset);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_take_their_bytes_by_the_rate),
		cmocka_unit_test(an_unknown_rate_is_not_invented),
		cmocka_unit_test(a_sequence_moves_once_a_question),
		cmocka_unit_test(streams_overlap),
		cmocka_unit_test(wrong_arguments_are_refused),
		cmocka_unit_test(peers_are_reached_as_listed),
		cmocka_unit_test(payloads_can_be_corrupted),
		cmocka_unit_test(memory_is_set),
	};

	return cmocka_run_group_tests_name("fake_cuda_time", tests, fake_set_up,
					   fake_tear_down);
}
