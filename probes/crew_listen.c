/* SPDX-License-Identifier: Apache-2.0
 * What came of what the workers were told. */
#include "config.h"
#include "probes/crew_inside.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/facts_fabric.h"

#define POLL_MS 20

int64_t crew_left_ms(const struct crew *c)
{
	return c->until_ms - clock_mono_ms();
}

int crew_places(const struct crew *c)
{
	return c->plan->gpus->count + c->plan->port_count;
}

bool crew_is_port(int place)
{
	return place >= PROBE_GPUS_MAX;
}

struct probe_shot *crew_shot(struct crew *c, int place, enum probe p, int n)
{
	if (p == PROBE_storage)
		return &c->out->storage.shot[n];
	return &probe_results(c->out, place)[p].shot[n];
}

void crew_tell(struct probe_shot *shot, enum probe_end end, const char *why,
		 const char *call)
{
	int i;

	shot->end = end;
	snprintf(shot->why, sizeof(shot->why), "%s%.40s", why, call);
	snprintf(shot->call, sizeof(shot->call), "%.39s", call);
	for (i = 0; i < PROBE_FIGURES; i++)
		shot->figure[i] = NAN;
}

static void introduce_gpu(struct crew *c, int gpu)
{
	struct gpu_probes *g = &c->out->gpu[gpu];
	const struct gpu *known = &c->plan->gpus->gpu[gpu];
	int port = c->plan->gpu_port[gpu];

	g->chosen = c->plan->chosen[gpu];
	g->mig = VAL_KNOWN(known->mig_mode) && known->mig_mode.v;
	g->pcie_path_mt = c->plan->pcie_path_mt[gpu];
	g->port = port < c->plan->port_count ? port : -1;
	g->port_near = c->plan->gpu_port_near[gpu];
	snprintf(g->uuid, sizeof(g->uuid), "%s", known->uuid);
}

static void introduce_port(struct crew *c, int k)
{
	const struct crew_port *port = &c->plan->port[k];
	const struct hca *h = &c->plan->fabric->hca[port->hca];
	struct port_probes *out = &c->out->port[k];
	struct ib_port p = { .number = port->number };

	out->chosen = c->plan->chosen[PROBE_PLACE_PORT(k)];
	out->hca = port->hca;
	out->number = port->number;
	fabric_port_name(h, &p, out->name);
}

void crew_introduce(struct crew *c, int place)
{
	if (crew_is_port(place))
		introduce_port(c, place - PROBE_GPUS_MAX);
	else
		introduce_gpu(c, place);
}

/* All but the shots, of which only that one is new: what the parent has said
 * of the others, the worker does not know. */
static void take_place(struct crew *c, int place, enum probe p, int n)
{
	struct facts_probes *from = &c->hand[place].page->result;
	struct probe_result known[PROBE_COUNT];
	int k = place - PROBE_GPUS_MAX;

	memcpy(known, probe_results(c->out, place), sizeof(known));
	if (crew_is_port(place))
		c->out->port[k] = from->port[k];
	else
		c->out->gpu[place] = from->gpu[place];
	memcpy(probe_results(c->out, place), known, sizeof(known));
	*crew_shot(c, place, p, n) = probe_results(from, place)[p].shot[n];
	crew_introduce(c, place);
}

static bool is_groups(enum probe p)
{
	return p == PROBE_peer || p == PROBE_nccl;
}

static void take_group(struct crew *c, enum probe p, int n)
{
	const struct facts_probes *from = &c->hand[GROUP].page->result;
	int i;

	/* Its own start measures nothing, pairs least of all. */
	if (!is_groups(p))
		return;
	c->out->pairs = from->pairs;
	c->out->nccl_version = from->nccl_version;
	c->out->nccl_gpus = from->nccl_gpus;
	c->out->nccl_bytes = from->nccl_bytes;
	for (i = 0; i < PROBE_GPUS_MAX; i++)
		if (c->plan->chosen[i])
			c->out->gpu[i].probe[p].shot[n] =
				from->gpu[i].probe[p].shot[n];
}

static void take_storage(struct crew *c, int n)
{
	const struct facts_probes *from = &c->hand[STORAGE].page->result;

	c->out->storage.shot[n] = from->storage.shot[n];
	c->out->storage_direct = from->storage_direct;
}

bool crew_is_broken(const struct crew *c, int place)
{
	const struct probe_result *r = probe_results(c->out, place);
	const struct probe_shot *shot;
	int p;

	for (p = 0; p < PROBE_COUNT; p++) {
		shot = &r[p].shot[0];
		if (p == PROBE_nccl || shot->end != PROBE_FAULT || !shot->rc)
			continue;
		if (crew_is_port(place) || !probe_rc_is_rdma(shot))
			return true;
	}
	return false;
}

static void note_time(struct crew *c, const struct hand *h)
{
	const struct probe_shot *s = crew_shot(c, h->task.place, h->probe,
					       h->shot);
	int64_t ms = s->elapsed_us / 1000;

	if (s->end == PROBE_DONE && ms > c->took_ms[h->probe])
		c->took_ms[h->probe] = ms;
}

static void take(struct crew *c, struct hand *h, const struct worker_msg *m)
{
	if (m->op != WORKER_DONE || !h->busy || m->probe != (int)h->probe ||
	    m->shot != h->shot)
		return;
	h->busy = false;
	h->ready = true;
	if (h == &c->hand[GROUP]) {
		take_group(c, h->probe, h->shot);
		return;
	}
	if (h == &c->hand[STORAGE]) {
		take_storage(c, h->shot);
		return;
	}
	take_place(c, h->task.place, h->probe, h->shot);
	note_time(c, h);
	h->ready = !crew_is_broken(c, h->task.place) &&
		   crew_shot(c, h->task.place, PROBE_context, 0)->end ==
			   PROBE_DONE;
}

/* For all GPUs that a silent worker was to measure. (One for several things
 * has nothing to tell of its own start.) */
void crew_lost(struct crew *c, struct hand *h, enum probe_end end,
		 const char *why)
{
	char call[40];
	int i;

	snprintf(call, sizeof(call), "%.39s", h->page->progress.call);
	h->busy = h->ready = false;
	if (h->task.place >= 0 || h->probe == PROBE_storage) {
		crew_tell(crew_shot(c, h->task.place, h->probe, h->shot), end,
			  why, call);
		return;
	}
	for (i = 0; i < c->plan->gpus->count; i++)
		if (c->plan->chosen[i] && h->probe != PROBE_context)
			crew_tell(crew_shot(c, i, h->probe, h->shot), end, why, call);
}

static void listen_to(struct crew *c, struct hand *h)
{
	struct worker_msg m;
	ssize_t n;

	while ((n = worker_recv(&h->worker, &m, sizeof(m))) > 0)
		if (n == sizeof(m))
			take(c, h, &m);
	if (n == 0 && h->busy)
		crew_lost(c, h, PROBE_BROKEN, "the probe's worker died in ");
	else if (n == 0)
		h->ready = false;
}

void crew_wait(struct crew *c, int hands)
{
	struct pollfd fds[HANDS];
	struct hand *who[HANDS];
	int i, k;

	for (;;) {
		for (i = k = 0; i < hands; i++) {
			if (!c->hand[i].busy)
				continue;
			who[k] = &c->hand[i];
			fds[k++] = (struct pollfd){
				.fd = c->hand[i].worker.sock, .events = POLLIN
			};
		}
		if (!k)
			return;
		poll(fds, (nfds_t)k, POLL_MS);
		for (i = 0; i < k; i++) {
			listen_to(c, who[i]);
			if (who[i]->busy && clock_mono_ms() >= who[i]->until_ms)
				crew_lost(c, who[i], PROBE_TIMEOUT, "no answer in ");
		}
		c->cancelled |= c->plan->cancelled &&
				c->plan->cancelled(c->plan->arg);
		if (c->cancelled)
			return;
	}
}

void crew_busy(struct crew *c, struct hand *h, enum probe p, int n,
		       int limit_ms)
{
	int64_t left = crew_left_ms(c);

	h->busy = true;
	h->probe = p;
	h->shot = n;
	h->until_ms = clock_mono_ms() + (limit_ms < left ? limit_ms : left);
}
