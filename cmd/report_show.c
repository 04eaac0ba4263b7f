/* SPDX-License-Identifier: Apache-2.0
 * A job's record for a person: the lines of its block, and behind them what
 * does not fit into ten lines. */
#include "config.h"
#include "cmd/report.h"

#include <stdio.h>
#include <string.h>

#include "cmd/page.h"
#include "epilog/block.h"
#include "epilog/members.h"
#include "lib/clock.h"

#define PREFIX "# assay "
#define GPUS_MAX 64 /* rows of the table */
#define INDENT 2

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
	const char *title;
	const char *group; /* an object in the GPU, NULL: none */
	const char *name;
	double per;
	int digits;
} columns[] = {
	{ "busy%", NULL, "busy_pct", 1, 0 },
	{ "SM%", NULL, "sm_active_pct", 1, 0 },
	{ "tensor", NULL, "tensor_active_pct", 1, 0 },
	{ "mem GB", NULL, "mem_peak_bytes", 1e9, 1 },
	{ "mean W", "power_w", "mean", 1, 0 },
	{ "kJ", NULL, "energy_j", 1e3, 0 },
	{ "cap s", "throttle_s", "power", 1, 0 },
	{ "heat s", "throttle_s", "thermal", 1, 0 },
	{ "hw s", "throttle_s", "hw", 1, 0 },
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))
#define NODE_WIDTH 8

static const char legend[] =
	"mem: at most in use. cap, heat, hw: seconds for which the power limit, "
	"heat or the hardware held its clocks down. -: not known";

static void print_number(const json_t *gpu, const struct column *c)
{
	const json_t *v = member_at(gpu, c->group, c->name);

	if (json_is_number(v))
		printf(" %6.*f", c->digits, json_number_value(v) / c->per);
	else
		printf(" %6s", "-");
}

/* In front of the GPU; a name that is too long for that stands above its first
 * one. */
static void print_node(const char *node, const char *before)
{
	bool fits = strlen(node) < NODE_WIDTH;

	if (!fits && strcmp(node, before))
		printf("%s\n", node);
	printf("%-*s", NODE_WIDTH, fits ? node : "");
}

static void print_gpu(const json_t *gpu, const json_t *before)
{
	char node[64], last[64], name[24];
	size_t i;

	snprintf(name, sizeof(name), "GPU%d", (int)member_whole(gpu, "index", 0));
	print_node(member_text(gpu, "node", node, sizeof(node)),
		   member_text(before, "node", last, sizeof(last)));
	printf("%-6s", name);
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
			print_gpu(gpu, i ? json_array_get(list, i - 1) : NULL);
	if (json_array_size(list) > GPUS_MAX)
		printf("... and %zu more: --json, --html\n",
		       json_array_size(list) - GPUS_MAX);
	page_text(stdout, 0, legend);
}

/* ---- faults and advice ------------------------------------------------------------- */

static void show_fault(const json_t *fault)
{
	char node[200], device[200], text[200], blame[200];
	char when[21], xid[MEMBER_XID];

	clock_iso(member_whole(fault, "time", 0), when);
	member_text(fault, "node", node, sizeof(node));
	member_text(fault, "device", device, sizeof(device));
	member_text(fault, "text", text, sizeof(text));
	member_text(fault, "blame", blame, sizeof(blame));
	member_xid(fault, xid);
	page_itemf(stdout, INDENT, "", "%s %s %s: %s%s%s (%s)", when, node,
		   device, xid, *xid ? ", " : "", text, blame);
}

static void show_faults(const json_t *record)
{
	const json_t *list = json_object_get(record, "faults");
	const json_t *fault;
	size_t i;

	if (json_array_size(list))
		printf("\nWhat broke\n");
	json_array_foreach(list, i, fault)
		show_fault(fault);
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
		page_item(stdout, INDENT, "",
			  member_text(advice, "text", text, sizeof(text)));
}

void report_show(const struct report *r)
{
	show_block(r->record);
	show_gpus(r->record);
	show_faults(r->record);
	show_advice(r->record);
	printf("\n(%s)\n", r->from);
}
