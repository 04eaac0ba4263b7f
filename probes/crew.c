/* SPDX-License-Identifier: Apache-2.0
 * A round of probes, phase by phase. */
#include "config.h"
#include "probes/crew_inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"

enum by {
	BY_EACH,		/* each place's worker, all at once */
	BY_TURNS,		/* one place after the other */
	BY_WAVES,		/* all at once that share nothing */
	BY_GROUP,		/* the group's worker measures all at once */
	BY_STORAGE		/* no place takes part */
};

/* In this order: the quick ones first, and of these the tensor cores' load
 * brings the clocks up for what follows. cost_ms: what it usually takes at most
 * on eight GPUs, or for one wave; with less time left it is not started.
 * limit_ms: without an answer by then it hangs. (To both of sustain its own
 * length is added.) */
static const struct phase {
	enum probe probe;
	enum by by;
	int cost_ms, limit_ms;
} phases[] = {
	{ PROBE_pcie_bw, BY_TURNS, 100, 1500 },
	{ PROBE_gemm, BY_EACH, 800, 2500 },
	{ PROBE_membw, BY_EACH, 300, 1500 },
	{ PROBE_peer, BY_GROUP, 500, 2500 },
	{ PROBE_loopback, BY_WAVES, 500, 2000 },
	{ PROBE_gdr, BY_WAVES, 500, 2000 },
	{ PROBE_gemm_peak, BY_EACH, 2500, 8000 },
	{ PROBE_sdc, BY_EACH, 3000, 7000 },
	{ PROBE_pattern, BY_EACH, 1500, 15000 },
	{ PROBE_nccl, BY_GROUP, 5000, 15000 },
	{ PROBE_latency, BY_TURNS, 300, 2000 },
	{ PROBE_storage, BY_STORAGE, 2000, 10000 },
	{ PROBE_sustain, BY_EACH, 1500, 5000 },
};

#define PHASES ((int)(sizeof(phases) / sizeof(phases[0])))

/* What a phase takes besides. */
static int length_ms(const struct crew *c, const struct phase *ph)
{
	return ph->probe == PROBE_sustain ? c->plan->sustain_s * 1000 : 0;
}

static bool fits(const struct crew *c, const struct phase *ph)
{
	int64_t cost_ms = ph->cost_ms + length_ms(c, ph);
	int64_t took_ms = c->took_ms[ph->probe];

	return crew_left_ms(c) >= (took_ms > cost_ms ? took_ms : cost_ms);
}

static void order(struct crew *c, struct hand *h, const struct phase *ph, int n)
{
	struct worker_msg m = { .op = WORKER_MEASURE, .probe = (int)ph->probe,
				.shot = n };

	crew_busy(c, h, ph->probe, n, ph->limit_ms + length_ms(c, ph));
	m.left_ms = (int32_t)(h->until_ms - clock_mono_ms());
	if (worker_send(h->worker.sock, &m, sizeof(m)) < 0)
		crew_lost(c, h, PROBE_BROKEN, "the probe's worker is gone ");
}

static const char *why_not_run(struct crew *c, const struct phase *ph,
			       int place)
{
	if (!fits(c, ph))
		return "no time left";
	if (ph->by == BY_STORAGE)
		return "no worker could be started";
	if (crew_is_broken(c, place))
		return "not after an earlier probe failed";
	return crew_is_port(place) ? "the port could not be opened" :
				     "the GPU could not be opened";
}

/* Nothing was measured, for want of time or of a worker. Nobody judges how a
 * port was opened but by what it was opened for. */
static void not_run(struct crew *c, const struct phase *ph, int place)
{
	const struct probe_shot *opened = crew_shot(c, place, PROBE_context, 0);
	struct probe_shot *shot = crew_shot(c, place, ph->probe, 0);

	if (shot->end != PROBE_NONE || shot->why[0])
		return;
	if (crew_is_port(place) && opened->end != PROBE_DONE &&
	    opened->end != PROBE_NONE)
		*shot = *opened;
	else
		crew_tell(shot, PROBE_NONE, why_not_run(c, ph, place), "");
}

/* By one worker for all of them. */
static void run_common_phase(struct crew *c, const struct phase *ph)
{
	struct hand *h = &c->hand[ph->by == BY_STORAGE ? STORAGE : GROUP];
	int i;

	crew_wait(c, HANDS);
	if (h->ready && fits(c, ph)) {
		order(c, h, ph, 0);
		crew_wait(c, HANDS);
		return;
	}
	for (i = 0; i < c->plan->gpus->count; i++)
		if (c->plan->chosen[i])
			not_run(c, ph, i);
}

static bool takes_part(const struct crew *c, const struct phase *ph, int place)
{
	return c->plan->chosen[place] &&
	       crew_is_port(place) == probe_is_of_ports(ph->probe);
}

static void run_place(struct crew *c, const struct phase *ph, int place)
{
	if (ph->probe == PROBE_gdr && c->out->gpu[place].port < 0)
		crew_tell(crew_shot(c, place, ph->probe, 0), PROBE_UNABLE,
			  "no RDMA port that is active", "");
	else if (!c->hand[place].ready || !fits(c, ph))
		not_run(c, ph, place);
	else
		order(c, &c->hand[place], ph, 0);
}

static void run_wave(struct crew *c, const struct phase *ph, int wave)
{
	int i, k;

	for (i = 0; i < crew_places(c) && !c->cancelled; i++) {
		k = c->plan->order[i];
		if (!takes_part(c, ph, k) ||
		    (ph->by == BY_WAVES && c->plan->wave[k] != wave))
			continue;
		run_place(c, ph, k);
		if (ph->by == BY_TURNS)
			crew_wait(c, GROUP);
	}
	crew_wait(c, GROUP);
}

static void run_place_phase(struct crew *c, const struct phase *ph)
{
	int i, k, wave, last = 0;

	for (i = 0; ph->by == BY_WAVES && i < crew_places(c); i++) {
		k = c->plan->order[i];
		if (takes_part(c, ph, k) && c->plan->wave[k] > last)
			last = c->plan->wave[k];
	}
	for (wave = 0; wave <= last && !c->cancelled; wave++)
		run_wave(c, ph, wave);
}

static void run_phases(struct crew *c)
{
	int64_t began;
	int i;

	for (i = 0; i < PHASES && !c->cancelled; i++) {
		if (!c->plan->probe[phases[i].probe])
			continue;
		began = clock_mono_us();
		if (phases[i].by >= BY_GROUP)
			run_common_phase(c, &phases[i]);
		else
			run_place_phase(c, &phases[i]);
		c->out->phase_us[phases[i].probe] = clock_mono_us() - began;
	}
}

/* For a repeat that would decide there may be no time: then that is said in its
 * place. */
static bool is_doubted(struct crew *c, const struct phase *ph, int place)
{
	if (!c->plan->chosen[place] ||
	    !c->plan->doubts(ph->probe, place, c->plan->arg))
		return false;
	if (!fits(c, ph))
		crew_tell(crew_shot(c, place, ph->probe, 1), PROBE_NONE,
			  "no time left", "");
	return true;
}

/* What is doubted is measured once more, with nothing else going on. */
static void repeat_common_phase(struct crew *c, const struct phase *ph)
{
	struct hand *h = &c->hand[ph->by == BY_STORAGE ? STORAGE : GROUP];
	int doubted = 0;
	int i;

	for (i = 0; i < c->plan->gpus->count; i++) {
		if (!is_doubted(c, ph, i))
			continue;
		doubted++;
		if (h->page)
			h->page->again[i] = true;
	}
	if (doubted && h->ready && fits(c, ph)) {
		order(c, h, ph, 1);
		crew_wait(c, HANDS);
	}
}

static void repeat_place_phase(struct crew *c, const struct phase *ph)
{
	int i, k;

	for (i = 0; i < crew_places(c) && !c->cancelled; i++) {
		k = i < c->plan->gpus->count ?
			    i :
			    PROBE_PLACE_PORT(i - c->plan->gpus->count);
		if (!takes_part(c, ph, k) || !is_doubted(c, ph, k) ||
		    !c->hand[k].ready || !fits(c, ph))
			continue;
		order(c, &c->hand[k], ph, 1);
		crew_wait(c, GROUP);
	}
}

static void repeat_doubted(struct crew *c)
{
	int i;

	if (!c->plan->doubts)
		return;
	for (i = 0; i < PHASES && !c->cancelled; i++) {
		if (!c->plan->probe[phases[i].probe])
			continue;
		if (phases[i].by >= BY_GROUP)
			repeat_common_phase(c, &phases[i]);
		else
			repeat_place_phase(c, &phases[i]);
	}
}

static void prepare(struct crew *c)
{
	int i, k;

	memset(c->out, 0, sizeof(*c->out));
	c->plan->stuck_count = 0;
	c->until_ms = clock_mono_ms() + c->plan->budget_ms;
	snprintf(c->out->build_id, sizeof(c->out->build_id), "%s",
		 kernels_build_id);
	for (i = 0; i < PROBE_GPUS_MAX; i++) {
		c->out->gpu[i].left_mib = -1;
		for (k = 0; k < PROBE_GPUS_MAX; k++)
			c->out->pairs.gbps[0][i][k] =
				c->out->pairs.gbps[1][i][k] = NAN;
	}
	for (i = 0; i < c->plan->gpus->count; i++)
		crew_introduce(c, i);
	c->out->port_count = c->plan->port_count;
	for (i = 0; i < c->plan->port_count; i++)
		crew_introduce(c, PROBE_PLACE_PORT(i));
}

int crew_run(struct crew_plan *plan, struct facts_probes *out)
{
	struct crew *c = calloc(1, sizeof(*c));
	int64_t began = clock_mono_us();
	int rc;

	memset(out, 0, sizeof(*out));
	if (!c) {
		snprintf(out->why, sizeof(out->why), "out of memory");
		return 0;
	}
	c->plan = plan;
	c->out = out;
	prepare(c);
	crew_start(c);
	run_phases(c);
	if (!c->cancelled)
		repeat_doubted(c);
	crew_dismiss(c);
	out->elapsed_us = clock_mono_us() - began;
	out->ran = !c->cancelled;
	rc = c->cancelled ? -1 : 0;
	free(c);
	return rc;
}
