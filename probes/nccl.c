/* SPDX-License-Identifier: Apache-2.0
 * nccl - an all-reduce over all GPUs of the node, in place, in two sizes. At
 * the end one of known numbers, of which a sample is compared. It is one
 * measurement, but each GPU has its own shot of it, as the clocks and the
 * temperatures are its own. */
#include "config.h"
#include "probes/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/scrub.h"

#define BYTES_MAX (1LL << 30)
#define L2_TIMES 64		/* no more: that is 1 GiB from A100 on, and
				 * little on a device with next to no cache */
#define SMALL 4			/* the other size: a quarter */
#define BYTES_LEAST (64LL << 10)
#define WARM_UPS 3
#define ROUNDS 10
#define SEED 900u
#define COMPARE_BYTES (256LL << 10)
#define WORD 16

struct ring {
	struct probe_group *group;
	struct facts_probes *out;
	int n;
	struct devlibs_nccl nccl;
	int gpu[PROBE_GPUS_MAX];	/* the ranks' places in the group */
	int ranks;
	struct nccl_comm *comm[PROBE_GPUS_MAX];	/* by rank */
	cuda_ptr buffer[PROBE_GPUS_MAX];
	int64_t bytes;
};

static struct probe_device *device_of(struct ring *r, int rank)
{
	return &r->group->gpu[r->gpu[rank]];
}

static struct probe_shot *shot_of(struct ring *r, int rank)
{
	return &r->out->gpu[r->gpu[rank]].probe[PROBE_nccl].shot[r->n];
}

static int enter(struct ring *r, int rank)
{
	return DEVICE_CALL(r->group->libs, shot_of(r, rank), set_current,
			   device_of(r, rank)->context);
}

/* What ends one ends all. */
static int all_end(struct ring *r, const struct probe_shot *as)
{
	struct probe_shot *shot;
	int i;

	for (i = 0; i < r->ranks; i++) {
		shot = shot_of(r, i);
		shot->end = as->end;
		shot->rc = as->rc;
		shot->corrupt = as->corrupt;
		memmove(shot->call, as->call, sizeof(shot->call));
		memmove(shot->why, as->why, sizeof(shot->why));
		memmove(shot->figure, as->figure, sizeof(shot->figure));
	}
	return as->end == PROBE_DONE ? 0 : -1;
}

static int unable(struct ring *r, const char *why)
{
	struct probe_shot shot = *shot_of(r, 0);

	device_unable(&shot, "%.110s", why);
	return all_end(r, &shot);
}

/* A call of NCCL has answered: 0, or -1 with all shots ended. */
static int leave(struct ring *r, const char *call, int rc)
{
	struct probe_shot shot = *shot_of(r, 0);
	const char *text = NULL;

	device_enter(r->group->libs, "");
	if (rc == NCCL_RC_OK)
		return 0;
	if (r->nccl.last_error)
		text = r->nccl.last_error(NULL);
	if ((!text || !*text) && r->nccl.error_string)
		text = r->nccl.error_string(rc);
	shot.end = PROBE_FAULT;
	shot.rc = rc;
	snprintf(shot.call, sizeof(shot.call), "%s", call);
	scrub_copy(shot.why, sizeof(shot.why),
		   text && *text ? text : "no word of why");
	return all_end(r, &shot);
}

#define NCCL_CALL(r, name, expression) \
	(device_enter((r)->group->libs, name), leave(r, name, expression))

/* ---- set-up ---------------------------------------------------------------- */

static int load(struct ring *r)
{
	struct probe_shot shot = *shot_of(r, 0);
	const char *path = r->group->nccl_path;
	struct err e;

	if (measure_may_load(r->group->libs->plan, path, &shot) < 0)
		return all_end(r, &shot);
	device_enter(r->group->libs, "dlopen");
	if (devlibs_nccl_load(&r->nccl, path, &e) < 0) {
		measure_no_library(path, &e, &shot);
		return all_end(r, &shot);
	}
	return NCCL_CALL(r, "ncclGetVersion",
			 r->nccl.version(&r->out->nccl_version));
}

/* In CUDA's order, which is that of CUDA_VISIBLE_DEVICES. */
static int connect(struct ring *r, double *seconds)
{
	int64_t began = clock_mono_us();
	int ordinal[PROBE_GPUS_MAX];
	int i, rc;

	for (i = 0; i < r->ranks; i++)
		ordinal[i] = device_of(r, i)->ordinal;
	rc = NCCL_CALL(r, "ncclCommInitAll",
		       r->nccl.init_all(r->comm, r->ranks, ordinal));
	*seconds = (double)(clock_mono_us() - began) / 1e6;
	return rc;
}

/* A communicator in trouble is not waited for. */
static void disconnect(struct ring *r, bool well)
{
	int i;

	device_enter(r->group->libs, "ncclCommDestroy");
	for (i = 0; i < r->ranks; i++) {
		if (!r->comm[i])
			continue;
		if (well || !r->nccl.abort)
			r->nccl.destroy(r->comm[i]);
		else
			r->nccl.abort(r->comm[i]);
	}
	device_enter(r->group->libs, "");
}

/* The same size for all: what the fullest of them allows. */
static int choose_size(struct ring *r)
{
	int64_t room;
	int i;

	r->bytes = BYTES_MAX;
	for (i = 0; i < r->ranks; i++) {
		if (L2_TIMES * device_of(r, i)->l2_bytes < r->bytes &&
		    device_of(r, i)->l2_bytes > 0)
			r->bytes = L2_TIMES * device_of(r, i)->l2_bytes;
		if (enter(r, i) < 0)
			return all_end(r, shot_of(r, i));
		room = device_room(device_of(r, i), shot_of(r, i), r->bytes,
				   BYTES_LEAST);
		if (room < 0)
			return all_end(r, shot_of(r, i));
		r->bytes = room;
	}
	r->bytes &= ~(int64_t)(SMALL * WORD - 1);
	return 0;
}

static int open_buffers(struct ring *r)
{
	int i;

	for (i = 0; i < r->ranks; i++)
		if (enter(r, i) < 0 ||
		    device_alloc(device_of(r, i), shot_of(r, i), &r->buffer[i],
				 r->bytes) < 0)
			return all_end(r, shot_of(r, i));
	return 0;
}

static void close_buffers(struct ring *r)
{
	struct probe_shot unused;
	int i;

	for (i = 0; i < r->ranks; i++)
		if (r->buffer[i] &&
		    DEVICE_CALL(r->group->libs, &unused, set_current,
				device_of(r, i)->context) == 0)
			device_free(device_of(r, i), &r->buffer[i], r->bytes);
}

/* ---- numbers --------------------------------------------------------------- */

/* Other ones for each rank, and each place; without kernels, each rank. */
static int fill_all(struct ring *r)
{
	int i;

	for (i = 0; i < r->ranks; i++)
		if (enter(r, i) < 0 ||
		    device_fill(device_of(r, i), shot_of(r, i), r->buffer[i],
				r->bytes, SEED + (uint32_t)i) < 0)
			return all_end(r, shot_of(r, i));
	return 0;
}

/* What the sum is at number i (of 32 bits) of the buffer, modulo 2^32. */
static uint32_t expected(struct ring *r, uint64_t i)
{
	uint32_t sum = 0;
	int k;

	for (k = 0; k < r->ranks; k++)
		sum += device_of(r, k)->no_kernels[0] ?
			       SEED + (uint32_t)k :
			       kernels_pattern(i / 4, (int)(i % 4),
					       SEED + (uint32_t)k);
	return sum;
}

/* ---- reducing -------------------------------------------------------------- */

static int reduce(struct ring *r, int64_t bytes)
{
	int i;

	if (NCCL_CALL(r, "ncclGroupStart", r->nccl.group_start()) < 0)
		return -1;
	for (i = 0; i < r->ranks; i++) {
		void *p = (void *)(uintptr_t)r->buffer[i];

		if (NCCL_CALL(r, "ncclAllReduce",
			      r->nccl.all_reduce(p, p, (size_t)bytes / 4,
						 NCCL_INT32, NCCL_SUM,
						 r->comm[i],
						 device_of(r, i)->stream)) < 0)
			return -1;
	}
	return NCCL_CALL(r, "ncclGroupEnd", r->nccl.group_end());
}

static int begin_all(struct ring *r)
{
	int i;

	for (i = 0; i < r->ranks; i++)
		if (enter(r, i) < 0 ||
		    device_begin(device_of(r, i), shot_of(r, i)) < 0)
			return all_end(r, shot_of(r, i));
	return 0;
}

/* All marks first: each stream ends when it ends, not when it is asked. */
static int finish_all(struct ring *r, double *slowest)
{
	struct devlibs_cuda *c = &r->group->libs->cuda;
	float ms;
	int i;

	for (i = 0; i < r->ranks; i++) {
		struct probe_device *d = device_of(r, i);

		if (enter(r, i) < 0 ||
		    DEVICE_CALL(d->libs, shot_of(r, i), event_record, d->end,
				d->stream) < 0)
			return all_end(r, shot_of(r, i));
	}
	*slowest = 0;
	for (i = 0; i < r->ranks; i++) {
		struct probe_device *d = device_of(r, i);

		if (enter(r, i) < 0 ||
		    device_reach(d, shot_of(r, i), d->end) < 0 ||
		    device_leave(d->libs, shot_of(r, i), "cuEventElapsedTime",
				 c->event_elapsed(&ms, d->begin, d->end)) < 0)
			return all_end(r, shot_of(r, i));
		if (ms / 1e3 > *slowest)
			*slowest = ms / 1e3;
	}
	return *slowest > 0 ? 0 : unable(r, "the GPUs' clocks gave no time");
}

/* What each link would have to carry: GB/s. */
static int busbw(struct ring *r, int64_t bytes, double *gbps)
{
	double share = 2.0 * (r->ranks - 1) / r->ranks;
	double seconds;
	int i;

	for (i = 0; i < WARM_UPS; i++)
		if (reduce(r, bytes) < 0)
			return -1;
	if (begin_all(r) < 0)
		return -1;
	for (i = 0; i < ROUNDS; i++)
		if (reduce(r, bytes) < 0)
			return -1;
	if (finish_all(r, &seconds) < 0)
		return -1;
	*gbps = (double)bytes * ROUNDS / seconds * share / 1e9;
	return 0;
}

/* ---- is it right? ---------------------------------------------------------- */

static int compare_one(struct ring *r, int rank, uint32_t *got, bool *wrong)
{
	struct probe_device *d = device_of(r, rank);
	int64_t size = r->bytes < COMPARE_BYTES ? r->bytes : COMPARE_BYTES;
	/* Of each rank another part, so that much is seen of the whole. */
	int64_t at = (r->bytes - size) * rank / r->ranks & ~(int64_t)(WORD - 1);
	int64_t i;

	if (enter(r, rank) < 0 ||
	    DEVICE_CALL(d->libs, shot_of(r, rank), copy_d2h, got,
			r->buffer[rank] + (uint64_t)at, (size_t)size,
			d->stream) < 0 ||
	    device_wait(d, shot_of(r, rank)) < 0)
		return all_end(r, shot_of(r, rank));
	for (i = 0; i < size / 4; i++)
		*wrong |= got[i] != expected(r, (uint64_t)(at / 4 + i));
	return 0;
}

static int compare(struct ring *r, bool *wrong)
{
	uint32_t *got = malloc(COMPARE_BYTES);
	double unused;
	int i, rc = -1;

	if (!got) {
		unable(r, "out of memory");
		goto out;
	}
	if (fill_all(r) < 0 || begin_all(r) < 0 || reduce(r, r->bytes) < 0 ||
	    finish_all(r, &unused) < 0)
		goto out;
	for (i = 0; i < r->ranks; i++)
		if (compare_one(r, i, got, wrong) < 0)
			goto out;
	rc = 0;
out:
	free(got);
	return rc;
}

static int measure(struct ring *r)
{
	struct probe_shot shot = *shot_of(r, 0);

	if (connect(r, &shot.figure[2]) < 0 || choose_size(r) < 0 ||
	    open_buffers(r) < 0 || fill_all(r) < 0 ||
	    busbw(r, r->bytes / SMALL, &shot.figure[0]) < 0 ||
	    busbw(r, r->bytes, &shot.figure[1]) < 0 ||
	    compare(r, &shot.corrupt) < 0)
		return -1;
	r->out->nccl_bytes = r->bytes;
	shot.end = PROBE_DONE;
	return all_end(r, &shot);
}

/* ---- who takes part -------------------------------------------------------- */

static void begin(struct ring *r)
{
	struct probe_group *g = r->group;
	int i;

	for (i = 0; i < g->count; i++) {
		if (!g->ok[i])
			continue;
		r->gpu[r->ranks++] = i;
		measure_begin(&g->gpu[i], shot_of(r, r->ranks - 1));
	}
	r->out->nccl_gpus = r->ranks;
}

/* A context that has seen an error answers nothing but that. */
static bool is_broken(const struct ring *r)
{
	int i;

	for (i = 0; i < r->ranks; i++)
		if (r->out->gpu[r->gpu[i]].probe[PROBE_peer].shot[0].end ==
		    PROBE_FAULT)
			return true;
	return false;
}

void measure_nccl(struct probe_group *group, struct facts_probes *out, int n)
{
	static struct ring r;
	int64_t began = clock_mono_us();
	int i, rc;

	memset(&r, 0, sizeof(r));
	r.group = group;
	r.out = out;
	r.n = n;
	begin(&r);
	if (!r.ranks)
		return;
	if (r.ranks < 2) {
		unable(&r, "needs two GPUs");
	} else if (is_broken(&r)) {
		unable(&r, "not after the copies between GPUs failed");
	} else if (load(&r) == 0) {
		rc = measure(&r);
		disconnect(&r, rc == 0);
		close_buffers(&r);
	}
	for (i = 0; i < r.ranks; i++)
		shot_of(&r, i)->elapsed_us = clock_mono_us() - began;
}
