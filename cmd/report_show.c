/* SPDX-License-Identifier: Apache-2.0
 * A job's record for a person: the lines of its block, and behind them what
 * does not fit into ten lines. */
#include "config.h"
#include "cmd/report.h"

#include <stdio.h>
#include <string.h>

#include "cmd/page.h"
#include "epilog/block.h"
#include "lib/clock.h"
#include "lib/scrub.h"

#define PREFIX "# assay "
#define GPUS_MAX 64 /* rows of the table */
#define INDENT 2

static const char *text_of(const json_t *obj, const char *key, char buf[200])
{
	return scrub_copy(buf, 200, json_string_value(json_object_get(obj, key)));
}

static void show_block(const json_t *record)
{
	struct block b;
	int i;

	block_render(record, &b);
	for (i = 0; i < b.count; i++)
		page_text(stdout, 0, b.line[i] + strlen(PREFIX));
}

/* ---- the GPUs ------------------------------------------------------------------ */

static const struct column {
	const char *title, *key, *part; /* part NULL: key is the number */
	double per;
} columns[] = {
	{ "busy%", "busy_pct", NULL, 1 },
	{ "SM%", "sm_active_pct", NULL, 1 },
	{ "tensor", "tensor_active_pct", NULL, 1 },
	{ "mem GB", "mem_peak_bytes", NULL, 1e9 },
	{ "mean W", "power_w", "mean", 1 },
	{ "kJ", "energy_j", NULL, 1e3 },
	{ "cap s", "throttle_s", "power", 1 },
	{ "heat s", "throttle_s", "thermal", 1 },
	{ "hw s", "throttle_s", "hw", 1 },
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static void print_number(const json_t *gpu, const struct column *c)
{
	const json_t *v = json_object_get(gpu, c->key);

	if (c->part)
		v = json_object_get(v, c->part);
	if (json_is_number(v))
		printf(" %6.0f", json_number_value(v) / c->per);
	else
		printf(" %6s", "-");
}

static void print_gpu(const json_t *gpu)
{
	char node[200], name[24];
	size_t i;

	snprintf(name, sizeof(name), "GPU%d",
		 (int)json_integer_value(json_object_get(gpu, "index")));
	printf("%-8.8s%-6s", text_of(gpu, "node", node), name);
	for (i = 0; i < COLUMNS; i++)
		print_number(gpu, &columns[i]);
	putchar('\n');
}

static void show_gpus(const json_t *record)
{
	const json_t *list = json_object_get(record, "gpu");
	const json_t *gpu;
	size_t i;

	if (!json_array_size(list))
		return;
	printf("\n%-14s", "GPUs");
	for (i = 0; i < COLUMNS; i++)
		printf(" %6s", columns[i].title);
	putchar('\n');
	json_array_foreach(list, i, gpu)
		if (i < GPUS_MAX)
			print_gpu(gpu);
	if (json_array_size(list) > GPUS_MAX)
		printf("... and %zu more: --json, --html\n",
		       json_array_size(list) - GPUS_MAX);
}

/* ---- faults and advice ------------------------------------------------------------- */

/* "XID 94, ", or nothing. */
static const char *xid_of(const json_t *fault, char buf[24])
{
	const json_t *number = json_object_get(fault, "number");
	const char *kind = json_string_value(json_object_get(fault, "kind"));

	buf[0] = '\0';
	if (kind && !strcmp(kind, "xid") && json_is_integer(number))
		snprintf(buf, 24, "XID %d, ", (int)json_integer_value(number));
	return buf;
}

static void show_faults(const json_t *record)
{
	const json_t *list = json_object_get(record, "faults");
	char node[200], device[200], text[200], blame[200];
	const json_t *fault;
	char when[21], xid[24];
	size_t i;

	if (json_array_size(list))
		printf("\nWhat broke\n");
	json_array_foreach(list, i, fault)
		page_itemf(stdout, INDENT, "", "%s %s %s: %s%s (%s)",
			   clock_iso(json_integer_value(
					     json_object_get(fault, "time")),
				     when),
			   text_of(fault, "node", node),
			   text_of(fault, "device", device), xid_of(fault, xid),
			   text_of(fault, "text", text),
			   text_of(fault, "blame", blame));
}

static void show_advice(const json_t *record)
{
	const json_t *list = json_object_get(record, "advice");
	const json_t *advice;
	char text[200];
	size_t i;

	if (json_array_size(list))
		printf("\nWhat to do\n");
	json_array_foreach(list, i, advice)
		page_item(stdout, INDENT, "", text_of(advice, "text", text));
}

void report_show(const struct report *r)
{
	show_block(r->record);
	show_gpus(r->record);
	show_faults(r->record);
	show_advice(r->record);
	printf("\n(%s)\n", r->from);
}
