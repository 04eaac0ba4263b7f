/* SPDX-License-Identifier: Apache-2.0
 * Sums over the rows of a sheet.
 */
#include "config.h"
#include "epilog/sections.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From the best to the worst: what the job as a whole is said to be. */
static const enum story_state by_weight[] = {
	STORY_UNKNOWN,	 STORY_COMPLETED, STORY_RUNNING, STORY_FAILED,
	STORY_CANCELLED, STORY_TIMEOUT,	  STORY_OOM,	 STORY_NODE_FAIL,
};

static const struct total nothing = { .most = NAN, .most_at = -1 };

struct total total_none(void)
{
	return nothing;
}

void total_add(struct total *t, const struct story_number *n, int at)
{
	t->of++;
	if (!number_is_known(n)) {
		if (!t->why)
			t->why = n->why ? n->why : STORY_UNREADABLE;
		return;
	}
	t->told++;
	t->sum += n->v;
	if (t->most_at < 0 || n->v > t->most) {
		t->most = n->v;
		t->most_at = at;
	}
}

static void add(struct total *t, const void *row, size_t member, int at)
{
	total_add(t, number_at(row, member), at);
}

struct total gpu_total(const struct sheet *s, size_t member, enum gpus which)
{
	struct total t = nothing;
	int i;

	for (i = 0; i < s->gpus; i++)
		if (which == GPUS_ALL || gpu_is_used(&s->gpu[i]))
			add(&t, &s->gpu[i], member, i);
	return t;
}

struct total port_total(const struct sheet *s, size_t member)
{
	struct total t = nothing;
	int i;

	for (i = 0; i < s->ports; i++)
		add(&t, &s->port[i], member, i);
	return t;
}

struct total node_total(const struct sheet *s, size_t member)
{
	struct total t = nothing;
	int i;

	for (i = 0; i < s->nodes; i++)
		add(&t, &s->node[i], member, i);
	return t;
}

double total_mean(const struct total *t)
{
	return t->told ? t->sum / t->told : NAN;
}

void partial_put(json_t *o, const char *name, const struct total *t)
{
	if (!t->told || t->told == t->of)
		return;
	json_object_set_new(member_object(o, "partial"), name,
			    json_pack("{s:i, s:i, s:s}", "told", t->told, "of",
				      t->of, "why", why_text(t->why)));
}

static void put(json_t *o, const char *name, const struct total *t, double v)
{
	/* There are no devices: nothing is unknown, and nothing to tell. */
	if (!t->of) {
		json_object_set_new(o, name, json_null());
		return;
	}
	number_put(o, name, t->told ? number_known(v) : number_unknown(t->why));
	partial_put(o, name, t);
}

void total_put(json_t *o, const char *name, const struct total *t)
{
	put(o, name, t, t->sum);
}

void mean_put(json_t *o, const char *name, const struct total *t)
{
	put(o, name, t, total_mean(t));
}

void most_put(json_t *o, const char *name, const struct total *t)
{
	put(o, name, t, t->most);
}

bool gpu_is_used(const struct gpu_row *r)
{
	return number_is_known(&r->used) && r->used.v > 0;
}

char *gpu_name(const struct gpu_row *r, char buf[DEVICE_MAX])
{
	if (r->index < 0)
		snprintf(buf, DEVICE_MAX, "%.60s %.60s", r->node, r->uuid);
	else
		snprintf(buf, DEVICE_MAX, "%s GPU%d", r->node, r->index);
	return buf;
}

char *port_name(const struct port_row *r, char buf[DEVICE_MAX])
{
	snprintf(buf, DEVICE_MAX, "%s %s", r->node, r->name);
	return buf;
}

static double elapsed_of(const struct node_row *r)
{
	return r->end_s > r->start_s ? (double)(r->end_s - r->start_s) : 0;
}

int64_t sheet_start_s(const struct sheet *s)
{
	int64_t start = s->nodes ? s->node[0].start_s : 0;
	int i;

	for (i = 1; i < s->nodes; i++)
		if (s->node[i].start_s < start)
			start = s->node[i].start_s;
	return start;
}

int64_t sheet_end_s(const struct sheet *s)
{
	int64_t end = s->nodes ? s->node[0].end_s : 0;
	int i;

	for (i = 1; i < s->nodes; i++)
		if (s->node[i].end_s > end)
			end = s->node[i].end_s;
	return end;
}

double sheet_elapsed_s(const struct sheet *s)
{
	return fmax((double)(sheet_end_s(s) - sheet_start_s(s)), 0);
}

static int has_name(const void *name, const void *row)
{
	return strverscmp(name, ((const struct node_row *)row)->node);
}

static const struct node_row *node_of(const struct sheet *s, const char *node)
{
	return bsearch(node, s->node, (size_t)s->nodes, sizeof(*s->node),
		       has_name);
}

double sheet_gpu_hours(const struct sheet *s)
{
	const struct node_row *n;
	double sum = 0;
	int i;

	for (i = 0; i < s->gpus; i++) {
		n = node_of(s, s->gpu[i].node);
		sum += n ? elapsed_of(n) : 0;
	}
	return sum / 3600;
}

static size_t weight_of(enum story_state state)
{
	size_t i = sizeof(by_weight) / sizeof(by_weight[0]);

	while (i-- > 0)
		if (by_weight[i] == state)
			return i;
	return 0;
}

enum story_state sheet_state(const struct sheet *s)
{
	size_t most = 0, w;
	int i;

	for (i = 0; i < s->nodes; i++) {
		w = weight_of(s->node[i].state);
		if (w > most)
			most = w;
	}
	return by_weight[most];
}

struct shares sheet_shares(const struct sheet *s)
{
	struct shares sh = { 0 };
	int i, p;

	for (i = 0; i < s->nodes; i++) {
		sh.seconds += s->node[i].gpu_s;
		for (p = 0; p < PARTS; p++)
			sh.part[p] += s->node[i].part_s[p];
	}
	for (p = 0; p < PARTS && sh.seconds > 0; p++)
		sh.part[p] = number_known(sh.part[p] / sh.seconds).v;
	return sh;
}
