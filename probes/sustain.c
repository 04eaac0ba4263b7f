/* SPDX-License-Identifier: Apache-2.0
 * sustain - the tensor cores under load for so long that heat and power count,
 * with a trace of clock, temperature and power: does the GPU end as fast as it
 * began? The load is many short launches, so that it can be given up at once. */
#include "config.h"
#include "probes/measure.h"

#include "probes/conditions.h"
#include "probes/crew.h"
#include "probes/sm_digests.h"

/* About 12 ms for a launch on a large part, 30 on a small one. */
#define ITERS 16384u
#define GROUP 2			/* launches between two events */
#define SEED 60u
#define SAMPLE_S 0.25
#define EDGE_S 2.0		/* whose rates are compared, at most: */
#define EDGE_SHARE 0.25		/* of the whole */

struct sustain {
	struct probe_device *d;
	struct probe_shot *shot;
	struct probe_trace *trace;
	cuda_ptr out;		/* struct kernel_sm[sms]; nobody looks */
	struct cuda_event *mark[3];	/* ends of groups, in turns */
	double sample_s, flop;		/* of it */
	double span_s;		/* so long are the samples, longer each time
				 * that the trace is full */
	double total_s;
};

static int64_t out_bytes(const struct sustain *s)
{
	return (int64_t)s->d->sms * (int64_t)sizeof(struct kernel_sm);
}

static int open_load(struct sustain *s)
{
	struct probe_device *d = s->d;

	s->mark[0] = d->begin;
	s->mark[1] = d->end;
	return device_alloc(d, s->shot, &s->out, out_bytes(s)) < 0 ||
			       DEVICE_CALL(d->libs, s->shot, event_create,
					   &s->mark[2],
					   CUDA_EVENT_DEFAULT) < 0 ||
			       DEVICE_CALL(d->libs, s->shot, function_set,
					   d->function[KERNEL_gemm],
					   CUDA_FUNC_MAX_DYNAMIC_SHARED,
					   (int)sm_digests_shared(d)) < 0 ?
		       -1 :
		       0;
}

static void close_load(struct sustain *s)
{
	if (s->mark[2]) {
		device_enter(s->d->libs, devlibs_cuda_names.event_destroy);
		s->d->libs->cuda.event_destroy(s->mark[2]);
		device_enter(s->d->libs, "");
	}
	device_free(s->d, &s->out, out_bytes(s));
}

/* A few launches, and a mark behind them. */
static int push(struct sustain *s, struct cuda_event *mark)
{
	struct kernel_gemm args = { .out = s->out, .seed = SEED,
				    .iters = ITERS };
	struct kernel_run run = { .kernel = KERNEL_gemm,
				  .blocks = (unsigned int)s->d->sms,
				  .shared_bytes = sm_digests_shared(s->d),
				  .args = &args };
	int i;

	for (i = 0; i < GROUP; i++)
		if (device_launch(s->d, s->shot, &run) < 0)
			return -1;
	return DEVICE_CALL(s->d->libs, s->shot, event_record, mark,
			   s->d->stream);
}

/* ---- the trace ------------------------------------------------------------- */

static int32_t higher(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

/* Lower, but for what is unknown. */
static int32_t lower(int32_t a, int32_t b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

static int64_t both(int64_t a, int64_t b)
{
	return a < 0 ? b : b < 0 ? a : a | b;
}

/* Twice as much time for each sample, so that there is room for more. */
static void thin_out(struct sustain *s)
{
	struct probe_sample *v = s->trace->sample;
	int i;

	for (i = 0; i < PROBE_TRACE_MAX / 2; i++) {
		const struct probe_sample *a = &v[2 * i], *b = &v[2 * i + 1];

		v[i] = (struct probe_sample){
			.at_s = b->at_s,
			.tflops = (a->tflops + b->tflops) / 2,
			.sm_mhz = lower(a->sm_mhz, b->sm_mhz),
			.temp_c = higher(a->temp_c, b->temp_c),
			.power_w = higher(a->power_w, b->power_w),
			.throttle = both(a->throttle, b->throttle),
		};
	}
	s->trace->count = PROBE_TRACE_MAX / 2;
	s->span_s *= 2;
}

static void end_sample(struct sustain *s)
{
	struct probe_conditions c;

	conditions_init(&c);
	conditions_look(s->d, &c);
	if (s->trace->count == PROBE_TRACE_MAX)
		thin_out(s);
	s->trace->sample[s->trace->count++] = (struct probe_sample){
		.at_s = s->total_s,
		.tflops = s->flop / s->sample_s / 1e12,
		.sm_mhz = c.sm_mhz,
		.temp_c = c.temp_c,
		.power_w = c.power_w,
		.throttle = c.throttle,
	};
	s->sample_s = s->flop = 0;
}

/* A group has ended that took from a to b. */
static int add_group(struct sustain *s, struct cuda_event *a,
		     struct cuda_event *b)
{
	float ms;

	if (DEVICE_CALL(s->d->libs, s->shot, event_elapsed, &ms, a, b) < 0)
		return -1;
	if (ms <= 0)
		return device_unable(s->shot, "the GPU's clock gave no time");
	s->total_s += ms / 1e3;
	s->sample_s += ms / 1e3;
	s->flop += KERNEL_GEMM_FLOP * ITERS * GROUP * s->d->sms;
	if (s->sample_s >= s->span_s)
		end_sample(s);
	return 0;
}

/* ---- the load -------------------------------------------------------------- */

/* While a group runs the next one waits behind it, and no more. */
static int run(struct sustain *s)
{
	double wanted = s->d->libs->plan->sustain_s;
	int i = 0;

	if (push(s, s->mark[0]) < 0 || push(s, s->mark[1]) < 0)
		return -1;
	while (s->total_s < wanted && device_left_ms(s->d) > 0) {
		struct cuda_event *a = s->mark[i % 3];
		struct cuda_event *b = s->mark[(i + 1) % 3];

		if (push(s, s->mark[(i + 2) % 3]) < 0 ||
		    device_reach(s->d, s->shot, b) < 0 ||
		    add_group(s, a, b) < 0)
			return -1;
		i++;
	}
	s->shot->partial = s->total_s < wanted;
	return device_reach(s->d, s->shot, s->mark[(i + 1) % 3]);
}

/* The mean rate of the samples that end between two times. */
static double rate(const struct probe_trace *t, double from, double to)
{
	double flop = 0, seconds = 0, last = 0;
	int i;

	for (i = 0; i < t->count; i++) {
		double len = t->sample[i].at_s - last;

		last = t->sample[i].at_s;
		if (last <= from || last > to)
			continue;
		flop += t->sample[i].tflops * len;
		seconds += len;
	}
	return flop / seconds;
}

static void sum_up(struct sustain *s)
{
	double edge = EDGE_SHARE * s->total_s;

	if (edge > EDGE_S)
		edge = EDGE_S;
	s->shot->figure[0] = rate(s->trace, 0, edge);
	s->shot->figure[1] = rate(s->trace, s->total_s - edge, s->total_s);
	s->shot->figure[2] = s->total_s;
	s->shot->end = PROBE_DONE;
}

void measure_sustain(struct probe_device *d, struct gpu_probes *g,
		     struct probe_shot *shot, int n)
{
	struct sustain s = { .d = d, .shot = shot, .trace = &g->trace,
			     .span_s = SAMPLE_S };

	(void)n;
	g->trace.count = 0;
	if (d->no_kernels[0]) {
		device_never(shot, "%s", d->no_kernels);
		return;
	}
	if (open_load(&s) == 0 && run(&s) == 0)
		sum_up(&s);
	close_load(&s);
}
