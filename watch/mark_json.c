/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/mark_json.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "lib/scrub.h"

#define SCHEMA "assay.mark/1"

static const char *const watch_names[] = { "wanted", "short", "disabled",
					   "no gpu" };

#define TEXT(member) \
	{ #member, offsetof(struct mark, member), \
	  sizeof(((struct mark *)0)->member) }
static const struct {
	const char *name;
	size_t offset, size;
} texts[] = { TEXT(user), TEXT(account), TEXT(partition), TEXT(node),
	      TEXT(sluid), TEXT(boot_id) };

/* absent: what stands for null. */
#define NUMBER(member, absent) { #member, offsetof(struct mark, member), absent }
static const struct {
	const char *name;
	size_t offset;
	int64_t absent;
} numbers[] = {
	NUMBER(uid, -1),	 NUMBER(gid, -1),	 NUMBER(start_s, -1),
	NUMBER(limit_end_s, 0),	 NUMBER(array_job, -1),	 NUMBER(array_task, -1),
	NUMBER(block_after_s, -1), NUMBER(start_up_s, INT64_MIN),
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* "start", not "start_s": the contract's names. */
static const char *name_of(const char *member)
{
	if (!strcmp(member, "start_s"))
		return "start";
	if (!strcmp(member, "start_up_s"))
		return "start_up";
	return !strcmp(member, "limit_end_s") ? "limit_end" : member;
}

static json_t *number_or_null(int64_t v, int64_t absent)
{
	return v == absent ? json_null() : json_integer((json_int_t)v);
}

static json_t *gpus_json(const struct mark *m)
{
	json_t *all = json_array();
	const struct mark_gpu *g;
	int i;

	for (i = 0; all && i < m->gpu_count; i++) {
		g = &m->gpu[i];
		json_array_append_new(
			all, json_pack("{s:s, s:i, s:i, s:s, s:s}", "uuid",
				       g->uuid, "index", g->index, "minor",
				       g->minor, "bus_id", g->bus_id, "name",
				       g->name));
	}
	return all;
}

json_t *mark_to_json(const struct mark *m)
{
	json_t *o = json_pack("{s:s, s:I, s:I, s:b, s:s, s:o, s:O?}", "schema",
			      SCHEMA, "job", (json_int_t)m->job, "restart",
			      (json_int_t)m->restart, "owned", m->owned,
			      "watch", watch_names[m->watch], "gpus",
			      gpus_json(m), "snapshot", m->snapshot);
	int64_t v;
	size_t i;

	if (!o)
		return NULL;
	for (i = 0; i < COUNT(texts); i++)
		json_object_set_new(o, texts[i].name,
				    json_string((const char *)m +
						texts[i].offset));
	for (i = 0; i < COUNT(numbers); i++) {
		memcpy(&v, (const char *)m + numbers[i].offset, sizeof(v));
		json_object_set_new(o, name_of(numbers[i].name),
				    number_or_null(v, numbers[i].absent));
	}
	json_object_set_new(o, "nodes", number_or_null(m->nodes, 0));
	json_object_set_new(o, "cpus", number_or_null(m->cpus, 0));
	return o;
}

static void get_text(const json_t *o, const char *name, char *to, size_t size)
{
	scrub_copy(to, size, json_string_value(json_object_get(o, name)));
}

static int64_t get(const json_t *o, const char *name, int64_t absent)
{
	const json_t *v = json_object_get(o, name);

	return json_is_integer(v) ? json_integer_value(v) : absent;
}

static void get_gpus(const json_t *list, struct mark *m)
{
	struct mark_gpu *g;
	const json_t *o;
	size_t i;

	json_array_foreach(list, i, o) {
		if (m->gpu_count == FACTS_GPUS_MAX)
			return;
		g = &m->gpu[m->gpu_count++];
		get_text(o, "uuid", g->uuid, sizeof(g->uuid));
		get_text(o, "bus_id", g->bus_id, sizeof(g->bus_id));
		get_text(o, "name", g->name, sizeof(g->name));
		g->index = (int)get(o, "index", -1);
		g->minor = (int)get(o, "minor", -1);
	}
}

static enum mark_watch get_watch(const json_t *o)
{
	const char *word = json_string_value(json_object_get(o, "watch"));
	size_t i;

	for (i = 0; word && i < COUNT(watch_names); i++)
		if (!strcmp(word, watch_names[i]))
			return (enum mark_watch)i;
	return MARK_DISABLED;
}

int mark_from_json(const json_t *doc, struct mark *m)
{
	const char *schema = json_string_value(json_object_get(doc, "schema"));
	int64_t v;
	size_t i;

	memset(m, 0, sizeof(*m));
	if (!schema || strcmp(schema, SCHEMA))
		return -1;
	for (i = 0; i < COUNT(texts); i++)
		get_text(doc, texts[i].name, (char *)m + texts[i].offset,
			 texts[i].size);
	for (i = 0; i < COUNT(numbers); i++) {
		v = get(doc, name_of(numbers[i].name), numbers[i].absent);
		memcpy((char *)m + numbers[i].offset, &v, sizeof(v));
	}
	m->job = (uint32_t)get(doc, "job", 0);
	m->restart = (uint32_t)get(doc, "restart", 0);
	m->nodes = (int)get(doc, "nodes", 0);
	m->cpus = (int)get(doc, "cpus", 0);
	m->owned = json_is_true(json_object_get(doc, "owned"));
	m->watch = get_watch(doc);
	get_gpus(json_object_get(doc, "gpus"), m);
	m->snapshot = json_incref(json_object_get(doc, "snapshot"));
	if (!m->snapshot)
		m->snapshot = json_object();
	return m->job && m->snapshot ? 0 : (mark_fini(m), -1);
}
