/* SPDX-License-Identifier: Apache-2.0
 * The samples thinned out for a page: neighbours become one point.
 */
#include "config.h"
#include "epilog/summary.h"

#include <math.h>
#include <string.h>

#include "epilog/members.h"
#include "epilog/summary_private.h"
#include "lib/scrub.h"

struct point {
	double from, length;
	struct mean busy, power, mhz;
	double temp; /* NAN unknown */
	unsigned int reasons;
};

static struct point point_of(const struct story_gpu *g, int first, int end,
			     double start)
{
	struct point p = { .temp = NAN };
	const struct track_sample *t;
	struct stretch st = story_stretch(g, first);
	double len;
	int i;

	p.from = st.from - start;
	for (i = first; i < end; i++) {
		t = &g->sample[i];
		st = story_stretch(g, i);
		len = st.to - st.from;
		mean_add(&p.busy, (double)t->busy, len);
		mean_add(&p.power, (double)t->power_w, len);
		mean_add(&p.mhz, t->sm_mhz ? t->sm_mhz : (double)NAN, len);
		if (t->temp_c != INT16_MIN)
			p.temp = fmax(p.temp, t->temp_c);
		p.reasons |= t->reasons;
	}
	p.length = st.to - start - p.from;
	return p;
}

static json_t *or_null(double v)
{
	return isfinite(v) ? number_json(v) : json_null();
}

static double tenth(double v)
{
	return round(v * 10) / 10;
}

static void push(json_t *o, const char *name, json_t *v)
{
	json_array_append_new(json_object_get(o, name), v);
}

static json_t *series_json(const struct story_gpu *g, const struct story *s,
			   int points)
{
	json_t *o = json_pack("{s:[], s:[], s:[], s:[], s:[], s:[], s:[]}", "t",
			      "length_s", "busy_pct", "power_w", "sm_mhz",
			      "temp_c", "throttle");
	int i, end, step = (g->samples + points - 1) / points;
	struct point p;

	for (i = 0; o && i < g->samples; i = end) {
		end = i + step < g->samples ? i + step : g->samples;
		p = point_of(g, i, end, (double)s->job.start_s);
		push(o, "t", or_null(tenth(p.from)));
		push(o, "length_s", or_null(tenth(p.length)));
		push(o, "busy_pct",
		     g->mig ? json_null()
			    : or_null(tenth(100 * mean_of(&p.busy))));
		push(o, "power_w",
		     g->mig ? json_null() : or_null(round(mean_of(&p.power))));
		push(o, "sm_mhz", or_null(round(mean_of(&p.mhz))));
		push(o, "temp_c", or_null(p.temp));
		push(o, "throttle", json_integer(p.reasons));
	}
	return o;
}

static json_t *row_of(json_t *record, const char *uuid)
{
	const char *s;
	json_t *o;
	size_t i;

	json_array_foreach(json_object_get(record, "gpu"), i, o) {
		s = json_string_value(json_object_get(o, "uuid"));
		if (s && !strcmp(s, uuid))
			return o;
	}
	return NULL;
}

static json_t *events_json(const struct story *s)
{
	const struct xid_table *xids = s->xids;
	struct xid_table *own = NULL;
	json_t *list = json_array();
	int i;

	if (!xids && s->event_count > 0)
		xids = own = xid_load(NULL, NULL);
	for (i = 0; i < s->event_count && i < STORY_EVENTS_MAX; i++)
		json_array_append_new(list, summary_event(s, &s->event[i], xids));
	xid_destroy(own);
	return list;
}

int summary_add_series(json_t *record, const struct story *s, int points)
{
	json_t *row, *series;
	char uuid[64];
	int i;

	if (points < 1 || points > SUMMARY_SERIES_MAX)
		points = SUMMARY_SERIES_MAX;
	for (i = 0; i < s->gpu_count && i < FACTS_GPUS_MAX; i++) {
		scrub_copy(uuid, sizeof(uuid), s->gpu[i].uuid);
		row = row_of(record, uuid);
		series = series_json(&s->gpu[i], s, points);
		if (row && json_object_set_new(row, "series", series) < 0)
			return -1;
		if (!row)
			json_decref(series);
	}
	return json_object_set_new(record, "events", events_json(s));
}
