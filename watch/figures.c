/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/figures.h"

#include <math.h>
#include <string.h>

#include "watch/figures_rise.h"

#define MB 1e6

double rise(const struct val *a, const struct val *b)
{
	if (!VAL_KNOWN(*a) || !VAL_KNOWN(*b) || b->v < a->v)
		return NAN;
	return (double)(b->v - a->v);
}

bool figures_span(int64_t before_us, int64_t now_us,
		  const struct figures_when *when, struct figures_span *out)
{
	double length_s = (double)(now_us - before_us) / 1e6;

	if (before_us <= 0 || length_s <= 0)
		return false;
	out->length_s = (float)length_s;
	out->from_s = (int32_t)(when->up_s - when->epoch_up_s -
				(int64_t)(length_s + 0.5));
	return true;
}

static double at_most(double v, double most)
{
	return v > most ? most : v;	/* NAN stays */
}

/* Heat, by software and by hardware; older drivers tell one figure. */
static double held_thermal_ns(const struct gpu *a, const struct gpu *b)
{
	double both = rise(&a->held_sw_thermal_ns, &b->held_sw_thermal_ns) +
		      rise(&a->held_hw_thermal_ns, &b->held_hw_thermal_ns);

	return isnan(both) ? rise(&a->held_thermal_ns, &b->held_thermal_ns) :
			     both;
}

static void held(const struct gpu *a, const struct gpu *b,
		 struct track_sample *out)
{
	double most = out->length_s;

	out->held_power_s = (float)at_most(
		rise(&a->held_power_ns, &b->held_power_ns) / 1e9, most);
	out->held_thermal_s =
		(float)at_most(held_thermal_ns(a, b) / 1e9, most);
	out->held_hw_s = (float)at_most(
		rise(&a->held_brake_ns, &b->held_brake_ns) / 1e9, most);
}

/* Shares of the time between two counts since boot. */
static double of_cycles(double from, double to, const struct gpm_figures *f[2])
{
	double all = f[1]->sm_cycles - f[0]->sm_cycles;
	double part = (to - from) / all;

	return all > 0 && part >= 0 && part <= 1.05 ? at_most(part, 1) : NAN;
}

static void activity(const struct driver_reading *a,
		     const struct driver_reading *b, struct track_sample *out)
{
	const struct gpm_figures *f[2] = { &a->gpm, &b->gpm };
	double sm = b->gpm.sm, tensor = b->gpm.tensor;

	if (isnan(sm))
		sm = of_cycles(f[0]->sm_active_cycles, f[1]->sm_active_cycles,
			       f);
	if (isnan(tensor))
		tensor = of_cycles(f[0]->tensor_cycles, f[1]->tensor_cycles,
				   f);
	out->sm = (float)sm;
	out->tensor = (float)tensor;
	out->dram = (float)b->gpm.dram;
	out->busy = (float)b->gpm.busy;
	if (isnan(out->busy) && VAL_KNOWN(b->gpu.busy_pct))
		out->busy = (float)b->gpu.busy_pct.v / 100;
	out->idle_s = out->length_s * (1 - out->busy);
}

static double watts(const struct val *mw)
{
	return VAL_KNOWN(*mw) ? (double)mw->v / 1000 : NAN;
}

static double middle(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : (a + b) / 2;
}

static double larger(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : a > b ? a : b;
}

static void power(const struct gpu *a, const struct gpu *b,
		  struct track_sample *out)
{
	double joule = rise(&a->energy_mj, &b->energy_mj) / 1000;
	double mean = joule / (double)out->length_s;

	if (isnan(mean))
		mean = middle(watts(&a->power_mw), watts(&b->power_mw));
	out->energy_j = (float)joule;
	out->power_w = (float)mean;
	out->power_max_w = (float)larger(mean, larger(watts(&a->power_mw),
						      watts(&b->power_mw)));
}

static uint16_t mhz(const struct val *a, const struct val *b)
{
	int64_t v;

	if (!VAL_KNOWN(*a) || !VAL_KNOWN(*b))
		v = VAL_KNOWN(*b) ? b->v : VAL_KNOWN(*a) ? a->v : 0;
	else
		v = (a->v + b->v + 1) / 2;
	return v > 0 && v <= UINT16_MAX ? (uint16_t)v : 0;
}

static int16_t celsius(const struct val *a, const struct val *b)
{
	int64_t v = INT16_MIN;

	if (VAL_KNOWN(*a) && a->v < INT16_MAX)
		v = a->v;
	if (VAL_KNOWN(*b) && b->v < INT16_MAX && b->v > v)
		v = b->v;
	return (int16_t)v;
}

static uint16_t bits(const struct val *a, const struct val *b)
{
	return (uint16_t)((VAL_KNOWN(*a) ? a->v : 0) |
			  (VAL_KNOWN(*b) ? b->v : 0));
}

static void state(const struct gpu *a, const struct gpu *b,
		  struct track_sample *out)
{
	out->sm_mhz = mhz(&a->sm_clock, &b->sm_clock);
	out->mem_mhz = mhz(&a->mem_clock, &b->mem_clock);
	out->temp_c = celsius(&a->temp, &b->temp);
	out->reasons = bits(&a->throttle, &b->throttle);
	out->mem_used_mib = VAL_KNOWN(b->mem_used) ?
				    (float)((double)b->mem_used.v / 1048576) :
				    NAN;
}

static void moved(const struct gpu *a, const struct gpu *b,
		  struct track_sample *out)
{
	out->nvlink_mb =
		(float)((rise(&a->nvlink_tx_kib, &b->nvlink_tx_kib) +
			 rise(&a->nvlink_rx_kib, &b->nvlink_rx_kib)) *
			1024 / MB);
	out->pcie_mb = (float)((rise(&a->pcie_tx_bytes, &b->pcie_tx_bytes) +
				rise(&a->pcie_rx_bytes, &b->pcie_rx_bytes)) /
			       MB);
}

bool figures_of_gpu(const struct driver_reading *before,
		    const struct driver_reading *now,
		    const struct figures_when *when, struct track_sample *out)
{
	struct figures_span span;

	memset(out, 0, sizeof(*out));
	if (!figures_span(before->at_us, now->at_us, when, &span))
		return false;
	out->from_s = span.from_s;
	out->length_s = span.length_s;
	activity(before, now, out);
	power(&before->gpu, &now->gpu, out);
	held(&before->gpu, &now->gpu, out);
	moved(&before->gpu, &now->gpu, out);
	state(&before->gpu, &now->gpu, out);
	return true;
}
