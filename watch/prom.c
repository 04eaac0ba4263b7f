/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/prom.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checks/metrics.h"
#include "lib/log.h"

/* What a float of the last sample is called. */
#define SAMPLE(member) offsetof(struct track_sample, member)
static const struct gauge {
	const char *name, *help;
	size_t offset;
	double scale;
} gauges[] = {
	{ "assay_gpu_busy_ratio", "Share of time with a kernel resident.",
	  SAMPLE(busy), 1 },
	{ "assay_gpu_sm_active_ratio", "Share of SM cycles with work.",
	  SAMPLE(sm), 1 },
	{ "assay_gpu_tensor_active_ratio",
	  "Share of cycles the tensor pipes issued.", SAMPLE(tensor), 1 },
	{ "assay_gpu_dram_active_ratio", "Share of time memory was active.",
	  SAMPLE(dram), 1 },
	{ "assay_gpu_power_watts", "Mean power since the sample before.",
	  SAMPLE(power_w), 1 },
	{ "assay_gpu_memory_used_bytes", "Memory in use.",
	  SAMPLE(mem_used_mib), 1048576 },
};

/* Counters of the GPU, since its driver was loaded. */
#define COUNTER(member) offsetof(struct gpu, member)
static const struct counter {
	const char *name, *help;
	size_t offset;
	double scale;
} counters[] = {
	{ "assay_gpu_energy_joules_total", "Energy used.",
	  COUNTER(energy_mj), 1e-3 },
	{ "assay_gpu_held_power_seconds_total",
	  "Time clocks were held down by a power cap.", COUNTER(held_power_ns),
	  1e-9 },
	{ "assay_gpu_held_sw_thermal_seconds_total",
	  "Time clocks were held down by heat, by software.",
	  COUNTER(held_sw_thermal_ns), 1e-9 },
	{ "assay_gpu_held_hw_thermal_seconds_total",
	  "Time clocks were held down by heat, by hardware.",
	  COUNTER(held_hw_thermal_ns), 1e-9 },
	{ "assay_gpu_held_brake_seconds_total",
	  "Time clocks were held down by the power brake.",
	  COUNTER(held_brake_ns), 1e-9 },
	{ "assay_gpu_nvlink_transmit_bytes_total", "NVLink bytes sent.",
	  COUNTER(nvlink_tx_kib), 1024 },
	{ "assay_gpu_nvlink_receive_bytes_total", "NVLink bytes received.",
	  COUNTER(nvlink_rx_kib), 1024 },
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* digits: a float has seven, a counter all. */
static void gpu_series(FILE *f, const char *name, const struct sampler_gpu *g,
		       double v, int digits)
{
	fprintf(f, "%s{gpu=\"%d\",uuid=\"%s\"} %.*g\n", name, g->index,
		g->name, digits, v);
}

static void print_gauge(FILE *f, const struct sampler *w,
			const struct gauge *m)
{
	const struct sampler_gpu *g;
	bool first = true;
	float v;
	int i;

	for (i = 0; i < FACTS_GPUS_MAX; i++) {
		g = &w->gpu[i];
		if (!g->name[0] || !g->track.head.count)
			continue;
		memcpy(&v, (const char *)&g->newest + m->offset, sizeof(v));
		if (isnan(v))
			continue;
		if (first)
			metrics_head(f, m->name, "gauge", m->help);
		first = false;
		gpu_series(f, m->name, g, (double)v * m->scale, 7);
	}
}

static void print_counter(FILE *f, const struct sampler *w,
			  const struct counter *m)
{
	const struct sampler_gpu *g;
	bool first = true;
	struct val v;
	int i;

	for (i = 0; i < FACTS_GPUS_MAX; i++) {
		g = &w->gpu[i];
		if (!g->name[0] || !g->last.round)
			continue;
		memcpy(&v, (const char *)&g->last.gpu + m->offset, sizeof(v));
		if (!VAL_KNOWN(v))
			continue;
		if (first)
			metrics_head(f, m->name, "counter", m->help);
		first = false;
		gpu_series(f, m->name, g, (double)v.v * m->scale, 15);
	}
}

/* Whole numbers of the last reading. */
static void print_state(FILE *f, const struct sampler *w)
{
	const struct sampler_gpu *g;
	int i;

	metrics_head(f, "assay_gpu_temperature_celsius", "gauge",
		     "Highest temperature since the sample before.");
	for (i = 0; i < FACTS_GPUS_MAX; i++) {
		g = &w->gpu[i];
		if (g->name[0] && g->track.head.count &&
		    g->newest.temp_c != INT16_MIN)
			gpu_series(f, "assay_gpu_temperature_celsius", g,
				   g->newest.temp_c, 7);
	}
	metrics_head(f, "assay_gpu_sm_clock_hertz", "gauge", "SM clock.");
	for (i = 0; i < FACTS_GPUS_MAX; i++) {
		g = &w->gpu[i];
		if (g->name[0] && g->track.head.count && g->newest.sm_mhz)
			gpu_series(f, "assay_gpu_sm_clock_hertz", g,
				   g->newest.sm_mhz * 1e6, 7);
	}
}

static void print_jobs(FILE *f, const struct sampler *w)
{
	const struct mark *m;
	int i, k;

	metrics_head(f, "assay_gpu_job_info", "gauge",
		     "Which job holds the GPU.");
	for (i = 0; i < w->job_count; i++) {
		m = &w->job[i].mark;
		for (k = 0; k < m->gpu_count; k++)
			fprintf(f,
				"assay_gpu_job_info{gpu=\"%d\",jobid=\"%u\"} 1\n",
				m->gpu[k].index, m->job);
	}
}

static void print_port(FILE *f, const struct sampler *w, const char *name,
		       bool tx)
{
	const struct sampler_port *p;
	const struct val *v;
	int i;

	metrics_head(f, name, "counter",
		     tx ? "Bytes sent by a port." : "Bytes received by a port.");
	for (i = 0; i < LOOK_PORTS_MAX; i++) {
		p = &w->port[i];
		v = tx ? &p->last.tx_words : &p->last.rx_words;
		if (p->name[0] && p->last.at_us && VAL_KNOWN(*v))
			fprintf(f, "%s{port=\"%s\"} %.17g\n", name, p->subject,
				(double)v->v * 4);
	}
}

void prom_print(FILE *f, const void *arg)
{
	const struct sampler *w = arg;
	size_t i;

	metrics_head(f, "assay_watch_jobs", "gauge", "Jobs that are sampled.");
	fprintf(f, "assay_watch_jobs %d\n", w->job_count);
	metrics_head(f, "assay_watch_last_sample_timestamp_seconds", "gauge",
		     "When the sampler last took a sample.");
	fprintf(f, "assay_watch_last_sample_timestamp_seconds %lld\n",
		(long long)w->last.wall_s);
	metrics_head(f, "assay_watch_driver_answers", "gauge",
		     "1 if the GPU driver answers the sampler.");
	fprintf(f, "assay_watch_driver_answers %d\n",
		w->driver.state != DRIVER_STUCK &&
			w->driver.state != DRIVER_BROKEN);
	for (i = 0; i < COUNT(gauges); i++)
		print_gauge(f, w, &gauges[i]);
	for (i = 0; i < COUNT(counters); i++)
		print_counter(f, w, &counters[i]);
	print_state(f, w);
	print_port(f, w, "assay_port_transmit_bytes_total", true);
	print_port(f, w, "assay_port_receive_bytes_total", false);
	print_jobs(f, w);
}

void prom_write(const struct sampler *w)
{
	struct metrics_text text = { PROM_FILE, prom_print, w };
	const char *dir = cfg_text(w->s->cfg, "report", "metrics_dir");
	struct err e = { "" };

	if (*dir && metrics_file(dir, &text, &e) < 0)
		log_warn("%s", e.text);
}

void prom_remove(const struct sampler *w)
{
	const char *dir = cfg_text(w->s->cfg, "report", "metrics_dir");
	char path[4200];

	if (!*dir)
		return;
	snprintf(path, sizeof(path), "%s/" PROM_FILE, dir);
	unlink(path);
}
