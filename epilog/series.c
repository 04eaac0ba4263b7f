/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "epilog/series.h"

#include <math.h>

#include "epilog/summary_private.h"

/* A step: some neighbouring samples in one. */
struct step {
	double t, length_s;
	struct mean busy, power, mhz;
	int temp_c;
	unsigned int reasons;
};

static void add_sample(struct step *to, const struct track_sample *s)
{
	to->length_s += s->length_s;
	mean_add(&to->busy, s->busy, s->length_s);
	mean_add(&to->power, s->power_w, s->length_s);
	mean_add(&to->mhz, s->sm_mhz ? s->sm_mhz : NAN, s->length_s);
	if (s->temp_c > to->temp_c)
		to->temp_c = s->temp_c;
	to->reasons |= s->reasons;
}

static json_t *number(double v, double unit)
{
	return isfinite(v) ? json_real(round(v / unit) * unit) : json_null();
}

static void append(json_t *obj, const char *column, json_t *v)
{
	json_t *list = json_object_get(obj, column);

	if (!list) {
		json_object_set_new(obj, column, json_array());
		list = json_object_get(obj, column);
	}
	json_array_append_new(list, v);
}

static void put_step(json_t *obj, const struct step *s)
{
	append(obj, "t", json_integer((json_int_t)s->t));
	append(obj, "length_s", number(s->length_s, 0.1));
	append(obj, "busy", number(mean_of(&s->busy), 0.001));
	append(obj, "power_w", number(mean_of(&s->power), 0.1));
	append(obj, "sm_mhz", number(mean_of(&s->mhz), 1));
	append(obj, "temp_c",
	       s->temp_c == INT16_MIN ? json_null() : json_integer(s->temp_c));
	append(obj, "reasons", json_integer(s->reasons));
}

static json_t *gpu_series(const struct story_gpu *g)
{
	int per = (g->samples + SERIES_STEPS - 1) / SERIES_STEPS;
	json_t *obj = json_pack("{s:i}", "index", g->index);
	struct step step;
	int i, k;

	for (i = 0; i < g->samples; i += per) {
		step = (struct step){ .temp_c = INT16_MIN };
		step.t = (double)g->epoch_s + g->sample[i].from_s;
		for (k = i; k < i + per && k < g->samples; k++)
			add_sample(&step, &g->sample[k]);
		put_step(obj, &step);
	}
	return obj;
}

json_t *series_of(const struct story *s)
{
	json_t *list = json_array();
	int i;

	for (i = 0; i < s->gpu_count; i++)
		if (s->gpu[i].samples > 0)
			json_array_append_new(list, gpu_series(&s->gpu[i]));
	return json_pack("{s:o}", "gpu", list);
}
