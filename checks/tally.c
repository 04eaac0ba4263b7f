/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/tally.h"

#include <string.h>

#include "lib/clock.h"

#define DAY_S 86400

static char *day_of(int64_t wall_s, char buf[21])
{
	clock_iso(wall_s, buf);
	buf[10] = '\0';
	return buf;
}

static json_t *child(json_t *parent, const char *key)
{
	json_t *o = json_object_get(parent, key);

	if (!json_is_object(o)) {
		json_object_set_new(parent, key, json_object());
		o = json_object_get(parent, key);
	}
	return o;
}

static void bump(json_t *o, const char *key)
{
	json_int_t n = json_integer_value(json_object_get(o, key));

	json_object_set_new(o, key, json_integer(n + 1));
}

static void forget_old_days(json_t *days, int64_t now_s)
{
	char oldest[21];
	const char *key;
	json_t *value;
	void *next;

	day_of(now_s - (int64_t)TALLY_DAYS * DAY_S, oldest);
	json_object_foreach_safe(days, next, key, value)
		if (strcmp(key, oldest) <= 0)
			json_object_del(days, key);
}

void tally_add(json_t *doc, const struct check_result *results, int count,
	       const struct verdict *v, bool did, int64_t now_s)
{
	json_t *days = child(doc, "days");
	char day[21];
	json_t *today, *o;
	int i;

	forget_old_days(days, now_s);
	today = child(days, day_of(now_s, day));
	for (i = 0; i < count; i++) {
		if (results[i].status == STATUS_SKIP)
			continue;	/* it judged nothing here */
		o = child(today, results[i].name);
		bump(o, "runs");
		if (result_wants_drain(&results[i]))
			bump(o, "would");
		if (did && i == v->result)
			bump(o, "did");
	}
}

struct tally tally_sum(const json_t *doc, const char *check, int days,
		       int64_t now_s)
{
	const json_t *all = json_object_get(doc, "days");
	struct tally t = { 0, 0, 0 };
	const json_t *o;
	char day[21];
	int i;

	for (i = 0; i < days; i++) {
		day_of(now_s - (int64_t)i * DAY_S, day);
		o = json_object_get(json_object_get(all, day), check);
		t.runs += json_integer_value(json_object_get(o, "runs"));
		t.would += json_integer_value(json_object_get(o, "would"));
		t.did += json_integer_value(json_object_get(o, "did"));
	}
	return t;
}
