/* SPDX-License-Identifier: Apache-2.0
 * stories - the story of a healthy job, for tests of what is made of it: GPUs
 * of one kind that compute, a sample each 30 seconds. A test changes what it
 * is about and calls stories_sum(). */
#ifndef ASSAY_TESTS_STORIES_H
#define ASSAY_TESTS_STORIES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "epilog/story.h"

#define T0 1700000000
#define STEP_S 30
#define STORIES_GPUS 8
#define STORIES_SAMPLES 480
#define GB 1e9

struct stories {
	struct story s;
	struct track_sample sample[STORIES_GPUS][STORIES_SAMPLES];
	struct track_traffic traffic[STORIES_GPUS][STORIES_SAMPLES];
	float cpu_busy[STORIES_SAMPLES];
};

static inline struct story_number is(double v)
{
	return (struct story_number){ v, STORY_KNOWN };
}

static inline struct story_number isnt(enum story_why why)
{
	return (struct story_number){ NAN, why };
}

static inline struct track_sample stories_sample(int i)
{
	return (struct track_sample){
		.from_s = i * STEP_S,
		.length_s = STEP_S,
		.busy = 1.0F,
		.sm = 0.9F,
		.tensor = 0.55F,
		.dram = 0.3F,
		.power_w = 600,
		.power_max_w = 690,
		.energy_j = 600 * STEP_S,
		.held_power_s = 0,
		.held_thermal_s = 0,
		.held_hw_s = 0,
		.nvlink_mb = 6000,
		.pcie_mb = 300,
		.mem_used_mib = 61440,
		.sm_mhz = 1980,
		.mem_mhz = 2619,
		.temp_c = 60,
		.idle_s = 0,
	};
}

static inline void stories_gpu(struct stories *b, int i, int samples)
{
	struct story_gpu *g = &b->s.gpu[i];
	int k;

	snprintf(g->uuid, sizeof(g->uuid), "GPU-%s-%d", b->s.job.node, i);
	strcpy(g->model, "NVIDIA H100 80GB HBM3");
	g->index = g->minor = i;
	g->mem_total_bytes = 80 * GB;
	g->sm_mhz_max = 1980;
	g->sample = b->sample[i];
	g->samples = samples;
	g->epoch_s = T0;
	for (k = 0; k < samples; k++)
		b->sample[i][k] = stories_sample(k);
}

static inline void stories_port(struct stories *b, int i, int samples)
{
	struct story_port *p = &b->s.port[i];
	int k;

	snprintf(p->name, sizeof(p->name), "mlx5_%d:1", i);
	p->rate_gbit = 400;
	p->sample = b->traffic[i];
	p->samples = samples;
	p->epoch_s = T0;
	p->rx_bytes = p->tx_bytes = is(samples * 30 * GB);
	p->errors = p->retries = p->congestion = p->downs = is(0);
	for (k = 0; k < samples; k++)
		b->traffic[i][k] = (struct track_traffic){
			.from_s = k * STEP_S,
			.length_s = STEP_S,
			.tx_mb = 30000,
			.rx_mb = 30000,
			.peak_gbps = 20,
			.rate_gbit = 400,
		};
}

/* The counters of the job are what its samples moved. */
static inline void stories_sum(struct stories *b)
{
	struct story_gpu *g;
	const struct track_sample *t;
	int i, k;

	for (i = 0; i < b->s.gpu_count; i++) {
		g = &b->s.gpu[i];
		g->energy_j = g->held_power_s = g->held_thermal_s = is(0);
		g->held_hw_s = g->nvlink_bytes = g->pcie_bytes = is(0);
		g->ecc_corr = g->ecc_unc = g->pcie_replay = is(0);
		g->nvlink_errors = is(0);
		for (k = 0; k < g->samples; k++) {
			t = &b->sample[i][k];
			g->energy_j.v += (double)t->energy_j;
			g->held_power_s.v += (double)t->held_power_s;
			g->held_thermal_s.v += (double)t->held_thermal_s;
			g->held_hw_s.v += (double)t->held_hw_s;
			g->nvlink_bytes.v += (double)t->nvlink_mb * 1e6;
			g->pcie_bytes.v += (double)t->pcie_mb * 1e6;
		}
	}
}

static inline void stories_host(struct stories *b, int seconds)
{
	struct story_host *h = &b->s.host;

	h->cpus = 64;
	h->cpu_s = is(0.5 * seconds);
	h->mem_peak_bytes = is(200 * GB);
	h->mem_limit_bytes = is(500 * GB);
	h->oom_kills = is(0);
	h->read_bytes = is(12 * GB);
	h->write_bytes = is(3 * GB);
	h->steps = 1;
}

/* Completed after so many samples; free() it. */
static inline struct stories *stories_new(const char *node, int gpus, int samples)
{
	struct stories *b = calloc(1, sizeof(*b));
	struct story_job *j = &b->s.job;
	int i;

	snprintf(j->node, sizeof(j->node), "%s", node);
	strcpy(j->user, "ada");
	strcpy(j->account, "physics");
	strcpy(j->partition, "gpu");
	j->id = 1234;
	j->uid = 1000;
	j->array_job = j->array_task = -1;
	j->nodes = 1;
	j->start_s = T0;
	j->end_s = T0 + samples * STEP_S;
	j->state = STORY_COMPLETED;
	j->signal = 0;
	j->owned = true;
	b->s.watch = WATCH_WHOLE;
	b->s.interval_s = STEP_S;
	b->s.gpu_count = gpus;
	b->s.port_count = gpus;
	for (i = 0; i < gpus; i++) {
		stories_gpu(b, i, samples);
		stories_port(b, i, samples);
	}
	stories_host(b, samples * STEP_S);
	stories_sum(b);
	return b;
}

#endif
