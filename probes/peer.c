/* SPDX-License-Identifier: Apache-2.0
 * peer - copies from GPU to GPU, in rounds of disjoint pairs, both directions
 * of a pair at once. The end of each copy is compared with its source. */
#include "config.h"
#include "probes/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_MAX (256LL << 20)
#define COMPARE_MAX (1LL << 20)
#define COPIES 4
#define SEED 77u
#define STAGED_SHARE 8		/* through the host so much less is copied */
#define ROUND_MS 300		/* a round takes less, or is not begun */

/* What one GPU of a pair sends: out of its own source into the other's sink,
 * on a stream of its own. */
struct side {
	struct probe_device *d;
	cuda_ptr source, sink;
};

struct peer {
	struct probe_group *group;
	struct facts_probes *out;
	int n;				/* which shot */
	int64_t bytes;
	unsigned char *want, *got;	/* COMPARE_MAX or less */
	struct side side[PROBE_GPUS_MAX];
};

static struct probe_shot *shot_of(struct peer *p, int i)
{
	return &p->out->gpu[i].probe[PROBE_peer].shot[p->n];
}

static int enter(struct peer *p, int i)
{
	struct probe_device *d = p->side[i].d;

	return DEVICE_CALL(d->libs, shot_of(p, i), set_current, d->context);
}

static int64_t compared(const struct peer *p)
{
	return p->bytes < COMPARE_MAX ? p->bytes : COMPARE_MAX;
}

/* What a copy from i to k moves. */
static int64_t moved(const struct peer *p, int i, int k)
{
	if (!p->out->pairs.no_access[i][k])
		return p->bytes;
	return p->bytes / STAGED_SHARE > compared(p) ?
		       p->bytes / STAGED_SHARE : compared(p);
}

/* Its buffers, and in the source numbers that no other GPU has. */
static int open_side(struct peer *p, int i)
{
	struct side *s = &p->side[i];
	struct probe_shot *shot = shot_of(p, i);

	s->d = &p->group->gpu[i];
	if (enter(p, i) < 0)
		return -1;
	return device_alloc(s->d, shot, &s->source, p->bytes) < 0 ||
			       device_alloc(s->d, shot, &s->sink, p->bytes) < 0 ||
			       DEVICE_CALL(s->d->libs, shot, memset_d32,
					   s->sink, 0u, (size_t)p->bytes / 4,
					   s->d->stream) < 0 ||
			       device_fill(s->d, shot, s->source, p->bytes,
					   SEED + (uint32_t)i) < 0 ||
			       device_wait(s->d, shot) < 0 ?
		       -1 :
		       0;
}

static void close_side(struct peer *p, int i)
{
	struct side *s = &p->side[i];
	struct probe_shot unused;

	if (!s->d || DEVICE_CALL(s->d->libs, &unused, set_current,
				 s->d->context) < 0)
		return;
	device_free(s->d, &s->source, p->bytes);
	device_free(s->d, &s->sink, p->bytes);
}

/* May i reach into k's memory directly? What the driver refuses still copies,
 * through the host. */
static void open_path(struct peer *p, int i, int k)
{
	struct probe_libs *l = p->group->libs;
	int can = 0;

	if (l->cuda.can_access_peer &&
	    l->cuda.can_access_peer(&can, p->side[i].d->ordinal,
				    p->side[k].d->ordinal) != CUDA_RC_OK)
		can = 0;
	p->out->pairs.no_access[i][k] = !can;
	if (!can || !l->cuda.enable_peer || enter(p, i) < 0)
		return;
	device_enter(l, devlibs_cuda_names.enable_peer);
	l->cuda.enable_peer(p->side[k].d->context, 0);
	device_enter(l, "");
}

static int send(struct peer *p, int i, int k)
{
	struct side *from = &p->side[i], *to = &p->side[k];

	return DEVICE_CALL(from->d->libs, shot_of(p, i), copy_peer, to->sink,
			   to->d->context, from->source, from->d->context,
			   (size_t)moved(p, i, k), from->d->stream);
}

static int start(struct peer *p, int i, int k)
{
	int c;

	if (enter(p, i) < 0 || send(p, i, k) < 0 ||
	    device_begin(p->side[i].d, shot_of(p, i)) < 0)
		return -1;
	for (c = 0; c < COPIES; c++)
		if (send(p, i, k) < 0)
			return -1;
	return 0;
}

static int finish(struct peer *p, int i, int k)
{
	double seconds;

	if (enter(p, i) < 0 ||
	    device_finish(p->side[i].d, shot_of(p, i), &seconds) < 0)
		return -1;
	p->out->pairs.gbps[p->n][i][k] =
		(double)moved(p, i, k) * COPIES / seconds / 1e9;
	return 0;
}

/* The last part of k's sink against that of i's source. */
static int compare(struct peer *p, int i, int k)
{
	struct probe_libs *l = p->group->libs;
	size_t size = (size_t)compared(p);
	uint64_t at = (uint64_t)moved(p, i, k) - size;

	if (enter(p, i) < 0 ||
	    DEVICE_CALL(l, shot_of(p, i), copy_d2h, p->want,
			p->side[i].source + at, size,
			p->side[i].d->stream) < 0 ||
	    device_wait(p->side[i].d, shot_of(p, i)) < 0 || enter(p, k) < 0 ||
	    DEVICE_CALL(l, shot_of(p, k), copy_d2h, p->got,
			p->side[k].sink + at, size,
			p->side[k].d->stream) < 0 ||
	    device_wait(p->side[k].d, shot_of(p, k)) < 0)
		return -1;
	p->out->pairs.corrupt[p->n][i][k] = memcmp(p->want, p->got, size) != 0;
	return 0;
}

/* Both directions of a pair at once. */
static int measure_pair(struct peer *p, int i, int k)
{
	open_path(p, i, k);
	open_path(p, k, i);
	return start(p, i, k) < 0 || start(p, k, i) < 0 ? -1 : 0;
}

static int end_pair(struct peer *p, int i, int k)
{
	return finish(p, i, k) < 0 || finish(p, k, i) < 0 ||
			       compare(p, i, k) < 0 || compare(p, k, i) < 0 ?
		       -1 :
		       0;
}

static bool wanted(const struct peer *p, int i, int k)
{
	const bool *again = p->group->again;

	return !again || again[i] || again[k];
}

/* A round of the circle method: of 2m players one stays, the others move on;
 * each meets each once in 2m - 1 rounds. place[] are GPUs, -1 nobody. */
static void play_round(struct peer *p, const int *place, int players)
{
	bool started[PROBE_GPUS_MAX] = { false };
	int a, b, m;

	for (m = 0; m < players / 2; m++) {
		a = place[m];
		b = place[players - 1 - m];
		started[m] = a >= 0 && b >= 0 && wanted(p, a, b) &&
			     measure_pair(p, a, b) == 0;
	}
	for (m = 0; m < players / 2; m++)
		if (started[m])
			end_pair(p, place[m], place[players - 1 - m]);
}

static void rotate(int *place, int players)
{
	int last = place[players - 1];

	memmove(place + 2, place + 1, sizeof(*place) * (size_t)(players - 2));
	place[1] = last;
}

/* Some pairs have not met. */
static void mark_partial(struct peer *p)
{
	int i;

	for (i = 0; i < p->group->count; i++)
		shot_of(p, i)->partial = true;
}

static void play(struct peer *p)
{
	int place[PROBE_GPUS_MAX + 1];
	int players = 0;
	int i;

	for (i = 0; i < p->group->count; i++)
		if (p->group->ok[i] && open_side(p, i) == 0)
			place[players++] = i;
	if (players % 2)
		place[players++] = -1;
	for (i = 0; i < players - 1; i++) {
		if (i && device_left_ms(p->side[place[0]].d) < ROUND_MS)
			break;
		play_round(p, place, players);
		rotate(place, players);
	}
	if (i < players - 1)
		mark_partial(p);
}

/* The worst of what a GPU sent is its figure. */
static void sum_up(struct peer *p, int i)
{
	struct probe_shot *shot = shot_of(p, i);
	double gbps;
	int k;

	for (k = 0; k < p->group->count; k++) {
		gbps = p->out->pairs.gbps[p->n][i][k];
		if (!isnan(gbps) && !(gbps >= shot->figure[0]))
			shot->figure[0] = gbps;
	}
	if (shot->end == PROBE_NONE && !isnan(shot->figure[0]))
		shot->end = PROBE_DONE;
}

static void forget(struct peer *p)
{
	int i, k;

	for (i = 0; i < PROBE_GPUS_MAX; i++)
		for (k = 0; k < PROBE_GPUS_MAX; k++)
			p->out->pairs.gbps[p->n][i][k] = NAN;
}

/* As large as twice the L2 of the GPUs, as for copies with the host. */
static int64_t buffer_bytes(const struct probe_group *g)
{
	int64_t bytes = 0;
	int i;

	for (i = 0; i < g->count; i++)
		if (g->ok[i] && g->gpu[i].l2_bytes * 4 > bytes)
			bytes = g->gpu[i].l2_bytes * 4;
	return bytes > 0 && bytes < BUFFER_MAX ? (bytes + 4095) & ~4095LL :
						 BUFFER_MAX;
}

/* Every shot has begun; -1 if there is nobody to play with. */
static int begin(struct peer *p)
{
	struct probe_group *g = p->group;
	int ready = 0;
	int i;

	for (i = 0; i < g->count; i++)
		ready += g->ok[i];
	for (i = 0; i < g->count; i++) {
		if (!g->ok[i])
			continue;
		measure_begin(&g->gpu[i], shot_of(p, i));
		if (g->count < 2)
			device_never(shot_of(p, i), "it has no peer");
		else if (ready < 2)
			device_unable(shot_of(p, i), "it has no peer");
		else if (!g->libs->cuda.copy_peer)
			device_never(shot_of(p, i), "no cuMemcpyPeerAsync");
	}
	return ready < 2 || !g->libs->cuda.copy_peer ? -1 : 0;
}

void measure_peer(struct probe_group *group, struct facts_probes *out, int n)
{
	static struct peer p;
	int i;

	memset(&p, 0, sizeof(p));
	p.group = group;
	p.out = out;
	p.n = n;
	p.bytes = buffer_bytes(group);
	forget(&p);
	if (begin(&p) < 0)
		return;
	p.want = malloc((size_t)compared(&p));
	p.got = malloc((size_t)compared(&p));
	if (p.want && p.got)
		play(&p);
	for (i = 0; i < group->count; i++) {
		if (!group->ok[i])
			continue;
		sum_up(&p, i);
		close_side(&p, i);
	}
	free(p.want);
	free(p.got);
}
