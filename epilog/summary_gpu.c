/* SPDX-License-Identifier: Apache-2.0
 * The row of each GPU: what its counters moved by and what its samples say.
 */
#include "config.h"
#include "epilog/summary_private.h"

#include <math.h>

#include "epilog/members.h"
#include "lib/scrub.h"

#define MIB 1048576.0
#define MB 1e6
/* Used: some kernel was there for a share of the time or for a minute. One
 * that only starts up a library is not. */
#define USED_SHARE 0.01
#define USED_S 60.0
/* No GPU draws so much: the driver tells nonsense. */
#define WATTS_MAX 10000.0
/* Before and after are some time from the job's own ends. */
#define AROUND_S 60.0

struct sums {
	struct mean busy, sm, tensor, tensor_clock, dram, power, mhz, mhz_busy;
	struct mean nvlink, pcie;
	double watched_s, idle_s, lost_s, mem_mib, power_max, temp_max;
	double nvlink_peak, pcie_peak; /* GB/s */
};

double summary_clock_ratio(const struct story_gpu *g,
			   const struct track_sample *t)
{
	if (!t->sm_mhz || g->sm_mhz_max <= 0)
		return NAN;
	return fmin((double)t->sm_mhz / g->sm_mhz_max, 1);
}

/* A clock that is not known: heat and hardware cost all, a power cap
 * nothing. */
double summary_lost_s(const struct story_gpu *g, const struct track_sample *t)
{
	double ratio = summary_clock_ratio(g, t);
	double hot = fmax((double)t->held_thermal_s, 0) +
		     fmax((double)t->held_hw_s, 0);
	double held = hot + fmax((double)t->held_power_s, 0);

	if (isnan(t->held_power_s) && isnan(t->held_thermal_s) &&
	    isnan(t->held_hw_s))
		return NAN;
	held = fmin(held, sample_length_s(t));
	return isnan(ratio) ? fmin(hot, held) : held * (1 - ratio);
}

static double top(double a, double b)
{
	return isfinite(b) ? fmax(a, b) : a; /* fmax(NAN, b) is b */
}

static double watts(float w)
{
	return w <= (float)WATTS_MAX ? (double)w : (double)NAN;
}

static void add_activity(struct sums *a, const struct story_gpu *g,
			 const struct track_sample *t)
{
	double len = sample_length_s(t), ratio = summary_clock_ratio(g, t);

	mean_add(&a->busy, sample_share(t->busy), len);
	mean_add(&a->sm, sample_share(t->sm), len);
	mean_add(&a->tensor, sample_share(t->tensor), len);
	mean_add(&a->tensor_clock, sample_share(t->tensor) * ratio, len);
	mean_add(&a->dram, sample_share(t->dram), len);
	mean_add(&a->mhz, t->sm_mhz ? t->sm_mhz : (double)NAN, len);
	mean_add(&a->mhz_busy, t->sm_mhz ? t->sm_mhz : (double)NAN,
		 len * sample_share(t->busy));
}

static void add_rest(struct sums *a, const struct story_gpu *g,
		     const struct track_sample *t)
{
	double len = sample_length_s(t);
	double lost = summary_lost_s(g, t);

	mean_add(&a->power, watts(t->power_w), len);
	mean_add(&a->nvlink, (double)t->nvlink_mb / len, len);
	mean_add(&a->pcie, (double)t->pcie_mb / len, len);
	a->nvlink_peak = top(a->nvlink_peak, (double)t->nvlink_mb / len / 1e3);
	a->pcie_peak = top(a->pcie_peak, (double)t->pcie_mb / len / 1e3);
	a->mem_mib = top(a->mem_mib, (double)t->mem_used_mib);
	a->power_max = top(a->power_max, watts(t->power_max_w));
	if (t->temp_c != INT16_MIN)
		a->temp_max = top(a->temp_max, t->temp_c);
	if (isfinite(lost))
		a->lost_s = isnan(a->lost_s) ? lost : a->lost_s + lost;
}

static struct sums add_up(const struct story_gpu *g)
{
	struct sums a = { .idle_s = NAN,
			  .lost_s = NAN,
			  .mem_mib = NAN,
			  .power_max = NAN,
			  .temp_max = NAN,
			  .nvlink_peak = NAN,
			  .pcie_peak = NAN };
	const struct track_sample *t;
	double idle;
	int i;

	for (i = 0; i < g->samples; i++) {
		t = &g->sample[i];
		if (sample_length_s(t) <= 0)
			continue;
		a.watched_s += sample_length_s(t);
		idle = story_stretch(g, i).idle * sample_length_s(t);
		if (isfinite(idle))
			a.idle_s = isnan(a.idle_s) ? idle : a.idle_s + idle;
		add_activity(&a, g, t);
		add_rest(&a, g, t);
	}
	return a;
}

static void identify(struct gpu_row *r, const struct story *s,
		     const struct story_gpu *g)
{
	scrub_copy(r->node, sizeof(r->node), s->job.node);
	scrub_copy(r->uuid, sizeof(r->uuid), g->uuid);
	scrub_copy(r->model, sizeof(r->model), g->model);
	r->index = g->index < 0 ? -1 : g->index;
	r->minor = g->minor < 0 ? -1 : g->minor;
}

static void set_used(struct gpu_row *r, const struct sums *a)
{
	double share = mean_of(&a->busy);

	if (number_is_known(&r->busy) && isfinite(share))
		r->used = number_known(share >= USED_SHARE ||
				       share * a->busy.weight >= USED_S);
	else if (number_is_known(&r->sm))
		r->used = number_known(mean_of(&a->sm) >= USED_SHARE);
	else
		r->used = number_unknown(r->busy.why);
}

static void set_activity(struct gpu_row *r, const struct sums *a,
			 enum story_why sampled, enum story_why active)
{
	double mhz = mean_of(&a->mhz_busy);

	r->busy = number_or(100 * mean_of(&a->busy), sampled);
	r->sm = number_or(100 * mean_of(&a->sm), active);
	r->tensor = number_or(100 * mean_of(&a->tensor), active);
	r->tensor_clock = number_or(100 * mean_of(&a->tensor_clock), active);
	r->dram = number_or(100 * mean_of(&a->dram), active);
	r->mem_peak = number_or(a->mem_mib * MIB, sampled);
	r->mhz_mean = number_or(isnan(mhz) ? mean_of(&a->mhz) : mhz, sampled);
	r->temp_max = number_or(a->temp_max, sampled);
	r->power_max = number_or(a->power_max, sampled);
	r->lost = number_or(a->lost_s, sampled);
	r->idle = number_or(a->idle_s, sampled);
	r->nvlink_mean = number_or(mean_of(&a->nvlink) / 1e3, sampled);
	r->nvlink_peak = number_or(a->nvlink_peak, sampled);
	r->pcie_mean = number_or(mean_of(&a->pcie) / 1e3, sampled);
	r->pcie_peak = number_or(a->pcie_peak, sampled);
}

/* What cannot be more than that is not told if it is. */
static struct story_number believed(struct story_number n, double most)
{
	n = number_counted(n);
	return number_is_known(&n) && n.v > most
		       ? number_unknown(STORY_UNREADABLE)
		       : n;
}

/* A GPU that runs draws power: energy that stood still was read too soon. */
static struct story_number energy_of(const struct story_gpu *g, double span_s)
{
	struct story_number e = believed(g->energy_j, span_s * WATTS_MAX);

	return number_is_known(&e) && e.v <= 0 ? number_unknown(STORY_SHORT) : e;
}

static void set_counters(struct gpu_row *r, const struct story *s,
			 const struct story_gpu *g, double sampled_w)
{
	double elapsed = story_elapsed_s(&s->job);
	double span = elapsed + AROUND_S;

	r->energy = energy_of(g, span);
	r->power_mean = number_is_known(&r->energy) && elapsed > 0
				? number_known(r->energy.v / elapsed)
				: number_or(sampled_w, story_why(s, g->samples));
	r->held_power = believed(g->held_power_s, span);
	/* by software and by hardware, each for all of it */
	r->held_thermal = believed(g->held_thermal_s, 2 * span);
	r->held_hw = believed(g->held_hw_s, span);
	r->nvlink = number_counted(g->nvlink_bytes);
	r->nvlink_errors = number_counted(g->nvlink_errors);
	r->pcie = number_counted(g->pcie_bytes);
	r->pcie_replay = number_counted(g->pcie_replay);
	r->ecc_corr = number_counted(g->ecc_corr);
	r->ecc_unc = number_counted(g->ecc_unc);
	r->mem_total = number_known(g->mem_total_bytes);
	r->mhz_max = number_or(g->sm_mhz_max > 0 ? g->sm_mhz_max : (double)NAN,
			       STORY_UNREADABLE);
}

/* What is of the board is not of one slice of it. */
static void hide_board(struct gpu_row *r)
{
	struct story_number *const of_board[] = {
		&r->busy,	   &r->idle,	     &r->lost,
		&r->energy,	   &r->power_mean,   &r->power_max,
		&r->held_power,	   &r->held_thermal, &r->held_hw,
		&r->nvlink,	   &r->nvlink_mean,  &r->nvlink_peak,
		&r->nvlink_errors, &r->pcie,	     &r->pcie_mean,
		&r->pcie_peak,	   &r->pcie_replay,  &r->ecc_corr,
		&r->ecc_unc,
	};
	size_t i;

	for (i = 0; i < sizeof(of_board) / sizeof(of_board[0]); i++)
		*of_board[i] = number_unknown(STORY_MIG);
}

static void fill_row(struct gpu_row *r, const struct story *s,
		     const struct story_gpu *g)
{
	enum story_why sampled = story_why(s, g->samples);
	enum story_why active = sampled;
	struct sums a = add_up(g);

	if (g->samples > 0 && g->activity_why != STORY_KNOWN)
		active = g->activity_why;
	identify(r, s, g);
	set_activity(r, &a, sampled, active);
	set_counters(r, s, g, mean_of(&a.power));
	summary_thirds(r, s, g);
	if (g->mig)
		hide_board(r);
	set_used(r, &a);
}

void summary_gpus(struct sheet *sheet, const struct story *s)
{
	struct gpu_row *r;
	int i;

	for (i = 0; i < s->gpu_count && i < FACTS_GPUS_MAX; i++) {
		r = sheet_gpu(sheet);
		if (!r)
			return;
		fill_row(r, s, &s->gpu[i]);
	}
}
