/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "epilog/merge_stalls.h"

#include <math.h>
#include <string.h>

#include "epilog/members.h"

/* Where in its window a stall was is not known: what two of them can have had
 * in common is as long as the shorter one, and no longer than both windows. */
static bool meet(const struct span *a, const struct span *b, struct span *out)
{
	out->from = fmax(a->from, b->from);
	out->to = fmin(a->to, b->to);
	out->idle_s = fmin(fmin(a->idle_s, b->idle_s), out->to - out->from);
	return out->idle_s >= SHEET_STALL_MIN_S;
}

static void lay_over(struct common *c, const struct stalls *st)
{
	struct span was[COMMON_MAX];
	int i, j, n = c->spans;

	memcpy(was, c->span, sizeof(was));
	c->spans = 0;
	for (i = 0; i < n; i++)
		for (j = 0; j < st->spans && c->spans < COMMON_MAX; j++)
			if (meet(&was[i], &st->span[j], &c->span[c->spans]))
				c->spans++;
}

void common_add(struct common *c, const struct stalls *st)
{
	if (!number_is_known(&st->count) && !c->unknown.why)
		c->unknown = number_unknown(st->count.why);
	if (!c->nodes++) {
		c->first = *st;
		c->spans = st->spans;
		memcpy(c->span, st->span, sizeof(st->span));
		c->lead = number_of(&st->lead);
		c->tail = number_of(&st->tail);
		return;
	}
	lay_over(c, st);
	c->lead = fmin(c->lead, number_of(&st->lead));
	c->tail = fmin(c->tail, number_of(&st->tail));
}

static void keep_longest(const struct common *c, struct stalls *out)
{
	int i, least;

	for (i = 0; i < c->spans; i++) {
		if (out->spans < SHEET_SPANS_MAX) {
			out->span[out->spans++] = c->span[i];
			continue;
		}
		for (least = 0; least < out->spans; least++)
			if (out->span[least].idle_s < c->span[i].idle_s)
				break;
		if (least < out->spans)
			out->span[least] = c->span[i];
	}
}

void common_stalls(const struct common *c, struct stalls *out)
{
	int i, most = 0;
	double total = 0;

	*out = c->first;
	if (c->nodes < 2)
		return;
	memset(out, 0, sizeof(*out));
	out->count = out->total = out->longest = c->unknown;
	out->longest_at = out->lead = out->tail = c->unknown;
	if (c->unknown.why)
		return;
	keep_longest(c, out);
	for (i = 0; i < c->spans; i++) {
		total += c->span[i].idle_s;
		if (c->span[i].idle_s > c->span[most].idle_s)
			most = i;
	}
	out->count = number_known(c->spans);
	out->total = number_known(total);
	out->longest = number_known(c->spans ? c->span[most].idle_s : 0);
	out->longest_at = c->spans ? number_known(floor(c->span[most].from))
				   : number_unknown(STORY_SHORT);
	out->lead = number_or(c->lead, STORY_SHORT);
	out->tail = number_or(c->tail, STORY_SHORT);
}
