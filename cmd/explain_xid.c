/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "cmd/explain.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cmd/page.h"

#define XID_MAX 999		/* the driver's numbers end far below */
#define NUMBER_MAX 99999
#define SUBCODES 64
#define ROWS_MAX 16

/* What a class means for the node: see kmsg_xid, kmsg_sxid. */
static const char *const class_text[] = {
	[XID_NOTE] = "information; nothing is reported",
	[XID_APP] = "the application's own fault; a warning only when several "
		    "processes meet it on one GPU within a day",
	[XID_WARN] = "a warning; the job runs",
	[XID_RESET] = "the GPU needs a reset; a failure, which drains in "
		      "enforce mode",
	[XID_REBOOT] = "the node needs a reboot; a failure, which drains in "
		       "enforce mode",
	[XID_SERVICE] = "the hardware needs a hand; a failure, which drains "
			"in enforce mode",
	[XID_FOLLOW] = "the line itself tells the driver's recovery action, "
		       "and that decides",
};

static bool prefix(const char **s, const char *word)
{
	size_t len = strlen(word);

	if (strncasecmp(*s, word, len))
		return false;
	*s += len;
	*s += strspn(*s, " :#");
	return true;
}

static bool number(const char **s, long max, int32_t *out)
{
	char *end;
	long n;

	if (!isdigit((unsigned char)**s))
		return false;
	n = strtol(*s, &end, 10);
	if (n > max)
		return false;
	*s = end;
	*out = (int32_t)n;
	return true;
}

bool explain_parse_xid(const char *text, struct xid_wish *out)
{
	*out = (struct xid_wish){ .subcode = -1 };
	text += strspn(text, " ");
	if (prefix(&text, "sxid"))
		out->sxid = true;
	else if (prefix(&text, "xid"))
		out->xid = true;
	if (!number(&text, NUMBER_MAX, &out->number))
		return false;
	if ((*text == '/' || *text == '.') && !out->sxid) {
		text++;
		out->xid = true;
		if (!number(&text, SUBCODES - 1, &out->subcode))
			return false;
	}
	/* SXids have five digits: a bare number tells which it is. */
	if (!out->xid && !out->sxid) {
		out->xid = out->number <= XID_MAX;
		out->sxid = !out->xid;
	}
	return text[strspn(text, " ")] == '\0';
}

struct rows {
	const struct xid_row *row[ROWS_MAX];
	int count;
};

static void collect(struct rows *rows, const struct xid_row *row)
{
	int i;

	for (i = 0; i < rows->count; i++)
		if (rows->row[i] == row)
			return;
	if (row && rows->count < ROWS_MAX)
		rows->row[rows->count++] = row;
}

static void find_rows(const struct xid_table *t, const struct xid_wish *w,
		      struct rows *rows)
{
	int32_t sub;

	if (w->sxid) {
		collect(rows, sxid_find(t, w->number, false));
		collect(rows, sxid_find(t, w->number, true));
		return;
	}
	for (sub = -1; sub < SUBCODES; sub++) {
		if (w->subcode >= 0 && sub != w->subcode)
			continue;
		collect(rows, xid_find(t, w->number, sub, false));
		collect(rows, xid_find(t, w->number, sub, true));
	}
}

static void print_row(FILE *f, const struct xid_wish *w,
		      const struct xid_row *r)
{
	fprintf(f, "%s %d", w->sxid ? "SXid" : "XID", (int)r->number);
	if (r->subcode >= 0)
		fprintf(f, ", sub-code %d", (int)r->subcode);
	if (r->fatal >= 0)
		fprintf(f, ", %s", r->fatal ? "fatal" : "not fatal");
	fprintf(f, " - %s\n\n", r->name);
	page_itemf(f, EXPLAIN_INDENT, "  class", "%s: %s",
		   xid_class_name(r->class), class_text[r->class]);
	if (r->dead)
		page_item(f, EXPLAIN_INDENT, "  driver",
			  "it may hang on this GPU, which is not asked anything "
			  "while this fault is open");
	if (r->advice[0])
		page_item(f, EXPLAIN_INDENT, "  do", r->advice);
	page_item(f, EXPLAIN_INDENT, "  source", r->source);
	page_item(f, EXPLAIN_INDENT, "  check",
		  w->sxid ? "kmsg_sxid" : "kmsg_xid");
}

void explain_xid(FILE *f, const struct xid_table *t, const struct xid_wish *w)
{
	struct rows rows = { .count = 0 };
	int i;

	find_rows(t, w, &rows);
	for (i = 0; i < rows.count; i++) {
		if (i)
			fputc('\n', f);
		print_row(f, w, rows.row[i]);
	}
	if (rows.count)
		return;
	fprintf(f, "%s %d is not in the table\n\n", w->sxid ? "SXid" : "XID",
		(int)w->number);
	page_item(f, EXPLAIN_INDENT, "  class",
		  w->sxid ? "the word in the line decides: Fatal fails and "
			    "asks for a reset, Non-fatal is information" :
			    "unknown numbers are a warning; the job runs");
}
