/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/retest.h"

#include <stdio.h>
#include <string.h>

#include "checks/evidence.h"

/* Judged, and nothing in it was lowered from a failure or speaks of the same
 * evidence still: that it could not be looked at this time, say. A check that
 * the admin has switched off since (no result) holds nobody back. */
static bool well(const struct facts *facts, const struct check_result *r,
		 const char *key)
{
	char now[EVIDENCE_KEY_MAX];
	int k;

	if (!r)
		return true;
	if (r->status != STATUS_PASS && r->status != STATUS_WARN)
		return false;
	for (k = 0; k < r->count; k++)
		if (r->finding[k].note[0] ||
		    !strcmp(key, evidence_key(facts, r, &r->finding[k], now,
					      sizeof(now))))
			return false;
	return true;
}

static bool needs_hand(const char *remedy)
{
	return !strcmp(remedy, "service") || !strcmp(remedy, "check_cable");
}

static bool other_boot(const json_t *doc, const struct facts *facts)
{
	const char *boot =
		json_string_value(json_object_get(doc, "boot_id"));

	return boot && *boot && facts->kmsg.boot_id[0] &&
	       strcmp(boot, facts->kmsg.boot_id);
}

enum tier retest_tier(const json_t *doc)
{
	enum tier highest = TIER_PASSIVE;
	const struct check *c;
	const char *key;
	json_t *value;
	char name[48];

	json_object_foreach(json_object_get(doc, "keys"), key, value) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(key, "|"),
			 key);
		c = checks_find(name);
		if (c && c->tier > highest)
			highest = c->tier;
	}
	return highest;
}

static void start_over(json_t *doc)
{
	json_object_set_new(doc, "passes", json_integer(0));
	json_object_del(doc, "first_pass_s");
}

static bool all_well(const json_t *keys, const struct facts *facts,
		     const struct check_result *results, int count)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)keys, key, value)
		if (!well(facts, evidence_result(results, count, key), key))
			return false;
	return true;
}

static bool hand_missing(const json_t *doc, const json_t *keys,
			 const struct facts *facts)
{
	const char *key, *remedy;
	json_t *value;

	if (other_boot(doc, facts))
		return false;
	json_object_foreach((json_t *)keys, key, value) {
		remedy = json_string_value(value);
		if (remedy && needs_hand(remedy) &&
		    evidence_gpu(facts, key) != EVIDENCE_GONE)
			return true;
	}
	return false;
}

enum retest retest_step(json_t *doc, const struct facts *facts,
			const struct check_result *results, int count,
			const struct verdict *v,
			const struct retest_limits *limits, int64_t now_s)
{
	const json_t *keys = json_object_get(doc, "keys");
	json_int_t passes, first;

	if (!json_object_size(keys))
		return RETEST_NONE;
	if (v->would > ACTION_WARN || !all_well(keys, facts, results, count)) {
		start_over(doc);
		return RETEST_SICK;
	}
	if (hand_missing(doc, keys, facts)) {
		start_over(doc);
		return RETEST_HAND;
	}
	passes = json_integer_value(json_object_get(doc, "passes")) + 1;
	json_object_set_new(doc, "passes", json_integer(passes));
	if (passes == 1)
		json_object_set_new(doc, "first_pass_s", json_integer(now_s));
	first = json_integer_value(json_object_get(doc, "first_pass_s"));
	if (first > now_s) {	/* the clock was set back */
		json_object_set_new(doc, "first_pass_s", json_integer(now_s));
		first = now_s;
	}
	if (passes < limits->passes || now_s - first < limits->min_s)
		return RETEST_WAIT;
	return RETEST_RESUME;
}
