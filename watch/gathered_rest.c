/* SPDX-License-Identifier: Apache-2.0
 * Events and processes of a story. */
#include "config.h"
#include "watch/gathered.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "epilog/members.h"
#include "lib/facts_host.h"
#include "lib/faults.h"
#include "lib/jsonfile.h"
#include "lib/scrub.h"
#include "watch/events.h"
#include "watch/kernel.h"
#include "watch/sampler.h"

/* ---- events ------------------------------------------------------------------ */

static bool is_jobs_gpu(const struct mark *m, const char *device)
{
	char name[16];
	int i;

	for (i = 0; i < m->gpu_count; i++) {
		snprintf(name, sizeof(name), "GPU%d", m->gpu[i].index);
		if (!strcmp(name, device))
			return true;
	}
	return false;
}

/* A GPU is the job's or another's; one that could not be named is nobody's
 * unless the job has the node. All else is everybody's. */
static bool concerns(const struct gathering *q, const struct event *ev)
{
	if (!strncmp(ev->device, "GPU", 3))
		return is_jobs_gpu(q->mark, ev->device);
	if (ev->kind == EVENT_XID || ev->kind == EVENT_OFFBUS)
		return q->mark->owned;
	return true;
}

static bool is_told(const struct story *s, const struct event *ev)
{
	int i;

	for (i = 0; i < s->event_count; i++)
		if (s->event[i].kind == ev->kind &&
		    s->event[i].number == ev->number &&
		    !strcmp(s->event[i].device, ev->device))
			return true;
	return false;
}

/* What was told leaves half of the room to what was not. */
static bool has_room(const struct story *s, const struct event *ev)
{
	return s->event_count < STORY_EVENTS_MAX / 2 ||
	       (s->event_count < STORY_EVENTS_MAX && !is_told(s, ev));
}

static void take_event(struct gathering *q, const struct event *ev)
{
	struct story *s = &q->g->story;
	struct story_event *to;

	if (!concerns(q, ev))
		return;
	if (!has_room(s, ev)) {
		s->events_cut = true;
		return;
	}
	to = &s->event[s->event_count++];
	*to = (struct story_event){ .time_s = ev->time_s,
				    .kind = ev->kind,
				    .number = ev->number,
				    .subcode = ev->subcode,
				    .fatal = ev->fatal,
				    .pid = ev->pid,
				    .pid_is_jobs = ev->job == q->mark->job };
	memcpy(to->device, ev->device, sizeof(to->device));
	memcpy(to->text, ev->text, sizeof(to->text));
}

static void by_sampler(const struct event *ev, void *arg)
{
	struct gathering *q = arg;
	const struct story_job *j = &q->g->story.job;
	struct event own = *ev;

	own.time_s = gather_time_s(q, ev->time_s, ev->up_s);
	if (own.time_s >= j->start_s && own.time_s <= j->end_s)
		take_event(q, &own);
}

static void name_gpu(const struct mark *m, struct event *ev)
{
	int i;

	for (i = 0; i < m->gpu_count; i++)
		if (faults_same_device(m->gpu[i].bus_id, ev->device)) {
			snprintf(ev->device, sizeof(ev->device), "GPU%d",
				 m->gpu[i].index);
			return;
		}
}

static int64_t within(const struct gathering *q, int64_t time_s)
{
	const struct story_job *j = &q->g->story.job;

	if (time_s < j->start_s)
		return j->start_s;
	return time_s > j->end_s ? j->end_s : time_s;
}

/* What the Epilog's own look at the log found since the Prolog's, and nobody
 * has told: the sampler was not there, or no more. Its time is then when it
 * was seen. */
static void by_epilog(struct gathering *q)
{
	const struct facts_kmsg *k = &q->from->facts->kmsg;
	const json_t *seq = json_object_get(q->mark->snapshot, "kmsg_seq");
	/* How far the clock was set since the job began. */
	int64_t set_s = q->from->now.wall_s - q->g->story.job.end_s;
	struct instant seen = { .wall_s = 0 };
	struct event ev;
	int i;

	if (!json_is_integer(seq) || !q->same_boot)
		return;
	for (i = 0; i < k->fault_count; i++) {
		if (k->fault[i].seq < (uint64_t)json_integer_value(seq))
			continue;
		seen.wall_s = within(q, k->fault[i].seen_s - set_s);
		kernel_event(&k->fault[i], &seen, &ev);
		name_gpu(q->mark, &ev);
		if (!is_told(&q->g->story, &ev))
			take_event(q, &ev);
	}
}

void gather_events(struct gathering *q)
{
	if (q->g->story.watch != WATCH_NONE && q->watch_dir >= 0)
		events_read(q->watch_dir, by_sampler, q);
	if (q->from->facts)
		by_epilog(q);
}

/* ---- processes ----------------------------------------------------------------- */

static double of_host(const json_t *host, const char *key)
{
	const json_t *n = json_object_get(host, key);

	return json_is_integer(n) ? (double)json_integer_value(n) :
				    (double)NAN;
}

/* The sampler's last look ends before the job does, the steps' notes leave
 * out what ran in no step: the larger of both. */
static struct story_number used(const struct gathering *q, const char *key,
				bool sum, double scale)
{
	double a = of_host(q->g->host, key);
	double b = sum ? steps_sum(&q->g->steps, key) :
			 steps_most(&q->g->steps, key);

	return number_or(fmax(a, b) * scale,
			q->g->story.watch == WATCH_NONE ? STORY_NO_WATCH :
							  STORY_UNREADABLE);
}

/* What the job could have had: as much as Slurm has allocated; all of the
 * node's memory where Slurm shares out none. */
static double could_have(const struct gathering *q)
{
	double alloc = steps_alloc_bytes(&q->g->steps);
	int64_t kb;

	if (!isnan(alloc))
		return alloc;
	kb = facts_host_memory_kb(&q->from->s->roots);
	return kb > 0 ? (double)kb * 1024 : (double)NAN;
}

/* Where no cgroup counts: what the steps' ended processes came to. Of the
 * memory that is no more than the largest of them; a limit that a cgroup has
 * stays. */
static void stand_in(const struct gathering *q, struct story_host *h)
{
	const struct steps *s = &q->g->steps;
	struct story_number cpu = number_known(steps_waited_us(s) * 1e-6);
	struct story_number peak = number_known(steps_largest_bytes(s));
	struct story_number limit = number_known(could_have(q));

	if (!number_is_known(&h->cpu_s) && number_is_known(&cpu)) {
		h->cpu_s = cpu;
		h->cpu_of = STORY_PROCESSES;
	}
	if (number_is_known(&h->mem_peak_bytes) || !number_is_known(&peak))
		return;
	h->mem_peak_bytes = peak;
	h->mem_of = STORY_PROCESSES;
	if (!number_is_known(&h->mem_limit_bytes) && number_is_known(&limit))
		h->mem_limit_bytes = limit;
}

/* Slurm tells a Prolog neither; a step's plugin is told. */
static void take_told(const struct steps *s, struct story *to)
{
	int64_t job = steps_job_number(s, "array_job");
	int64_t task = steps_job_number(s, "array_task");

	scrub_copy(to->leaf, sizeof(to->leaf), steps_leaf(s));
	if (to->job.array_job >= 0 || job < 0 || task < 0)
		return;
	to->job.array_job = job;
	to->job.array_task = task;
}

static int cpus_of(const struct gathering *q)
{
	double batch = NAN;
	int host = (int)json_integer_value(json_object_get(q->g->host, "cpus"));

	if (host > 0)
		return host;
	batch = steps_most(&q->g->steps, "cpus");
	return isnan(batch) ? q->mark->cpus : (int)batch;
}

/* The use of one GPU sample's time, from the samples that overlap it. */
static float busy_at(const struct track_copy *c, double from, double to,
		     int cpus)
{
	double used_s = 0, seen_s = 0, a, b, part;
	int i;

	for (i = 0; i < c->count; i++) {
		const struct track_host *h = &c->samples.host[i];

		a = (double)c->head.epoch_s + h->from_s;
		b = a + (double)h->length_s;
		part = fmin(b, to) - fmax(a, from);
		if (part <= 0 || isnan(h->cpu_s) || h->length_s <= 0)
			continue;
		used_s += (double)h->cpu_s * part / (double)h->length_s;
		seen_s += part;
	}
	if (seen_s <= 0 || cpus <= 0)
		return NAN;
	return (float)fmin(used_s / (seen_s * cpus), 1);
}

static void take_busy(struct gathering *q)
{
	const struct story_gpu *g = &q->g->story.gpu[0];
	struct story_host *h = &q->g->story.host;
	struct track_copy c;
	double from;
	int i;

	if (!q->g->story.gpu_count || !g->samples || h->cpus <= 0 ||
	    q->job_dir < 0 ||
	    track_read(q->job_dir, SAMPLER_HOST_TRACK, TRACK_HOST, &c) < 0)
		return;
	c.head.epoch_s = gather_time_s(q, c.head.epoch_s, c.head.epoch_up_s);
	q->g->cpu_busy = calloc((size_t)g->samples, sizeof(float));
	for (i = 0; q->g->cpu_busy && i < g->samples; i++) {
		from = (double)g->epoch_s + g->sample[i].from_s;
		q->g->cpu_busy[i] =
			busy_at(&c, from, from + (double)g->sample[i].length_s,
				h->cpus);
	}
	h->cpu_busy = q->g->cpu_busy;
	h->cpu_samples = q->g->cpu_busy ? g->samples : 0;
	track_copy_fini(&c);
}

void gather_host(struct gathering *q)
{
	struct story_host *h = &q->g->story.host;
	struct steps *steps = &q->g->steps;

	q->g->host = jsonfile_read(q->job_dir, SAMPLER_HOST);
	steps_read(q->job_dir, steps);
	take_told(steps, &q->g->story);
	h->cpu_s = used(q, "cpu_us", true, 1e-6);
	h->mem_peak_bytes = used(q, "mem_peak_bytes", false, 1);
	h->mem_limit_bytes = used(q, "mem_limit_bytes", false, 1);
	h->oom_kills = used(q, "oom_kills", true, 1);
	h->read_bytes = used(q, "io_read_bytes", true, 1);
	h->write_bytes = used(q, "io_write_bytes", true, 1);
	/* The largest of some steps is not the largest of all. */
	if (steps->dropped && isnan(of_host(q->g->host, "mem_peak_bytes")))
		h->mem_peak_bytes = number_unknown(STORY_UNREADABLE);
	stand_in(q, h);
	h->cpus = cpus_of(q);
	h->steps = steps_count(steps);
	h->clients = json_object_get(q->g->host, "clients");
	/* Slurm does not say it, the cgroup does. */
	if (number_is_known(&h->oom_kills) && h->oom_kills.v > 0 &&
	    (q->g->story.job.state == STORY_FAILED ||
	     q->g->story.job.state == STORY_CANCELLED))
		q->g->story.job.state = STORY_OOM;
	take_busy(q);
}
