/* SPDX-License-Identifier: Apache-2.0
 * What only assay knows of the job, below one key: the sections of its record
 * that are of the job as a whole, shortened. */
#include "config.h"
#include "epilog/js1_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "epilog/members.h"
#include "lib/scrub.h"

#define OWN_VERSION 1
#define TEXT_MAX 160
#define NAMES_MAX 16
#define WORST_MAX 16
#define DEPTH_MAX 4

/* A member of a record and how much of it is kept: 0 no list, else so many
 * of its entries (and of the lists in it). */
static const struct {
	const char *name;
	size_t list;
} kept[] = {
	{ "job", 0 },	 { "watch", 0 },   { "nodes", NAMES_MAX },
	{ "gpus", 8 },	 { "stalls", 0 },  { "where", 0 },
	{ "power", 0 },	 { "fabric", 0 },  { "cpu", 0 },
	{ "memory", 0 }, { "storage", 4 }, { "slow", 4 },
	{ "faults", 8 }, { "blame", 0 },   { "advice", 3 },
};

#define KEPT (sizeof(kept) / sizeof(kept[0]))

static json_t *short_number(double v)
{
	char text[32];

	if (v == floor(v) && fabs(v) < 9e15)
		return json_integer((json_int_t)v);
	if (fabs(v) >= 1000 && fabs(v) < 9e15)
		return json_integer((json_int_t)llround(v));
	snprintf(text, sizeof(text), "%.4g", v);
	return json_real(strtod(text, NULL));
}

static json_t *short_list(const json_t *v, size_t list, int depth)
{
	json_t *out = json_array(), *in;
	size_t i;

	json_array_foreach(v, i, in)
		if (i < list)
			json_array_append_new(out,
					      js1_shortened(in, list, depth));
	return out;
}

/* Names of our own records; anybody else's are left out. */
static bool is_member(const char *name)
{
	return *name && strlen(name) < TEXT_MAX &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")];
}

static json_t *short_object(const json_t *v, size_t list, int depth)
{
	json_t *out = json_object(), *in, *copy;
	const char *key;

	json_object_foreach((json_t *)(uintptr_t)v, key, in) {
		copy = is_member(key) ? js1_shortened(in, list, depth) : NULL;
		if (copy)
			json_object_set_new(out, key, copy);
	}
	return out;
}

json_t *js1_shortened(const json_t *v, size_t list, int depth)
{
	char text[TEXT_MAX + 1];
	json_t *out = NULL;

	if (json_is_string(v))
		return json_string(
			scrub_copy(text, sizeof(text), json_string_value(v)));
	if (json_is_number(v))
		return short_number(json_number_value(v));
	if (json_is_boolean(v))
		return json_incref((json_t *)(uintptr_t)v);
	if (!depth)
		return NULL;
	if (json_is_array(v) && list)
		out = short_list(v, list, depth - 1);
	else if (json_is_object(v))
		out = short_object(v, list, depth - 1);
	if (json_array_size(out) || json_object_size(out))
		return out;
	json_decref(out);
	return NULL;
}

/* ---- the nodes that are worth a look where there is no room for all ------------ */

struct busy {
	const json_t *node;
	double sum;
	int n;
};

static int by_busy(const void *a, const void *b)
{
	const struct busy *x = a, *y = b;

	return (x->sum / x->n > y->sum / y->n) - (x->sum / x->n < y->sum / y->n);
}

/* Those whose GPUs did least, least first. */
static json_t *worst(const json_t *record)
{
	const json_t *rows = json_object_get(record, "gpu");
	struct busy *list = calloc(json_array_size(rows) + 1, sizeof(*list));
	json_t *out = json_array(), *row;
	size_t i, n = 0;
	const json_t *node;
	double v;

	json_array_foreach(rows, i, row) {
		v = member_number(row, "busy_pct");
		node = json_object_get(row, "node");
		if (!list || !json_is_string(node) || isnan(v))
			continue;
		/* Rows of a node stand together. */
		if (!n || !json_equal(list[n - 1].node, node))
			list[n++].node = node;
		list[n - 1].sum += v;
		list[n - 1].n++;
	}
	if (n)
		qsort(list, n, sizeof(*list), by_busy);
	for (i = 0; i < n && i < WORST_MAX; i++)
		json_array_append_new(
			out,
			json_pack("{s:o, s:o}", "node",
				  js1_shortened(list[i].node, 0, 0), "busy_pct",
				  short_number(list[i].sum / list[i].n)));
	free(list);
	return out;
}

/* ---- all of it ---------------------------------------------------------------- */

bool js1_is_section(const char *name)
{
	size_t i;

	for (i = 0; i < KEPT; i++)
		if (!strcmp(name, kept[i].name))
			return true;
	return false;
}

static void put_sections(json_t *own, const json_t *record)
{
	json_t *copy;
	size_t i;

	for (i = 0; i < KEPT; i++) {
		copy = js1_shortened(json_object_get(record, kept[i].name),
				     kept[i].list, DEPTH_MAX);
		if (copy)
			json_object_set_new(own, kept[i].name, copy);
	}
}

/* The two that say what the comment is of. */
static void put_identity(json_t *own, const json_t *record)
{
	const json_t *job = json_object_get(record, "job");
	const json_t *nodes = json_object_get(record, "nodes");
	json_t *o;

	o = json_pack("{s:O?, s:O?}", "id", json_object_get(job, "id"),
		      "restart", json_object_get(job, "restart"));
	json_object_set_new(own, "job", o);
	o = json_pack("{s:O?, s:O?}", "expected",
		      json_object_get(nodes, "expected"), "reported",
		      json_object_get(nodes, "reported"));
	json_object_set_new(own, "nodes", o);
}

json_t *js1_own(const json_t *record, enum js1_level level, json_t *partial)
{
	static const char *const levels[] = {
		[JS1_GPUS] = "gpus",
		[JS1_NODES] = "nodes",
		[JS1_TOTALS] = "totals",
		[JS1_BARE] = "bare",
	};
	json_t *own = json_pack("{s:i, s:s}", "v", OWN_VERSION, "level",
				levels[level]);
	json_t *names;

	if (level == JS1_BARE)
		put_identity(own, record);
	else
		put_sections(own, record);
	names = level == JS1_BARE ? NULL
				  : js1_shortened(partial, NAMES_MAX, DEPTH_MAX);
	if (names)
		json_object_set_new(own, "partial", names);
	if (level == JS1_TOTALS)
		json_object_set_new(own, "worst", worst(record));
	return own;
}
