/* SPDX-License-Identifier: Apache-2.0
 * Where the time went: each sample of each used GPU is cut into slices, and a
 * table of rules tells what a slice was. Shares are of the time of the GPUs
 * that were really used; what no rule can tell is unknown.
 *
 *   held      what being held down has cost, at the clock seen
 *   idle      no kernel was there
 *   active    SMs at work, of the rest
 *   resident  a kernel was there, and SMs were not at work
 *   dark      this GPU does not tell how many of its SMs were at work
 */
#include "config.h"
#include "epilog/summary_private.h"

#include <math.h>

#include "epilog/members.h"

#define CORES_AT_WORK 0.9 /* one core and no more: serial code */
#define STORAGE_MBPS 200.0
#define TRAFFIC_MBPS 50.0 /* of a GPU or port: collectives, not control */
#define DRAM_NEAR 0.5	  /* of the time; about 0.8 is what is reached */

enum slice { SLICE_HELD, SLICE_IDLE, SLICE_ACTIVE, SLICE_RESIDENT, SLICE_DARK };
#define SLICES (SLICE_DARK + 1)

/* What is known while a sample was taken; NAN unknown. */
struct moment {
	double cores;	     /* at work */
	double storage_mbps; /* while GPUs were idle, over the whole job */
	double traffic_mbps; /* of NVLink or of the busiest port */
	double dram, tensor;
	bool alone; /* the job has one GPU, which has nobody to talk to */
};

struct rule {
	enum slice slice;
	enum part part;
	bool (*holds)(const struct moment *m);
};

static bool cores_work(const struct moment *m)
{
	return m->cores >= CORES_AT_WORK;
}

static bool storage_works(const struct moment *m)
{
	return m->storage_mbps >= STORAGE_MBPS;
}

static bool dram_is_near(const struct moment *m)
{
	return m->dram >= DRAM_NEAR && !(m->tensor >= m->dram);
}

static bool data_moves(const struct moment *m)
{
	return !m->alone && m->traffic_mbps >= TRAFFIC_MBPS;
}

static bool always(const struct moment *m)
{
	return m != NULL;
}

/* The first that holds. */
static const struct rule rules[] = {
	{ SLICE_HELD, PART_THROTTLED, always },
	{ SLICE_IDLE, PART_INPUT_CPU, cores_work },
	{ SLICE_IDLE, PART_STORAGE, storage_works },
	{ SLICE_IDLE, PART_IDLE, always },
	{ SLICE_ACTIVE, PART_MEMORY, dram_is_near },
	{ SLICE_ACTIVE, PART_COMPUTE, always },
	{ SLICE_RESIDENT, PART_COMMUNICATION, data_moves },
	{ SLICE_RESIDENT, PART_UNKNOWN, always },
	{ SLICE_DARK, PART_UNKNOWN, always },
};

static enum part part_of(enum slice slice, const struct moment *m)
{
	size_t i = 0;

	while (rules[i].slice != slice || !rules[i].holds(m))
		i++;
	return rules[i].part;
}

/* Seconds of each slice; together they are the sample's length. */
static void cut(double s[SLICES], const struct story_gpu *g, int i)
{
	const struct track_sample *t = &g->sample[i];
	double len = sample_length_s(t), rest;
	double idle = story_stretch(g, i).idle * len;
	double lost = g->mig ? (double)NAN : summary_lost_s(g, t);

	s[SLICE_IDLE] = isnan(idle) || g->mig ? 0 : idle;
	rest = len - s[SLICE_IDLE];
	s[SLICE_HELD] = isnan(lost) ? 0 : fmin(lost, rest);
	rest -= s[SLICE_HELD];
	s[SLICE_ACTIVE] = s[SLICE_RESIDENT] = s[SLICE_DARK] = 0;
	if (isnan(sample_share(t->sm))) {
		s[SLICE_DARK] = rest;
		return;
	}
	s[SLICE_ACTIVE] = fmin(sample_share(t->sm) * len, rest);
	s[SLICE_RESIDENT] = rest - s[SLICE_ACTIVE];
}

static double cores_at(const struct story *s, const struct story_gpu *g, int i)
{
	const struct story_host *h = &s->host;
	double elapsed = story_elapsed_s(&s->job);
	int at;

	if (h->cpu_busy && h->cpu_samples > 0 && h->cpus > 0) {
		at = h->cpu_samples == g->samples
			     ? i
			     : (int)((int64_t)i * h->cpu_samples / g->samples);
		return (double)h->cpu_busy[at] * h->cpus;
	}
	return elapsed > 0 ? number_of(&h->cpu_s) / elapsed : (double)NAN;
}

/* Bytes of the clients of network file systems are the node's. */
static double clients_bytes(const struct story *s)
{
	double sum = 0;
	json_t *o;
	size_t i;

	if (!s->job.owned)
		return 0;
	json_array_foreach(s->host.clients, i, o)
		sum += fmax(json_number_value(json_object_get(o, "read_bytes")),
			    0) +
		       fmax(json_number_value(json_object_get(o, "write_bytes")),
			    0);
	return sum;
}

/* As if all that was read and written had been while GPUs were idle: more is
 * not known of the time of it. */
static double storage_mbps(const struct sheet *sheet, const struct story *s)
{
	double bytes = clients_bytes(s), idle = INFINITY;
	int i;

	if (number_is_known(&s->host.read_bytes))
		bytes += s->host.read_bytes.v;
	if (number_is_known(&s->host.write_bytes))
		bytes += s->host.write_bytes.v;
	for (i = 0; i < sheet->gpus; i++)
		if (sheet->gpu[i].used.v > 0)
			idle = fmin(idle, number_of(&sheet->gpu[i].idle));
	return idle > 0 && isfinite(idle) ? bytes / idle / 1e6 : 0;
}

/* Of the busiest port. */
static double ports_mbps(const struct sheet *sheet)
{
	double most = 0;
	int i;

	for (i = 0; i < sheet->ports; i++)
		if (number_is_known(&sheet->port[i].mean))
			most = fmax(most, 1e3 * sheet->port[i].mean.v);
	return most;
}

static double traffic_at(const struct track_sample *t, double ports)
{
	double nvlink = (double)t->nvlink_mb / sample_length_s(t);

	return isfinite(nvlink) ? fmax(nvlink, ports) : ports;
}

static void add_gpu(double part_s[PARTS], const struct story *s,
		    const struct story_gpu *g, const struct moment *of_job)
{
	struct moment m = *of_job;
	const struct track_sample *t;
	double slice_s[SLICES];
	int i, k;

	for (i = 0; i < g->samples; i++) {
		t = &g->sample[i];
		if (sample_length_s(t) <= 0)
			continue;
		m.cores = cores_at(s, g, i);
		m.traffic_mbps = traffic_at(t, of_job->traffic_mbps);
		m.dram = sample_share(t->dram);
		m.tensor = sample_share(t->tensor);
		cut(slice_s, g, i);
		for (k = 0; k < SLICES; k++)
			part_s[part_of((enum slice)k, &m)] += slice_s[k];
	}
}

void summary_where(struct sheet *sheet, const struct story *s,
		   struct node_row *row)
{
	struct moment m = { .storage_mbps = storage_mbps(sheet, s),
			    .traffic_mbps = ports_mbps(sheet),
			    .alone = sheet->gpus < 2 && sheet->expected < 2 };
	bool any = false;
	int i;

	for (i = 0; i < sheet->gpus; i++)
		any |= sheet->gpu[i].used.v > 0;
	for (i = 0; i < sheet->gpus; i++)
		if (!any || sheet->gpu[i].used.v > 0)
			add_gpu(row->part_s, s, &s->gpu[i], &m);
	for (i = 0; i < PARTS; i++)
		row->gpu_s += row->part_s[i];
}
