/* SPDX-License-Identifier: Apache-2.0
 * The GPUs of the jobs that are alive, and their tracks. No others are asked:
 * what nobody uses may be what is broken. */
#include "config.h"
#include "watch/sampler.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/log.h"
#include "watch/figures.h"

static struct sampler_gpu *place_for(struct sampler *w, const char *name)
{
	struct sampler_gpu *empty = NULL;
	int i;

	for (i = 0; i < FACTS_GPUS_MAX; i++) {
		if (!strcmp(w->gpu[i].name, name))
			return &w->gpu[i];
		if (!empty && !w->gpu[i].name[0])
			empty = &w->gpu[i];
	}
	return empty;
}

static void begin(struct sampler *w, struct sampler_gpu *g,
		  const struct mark_gpu *m)
{
	const char *name = m->uuid[0] ? m->uuid : m->bus_id;
	struct track_id id = { TRACK_GPU, name, w->boot_id, clock_now() };
	char file[TRACK_NAME_SIZE];

	memset(g, 0, sizeof(*g));
	memcpy(g->name, name, strlen(name) + 1);
	memcpy(g->bus_id, m->bus_id, sizeof(g->bus_id));
	g->index = m->index;
	if (track_open(&g->track, w->dir, track_name(name, file), &id) < 0)
		log_warn("no track for %s: %s", name, strerror(errno));
}

static void want(struct sampler *w, const struct mark *job,
		 const struct mark_gpu *m)
{
	const char *name = m->uuid[0] ? m->uuid : m->bus_id;
	struct sampler_gpu *g = place_for(w, name);

	if (!name[0] || !m->bus_id[0] || !g)
		return;
	if (!g->name[0])
		begin(w, g, m);
	if (!g->wanted || job->start_up_s < g->oldest_up_s)
		g->oldest_up_s = job->start_up_s;
	g->wanted = true;
}

static void drop(struct sampler_gpu *g)
{
	track_close(&g->track);
	memset(g, 0, sizeof(*g));
}

void sampler_fit_gpus(struct sampler *w)
{
	struct sampler_gpu *g;
	int i, k;

	for (i = 0; i < FACTS_GPUS_MAX; i++)
		w->gpu[i].wanted = false;
	for (i = 0; i < w->job_count; i++)
		for (k = 0; k < w->job[i].mark.gpu_count; k++)
			want(w, &w->job[i].mark, &w->job[i].mark.gpu[k]);
	for (i = 0; i < FACTS_GPUS_MAX; i++) {
		g = &w->gpu[i];
		if (g->name[0] && !g->wanted)
			drop(g);
		if (!g->wanted || g->track.fd < 0)
			continue;
		/* A job begins or has ended: nothing of it is merged with
		 * what is another's, and what nobody asks for is given up. */
		track_part(&g->track);
		if (track_forget(&g->track, g->oldest_up_s) < 0)
			log_warn("track of %s: %s", g->name, strerror(errno));
	}
}

bool sampler_ask_gpus(struct sampler *w)
{
	char bus_id[FACTS_GPUS_MAX][24];
	int i, n = 0;

	memset(bus_id, 0, sizeof(bus_id));
	for (i = 0; i < FACTS_GPUS_MAX; i++) {
		if (!w->gpu[i].name[0])
			continue;
		memcpy(bus_id[i], w->gpu[i].bus_id, sizeof(bus_id[i]));
		n = i + 1;
	}
	return n > 0 && driver_ask(&w->driver, bus_id, n);
}

static void alarms(struct sampler *w, struct sampler_gpu *g,
		   const struct driver_reading *r, const struct instant *at)
{
	struct event ev[ALARMS_MAX];
	/* For how long is told by the clock that nobody sets. */
	int i, n = alarm_of_gpu(&g->alarm, &g->last, r, r->at_us / 1000000, ev);

	for (i = 0; i < n; i++) {
		ev[i].time_s = at->wall_s;
		ev[i].up_s = at->up_s;
		snprintf(ev[i].device, sizeof(ev[i].device), "GPU%d", g->index);
		sampler_tell(w, &ev[i]);
	}
}

static void take(struct sampler *w, struct sampler_gpu *g,
		 const struct driver_reading *r, const struct instant *at)
{
	struct figures_when when = { at->up_s, g->track.head.epoch_up_s };
	struct track_sample sample;

	if (g->last.round && g->track.fd >= 0 &&
	    figures_of_gpu(&g->last, r, &when, &sample)) {
		if (track_add(&g->track, &sample) < 0)
			log_warn("track of %s: %s", g->name, strerror(errno));
		g->newest = sample;
	}
	alarms(w, g, r, at);
	g->last = *r;
}

void sampler_take_gpus(struct sampler *w)
{
	const struct instant now = clock_now();
	const struct driver_reading *r;
	int i;

	for (i = 0; i < FACTS_GPUS_MAX; i++) {
		r = w->gpu[i].name[0] ? driver_reading(&w->driver, i) : NULL;
		if (!r)
			continue;
		w->driver_last = clock_at(&now, r->at_us);
		take(w, &w->gpu[i], r, &w->driver_last);
	}
}

void sampler_close_gpus(struct sampler *w)
{
	int i;

	for (i = 0; i < FACTS_GPUS_MAX; i++)
		if (w->gpu[i].name[0])
			drop(&w->gpu[i]);
}
