/* SPDX-License-Identifier: Apache-2.0
 * pattern - most of the GPU's free memory, chunk by chunk: numbers are written
 * and compared, then their complement, so that every bit has been both. What
 * is wrong is read once more: a bad cell stays wrong, a bad read does not. An
 * earlier run may have come some way; this one goes on from there. */
#include "config.h"
#include "probes/measure.h"

#include <stdlib.h>

#include "lib/clock.h"
#include "probes/crew.h"

#define SHARE 0.90		/* of the free memory */
#define CHUNK_MAX (1LL << 30)
#define CHUNK_LEAST (2LL << 20)
#define CHUNKS_LEAST 16
#define CHUNKS_MAX 512
#define MOVED 5			/* fill, check, invert (twice), check */
#define BLOCKS_PER_SM 8
#define WORD 16
#define SEED 0x5eed0000u

struct pattern {
	struct probe_device *d;
	struct probe_shot *shot;
	struct probe_bad *bad;
	cuda_ptr chunk[CHUNKS_MAX];
	int count;
	int64_t bytes;		/* of a chunk */
	unsigned int blocks;
	cuda_ptr out;		/* struct kernel_bad[blocks] */
	struct kernel_bad *tells;	/* the same, here */
	double seconds;
	int done;		/* chunks gone through */
};

/* ---- memory ---------------------------------------------------------------- */

static int64_t out_bytes(const struct pattern *p)
{
	return (int64_t)p->blocks * (int64_t)sizeof(struct kernel_bad);
}

static int64_t chunk_bytes(int64_t room)
{
	int64_t bytes = (room / CHUNKS_LEAST) & ~(CHUNK_LEAST - 1);

	if (bytes < CHUNK_LEAST)
		return CHUNK_LEAST;
	return bytes < CHUNK_MAX ? bytes : CHUNK_MAX;
}

/* As many chunks as there is room for. Where the last ones cannot be had, in
 * pieces or by a neighbour's doing, fewer will do. */
static int take_chunks(struct pattern *p, int64_t room)
{
	struct probe_shot refused;

	p->bytes = chunk_bytes(room);
	while (p->count < CHUNKS_MAX && room >= p->bytes) {
		if (device_alloc(p->d, &refused, &p->chunk[p->count],
				 p->bytes) < 0)
			break;
		p->count++;
		room -= p->bytes;
	}
	if (p->count)
		return 0;
	return room < p->bytes ? device_unable(p->shot, "too little of its "
							"memory is free") :
				 device_leave(p->d->libs, p->shot, refused.call,
					      refused.rc);
}

static int open_memory(struct pattern *p)
{
	size_t left, total;

	p->tells = malloc((size_t)out_bytes(p));
	if (!p->tells)
		return device_unable(p->shot, "out of memory");
	if (device_alloc(p->d, p->shot, &p->out, out_bytes(p)) < 0 ||
	    DEVICE_CALL(p->d->libs, p->shot, mem_info, &left, &total) < 0)
		return -1;
	return take_chunks(p, (int64_t)(SHARE * (double)left));
}

static void close_memory(struct pattern *p)
{
	int i;

	for (i = 0; i < p->count; i++)
		device_free(p->d, &p->chunk[i], p->bytes);
	device_free(p->d, &p->out, out_bytes(p));
	free(p->tells);
}

/* ---- kernels --------------------------------------------------------------- */

static uint64_t words(const struct pattern *p)
{
	return (uint64_t)p->bytes / WORD;
}

static int launch(struct pattern *p, enum kernel kernel, void *args)
{
	struct kernel_run run = { .kernel = kernel,
				  .blocks = p->blocks,
				  .args = args };

	return device_launch(p->d, p->shot, &run);
}

static int fill(struct pattern *p, int i)
{
	struct kernel_fill args = { .dst = p->chunk[i], .words = words(p),
				    .seed = SEED + (uint32_t)i };

	return launch(p, KERNEL_fill, &args);
}

static int invert(struct pattern *p, int i)
{
	struct kernel_invert args = { .dst = p->chunk[i], .words = words(p) };

	return launch(p, KERNEL_invert, &args);
}

static int check(struct pattern *p, int i, bool inverted)
{
	struct kernel_check args = { .src = p->chunk[i], .words = words(p),
				     .out = p->out,
				     .seed = SEED + (uint32_t)i,
				     .invert = inverted };

	return launch(p, KERNEL_check, &args);
}

/* What the last check found: its first bad word in *first, how many in
 * first->count. */
static int collect(struct pattern *p, struct kernel_bad *first)
{
	unsigned int i;

	*first = (struct kernel_bad){ .first = UINT64_MAX };
	if (DEVICE_CALL(p->d->libs, p->shot, copy_d2h, p->tells, p->out,
			(size_t)out_bytes(p), p->d->stream) < 0 ||
	    device_wait(p->d, p->shot) < 0)
		return -1;
	for (i = 0; i < p->blocks; i++) {
		uint64_t count = first->count + p->tells[i].count;

		if (p->tells[i].first < first->first)
			*first = p->tells[i];
		first->count = count;
	}
	return 0;
}

/* ---- one chunk ------------------------------------------------------------- */

static void note(struct pattern *p, int i, const struct kernel_bad *bad)
{
	p->bad->at = (uint64_t)i * (uint64_t)p->bytes + bad->first * WORD;
	p->bad->want = bad->want;
	p->bad->got = bad->got;
}

/* Something is wrong in chunk i: the same once more. A bad cell is where it
 * was; what is wrong in another place now was read wrong, too. Told is the
 * first word that was wrong twice; where there is none, the first at all. */
static int read_again(struct pattern *p, int i, bool inverted,
		      const struct kernel_bad *first)
{
	struct kernel_bad again;

	if (!p->bad->words)
		note(p, i, first);
	p->bad->words += first->count;
	if (check(p, i, inverted) < 0 || collect(p, &again) < 0)
		return -1;
	if (!again.count || again.first != first->first)
		return 0;
	if (!p->bad->again)
		note(p, i, &again);
	p->bad->again += again.count;
	return 0;
}

/* One of the two states of a chunk: made, compared. */
static int go_through(struct pattern *p, int i, bool inverted)
{
	struct kernel_bad first;
	double seconds;

	if (device_begin(p->d, p->shot) < 0 ||
	    (inverted ? invert(p, i) : fill(p, i)) < 0 ||
	    check(p, i, inverted) < 0 ||
	    device_finish(p->d, p->shot, &seconds) < 0 ||
	    collect(p, &first) < 0)
		return -1;
	p->seconds += seconds;
	return first.count ? read_again(p, i, inverted, &first) : 0;
}

/* ---- all of them ----------------------------------------------------------- */

static int run(struct pattern *p)
{
	double from = p->d->libs->plan->pattern_from[p->d->place];
	int i = from > 0 && from < 1 ? (int)(from * p->count + 0.5) : 0;
	int64_t began, took_ms = 0;	/* for the last chunk */

	if (i >= p->count)
		i = 0;
	for (; i < p->count && device_left_ms(p->d) > took_ms; i++) {
		began = clock_mono_ms();
		if (go_through(p, i, false) < 0 || go_through(p, i, true) < 0)
			return -1;
		took_ms = clock_mono_ms() - began;
		p->done++;
	}
	p->shot->partial = i < p->count;
	p->bad->next = i < p->count ? (double)i / p->count : 0;
	return 0;
}

static void sum_up(struct pattern *p)
{
	double bytes = (double)p->done * (double)p->bytes;

	if (!p->done) {
		device_unable(p->shot, "no time left");
		return;
	}
	p->shot->figure[0] = bytes / (1 << 30);
	p->shot->figure[1] = (double)p->bad->again;
	p->shot->figure[2] = MOVED * bytes / p->seconds / 1e9;
	p->shot->end = PROBE_DONE;
}

void measure_pattern(struct probe_device *d, struct gpu_probes *g,
		     struct probe_shot *shot, int n)
{
	static struct pattern p;

	p = (struct pattern){ .d = d, .shot = shot, .bad = &g->bad[n] };
	*p.bad = (struct probe_bad){ 0 };
	p.blocks = (unsigned int)(d->sms > 0 ? d->sms : 1) * BLOCKS_PER_SM;
	if (d->no_kernels[0]) {
		device_never(shot, "%s", d->no_kernels);
		return;
	}
	if (open_memory(&p) == 0 && run(&p) == 0)
		sum_up(&p);
	close_memory(&p);
}
