/* SPDX-License-Identifier: Apache-2.0
 * Events and processes of a story. */
#include "config.h"
#include "watch/gathered.h"

#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "epilog/members.h"
#include "lib/faults.h"
#include "lib/fdio.h"
#include "lib/jsonfile.h"
#include "watch/events.h"
#include "watch/kernel.h"
#include "watch/sampler.h"

#define NOTES_MAX (256 * 1024)

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

static void take_event(struct gathering *q, const struct event *ev)
{
	struct story *s = &q->g->story;
	struct story_event *to;

	if (!concerns(q, ev))
		return;
	if (s->event_count == STORY_EVENTS_MAX) {
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

static void by_sampler(struct gathering *q, struct event *ev)
{
	struct events_query all = { q->g->story.job.start_s,
				    q->g->story.job.end_s, STORY_EVENTS_MAX,
				    false };
	int i, n;

	if (q->g->story.watch == WATCH_NONE || q->watch_dir < 0)
		return;
	n = events_read(q->watch_dir, &all, ev);
	q->g->story.events_cut |= all.cut;
	for (i = 0; i < n; i++)
		take_event(q, &ev[i]);
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

/* What the Epilog's own look at the log found since the Prolog's, and nobody
 * has told: the sampler was not there, or no more. Its time is then when it
 * was seen. */
static void by_epilog(struct gathering *q)
{
	const struct facts_kmsg *k = &q->from->facts->kmsg;
	const json_t *seq = json_object_get(q->mark->snapshot, "kmsg_seq");
	struct event ev;
	int i;

	if (!json_is_integer(seq) || !q->same_boot)
		return;
	for (i = 0; i < k->fault_count; i++) {
		if (k->fault[i].seq < (uint64_t)json_integer_value(seq))
			continue;
		kernel_event(&k->fault[i], k->fault[i].seen_s, &ev);
		name_gpu(q->mark, &ev);
		if (!is_told(&q->g->story, &ev))
			take_event(q, &ev);
	}
}

void gather_events(struct gathering *q)
{
	struct event *ev = calloc(STORY_EVENTS_MAX, sizeof(*ev));

	if (ev)
		by_sampler(q, ev);
	free(ev);
	if (q->from->facts)
		by_epilog(q);
}

/* ---- processes ----------------------------------------------------------------- */

/* The last word of each step: {"batch": {"cpu_us": 7, ...}}. */
static void take_line(json_t *steps, const char *line, size_t len)
{
	json_t *o = json_loadb(line, len, 0, NULL);
	const json_t *step = json_object_get(o, "step");
	char name[24];

	if (json_is_string(step))
		snprintf(name, sizeof(name), "%.20s", json_string_value(step));
	else
		snprintf(name, sizeof(name), "%lld",
			 (long long)json_integer_value(step));
	if (json_is_object(o) && step) {
		json_t *kept = json_object_get(steps, name);

		/* An end tells no cgroup: the task's before it stays. */
		if (!kept)
			json_object_set(steps, name, o);
		else if (json_is_integer(json_object_get(o, "cpu_us")) ||
			 json_is_object(json_object_get(o, "cgroup")))
			json_object_update(kept, o);
	}
	json_decref(o);
}

static json_t *read_steps(int dir)
{
	json_t *steps = json_object();
	char *text = malloc(NOTES_MAX), *line, *end;
	ssize_t n = -1;
	int fd = dir < 0 ? -1 :
			   openat(dir, "steps.jsonl",
				  O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
					  O_CLOEXEC);

	if (fd >= 0 && text)
		n = fdio_read(fd, text, NOTES_MAX);
	fdio_close(fd);
	for (line = text; n > 0 && line < text + n; line = end + 1) {
		end = memchr(line, '\n', (size_t)(text + n - line));
		if (!end)
			break;
		take_line(steps, line, (size_t)(end - line));
	}
	free(text);
	return steps;
}

/* Over all steps: the sum, or the largest. NAN: no step tells. */
static double of_steps(const json_t *steps, const char *key, bool sum)
{
	const char *name;
	double all = NAN, v;
	json_t *o;

	json_object_foreach((json_t *)steps, name, o) {
		const json_t *n = json_object_get(o, key);

		if (!json_is_integer(n))
			continue;
		v = (double)json_integer_value(n);
		all = isnan(all) ? v : sum ? all + v : fmax(all, v);
	}
	return all;
}

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
	double b = of_steps(q->g->steps, key, sum);

	return number_or(fmax(a, b) * scale,
			q->g->story.watch == WATCH_NONE ? STORY_NO_WATCH :
							  STORY_UNREADABLE);
}

static int cpus_of(const struct gathering *q)
{
	double batch = NAN;
	int host = (int)json_integer_value(json_object_get(q->g->host, "cpus"));

	if (host > 0)
		return host;
	batch = of_steps(q->g->steps, "cpus", false);
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

	q->g->host = jsonfile_read(q->job_dir, SAMPLER_HOST);
	q->g->steps = read_steps(q->job_dir);
	h->cpu_s = used(q, "cpu_us", true, 1e-6);
	h->mem_peak_bytes = used(q, "mem_peak_bytes", false, 1);
	h->mem_limit_bytes = used(q, "mem_limit_bytes", false, 1);
	h->oom_kills = used(q, "oom_kills", true, 1);
	h->read_bytes = used(q, "io_read_bytes", true, 1);
	h->write_bytes = used(q, "io_write_bytes", true, 1);
	h->cpus = cpus_of(q);
	h->steps = json_object_size(q->g->steps) ?
			   (int)json_object_size(q->g->steps) :
			   -1;
	h->clients = json_object_get(q->g->host, "clients");
	/* Slurm does not say it, the cgroup does. */
	if (number_is_known(&h->oom_kills) && h->oom_kills.v > 0 &&
	    (q->g->story.job.state == STORY_FAILED ||
	     q->g->story.job.state == STORY_CANCELLED))
		q->g->story.job.state = STORY_OOM;
	take_busy(q);
}
