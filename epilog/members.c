/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "epilog/members.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/scrub.h"

#define NUMBER_MAX 1e18 /* what a counter of 64 bits can come to */

static const char *const whys[] = {
	[STORY_RESET] = "reset during the job",
	[STORY_SATURATED] = "saturated",
	[STORY_UNSUPPORTED] = "not supported by this GPU",
	[STORY_MIG] = "MIG",
	[STORY_SHARED] = "shared node",
	[STORY_NO_WATCH] = "no watch",
	[STORY_WATCH_ENDED] = "watch ended early",
	[STORY_UNREADABLE] = "not readable",
	[STORY_SHORT] = "too short",
	[STORY_NOT_TOLD] = "not told",
};

#define WHYS (int)(sizeof(whys) / sizeof(whys[0]))

const char *why_text(enum story_why why)
{
	return (int)why < 0 || (int)why >= WHYS ? whys[STORY_UNREADABLE]
						: whys[why];
}

static enum story_why why_of(const char *text)
{
	int i;

	for (i = STORY_KNOWN + 1; text && i < WHYS; i++)
		if (!strcmp(text, whys[i]))
			return (enum story_why)i;
	return STORY_UNREADABLE;
}

struct story_number number_known(double v)
{
	return number_or(v, STORY_UNREADABLE);
}

struct story_number number_unknown(enum story_why why)
{
	return (struct story_number){ NAN, why ? why : STORY_UNREADABLE };
}

/* Samples are floats: six digits of what is no whole number mean something. */
static double six_digits(double v)
{
	double scale;

	if (v == floor(v) || !isfinite(v))
		return v;
	if (fabs(v) >= 1e6)
		return round(v);
	if (fabs(v) < 1e-9)
		return 0;
	scale = pow(10, 5 - floor(log10(fabs(v))));
	return round(v * scale) / scale;
}

struct story_number number_or(double v, enum story_why why)
{
	if (!isfinite(v) || fabs(v) > NUMBER_MAX)
		return number_unknown(why);
	return (struct story_number){ six_digits(v), STORY_KNOWN };
}

struct story_number number_counted(struct story_number n)
{
	if (n.why != STORY_KNOWN)
		return number_unknown(n.why);
	return n.v < 0 ? number_unknown(STORY_RESET) : number_known(n.v);
}

bool number_is_known(const struct story_number *n)
{
	return n->why == STORY_KNOWN && isfinite(n->v) &&
	       fabs(n->v) <= NUMBER_MAX;
}

double number_of(const struct story_number *n)
{
	return number_is_known(n) ? n->v : NAN;
}

const struct story_number *number_at(const void *row, size_t offset)
{
	const char *base = row;

	return (const struct story_number *)(const void *)(base + offset);
}

json_t *number_json(double v)
{
	v = six_digits(v);
	if (v == floor(v) && fabs(v) < 9e15)
		return json_integer((json_int_t)v);
	return json_real(v);
}

json_t *member_object(json_t *o, const char *name)
{
	json_t *in = json_object_get(o, name);

	if (!in && !json_object_set_new(o, name, json_object()))
		in = json_object_get(o, name);
	return in;
}

void number_put(json_t *o, const char *name, struct story_number n)
{
	if (number_is_known(&n)) {
		json_object_set_new(o, name, number_json(n.v));
		return;
	}
	if (n.why == STORY_KNOWN)
		n.why = STORY_UNREADABLE;
	json_object_set_new(o, name, json_null());
	json_object_set_new(member_object(o, "why"), name,
			    json_string(why_text(n.why)));
}

struct story_number number_get(const json_t *o, const char *name)
{
	const json_t *v = json_object_get(o, name);
	const json_t *why = json_object_get(json_object_get(o, "why"), name);

	if (!json_is_number(v))
		return number_unknown(why_of(json_string_value(why)));
	return number_known(json_number_value(v));
}

double member_number(const json_t *o, const char *name)
{
	struct story_number n = number_get(o, name);

	return number_of(&n);
}

const json_t *member_at(const json_t *o, const char *group, const char *name)
{
	return json_object_get(group ? json_object_get(o, group) : o, name);
}

const char *member_string(const json_t *o, const char *name)
{
	const char *s = json_string_value(json_object_get(o, name));

	return s ? s : "";
}

bool member_is(const json_t *o, const char *name, const char *text)
{
	return !strcmp(member_string(o, name), text);
}

char *member_text(const json_t *o, const char *name, char *dst, size_t size)
{
	return scrub_copy(dst, size, member_string(o, name));
}

json_t *member_text_json(const char *s)
{
	return s && *s ? json_string(s) : json_null();
}

int64_t member_whole(const json_t *o, const char *name, int64_t dflt)
{
	const json_t *v = json_object_get(o, name);

	return json_is_integer(v) ? json_integer_value(v) : dflt;
}

json_t *member_whole_json(int64_t n)
{
	return n < 0 ? json_null() : json_integer(n);
}

char *member_xid(const json_t *fault, char buf[MEMBER_XID])
{
	int64_t number = member_whole(fault, "number", -1);

	buf[0] = '\0';
	if (number >= 0)
		snprintf(buf, MEMBER_XID, "%s %" PRId64,
			 member_is(fault, "kind", "sxid") ? "SXid" : "XID",
			 number);
	return buf;
}

void members_put(json_t *o, const struct member *m, int count, const void *row)
{
	int i;

	for (i = 0; i < count; i++)
		number_put(m[i].group ? member_object(o, m[i].group) : o,
			   m[i].name, *number_at(row, m[i].offset));
}

void members_get(const json_t *o, const struct member *m, int count, void *row)
{
	char *base = row;
	const json_t *in;
	int i;

	for (i = 0; i < count; i++) {
		in = m[i].group ? json_object_get(o, m[i].group) : o;
		*(struct story_number *)(void *)(base + m[i].offset) =
			number_get(in, m[i].name);
	}
}
