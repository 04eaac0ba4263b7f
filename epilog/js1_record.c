/* SPDX-License-Identifier: Apache-2.0
 * A record again: of a comment of our own what it kept, of a foreign one what
 * there is. */
#include "config.h"
#include "epilog/js1_private.h"

#include <stdlib.h>
#include <string.h>

#include "epilog/members.h"

static json_t *node_row(const char *name, const json_t *node)
{
	const json_t *own = json_object_get(node, "assay");
	const json_t *cpu_s = json_object_get(own, "cpu_seconds");
	const json_t *used = json_object_get(own, "mem_peak_bytes");
	const char *of = json_is_true(json_object_get(own, "mem_of_process")) ?
				 "largest process" :
				 NULL;

	if (!cpu_s)
		cpu_s = json_object_get(node, "total_time");
	if (!used)
		used = json_object_get(node, "used_memory");
	return json_pack("{s:s, s:O, s:O, s:O, s:O, s:s*}", "node", name,
			 "cpu_seconds", cpu_s, "cores_alloc",
			 json_object_get(node, "cpus"), "mem_peak_bytes", used,
			 "mem_limit_bytes",
			 json_object_get(node, "total_memory"), "mem_of", of);
}

/* {key: row}: what readers know of a GPU, added to what only we do. */
static void merge_gpus(json_t *rows, const json_t *node, const char *group,
		       const char *member)
{
	const char *key;
	json_t *v, *row;

	json_object_foreach(json_object_get(node, group), key, v) {
		row = json_object_get(rows, key);
		if (!row) {
			row = json_object();
			json_object_set_new(rows, key, row);
		}
		json_object_set(row, member, v);
	}
}

static json_t *gpus_of(const json_t *node)
{
	const json_t *own = json_object_get(node, "assay");
	json_t *rows = json_object(), *row;
	const char *key;

	json_object_foreach(json_object_get(own, "gpu"), key, row)
		if (json_is_object(row))
			json_object_set_new(rows, key, json_copy(row));
	merge_gpus(rows, node, "gpu_utilization", "busy_pct");
	merge_gpus(rows, node, "gpu_used_memory", "mem_peak_bytes");
	merge_gpus(rows, node, "gpu_total_memory", "mem_total_bytes");
	return rows;
}

/* A key is a minor number, unless a foreign writer means something else. */
static void add_gpus(json_t *list, const char *name, const json_t *node)
{
	json_t *rows = gpus_of(node), *row;
	const char *key;
	char *end;
	long n;

	json_object_foreach(rows, key, row) {
		n = strtol(key, &end, 10);
		json_object_set_new(row, "node", json_string(name));
		if (end != key && !*end && n >= 0 && n < 4096) {
			json_object_set_new(row, "minor", json_integer(n));
			if (!json_object_get(row, "index"))
				json_object_set_new(row, "index",
						    json_integer(n));
		}
		json_array_append(list, row);
	}
	json_decref(rows);
}

static void put_rows(json_t *record, const json_t *js1)
{
	json_t *nodes = json_array(), *gpus = json_array(), *node;
	const char *name;

	json_object_foreach(json_object_get(js1, "nodes"), name, node) {
		json_array_append_new(nodes, node_row(name, node));
		add_gpus(gpus, name, node);
	}
	json_object_set_new(record, "node", nodes);
	json_object_set_new(record, "gpu", gpus);
}

/* What a foreign comment says of the whole. */
static void put_whole(json_t *record, const json_t *js1)
{
	json_t *o;

	if (!json_is_object(json_object_get(record, "job"))) {
		o = json_pack("{s:O}", "elapsed_s",
			      json_object_get(js1, "total_time"));
		json_object_set_new(record, "job", o);
	}
	if (!json_is_object(json_object_get(record, "gpus"))) {
		o = json_pack("{s:O}", "allocated", json_object_get(js1, "gpus"));
		json_object_set_new(record, "gpus", o);
	}
}

json_t *js1_record(const json_t *js1)
{
	json_t *record =
		json_pack("{s:s, s:s}", "schema", RECORD_SCHEMA, "kind", "job");
	const char *name;
	json_t *v;

	if (!record)
		return NULL;
	json_object_foreach(json_object_get(js1, "assay"), name, v)
		if (js1_is_section(name))
			json_object_set(record, name, v);
	put_rows(record, js1);
	put_whole(record, js1);
	return record;
}
