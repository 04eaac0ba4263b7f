/* SPDX-License-Identifier: Apache-2.0
 * The first third of a GPU's work against the last: did it become slower?
 * Its work begins with the first sample in which it was busy and ends with
 * the last, so that loading and writing results do not count as slow.
 */
#include "config.h"
#include "epilog/summary_private.h"

#include <math.h>
#include <string.h>

#include "epilog/members.h"

#define WORK_MIN_S 600.0
#define SAMPLES_MIN 6
#define BUSY_MIN 0.01F
#define TENSOR_MIN 0.01 /* from here on the tensor cores tell the rate */

struct third {
	double from, to;
	struct mean rate, mhz, temp;
};

static bool works(const struct track_sample *t)
{
	return t->busy >= BUSY_MIN || t->sm >= BUSY_MIN;
}

/* First and last sample of its work: how many are between, 0: none. */
static int find_work(const struct story_gpu *g, int *first, int *last)
{
	int i;

	*first = -1;
	for (i = 0; i < g->samples; i++) {
		if (!works(&g->sample[i]))
			continue;
		if (*first < 0)
			*first = i;
		*last = i;
	}
	return *first < 0 ? 0 : *last - *first + 1;
}

static bool tensors_tell(const struct story_gpu *g)
{
	struct mean m = { 0, 0 };
	int i;

	for (i = 0; i < g->samples; i++)
		mean_add(&m, sample_share(g->sample[i].tensor),
			 sample_length_s(&g->sample[i]));
	return mean_of(&m) >= TENSOR_MIN;
}

static void add(struct third *th, const struct story_gpu *g, int i, bool tensor)
{
	const struct track_sample *t = &g->sample[i];
	struct stretch st = story_stretch(g, i);
	double in = fmin(st.to, th->to) - fmax(st.from, th->from);
	double active = sample_share(tensor ? t->tensor : t->sm);
	double busy = isnan(sample_share(t->busy)) ? 1 : sample_share(t->busy);

	if (in <= 0)
		return;
	mean_add(&th->rate, 100 * active * summary_clock_ratio(g, t), in);
	mean_add(&th->mhz, t->sm_mhz ? t->sm_mhz : (double)NAN, in * busy);
	mean_add(&th->temp, t->temp_c == INT16_MIN ? (double)NAN : t->temp_c, in);
}

static struct third third_of(const struct story_gpu *g, double from, double to,
			     bool tensor)
{
	struct third th = { .from = from, .to = to };
	int i;

	for (i = 0; i < g->samples; i++)
		add(&th, g, i, tensor);
	return th;
}

static void all_unknown(struct gpu_row *r, enum story_why why)
{
	r->rate_first = r->rate_last = number_unknown(why);
	r->mhz_first = r->mhz_last = number_unknown(why);
	r->temp_first = r->temp_last = number_unknown(why);
}

void summary_thirds(struct gpu_row *r, const struct story *s,
		    const struct story_gpu *g)
{
	int first = 0, last = 0, n = find_work(g, &first, &last);
	enum story_why why = story_why(s, g->samples), active = why;
	bool tensor = tensors_tell(g);
	struct third a, b;
	double from, to;

	all_unknown(r, g->samples > 0 ? STORY_SHORT : why);
	if (!n)
		return;
	from = story_stretch(g, first).from;
	to = story_stretch(g, last).to;
	if (n < SAMPLES_MIN || to - from < WORK_MIN_S)
		return;
	a = third_of(g, from, from + (to - from) / 3, tensor);
	b = third_of(g, to - (to - from) / 3, to, tensor);
	if (g->activity_why != STORY_KNOWN)
		active = g->activity_why;
	r->rate_first = number_or(mean_of(&a.rate), active);
	r->rate_last = number_or(mean_of(&b.rate), active);
	r->mhz_first = number_or(mean_of(&a.mhz), why);
	r->mhz_last = number_or(mean_of(&b.mhz), why);
	r->temp_first = number_or(mean_of(&a.temp), why);
	r->temp_last = number_or(mean_of(&b.temp), why);
	if (number_is_known(&r->rate_first))
		strcpy(r->rate_of, tensor ? "tensor" : "sm");
}
