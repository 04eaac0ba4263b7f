/* SPDX-License-Identifier: Apache-2.0
 * Stalls: when all GPUs of the job were idle at once.
 *
 * A sample tells how long its GPU was idle, not when. That all were idle
 * together is certain for what is left of the sample when the busy time of
 * each is taken off, and only that counts.
 */
#include "config.h"
#include "epilog/summary_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "epilog/members.h"

#define WHOLE 0.95 /* of a stretch: idle from end to end */

struct sweep {
	const struct story *story;
	int at[FACTS_GPUS_MAX]; /* the sample of each GPU that is next to end */
	struct stalls *out;
	struct span open;
	bool is_open, was_whole, is_done; /* done: nothing joins it any more */
	double work_from, work_to;	  /* NAN: no GPU has worked */
	double total, count;
};

/* Keep the longest, in the order of time. */
static void list_span(struct stalls *out, const struct span *span)
{
	int i, least = 0;

	if (out->spans < SHEET_SPANS_MAX) {
		out->span[out->spans++] = *span;
		return;
	}
	for (i = 1; i < out->spans; i++)
		if (out->span[i].idle_s < out->span[least].idle_s)
			least = i;
	if (out->span[least].idle_s >= span->idle_s)
		return;
	memmove(&out->span[least], &out->span[least + 1],
		sizeof(*span) * (size_t)(SHEET_SPANS_MAX - 1 - least));
	out->span[SHEET_SPANS_MAX - 1] = *span;
}

static void close_span(struct sweep *w)
{
	if (w->is_open && w->open.idle_s >= SHEET_STALL_MIN_S) {
		w->total += w->open.idle_s;
		w->count++;
		list_span(w->out, &w->open);
	}
	w->is_open = false;
}

/* A stretch in which all were idle for a share of the time. A stall goes on
 * through whole stretches, and into a part of the ones beside them. */
static void take(struct sweep *w, double from, double to, double share)
{
	bool whole = share >= WHOLE;
	bool joins = w->is_open && !w->is_done && (w->was_whole || whole);

	if (share <= 0 || !joins)
		close_span(w);
	if (share > 0 && !joins) {
		w->open = (struct span){ from, to, share * (to - from) };
	} else if (share > 0) {
		w->open.to = to;
		w->open.idle_s += share * (to - from);
	}
	w->is_open = share > 0;
	w->is_done = joins && !whole;
	w->was_whole = whole;
	if (share < WHOLE) {
		w->work_from = fmin(w->work_from, from);
		w->work_to = fmax(w->work_to, to);
	}
}

/* The share of the time behind t that GPU i was idle, up to *until. */
static double share_at(struct sweep *w, int i, double t, double *until)
{
	const struct story_gpu *g = &w->story->gpu[i];
	struct stretch st;

	while (w->at[i] < g->samples) {
		st = story_stretch(g, w->at[i]);
		if (st.from > t) {
			*until = fmin(*until, st.from);
			return 0;
		}
		if (st.to > t) {
			*until = fmin(*until, st.to);
			return isnan(st.idle) ? 0 : st.idle;
		}
		w->at[i]++;
	}
	return 0;
}

static void sweep(struct sweep *w, double from)
{
	int n = w->story->gpu_count, i;
	double t = from, until, idle;

	for (;;) {
		until = INFINITY;
		idle = 0;
		for (i = 0; i < n; i++)
			idle += share_at(w, i, t, &until);
		if (isinf(until))
			break;
		take(w, t, until, fmax(idle - (n - 1), 0));
		t = until;
	}
	close_span(w);
}

/* Why stalls cannot be told, STORY_KNOWN: they can. */
static enum story_why blind(const struct story *s)
{
	const struct story_gpu *g;
	int i, j;

	for (i = 0; i < s->gpu_count; i++) {
		g = &s->gpu[i];
		if (g->mig)
			return STORY_MIG;
		for (j = 0; j < g->samples; j++)
			if (isfinite(story_stretch(g, j).idle))
				break;
		if (j == g->samples)
			return story_why(s, g->samples);
	}
	return STORY_KNOWN;
}

static double earliest(const struct story *s)
{
	double t = INFINITY;
	int i;

	for (i = 0; i < s->gpu_count; i++)
		t = fmin(t, story_stretch(&s->gpu[i], 0).from);
	return t;
}

static void told(struct stalls *out, const struct sweep *w, double from)
{
	int i, most = -1;

	for (i = 0; i < out->spans; i++)
		if (most < 0 || out->span[i].idle_s > out->span[most].idle_s)
			most = i;
	out->count = number_known(w->count);
	out->total = number_known(w->total);
	out->longest = number_known(most < 0 ? 0 : out->span[most].idle_s);
	out->longest_at = most < 0 ? number_unknown(STORY_SHORT)
				   : number_known(floor(out->span[most].from));
	out->lead = number_or(w->work_from - from, STORY_SHORT);
	out->tail =
		number_or((double)w->story->job.end_s - w->work_to, STORY_SHORT);
	if (number_is_known(&out->tail) && out->tail.v < 0)
		out->tail = number_known(0);
}

void summary_stalls(struct sheet *sheet, const struct story *s)
{
	struct stalls *out = &sheet->stalls;
	struct sweep w = {
		.story = s, .out = out, .work_from = NAN, .work_to = NAN
	};
	enum story_why why = blind(s);
	double from;

	out->count = out->total = out->longest = number_unknown(why);
	out->longest_at = out->lead = out->tail = number_unknown(why);
	if (why != STORY_KNOWN)
		return;
	if (!s->gpu_count) {
		out->count = out->total = out->longest = number_known(0);
		out->longest_at = number_unknown(STORY_SHORT);
		return;
	}
	from = earliest(s);
	sweep(&w, from);
	told(out, &w, from);
}
