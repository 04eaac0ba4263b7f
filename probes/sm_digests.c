/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "probes/sm_digests.h"

#include <stdlib.h>
#include <string.h>

unsigned int sm_digests_shared(struct probe_device *d)
{
	int most = 0;

	if (d->libs->cuda.attribute(&most, CUDA_ATTR_SHARED_PER_BLOCK_OPTIN,
				    d->ordinal) != CUDA_RC_OK)
		most = 0;
	most = most / 2 + 1024;
	return most < KERNEL_GEMM_SHARED_MIN ? KERNEL_GEMM_SHARED_MIN :
					       (unsigned int)most;
}

static int launch(struct sm_run *r, cuda_ptr out, int i)
{
	struct kernel_run run = { .kernel = r->kernel,
				  .blocks = (unsigned int)r->d->sms,
				  .shared_bytes = sm_digests_shared(r->d),
				  .args = r->args };

	*r->address = out + (uint64_t)i * sizeof(struct kernel_sm) *
				    (uint64_t)r->d->sms;
	*r->seed = r->first_seed + (uint32_t)i;
	return device_launch(r->d, r->shot, &run);
}

static int time_launches(struct sm_run *r, cuda_ptr out, double *seconds)
{
	int i;

	if (DEVICE_CALL(r->d->libs, r->shot, function_set,
			r->d->function[r->kernel],
			CUDA_FUNC_MAX_DYNAMIC_SHARED,
			(int)sm_digests_shared(r->d)) < 0)
		return -1;
	for (i = 0; i < r->warm_up + r->launches; i++)
		if ((i == r->warm_up && device_begin(r->d, r->shot) < 0) ||
		    launch(r, out, i) < 0)
			return -1;
	return device_finish(r->d, r->shot, seconds);
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	h ^= v;
	h *= 0xff51afd7ed558ccdULL;	/* odd: keeps every bit's weight */
	return h ^ (h >> 33);
}

/* Where the scheduler put two blocks on one SM, another one ran none: neither
 * can be compared. */
static void fold_launch(struct probe_digests *o, const struct kernel_sm *sm,
			int n)
{
	int blocks[PROBE_SMS_MAX] = { 0 };
	int i;

	for (i = 0; i < n; i++) {
		if (sm[i].sm >= PROBE_SMS_MAX)
			continue;
		o->digest[sm[i].sm] = mix(o->digest[sm[i].sm], sm[i].digest);
		blocks[sm[i].sm]++;
	}
	for (i = 0; i < PROBE_SMS_MAX; i++)
		o->ran[i] &= blocks[i] == 1;
}

static void fold(struct sm_run *r, const struct kernel_sm *all)
{
	struct probe_digests *o = r->out;
	int i;

	memset(o, 0, sizeof(*o));
	memset(o->ran, true, sizeof(o->ran));
	o->sms = r->d->sms;
	for (i = 0; i < r->warm_up + r->launches; i++)
		fold_launch(o, all + (size_t)i * (size_t)r->d->sms, r->d->sms);
	for (i = 0; i < PROBE_SMS_MAX; i++)
		o->seen += o->ran[i];
}

int sm_digests_run(struct sm_run *r, double *seconds)
{
	size_t size = sizeof(struct kernel_sm) * (size_t)r->d->sms *
		      (size_t)(r->warm_up + r->launches);
	struct kernel_sm *all = malloc(size);
	cuda_ptr out = 0;
	int rc = -1;

	if (!all || r->d->sms <= 0 || r->d->sms > PROBE_SMS_MAX) {
		device_unable(r->shot, all ? "%d multiprocessors" :
					     "out of memory (%d)", r->d->sms);
		goto out;
	}
	if (device_alloc(r->d, r->shot, &out, (int64_t)size) < 0 ||
	    time_launches(r, out, seconds) < 0 ||
	    DEVICE_CALL(r->d->libs, r->shot, copy_d2h, all, out, size,
			r->d->stream) < 0 ||
	    device_wait(r->d, r->shot) < 0)
		goto out;
	fold(r, all);
	rc = 0;
out:
	device_free(r->d, &out, (int64_t)size);
	free(all);
	return rc;
}
