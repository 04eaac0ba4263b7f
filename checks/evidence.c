/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/evidence.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ENTRIES_MAX 256

/* Who the finding is about, in a form that survives a change of order. */
static const char *subject(const struct facts *facts, const struct finding *f)
{
	const struct gpu *g;

	if (!facts || f->gpu < 0)
		return f->subject;
	g = &facts->gpus.gpu[f->gpu];
	if (g->uuid[0])
		return g->uuid;
	return g->bus_id[0] ? g->bus_id : f->subject;
}

char *evidence_key(const struct facts *facts, const struct check_result *r,
		   const struct finding *f, char *buf, size_t size)
{
	if (f->evidence[0])
		snprintf(buf, size, "%s|%s|%s", r->name, subject(facts, f),
			 f->evidence);
	else if (isfinite(f->value))
		snprintf(buf, size, "%s|%s|%s=%.10g", r->name,
			 subject(facts, f), f->code, f->value);
	else
		snprintf(buf, size, "%s|%s|%s", r->name, subject(facts, f),
			 f->code);
	return buf;
}

static json_t *entries(json_t *doc)
{
	json_t *e = json_object_get(doc, "entries");

	if (!json_is_object(e)) {
		json_object_set_new(doc, "entries", json_object());
		e = json_object_get(doc, "entries");
	}
	return e;
}

enum evidence_state evidence_state(const json_t *doc, const char *key)
{
	const json_t *e = json_object_get(json_object_get(doc, "entries"), key);
	const char *state = json_string_value(json_object_get(e, "state"));

	if (!state)
		return EVIDENCE_NEW;
	if (!strcmp(state, "acked"))
		return EVIDENCE_ACKED;
	if (!strcmp(state, "resumed"))
		return EVIDENCE_RESUMED;
	return EVIDENCE_CONSUMED;
}

int64_t evidence_drained_s(const json_t *doc, const char *key)
{
	const json_t *e = json_object_get(json_object_get(doc, "entries"), key);

	return json_integer_value(json_object_get(e, "drained_s"));
}

static void drop_oldest(json_t *e)
{
	const char *key, *oldest = NULL;
	json_int_t when, least = 0;
	json_t *value;

	json_object_foreach(e, key, value) {
		when = json_integer_value(json_object_get(value, "drained_s"));
		if (!oldest || when < least) {
			oldest = key;
			least = when;
		}
	}
	if (oldest)
		json_object_del(e, oldest);
}

int evidence_consume(json_t *doc, const char *key, const char *reason,
		     int64_t now_s)
{
	json_t *e = entries(doc);

	if (!e)
		return -1;
	while (json_object_size(e) >= ENTRIES_MAX)
		drop_oldest(e);
	return json_object_set_new(e, key,
				   json_pack("{s:s, s:s, s:I}", "state",
					     "drained", "reason", reason,
					     "drained_s", (json_int_t)now_s));
}

int evidence_resumed(json_t *doc, int64_t now_s)
{
	const char *key;
	json_t *value;
	int n = 0;

	json_object_foreach(json_object_get(doc, "entries"), key, value) {
		if (evidence_state(doc, key) != EVIDENCE_CONSUMED)
			continue;
		json_object_set_new(value, "state", json_string("resumed"));
		json_object_set_new(value, "resumed_s", json_integer(now_s));
		n++;
	}
	return n;
}

int evidence_ack(json_t *doc, const char *check, const char *who,
		 int64_t now_s)
{
	size_t len = strlen(check);
	const char *key;
	json_t *value;
	int n = 0;

	json_object_foreach(json_object_get(doc, "entries"), key, value) {
		if ((len && (strncmp(key, check, len) || key[len] != '|')) ||
		    evidence_state(doc, key) == EVIDENCE_ACKED)
			continue;
		json_object_set_new(value, "state", json_string("acked"));
		json_object_set_new(value, "acked_by", json_string(who));
		json_object_set_new(value, "acked_s", json_integer(now_s));
		n++;
	}
	return n;
}

void evidence_forget(json_t *doc, const char *key)
{
	json_object_del(json_object_get(doc, "entries"), key);
}

const struct check_result *evidence_result(const struct check_result *results,
					   int count, const char *key)
{
	size_t len = strcspn(key, "|");
	int i;

	for (i = 0; i < count; i++)
		if (strlen(results[i].name) == len &&
		    !strncmp(results[i].name, key, len))
			return &results[i];
	return NULL;
}

int evidence_gpu(const struct facts *facts, const char *key)
{
	const char *id = strchr(key, '|');
	size_t len;
	int i;

	if (!id++ || strncmp(id, "GPU-", 4))
		return EVIDENCE_NO_GPU;
	len = strcspn(id, "|");
	for (i = 0; i < facts->gpus.count; i++)
		if (strlen(facts->gpus.gpu[i].uuid) == len &&
		    !strncmp(facts->gpus.gpu[i].uuid, id, len))
			return i;
	return EVIDENCE_GONE;
}

/* A GPU that was not asked in this pass says nothing about its fault. */
static bool subject_was_judged(const struct facts *facts, const char *key)
{
	int i = evidence_gpu(facts, key);

	return i < 0 || facts->gpus.gpu[i].answered;
}

static bool was_met(const struct facts *facts, const struct check_result *r,
		    const char *key)
{
	char met[EVIDENCE_KEY_MAX];
	int k;

	for (k = 0; k < r->count; k++)
		if (!strcmp(evidence_key(facts, r, &r->finding[k], met,
					 sizeof(met)),
			    key))
			return true;
	return false;
}

/* Since when has this entry not been met? 0: it is met, or unknown. */
static int64_t absent_since(const struct facts *facts,
			    const struct check_result *r, const char *key,
			    const json_t *entry, int64_t now_s)
{
	const json_t *since = json_object_get(entry, "absent_s");

	if (!r || (r->status != STATUS_PASS && r->status != STATUS_WARN) ||
	    !subject_was_judged(facts, key) || was_met(facts, r, key))
		return 0;
	if (!since || json_integer_value(since) > now_s)
		return now_s;
	return json_integer_value(since);
}

/* A check that was skipped (its probe runs once a day) has not looked: what
 * it found before still stands. */
static bool has_looked(const struct check_result *r)
{
	return !r || r->status != STATUS_SKIP;
}

bool evidence_expire(json_t *doc, const struct facts *facts,
		     const struct check_result *results, int count,
		     int64_t now_s, int min_s)
{
	json_t *e = json_object_get(doc, "entries");
	const struct check_result *r;
	bool changed = false;
	const char *key;
	json_t *entry;
	int64_t since;
	void *next;

	json_object_foreach_safe(e, next, key, entry) {
		r = evidence_result(results, count, key);
		if (evidence_state(doc, key) == EVIDENCE_CONSUMED ||
		    !has_looked(r))
			continue;
		since = absent_since(facts, r, key, entry, now_s);
		if (since ==
		    json_integer_value(json_object_get(entry, "absent_s")) &&
		    (!since || now_s - since < min_s))
			continue;
		changed = true;
		if (since && now_s - since >= min_s)
			json_object_del(e, key);
		else if (since)
			json_object_set_new(entry, "absent_s",
					    json_integer(since));
		else
			json_object_del(entry, "absent_s");
	}
	return changed;
}
