/* SPDX-License-Identifier: Apache-2.0
 * membw - the GPU's memory: a kernel that only reads, and the triad (two
 * loads, one store), 16 bytes at a time over much more than L2 holds. Every
 * byte moved is counted once. The sums of what was read are compared. */
#include "config.h"
#include "probes/measure.h"

#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"

#define L2_TIMES 8
#define ARRAY_MAX (1LL << 30)
#define ARRAY_LEAST (64LL << 10)
#define WORD 16			/* bytes of one access */
#define BLOCKS_PER_SM 8		/* 256 threads each: all an SM can hold */
#define WORDS_PER_BLOCK 2048	/* at least: eight for each thread */
#define PASSES 96		/* some 12 ms of reading on an H100 */
#define PASSES_MIN 4
#define MEASURE_S 0.25		/* at most */
#define WARM_S 0.06		/* until clocks are up */
#define WARM_MIN 4
#define WARM_MAX 240
#define SCALE 3u
#define COMPARE_MAX (4LL << 20)

struct membw {
	struct probe_device *d;
	struct probe_shot *shot;
	int64_t bytes;		/* of one array */
	cuda_ptr a, b, c;
	cuda_ptr out;		/* uint64_t[blocks] */
	unsigned int blocks;
};

static int launch(struct membw *m, enum kernel kernel, void *args)
{
	struct kernel_run run = { .kernel = kernel,
				  .blocks = m->blocks,
				  .args = args };

	return device_launch(m->d, m->shot, &run);
}

static int fill(struct membw *m, cuda_ptr dst, uint32_t seed)
{
	struct kernel_fill args = { .dst = dst, .seed = seed,
				    .words = (uint64_t)(m->bytes / WORD) };

	return launch(m, KERNEL_fill, &args);
}

static int read_array(struct membw *m, cuda_ptr src)
{
	struct kernel_read args = { .src = src, .out = m->out,
				    .words = (uint64_t)(m->bytes / WORD) };

	return launch(m, KERNEL_read, &args);
}

static int triad(struct membw *m, cuda_ptr unused)
{
	struct kernel_triad args = { .a = m->a, .b = m->b, .c = m->c,
				     .words = (uint64_t)(m->bytes / WORD),
				     .scale = SCALE };

	(void)unused;
	return launch(m, KERNEL_triad, &args);
}

static int launch_passes(struct membw *m,
			 int (*pass)(struct membw *, cuda_ptr), int n)
{
	while (n-- > 0)
		if (pass(m, m->b) < 0)
			return -1;
	return 0;
}

static int within(double n, int least, int most)
{
	return n < least ? least : n > most ? most : (int)n;
}

/* GB/s of many launches, behind others that warm up. The first ones tell, by
 * the host's clock, how many fit: sick memory may take ten times as long. */
static int time_passes(struct membw *m, int (*pass)(struct membw *, cuda_ptr),
		       double arrays, double *gbps)
{
	int64_t began = clock_mono_us();
	double seconds;
	int n;

	if (launch_passes(m, pass, WARM_MIN) < 0 ||
	    device_wait(m->d, m->shot) < 0)
		return -1;
	seconds = (double)(clock_mono_us() - began + 1) / 1e6 / WARM_MIN;
	n = within(MEASURE_S / seconds, PASSES_MIN, PASSES);
	if (launch_passes(m, pass, within(WARM_S / seconds, 0, WARM_MAX)) < 0 ||
	    device_begin(m->d, m->shot) < 0 || launch_passes(m, pass, n) < 0 ||
	    device_finish(m->d, m->shot, &seconds) < 0)
		return -1;
	*gbps = arrays * (double)m->bytes * n / seconds / 1e9;
	return 0;
}

/* The sum of all 32-bit parts of an array, as the read kernel sees it. */
static int sum_of(struct membw *m, cuda_ptr src, uint64_t *sum)
{
	size_t size = m->blocks * sizeof(uint64_t);
	uint64_t *part = malloc(size);
	unsigned int i;
	int rc = -1;

	*sum = 0;
	if (!part)
		return device_not_now(m->shot, "out of memory");
	if (read_array(m, src) < 0 ||
	    DEVICE_CALL(m->d->libs, m->shot, copy_d2h, part, m->out, size,
			m->d->stream) < 0 ||
	    device_wait(m->d, m->shot) < 0)
		goto out;
	for (i = 0; i < m->blocks; i++)
		*sum += part[i];
	rc = 0;
out:
	free(part);
	return rc;
}

/* What the arrays b and a hold, by their definition. */
static uint32_t pattern_b(uint64_t i, int part, uint32_t seed)
{
	return kernels_pattern(i, part, seed);
}

static uint32_t pattern_a(uint64_t i, int part, uint32_t seed)
{
	return kernels_pattern(i, part, seed) +
	       SCALE * kernels_pattern(i, part, seed + 1);
}

static uint64_t expected_sum(int64_t words, uint32_t seed,
			     uint32_t (*pattern)(uint64_t, int, uint32_t))
{
	uint64_t sum = 0;
	int64_t i;
	int k;

	for (i = 0; i < words; i++)
		for (k = 0; k < 4; k++)
			sum += pattern((uint64_t)i, k, seed);
	return sum;
}

/* Are the numbers right at all? Of the first megabytes only: the CPU would
 * need a second for the rest. */
static void compare(struct membw *m, uint32_t seed)
{
	uint64_t a, b;

	if (m->bytes > COMPARE_MAX)
		m->bytes = COMPARE_MAX;
	if (sum_of(m, m->a, &a) < 0 || sum_of(m, m->b, &b) < 0)
		return;
	m->shot->corrupt =
		a != expected_sum(m->bytes / WORD, seed, pattern_a) ||
		b != expected_sum(m->bytes / WORD, seed, pattern_b);
	m->shot->end = PROBE_DONE;
}

static unsigned int count_blocks(const struct membw *m)
{
	int64_t most = (m->d->sms > 0 ? m->d->sms : 1) * BLOCKS_PER_SM;
	int64_t useful = m->bytes / WORD / WORDS_PER_BLOCK;

	useful = useful > 1 ? useful : 1;
	return (unsigned int)(useful < most ? useful : most);
}

static int open_arrays(struct membw *m)
{
	struct probe_device *d = m->d;
	int64_t want = L2_TIMES * d->l2_bytes;

	if (want < ARRAY_LEAST)
		want = ARRAY_LEAST;
	if (want > ARRAY_MAX)
		want = ARRAY_MAX;
	m->bytes = device_room(d, m->shot, want & ~4095LL, want / 2);
	m->blocks = count_blocks(m);
	return m->bytes < 0 ||
			       device_alloc(d, m->shot, &m->a, m->bytes) < 0 ||
			       device_alloc(d, m->shot, &m->b, m->bytes) < 0 ||
			       device_alloc(d, m->shot, &m->c, m->bytes) < 0 ||
			       device_alloc(d, m->shot, &m->out,
					    m->blocks * 8LL) < 0 ?
		       -1 :
		       0;
}

void measure_membw(struct probe_device *d, struct gpu_probes *g,
		   struct probe_shot *shot, int n)
{
	struct membw m = { .d = d, .shot = shot };
	uint32_t seed = 1000u + (uint32_t)n;
	int64_t bytes;

	(void)g;
	if (d->no_kernels[0]) {
		device_never(shot, "%s", d->no_kernels);
		return;
	}
	if (open_arrays(&m) < 0)
		goto out;
	bytes = m.bytes;
	if (fill(&m, m.b, seed) == 0 &&
	    fill(&m, m.c, seed + 1) == 0 &&
	    time_passes(&m, read_array, 1, &shot->figure[0]) == 0 &&
	    time_passes(&m, triad, 3, &shot->figure[1]) == 0)
		compare(&m, seed);
	m.bytes = bytes;
out:
	device_free(d, &m.a, m.bytes);
	device_free(d, &m.b, m.bytes);
	device_free(d, &m.c, m.bytes);
	device_free(d, &m.out, m.blocks * 8LL);
}
