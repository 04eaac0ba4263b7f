/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "epilog/gate_rows.h"

#include <math.h>
#include <string.h>

#include "epilog/members.h"
#include "epilog/sheet.h"

#define ROWS_MAX 64
#define CHECKS_MAX 256

/* From the least to the most. */
static const char *const actions[] = { "run", "drain-after", "drain", "refuse" };

static json_t *find(json_t *rows, const char *check, const char *figure)
{
	json_t *o;
	size_t i;

	json_array_foreach(rows, i, o) {
		if (member_is(o, "name", check) && member_is(o, "figure", figure))
			return o;
	}
	return NULL;
}

/* count devices of this mean into the row. */
static void add(json_t *row, double count, double mean)
{
	double had = json_number_value(json_object_get(row, "count"));
	double m = json_number_value(json_object_get(row, "mean"));

	json_object_set_new(row, "count", number_json(had + count));
	json_object_set_new(row, "mean",
			    number_json((had * m + count * mean) / (had + count)));
}

static void lower(json_t *row, double value, const char *device)
{
	const json_t *v = json_object_get(row, "lowest");
	const char *of = member_string(row, "lowest_of");

	if (json_is_number(v) &&
	    (json_number_value(v) < value ||
	     (json_number_value(v) <= value && strcmp(of, device) <= 0)))
		return;
	json_object_set_new(row, "lowest", number_json(value));
	json_object_set_new(row, "lowest_of", json_string(device));
}

static json_t *row_of(json_t *rows, const char *check, const char *figure)
{
	json_t *row = find(rows, check, figure);

	if (row || json_array_size(rows) >= ROWS_MAX)
		return row;
	row = json_pack("{s:s, s:s, s:i, s:i}", "name", check, "figure", figure,
			"count", 0, "mean", 0);
	json_array_append_new(rows, row);
	return row;
}

void gate_rows_add(json_t *rows, const char *check, const char *figure,
		   const char *device, double value)
{
	json_t *row;

	if (!isfinite(value) || fabs(value) > 1e15)
		return;
	row = row_of(rows, check, figure);
	if (!row)
		return;
	add(row, 1, value);
	lower(row, value, device);
}

static void merge_row(json_t *rows, const json_t *o)
{
	double count = json_number_value(json_object_get(o, "count"));
	double mean = json_number_value(json_object_get(o, "mean"));
	double lowest = json_number_value(json_object_get(o, "lowest"));
	char check[64], figure[64], device[160];
	json_t *row;

	member_text(o, "name", check, sizeof(check));
	member_text(o, "figure", figure, sizeof(figure));
	member_text(o, "lowest_of", device, sizeof(device));
	if (!(count >= 1 && count <= 1e6) || fabs(mean) > 1e15 ||
	    fabs(lowest) > 1e15)
		return;
	row = row_of(rows, check, figure);
	if (!row)
		return;
	add(row, count, mean);
	lower(row, lowest, device);
}

static int rank_of(const json_t *part)
{
	size_t i;

	for (i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (member_is(part, "verdict", actions[i]))
			return (int)i;
	return -1;
}

json_t *gate_check_json(const struct gate_check *c)
{
	return json_pack("{s:s, s:s, s:s, s:o, s:s}", "name", c->name, "node",
			 c->node, "status", c->status, "subject",
			 member_text_json(c->subject), "text", c->text);
}

static json_t *check_again(const json_t *o)
{
	struct gate_check c;

	member_text(o, "name", c.name, sizeof(c.name));
	member_text(o, "node", c.node, sizeof(c.node));
	member_text(o, "status", c.status, sizeof(c.status));
	member_text(o, "subject", c.subject, sizeof(c.subject));
	member_text(o, "text", c.text, sizeof(c.text));
	return gate_check_json(&c);
}

void gate_part_merge(json_t **to, const json_t *part)
{
	json_t *rows, *checks, *o;
	int rank = rank_of(part);
	size_t i;

	if (!json_is_object(part))
		return;
	if (!*to)
		*to = json_pack("{s:n, s:[], s:[]}", "verdict", "measured",
				"checks");
	rows = json_object_get(*to, "measured");
	checks = json_object_get(*to, "checks");
	if (rank > rank_of(*to))
		json_object_set_new(*to, "verdict", json_string(actions[rank]));
	json_array_foreach(json_object_get(part, "measured"), i, o) {
		merge_row(rows, o);
	}
	json_array_foreach(json_object_get(part, "checks"), i, o) {
		if (json_array_size(checks) < CHECKS_MAX)
			json_array_append_new(checks, check_again(o));
	}
}
