/* SPDX-License-Identifier: Apache-2.0
 * gemm - tensor cores: every SM multiplies the same tile of numbers that a
 * seed decides, launch after launch, and tells a digest of every bit of the
 * result. The rate is judged, and so is each SM's digest. */
#include "config.h"
#include "probes/measure.h"

#include <stdlib.h>

#include "probes/sm_digests.h"

/* Fixed numbers: the digests of two GPUs can be compared only if both did the
 * same. About 0.3 s on the parts of today. */
#define LAUNCHES 24
#define WARM_UP 4
#define ITERS 16384u
#define SEED 20u

void measure_gemm(struct probe_device *d, struct gpu_probes *g,
		  struct probe_shot *shot, int n)
{
	struct sm_run r = { .d = d, .shot = shot, .kernel = KERNEL_gemm,
			    .launches = LAUNCHES, .warm_up = WARM_UP,
			    .out = &g->gemm[n] };
	struct kernel_gemm args = { .iters = ITERS };
	double seconds;

	if (d->no_kernels[0]) {
		device_never(shot, "%s", d->no_kernels);
		return;
	}
	r.args = &args;
	r.address = &args.out;
	r.seed = &args.seed;
	r.first_seed = SEED;
	if (sm_digests_run(&r, &seconds) < 0)
		return;
	shot->figure[0] = KERNEL_GEMM_FLOP * ITERS * LAUNCHES * d->sms /
			  seconds / 1e12;
	shot->end = PROBE_DONE;
}
