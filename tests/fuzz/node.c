/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "tests/fuzz/node.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- dice --------------------------------------------------------------- */

uint64_t rng_next(struct rng *r)
{
	uint64_t z = (r->s += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

int rng_below(struct rng *r, int n)
{
	return (int)(rng_next(r) % (uint64_t)n);
}

bool rng_chance(struct rng *r, int percent)
{
	return rng_below(r, 100) < percent;
}

int64_t rng_counter(struct rng *r)
{
	static const int64_t ends[] = { 0,	    1,	       UINT8_MAX,
					UINT16_MAX, INT32_MAX, UINT32_MAX,
					INT64_MAX };

	if (rng_chance(r, 30))
		return ends[rng_below(r, 7)];
	return (int64_t)(rng_next(r) >> (1 + rng_below(r, 62)));
}

/* ---- the job, the log, the boot ------------------------------------------ */

static void make_job(struct node *n, struct rng *r, bool whole)
{
	int i;

	n->has_job = n->context != CONTEXT_HEALTH && (whole || rng_chance(r, 95));
	n->all_jobs = whole || rng_chance(r, 50);
	n->owned = rng_chance(r, 60);
	n->expect_count = whole || rng_chance(r, 40);
	for (i = 0; i < FACTS_GPUS_MAX; i++) {
		n->gpu_is_jobs[i] = n->all_jobs || rng_chance(r, 50);
		n->job_gpus += i < n->facts.gpus.count && n->gpu_is_jobs[i];
	}
	if (!n->has_job)
		n->job_gpus = 0;
}

/* An old call for a reset that the driver has since answered with "nothing
 * needed", or a user's mistake. */
static int make_xid(const struct node *n, struct rng *r, int gpu)
{
	static const int app[] = { 13, 31, 43, 45, 32,	8,   69,
				   94, 63, 92, 66, 137, 162, 9999 };
	static const int reset[] = { 46, 62, 95, 109, 119, 140 };
	const struct gpu *g = gpu >= 0 ? &n->facts.gpus.gpu[gpu] : NULL;

	if (g && VAL_KNOWN(g->recovery) && !g->recovery.v && rng_chance(r, 30))
		return reset[rng_below(r, 6)];
	return app[rng_below(r, 14)];
}

/* What a kernel log holds on nodes that work. */
static void make_fault(struct fault *f, struct node *n, struct rng *r)
{
	const struct facts_gpus *g = &n->facts.gpus;
	int gpu = g->count ? rng_below(r, g->count) : -1;

	memset(f, 0, sizeof(*f));
	f->subcode = f->previous = f->recovery_to = -1;
	f->pid = rng_chance(r, 50) ? rng_below(r, 4000000) : -1;
	f->pid_count = rng_below(r, FACTS_FAULT_PIDS + 1);
	f->count = 1 + (uint32_t)rng_below(r, 1000);
	f->seq = f->first_seq = rng_next(r) >> 40;
	f->seen_s = 1800000000 - rng_below(r, 1000000);
	if (gpu >= 0)
		memcpy(f->device, g->gpu[gpu].bus_id, sizeof(f->device));
	switch (rng_below(r, 4)) {
	case 0:
		f->kind = FAULT_AER;
		break;
	case 1:
		f->kind = FAULT_OOM;
		f->device[0] = '\0';
		break;
	case 2:
		f->kind = FAULT_SXID;
		f->number = 20001;
		break;
	default:
		f->kind = FAULT_XID;
		f->number = make_xid(n, r, gpu);
		break;
	}
}

static void make_kmsg(struct node *n, struct rng *r, bool whole)
{
	struct facts_kmsg *k = &n->facts.kmsg;
	int i;

	k->gather.end = whole || rng_chance(r, 95) ? GATHER_DONE : GATHER_ERROR;
	snprintf(k->boot_id, sizeof(k->boot_id),
		 "00000000-0000-4000-8000-%012d", rng_below(r, 3));
	k->uptime_s = rng_chance(r, 20) ? rng_below(r, 600) : 1000000;
	k->gap = rng_chance(r, 10);
	k->fault_count = rng_chance(r, 50) ? 0 : rng_below(r, 8);
	for (i = 0; i < k->fault_count; i++)
		make_fault(&k->fault[i], n, r);
}

void node_make(struct node *n, struct rng *r, bool whole)
{
	struct machine machine = n->machine;

	/* Faults beyond the count are not looked at: leave them be. */
	memset(n, 0,
	       offsetof(struct node, facts) + offsetof(struct facts, kmsg) +
		       offsetof(struct facts_kmsg, fault));
	memset(&n->facts.gpus, 0,
	       sizeof(*n) - offsetof(struct node, facts) -
		       offsetof(struct facts, gpus));
	n->machine = machine;
	n->whole = whole;
	n->context = (enum context)rng_below(r, 3);
	node_make_gpus(n, r, whole);
	node_make_rest(n, r, whole);
	make_kmsg(n, r, whole);
	make_job(n, r, whole);
	node_make_probes(n, r);
}
