/* SPDX-License-Identifier: Apache-2.0
 * What the probes measured, for a person: a column for each device, a line
 * for each figure. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "checks/yardstick.h"
#include "cmd/cmd.h"

#define LABEL_WIDTH 24
#define COLUMNS 8		/* of 7: together a line of 80 */

static void print_subjects(const json_t *all, size_t from)
{
	size_t i;

	printf("\n%-*s", LABEL_WIDTH, "measured");
	for (i = from; i < from + COLUMNS && i < json_array_size(all); i++)
		printf("%7.6s", json_string_value(json_object_get(
				       json_array_get(all, i), "subject")));
	putchar('\n');
}

/* Seconds and terabytes have their digits behind the point. */
static const char *number(const json_t *v, char buf[32])
{
	if (!json_is_number(v))
		return "-";
	if (json_number_value(v) >= 10)
		return yardstick_number(json_number_value(v), buf, 32);
	snprintf(buf, 32, "%.2f", json_number_value(v));
	return buf;
}

static void print_figure(const char *check, const char *figure,
			 const json_t *all, size_t from)
{
	char label[128], buf[32];
	size_t i;

	snprintf(label, sizeof(label), "%s %s", check, figure);
	if (strlen(label) >= LABEL_WIDTH)
		printf("%s\n%*s", label, LABEL_WIDTH, "");
	else
		printf("%-*s", LABEL_WIDTH, label);
	for (i = from; i < from + COLUMNS && i < json_array_size(all); i++)
		printf("%7s", number(json_object_get(json_array_get(all, i),
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
static json_t *figures(const json_t *all, size_t from)
{
	json_t *names = json_object();
	const char *name;
	json_t *v;
	size_t i;

	for (i = from; i < from + COLUMNS && i < json_array_size(all); i++)
		json_object_foreach(json_array_get(all, i), name, v)
			if (json_is_number(v))
				json_object_set_new(names, name, json_true());
	return names;
}

void show_measured(const struct run *r)
{
	const json_t *all, *said = NULL;
	const char *figure;
	json_t *names, *v;
	size_t from;
	int i;

	for (i = 0; i < r->count; i++) {
		all = r->results[i].measured;
		for (from = 0; from < json_array_size(all); from += COLUMNS) {
			if (from || !said || !same_subjects(all, said))
				print_subjects(all, from);
			names = figures(all, from);
			json_object_foreach(names, figure, v)
				print_figure(r->results[i].name, figure, all,
					     from);
			json_decref(names);
			said = json_array_size(all) > COLUMNS ? NULL : all;
		}
	}
}
