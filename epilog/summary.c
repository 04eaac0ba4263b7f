/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "epilog/summary.h"

#include <math.h>

#include "epilog/members.h"
#include "epilog/summary_private.h"
#include "lib/scrub.h"

#define SHARE_MAX 1.05F /* what rounding can make of 1 */
#define LENGTH_MAX 1e7F /* seconds; a track has steps of minutes */
#define GAP_S 2.0	/* between samples: the sampler's own time */

void mean_add(struct mean *m, double x, double weight)
{
	if (!isfinite(x) || !isfinite(weight) || weight <= 0)
		return;
	m->sum += x * weight;
	m->weight += weight;
}

double mean_of(const struct mean *m)
{
	return m->weight > 0 ? m->sum / m->weight : NAN;
}

double sample_length_s(const struct track_sample *t)
{
	return t->length_s > 0 && t->length_s < LENGTH_MAX ? (double)t->length_s
							   : 0;
}

double sample_share(float v)
{
	if (!(v >= 0) || v > SHARE_MAX)
		return NAN;
	return fmin((double)v, 1);
}

double story_elapsed_s(const struct story_job *j)
{
	return j->end_s > j->start_s ? (double)(j->end_s - j->start_s) : 0;
}

enum story_why story_why(const struct story *s, int samples)
{
	if (samples > 0)
		return STORY_UNSUPPORTED;
	if (s->watch == WATCH_NONE)
		return STORY_NO_WATCH;
	return s->watch == WATCH_ENDED ? STORY_WATCH_ENDED : STORY_SHORT;
}

static double idle_share(const struct track_sample *t)
{
	double idle = (double)t->idle_s;
	double length = sample_length_s(t);

	if (length <= 0)
		return NAN;
	if (!isfinite(idle))
		return isnan(sample_share(t->busy)) ? (double)NAN : t->busy <= 0;
	return fmin(fmax(idle / length, 0), 1);
}

struct stretch story_stretch(const struct story_gpu *g, int i)
{
	const struct track_sample *t = &g->sample[i];
	struct stretch s = { (double)g->epoch_s + t->from_s, 0, idle_share(t) };
	double next;

	s.to = s.from + sample_length_s(t);
	if (i + 1 < g->samples) {
		next = (double)g->epoch_s + g->sample[i + 1].from_s;
		if (next > s.from && next - s.to < GAP_S)
			s.to = next;
	}
	return s;
}

static void scrub_job(struct story_job *to, const struct story_job *j)
{
	*to = *j;
	scrub_copy(to->user, sizeof(to->user), j->user);
	scrub_copy(to->account, sizeof(to->account), j->account);
	scrub_copy(to->partition, sizeof(to->partition), j->partition);
	scrub_copy(to->node, sizeof(to->node), j->node);
}

static int fill(struct sheet *sheet, const struct story *s)
{
	struct node_row *row = sheet_node(sheet);

	if (!row)
		return -1;
	scrub_job(&sheet->job, &s->job);
	sheet->expected = s->job.nodes > 1 ? s->job.nodes : 1;
	summary_node_row(row, s);
	summary_gpus(sheet, s);
	summary_ports(sheet, s);
	summary_stalls(sheet, s);
	summary_where(sheet, s, row);
	summary_clients(sheet, s);
	summary_faults(sheet, s);
	summary_gate(sheet, s);
	return 0;
}

json_t *summary_node(const struct story *s)
{
	struct sheet sheet;
	json_t *record = NULL;

	if (sheet_init(&sheet) < 0)
		return NULL;
	if (fill(&sheet, s) == 0)
		record = sheet_record(&sheet);
	sheet_fini(&sheet);
	return record;
}
