/* SPDX-License-Identifier: Apache-2.0
 * The lines on what was found, and the advice.
 */
#include "config.h"
#include "epilog/block_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void block_line_slow(struct block_line *l, const json_t *r)
{
	const json_t *list = member_at(r, NULL, "slow");
	const json_t *o = json_array_get(list, 0);
	size_t n = json_array_size(list);
	char name[160];

	block_begin(l, "slow: ");
	if (!o)
		return;
	snprintf(name, sizeof(name), "%s %s", block_text(o, NULL, "node"),
		 block_text(o, NULL, "gpu"));
	block_add(l, "", "%s, %s: %s", block_device(r, name),
		  block_text(o, NULL, "what"), block_text(o, NULL, "cause"));
	if (n > 1)
		block_add(l, "; ", "%zu more", n - 1);
}

/* "GPU3 XID 79, " or as much of it as there is. */
static void name_fault(char *buf, size_t size, const json_t *r, const json_t *o)
{
	const char *on = block_text(o, NULL, "device");
	char name[160], xid[MEMBER_XID];

	snprintf(name, sizeof(name), "%s %s", block_text(o, NULL, "node"), on);
	member_xid(o, xid);
	snprintf(buf, size, "%s%s%s%s", *on ? block_device(r, name) : "",
		 *on && *xid ? " " : "", xid, *on || *xid ? ", " : "");
}

static bool are_same(const json_t *a, const json_t *b, const char *member)
{
	return !strcmp(block_text(a, NULL, member), block_text(b, NULL, member));
}

/* The driver tells of a lost GPU twice, with a number and without. */
static bool is_echo(const json_t *list, const json_t *o)
{
	char xid[MEMBER_XID];
	json_t *other;
	size_t i;

	member_xid(o, xid);
	if (*xid)
		return false;
	json_array_foreach(list, i, other) {
		member_xid(other, xid);
		if (*xid && are_same(o, other, "node") &&
		    are_same(o, other, "device") &&
		    are_same(o, other, "text") &&
		    fabs(block_number(o, NULL, "time") -
			 block_number(other, NULL, "time")) <= 1)
			return true;
	}
	return false;
}

/* Of this confidence, "at 1:05:10 n2 GPU3 XID 79, ..." each. How many. */
static size_t say_faults(struct block_line *l, const json_t *r,
			 const char *confidence)
{
	double start = block_number(r, "job", "start");
	const json_t *list = member_at(r, NULL, "faults");
	char what[200], when[SHORT_MAX];
	size_t i, told = 0;
	json_t *o;

	json_array_foreach(list, i, o) {
		if (!block_is(o, NULL, "confidence", confidence))
			continue;
		if (is_echo(list, o)) {
			told++;
			continue;
		}
		name_fault(what, sizeof(what), r, o);
		block_duration(block_number(o, NULL, "time") - start, when);
		if (!block_add(l, "; ", "at %s %s%s", when, what,
			       block_text(o, NULL, "text")))
			break;
		told++;
	}
	return told;
}

/* Those first that may have stopped the job. */
void block_line_fault(struct block_line *l, const json_t *r)
{
	size_t n = json_array_size(member_at(r, NULL, "faults")), told;

	block_begin(l, "fault: ");
	told = say_faults(l, r, "high");
	told += say_faults(l, r, "medium");
	told += say_faults(l, r, "low");
	if (told && told < n)
		block_add(l, "; ", "%zu more", n - told);
}

void block_line_blame(struct block_line *l, const json_t *r)
{
	const char *whose = block_text(r, "blame", "whose");

	block_begin(l, "failure: ");
	if (!*whose || !strcmp(whose, "none"))
		return;
	if (!strcmp(whose, "unknown") && block_is(r, "job", "state", "unknown"))
		return;
	block_add(l, "", "%s%s (%s confidence)",
		  strcmp(whose, "unknown") ? "the " : "cause ",
		  strcmp(whose, "hardware")
			  ? strcmp(whose, "program") ? whose : "program's"
			  : "hardware's",
		  block_text(r, "blame", "confidence"));
	block_add(l, ": ", "%s", block_text(r, "blame", "text"));
}

static bool say_check(struct block_line *l, const json_t *r, const char *group,
		      const char *when)
{
	const json_t *list = member_at(r, group, "checks");
	const json_t *o = json_array_get(list, 0);
	size_t n = json_array_size(list);
	char name[160];

	if (!o)
		return false;
	snprintf(name, sizeof(name), "%s %s", block_text(o, NULL, "node"),
		 block_text(o, NULL, "subject"));
	block_add(l, "; ", "%s the job: %s %s %s", when,
		  block_text(o, NULL, "name"), block_device(r, name),
		  block_text(o, NULL, "text"));
	if (n > 1)
		block_add(l, " ", "(%zu more)", n - 1);
	return true;
}

void block_line_checks(struct block_line *l, const json_t *r)
{
	block_begin(l, "checks: ");
	say_check(l, r, "after", "after");
	say_check(l, r, "gate", "before");
}

void block_line_advice(struct block_line *l, const json_t *r)
{
	const json_t *o = json_array_get(member_at(r, NULL, "advice"), 0);
	double hours = block_number(o, NULL, "gpu_hours");

	block_begin(l, "advice: ");
	if (!o)
		return;
	block_add(l, "", "%s", block_text(o, NULL, "text"));
	if (hours >= 0.05)
		block_add(l, " ", "(worth %.1f GPU hours)", hours);
}
