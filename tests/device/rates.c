/* SPDX-License-Identifier: Apache-2.0
 * rates - a probe of the quick tier over and over: does it tell the same rate,
 * and, of the multiply, the same bits? */
#include "config.h"
#include "tests/device/rig.h"

#include <stdlib.h>
#include <string.h>

#include "probes/measure.h"

static const struct rate {
	measure_f measure;
	const char *unit;
	const char *figure[PROBE_FIGURES];
} rates[PROBE_COUNT] = {
	[PROBE_gemm] = { measure_gemm, "TFLOP/s", { "gemm" } },
	[PROBE_membw] = { measure_membw, "GB/s", { "read", "triad" } },
	[PROBE_pcie_bw] = { measure_pcie_bw, "GB/s", { "h2d", "d2h" } },
};

struct series {
	struct rig *r;
	const struct rate *rate;
	double *v[PROBE_FIGURES];	/* n of each */
	json_t *sm_mhz, *temp_c;
	int64_t throttle;
	struct probe_digests first;	/* of the multiply */
	int different, corrupt;
};

/* SMs that ran in both and told another number. */
static int compare(const struct probe_digests *a, const struct probe_digests *b)
{
	int i, n = 0;

	for (i = 0; i < PROBE_SMS_MAX; i++)
		n += a->ran[i] && b->ran[i] && a->digest[i] != b->digest[i];
	return n;
}

/* All SMs of one run against the first of them, too. */
static int odd_ones(const struct probe_digests *d)
{
	int i, first = -1, n = 0;

	for (i = 0; i < PROBE_SMS_MAX; i++) {
		if (!d->ran[i])
			continue;
		if (first < 0)
			first = i;
		n += d->digest[i] != d->digest[first];
	}
	return n;
}

static int measure(struct series *s, int i)
{
	struct rig *r = s->r;
	int f;

	/* Always shot 0: the repeat has other numbers. */
	measure_begin(&r->gpu, &r->shot);
	s->rate->measure(&r->gpu, &r->facts, &r->shot, 0);
	if (r->shot.end != PROBE_DONE)
		return rig_ended(r);
	for (f = 0; f < PROBE_FIGURES; f++)
		s->v[f][i] = r->shot.figure[f];
	s->corrupt += r->shot.corrupt;
	json_array_append_new(s->sm_mhz, json_integer(r->shot.cond.sm_mhz));
	json_array_append_new(s->temp_c, json_integer(r->shot.cond.temp_c));
	if (r->shot.cond.throttle > 0)
		s->throttle |= r->shot.cond.throttle;
	if (i == 0)
		s->first = r->facts.gemm[0];
	s->different += compare(&s->first, &r->facts.gemm[0]) +
			odd_ones(&r->facts.gemm[0]);
	return RIG_OK;
}

static json_t *figure(const struct series *s, double *v)
{
	json_t *samples = json_array();
	int i, n = s->r->n;

	for (i = 0; i < n; i++)
		json_array_append_new(samples, rig_number(v[i], 3));
	rig_sort(v, n);
	return json_pack("{s:s, s:o, s:o, s:o, s:o}", "unit", s->rate->unit,
			 "min", rig_number(v[0], 3), "median",
			 rig_number(rig_at(v, n, 0.5), 3), "max",
			 rig_number(v[n - 1], 3), "samples", samples);
}

static void tell(struct series *s)
{
	json_t *figures = json_object();
	struct rig *r = s->r;
	int f;

	for (f = 0; f < PROBE_FIGURES && s->rate->figure[f]; f++)
		json_object_set_new(figures, s->rate->figure[f],
				    figure(s, s->v[f]));
	rig_put(r, "count", json_integer(r->n));
	rig_put(r, "figures", figures);
	rig_put(r, "corrupt", json_integer(s->corrupt));
	if (s->first.sms) {
		rig_put(r, "sms", json_integer(s->first.sms));
		rig_put(r, "sms_seen", json_integer(s->first.seen));
		rig_put(r, "digests_different", json_integer(s->different));
	}
	rig_put(r, "sm_mhz", json_incref(s->sm_mhz));
	rig_put(r, "temp_c", json_incref(s->temp_c));
	rig_put(r, "throttle", json_integer(s->throttle));
	rig_put(r, "numa_node", json_integer(r->shot.cond.numa_node));
	rig_put(r, "pcie_gen", json_integer(r->shot.cond.pcie_gen));
	rig_put(r, "pcie_width", json_integer(r->shot.cond.pcie_width));
	rig_put(r, "hbm_peak_gbps", rig_number(r->facts.hbm_peak_gbps, 1));
}

int rig_rate(struct rig *r, enum probe probe)
{
	struct series s = { .r = r, .rate = &rates[probe] };
	double *all = calloc((size_t)r->n * PROBE_FIGURES, sizeof(*all));
	int rc = all ? rig_open_gpu(r) : rig_none("out of memory");
	int i;

	s.sm_mhz = json_array();
	s.temp_c = json_array();
	for (i = 0; i < PROBE_FIGURES; i++)
		s.v[i] = all + i * r->n;
	for (i = 0; rc == RIG_OK && i < r->n; i++)
		rc = measure(&s, i);
	if (rc == RIG_OK) {
		tell(&s);
		rc = s.different || s.corrupt ? RIG_WRONG : RIG_OK;
	}
	json_decref(s.sm_mhz);
	json_decref(s.temp_c);
	free(all);
	return rc;
}

int rig_gemm(struct rig *r)
{
	return rig_rate(r, PROBE_gemm);
}

int rig_membw(struct rig *r)
{
	return rig_rate(r, PROBE_membw);
}

int rig_pcie(struct rig *r)
{
	return rig_rate(r, PROBE_pcie_bw);
}
