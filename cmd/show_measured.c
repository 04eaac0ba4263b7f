/* SPDX-License-Identifier: Apache-2.0
 * What the probes measured, for a person: a column for each device, a line
 * for each figure. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "checks/yardstick.h"
#include "cmd/cmd.h"

#define LINE_WIDTH 80
#define LABEL_WIDTH 24
#define COLUMN_LEAST 7
#define COLUMN_MOST 16

/* Some of the devices, side by side. */
struct table {
	const json_t *all;
	size_t from, end;
	int width;		/* of a column */
};

static const char *subject(const json_t *all, size_t i)
{
	const char *s = json_string_value(
		json_object_get(json_array_get(all, i), "subject"));

	return s ? s : "";
}

/* Columns as wide as the longest name: "GPU3", "mlx5_11", "rocep59s0f0". */
static struct table table_at(const json_t *all, size_t from)
{
	struct table t = { .all = all, .from = from, .width = COLUMN_LEAST };
	size_t i, columns;
	int w;

	for (i = 0; i < json_array_size(all); i++) {
		w = (int)strlen(subject(all, i)) + 2;
		t.width = w > t.width ? w : t.width;
	}
	if (t.width > COLUMN_MOST)
		t.width = COLUMN_MOST;
	columns = (size_t)((LINE_WIDTH - LABEL_WIDTH) / t.width);
	t.end = json_array_size(all);
	if (t.end > from + columns)
		t.end = from + columns;
	return t;
}

static void print_subjects(const struct table *t)
{
	size_t i;

	printf("\n%-*s", LABEL_WIDTH, "measured");
	for (i = t->from; i < t->end; i++)
		printf("%*.*s", t->width, t->width - 1, subject(t->all, i));
	putchar('\n');
}

/* Seconds and terabytes have their digits behind the point. */
static const char *number(const json_t *v, char buf[32])
{
	if (!json_is_number(v))
		return "-";
	if (json_is_integer(v)) {
		snprintf(buf, 32, "%" JSON_INTEGER_FORMAT,
			 json_integer_value(v));
		return buf;
	}
	if (json_number_value(v) >= 10)
		return yardstick_number(json_number_value(v), buf, 32);
	snprintf(buf, 32, "%.2f", json_number_value(v));
	return buf;
}

/* As a person says it, where the record's key is a riddle. */
static const char *spoken(const char *figure)
{
	static const char *const words[][2] = {
		{ "gbps", "GB/s" },	     { "gbit_s", "Gb/s" },
		{ "message_bytes", "bytes" }, { "median_us", "median us" },
		{ "p99_us", "p99 us" },	     { "cpu_ms", "CPU ms" },
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i][0], figure))
			return words[i][1];
	return figure;
}

static void print_figure(const char *check, const char *figure,
			 const struct table *t)
{
	char label[128], buf[32];
	size_t i;

	snprintf(label, sizeof(label), "%s %s", check, spoken(figure));
	if (strlen(label) >= LABEL_WIDTH)
		printf("%s\n%*s", label, LABEL_WIDTH, "");
	else
		printf("%-*s", LABEL_WIDTH, label);
	for (i = t->from; i < t->end; i++)
		printf("%*s", t->width,
		       number(json_object_get(json_array_get(t->all, i),
					      figure), buf));
	putchar('\n');
}

/* The subjects are said once for all checks that have the same ones. */
static bool same_subjects(const json_t *a, const json_t *b)
{
	size_t i;

	if (json_array_size(a) != json_array_size(b))
		return false;
	for (i = 0; i < json_array_size(a); i++)
		if (!json_equal(json_object_get(json_array_get(a, i),
						"subject"),
				json_object_get(json_array_get(b, i),
						"subject")))
			return false;
	return true;
}

/* Every figure that one of these has, once: some may not be measured. */
static json_t *figures(const struct table *t)
{
	json_t *names = json_object();
	const char *name;
	json_t *v;
	size_t i;

	for (i = t->from; i < t->end; i++)
		json_object_foreach(json_array_get(t->all, i), name, v)
			if (json_is_number(v))
				json_object_set_new(names, name, json_true());
	return names;
}

/* False: there is no figure, as of devices that could not be measured. */
static bool show_table(const char *check, const struct table *t, bool subjects)
{
	json_t *names = figures(t), *v;
	bool any = json_object_size(names) > 0;
	const char *figure;

	if (any && subjects)
		print_subjects(t);
	json_object_foreach(names, figure, v)
		print_figure(check, figure, t);
	json_decref(names);
	return any;
}

void show_measured(const struct run *r)
{
	const json_t *all, *said = NULL;
	struct table t;
	size_t from;
	int i;

	for (i = 0; i < r->count; i++) {
		all = r->results[i].measured;
		for (from = 0; from < json_array_size(all); from = t.end) {
			t = table_at(all, from);
			if (!show_table(r->results[i].name, &t,
					from || !said ||
						!same_subjects(all, said)))
				continue;
			said = from || t.end < json_array_size(all) ? NULL : all;
		}
	}
}
