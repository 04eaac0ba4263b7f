/* SPDX-License-Identifier: Apache-2.0
 * Results for a person: 80 columns, worst first. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/page.h"
#include "lib/clock.h"

#define STATUS_WIDTH 8
#define NOTE_COLUMN 24
#define FACT_COLUMN 40

static const char *colour(enum status s)
{
	static const char *const code[] = { "32", "2", "33", "35", "31", "31" };

	return code[s];
}

static void print_status(enum status s)
{
	if (isatty(STDOUT_FILENO))
		printf("\033[%sm%-8s\033[0m", colour(s), status_name(s));
	else
		printf("%-8s", status_name(s));
}

/* Behind the status; the text begins at the column indent. */
static void print_label(int indent, const char *label)
{
	int width = indent - STATUS_WIDTH;

	if ((int)strlen(label) < width)
		printf("%-*s", width, label);
	else
		printf("%s\n%*s", label, indent, "");
}

static void print_finding(const struct check_result *r, const struct finding *f)
{
	char label[128];

	print_status(f->status);
	snprintf(label, sizeof(label), "%-15s %s", r->name, f->subject);
	print_label(FACT_COLUMN, label);
	page_text(stdout, FACT_COLUMN, f->text);
	if (f->remedy != REMEDY_NONE)
		page_itemf(stdout, FACT_COLUMN, "",
			   "next: %s - assay explain %s",
			   remedy_name(f->remedy), r->name);
	if (f->note[0])
		page_itemf(stdout, FACT_COLUMN, "", "(%s)", f->note);
}

/* Nothing to say but that. */
static bool is_plain_pass(const struct check_result *r)
{
	return r->status == STATUS_PASS && !r->note[0];
}

static void print_result(const struct check_result *r, enum status s)
{
	bool any = false;
	int k;

	for (k = 0; k < r->count; k++)
		if (r->finding[k].status == s) {
			print_finding(r, &r->finding[k]);
			any = true;
		}
	if (r->status != s)
		return;
	if (any && r->note[0])
		page_itemf(stdout, FACT_COLUMN, "", "(%s)", r->note);
	if (any || is_plain_pass(r))
		return;
	print_status(s);
	print_label(NOTE_COLUMN, r->name);
	page_text(stdout, NOTE_COLUMN, r->note);
}

static void print_passes(const struct run *r)
{
	int column = 0;
	int i;

	for (i = 0; i < r->count; i++) {
		if (!is_plain_pass(&r->results[i]))
			continue;
		if (!column) {
			print_status(STATUS_PASS);
			column = STATUS_WIDTH;
		} else if (column + 1 + (int)strlen(r->results[i].name) >
			   PAGE_WIDTH) {
			printf("\n%*s", STATUS_WIDTH, "");
			column = STATUS_WIDTH;
		}
		column += printf("%s%s", column > STATUS_WIDTH ? " " : "",
				 r->results[i].name);
	}
	if (column)
		putchar('\n');
}

static int count(const struct run *r, enum status s)
{
	int i, n = 0;

	for (i = 0; i < r->count; i++)
		n += r->results[i].status == s;
	return n;
}

void show_results(const struct session *s, const struct run *r,
		  const struct verdict *v, const char *reason)
{
	static const enum status order[] = { STATUS_FAIL, STATUS_TIMEOUT,
					     STATUS_ERROR, STATUS_WARN,
					     STATUS_SKIP, STATUS_PASS };
	size_t o;
	int i;

	printf("%s: %d check%s in %.1f ms: %d fail, %d timeout, %d error, "
	       "%d warn, %d skip, %d pass\n\n",
	       s->job->node, r->count, r->count == 1 ? "" : "s",
	       (double)(clock_mono_us() - r->started_us) / 1000,
	       count(r, STATUS_FAIL), count(r, STATUS_TIMEOUT),
	       count(r, STATUS_ERROR), count(r, STATUS_WARN),
	       count(r, STATUS_SKIP), count(r, STATUS_PASS));
	for (o = 0; o < sizeof(order) / sizeof(order[0]); o++)
		for (i = 0; i < r->count; i++)
			print_result(&r->results[i], order[o]);
	print_passes(r);
	show_measured(r);
	if (s->complaint[0] || geteuid())
		putchar('\n');
	if (s->complaint[0])
		page_item(stdout, 2, "!", s->complaint);
	if (geteuid())
		page_item(stdout, 2, "!", "not run as root: a gate sees more");
	if (reason[0]) {
		putchar('\n');
		page_itemf(stdout, 0, "", "%s in enforce mode: %s",
			   verdict_name(v->would), reason);
	}
}
