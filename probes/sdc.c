/* SPDX-License-Identifier: Apache-2.0
 * sdc - every kind of instruction: each SM goes through the same numbers, path
 * by path, and tells a digest of all intermediate results. Nothing here is a
 * rate; what counts is that all SMs of all GPUs agree. */
#include "config.h"
#include "probes/measure.h"

#include "lib/clock.h"
#include "probes/sm_digests.h"

_Static_assert(PROBE_PATH_COUNT == (int)KERNEL_PATHS,
	       "a name for each path of the kernel");

/* Fixed numbers: the digests of two GPUs can be compared only if both did the
 * same. About 15 ms for a launch on the parts of today, also where fp64 is
 * slow. */
#define LAUNCHES 16
#define SEED 4000u
#define SPAN_MS 5000		/* no path is begun later */
#define PATH_MS 1000		/* none takes longer */

static const uint32_t iters[KERNEL_PATHS] = {
	[KERNEL_PATH_INT] = 131072,  [KERNEL_PATH_FP32] = 131072,
	[KERNEL_PATH_FP64] = 65536,  [KERNEL_PATH_BF16] = 65536,
	[KERNEL_PATH_FP8] = 65536,   [KERNEL_PATH_SHARED] = 8192,
	[KERNEL_PATH_L2] = 4096,
};

/* For each block: together a good part of what the L2 of a large GPU holds. */
#define SCRATCH_BYTES (128 << 10)
#define WORD 16

struct sdc {
	struct probe_device *d;
	struct gpu_probes *g;
	struct probe_shot *shot;
	int n;
	cuda_ptr scratch;
	int64_t scratch_bytes;
};

static uint32_t buffer_words(const struct sdc *s, enum kernel_path path)
{
	if (path == KERNEL_PATH_L2)
		return SCRATCH_BYTES / WORD;
	return path == KERNEL_PATH_SHARED ? sm_digests_shared(s->d) / WORD : 0;
}

static int run_path(struct sdc *s, enum kernel_path path)
{
	struct kernel_sdc args = { .scratch = s->scratch,
				   .scratch_words = buffer_words(s, path),
				   .path = path,
				   .iters = iters[path] };
	struct sm_run r = { .d = s->d,
			    .shot = s->shot,
			    .kernel = KERNEL_sdc,
			    .launches = LAUNCHES,
			    .warm_up = 1,
			    .args = &args,
			    .address = &args.out,
			    .seed = &args.seed,
			    .first_seed = SEED,
			    .out = &s->g->sdc[path][s->n] };
	double unused;

	return sm_digests_run(&r, &unused);
}

/* The digest that most SMs of this GPU gave: the others are strangers. */
static int strangers(const struct probe_digests *o)
{
	int i, k, same, most = 0;

	for (i = 0; i < PROBE_SMS_MAX; i++) {
		for (k = same = 0; o->ran[i] && k < PROBE_SMS_MAX; k++)
			same += o->ran[k] && o->digest[k] == o->digest[i];
		most = same > most ? same : most;
	}
	return o->seen - most;
}

static void sum_up(struct sdc *s)
{
	int path;

	s->shot->figure[0] = s->shot->figure[1] = 0;
	for (path = 0; path < KERNEL_PATHS; path++) {
		s->shot->figure[0] += s->g->sdc[path][s->n].seen;
		s->shot->figure[1] += strangers(&s->g->sdc[path][s->n]);
	}
	s->shot->end = PROBE_DONE;
}

static int run_all(struct sdc *s)
{
	int64_t until = clock_mono_ms() + SPAN_MS;
	int path;

	for (path = 0; path < KERNEL_PATHS; path++) {
		s->g->sdc[path][s->n] = (struct probe_digests){ 0 };
		if (!kernels_has_path(s->d->cc, (enum kernel_path)path))
			continue;
		if (clock_mono_ms() >= until ||
		    device_left_ms(s->d) < PATH_MS)
			s->shot->partial = true;
		else if (run_path(s, (enum kernel_path)path) < 0)
			return -1;
	}
	return 0;
}

void measure_sdc(struct probe_device *d, struct gpu_probes *g,
		 struct probe_shot *shot, int n)
{
	struct sdc s = { .d = d, .g = g, .shot = shot, .n = n,
			 .scratch_bytes = (int64_t)d->sms * SCRATCH_BYTES };

	if (d->no_kernels[0]) {
		device_never(shot, "%s", d->no_kernels);
		return;
	}
	if (device_alloc(d, shot, &s.scratch, s.scratch_bytes) == 0 &&
	    run_all(&s) == 0)
		sum_up(&s);
	device_free(d, &s.scratch, s.scratch_bytes);
}
