/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "epilog/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "epilog/html_page.h"
#include "epilog/html_style.h"
#include "epilog/members.h"
#include "lib/clock.h"

/* ---- values ------------------------------------------------------------------ */

/* 0: none. */
static double time_of(const json_t *o, const char *which)
{
	double t = page_number(json_object_get(o, which));

	return isfinite(t) ? t : 0;
}

/* A share or a count with as many digits as it is worth, in the column's unit. */
static void put_number(const struct page *p, double v, double per)
{
	v /= per;
	fprintf(p->f, fabs(v) < 10 && v != floor(v) ? "%.1f" : "%.0f", v);
}

static void put_value(const struct page *p, const json_t *o, const char *name,
		      double per)
{
	const json_t *v = json_object_get(o, name);

	if (json_is_number(v)) {
		put_number(p, json_number_value(v), per);
	} else if (json_is_string(v)) {
		page_put(p, json_string_value(v));
	} else if (json_is_boolean(v)) {
		fputs(json_is_true(v) ? "yes" : "no", p->f);
	} else {
		fputs("<span title=\"", p->f);
		page_put(p, member_string(json_object_get(o, "why"), name));
		fputs("\">&ndash;</span>", p->f);
	}
}

/* ---- tables -------------------------------------------------------------------- */

struct column {
	const char *title;
	const char *group; /* an object in the row, NULL: none */
	const char *name;
	double per; /* 1e3: the record's unit is shown by thousands */
};

static const struct column gpu_columns[] = {
	{ "node", NULL, "node", 1 },
	{ "GPU", NULL, "index", 1 },
	{ "used", NULL, "used", 1 },
	{ "busy %", NULL, "busy_pct", 1 },
	{ "SM %", NULL, "sm_active_pct", 1 },
	{ "tensor %", NULL, "tensor_active_pct", 1 },
	{ "memory GB", NULL, "mem_peak_bytes", 1e9 },
	{ "energy kJ", NULL, "energy_j", 1e3 },
	{ "mean W", "power_w", "mean", 1 },
	{ "power cap s", "throttle_s", "power", 1 },
	{ "heat s", "throttle_s", "thermal", 1 },
	{ "hardware s", "throttle_s", "hw", 1 },
	{ "SM MHz", "sm_mhz", "mean", 1 },
	{ "at most C", "temp_c", "max", 1 },
	{ "NVLink GB", NULL, "nvlink_bytes", 1e9 },
	{ "PCIe GB", NULL, "pcie_bytes", 1e9 },
	{ NULL, NULL, NULL, 1 }
};

static const struct column port_columns[] = {
	{ "node", NULL, "node", 1 },
	{ "port", NULL, "name", 1 },
	{ "rate Gb/s", NULL, "rate_gbit", 1 },
	{ "received GB", NULL, "rx_bytes", 1e9 },
	{ "sent GB", NULL, "tx_bytes", 1e9 },
	{ "mean GB/s", NULL, "mean_gbps", 1 },
	{ "peak GB/s", NULL, "peak_gbps", 1 },
	{ "retries", NULL, "retries", 1 },
	{ "congestion", NULL, "congestion", 1 },
	{ "link down", NULL, "downs", 1 },
	{ NULL, NULL, NULL, 1 }
};

static const struct column slow_columns[] = {
	{ "node", NULL, "node", 1 },
	{ "GPU", NULL, "gpu", 1 },
	{ "what", NULL, "what", 1 },
	{ "share of the others'", NULL, "share", 1 },
	{ "because", NULL, "cause", 1 },
	{ NULL, NULL, NULL, 1 }
};

static const struct column advice_columns[] = {
	{ "advice", NULL, "text", 1 },
	{ "GPU hours", NULL, "gpu_hours", 1 },
	{ NULL, NULL, NULL, 1 }
};

static const json_t *group_of(const json_t *row, const struct column *c)
{
	return c->group ? json_object_get(row, c->group) : row;
}

static bool is_whole(const json_t *rows, const struct column *columns)
{
	const struct column *c;
	const json_t *row, *v;
	size_t i;

	json_array_foreach(rows, i, row)
		for (c = columns; c->title; c++) {
			v = json_object_get(group_of(row, c), c->name);
			if (!v || json_is_null(v))
				return false;
		}
	return true;
}

static void table(const struct page *p, const char *title, const json_t *rows,
		  const struct column *columns)
{
	const struct column *c;
	const json_t *row;
	size_t i;

	if (!json_array_size(rows))
		return;
	fprintf(p->f, "<h2>%s</h2>\n", title);
	if (!is_whole(rows, columns))
		fputs("<p class=\"legend\">&ndash;: not known; under the "
		      "pointer it says why</p>\n", p->f);
	fputs("<div class=\"wide\"><table><tr>", p->f);
	for (c = columns; c->title; c++)
		fprintf(p->f, "<th>%s</th>", c->title);
	fputs("</tr>\n", p->f);
	json_array_foreach(rows, i, row) {
		fputs("<tr>", p->f);
		for (c = columns; c->title; c++) {
			fputs("<td>", p->f);
			put_value(p, group_of(row, c), c->name, c->per);
			fputs("</td>", p->f);
		}
		fputs("</tr>\n", p->f);
	}
	fputs("</table></div>\n", p->f);
}

/* ---- sections -------------------------------------------------------------------- */

static void put_fault(const struct page *p, const json_t *fault)
{
	char when[21], xid[MEMBER_XID];

	fprintf(p->f, "<li>%s ",
		clock_iso((int64_t)time_of(fault, "time"), when));
	page_put(p, member_string(fault, "node"));
	fputc(' ', p->f);
	page_put(p, member_string(fault, "device"));
	member_xid(fault, xid);
	fprintf(p->f, ": %s%s", xid, *xid ? ", " : "");
	page_put(p, member_string(fault, "text"));
	fputs(" (blame: ", p->f);
	page_put(p, member_string(fault, "blame"));
	fputs(", confidence ", p->f);
	page_put(p, member_string(fault, "confidence"));
	fputs(")</li>\n", p->f);
}

static void faults(const struct page *p)
{
	const json_t *list = json_object_get(p->record, "faults");
	const json_t *fault;
	size_t i;

	if (!json_array_size(list))
		return;
	fputs("<h2>What broke</h2>\n<ul>\n", p->f);
	json_array_foreach(list, i, fault)
		put_fault(p, fault);
	fputs("</ul>\n", p->f);
}

static const struct part_style {
	const char *name, *text, *class;
} parts[] = {
	{ "compute", "compute", "w0" },
	{ "memory", "memory", "w1" },
	{ "communication", "communication", "w2" },
	{ "input_cpu", "input/CPU", "w3" },
	{ "storage", "storage", "w4" },
	{ "throttled", "throttled", "w5" },
	{ "idle", "idle", "w6" },
	{ "unknown", "cannot tell", "unknown" },
};

#define PARTS_SHOWN (sizeof(parts) / sizeof(parts[0]))

/* 0: there is none. */
static double share_of(const json_t *where, const struct part_style *part)
{
	double share = page_number(json_object_get(where, part->name));

	return share > 0 && share <= 1 ? share : 0;
}

static void where(const struct page *p)
{
	const json_t *w = json_object_get(p->record, "where");
	double x = 0, width;
	size_t i;

	if (!*member_string(w, "text"))
		return;
	fputs("<h2>Where the time went</h2>\n<p>", p->f);
	page_put(p, member_string(w, "text"));
	fprintf(p->f, "</p>\n<svg viewBox=\"0 0 %d 24\" role=\"img\">\n",
		PAGE_LABEL + PAGE_PLOT);
	for (i = 0; i < PARTS_SHOWN; i++) {
		width = share_of(w, &parts[i]) * (PAGE_LABEL + PAGE_PLOT);
		if (width > 0)
			fprintf(p->f,
				"<rect class=\"%s\" x=\"%.1f\" y=\"0\" "
				"width=\"%.1f\" height=\"24\"/>",
				parts[i].class, x, width);
		x += width;
	}
	fputs("</svg>\n<p class=\"legend\">", p->f);
	for (i = 0; i < PARTS_SHOWN; i++)
		if (share_of(w, &parts[i]) > 0)
			fprintf(p->f,
				"<span><i class=\"%s\"></i> %s %.0f%%</span> ",
				parts[i].class, parts[i].text,
				100 * share_of(w, &parts[i]));
	fputs("</p>\n", p->f);
}

static void head(const struct page *p, const char *lines)
{
	const json_t *job = json_object_get(p->record, "job");
	const json_t *nodes = json_object_get(p->record, "nodes");
	char from[21], to[21];

	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta "
	      "charset=\"utf-8\"><title>assay: job ",
	      p->f);
	put_value(p, job, "id", 1);
	fprintf(p->f,
		"</title>\n<meta http-equiv=\"Content-Security-Policy\" "
		"content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
		"<style>%s</style></head>\n<body>\n<h1>Job ",
		html_style);
	put_value(p, job, "id", 1);
	fputs("</h1>\n<p>", p->f);
	page_put(p, member_string(job, "user"));
	fputs(", ", p->f);
	page_put(p, member_string(job, "state"));
	fprintf(p->f, ", %s to %s, ", clock_iso((int64_t)p->start_s, from),
		clock_iso((int64_t)p->end_s, to));
	put_value(p, nodes, "reported", 1);
	fputs(" of ", p->f);
	put_value(p, nodes, "expected", 1);
	fputs(" nodes reported</p>\n", p->f);
	if (!lines)
		return;
	fputs("<pre>", p->f);
	page_put(p, lines);
	fputs("</pre>\n", p->f);
}

/* For tools that read the page. Only strings have a "<", and none is left:
 * "<!--<script" would hide the end, "</script" be one. */
static void raw(const struct page *p)
{
	char *text = json_dumps(p->record, JSON_COMPACT | JSON_ENSURE_ASCII);
	const char *c;

	fputs("<script type=\"application/json\" id=\"record\">", p->f);
	for (c = text ? text : "{}"; *c; c++)
		if (*c == '<')
			fputs("\\u003c", p->f);
		else
			fputc(*c, p->f);
	fputs("</script>\n", p->f);
	free(text);
}

int html_write(FILE *f, const json_t *record, const json_t *nodes,
	       const char *lines)
{
	const json_t *job = json_object_get(record, "job");
	struct page p = { f, record, nodes, time_of(job, "start"),
			  time_of(job, "end") };

	if (!(p.end_s > p.start_s))
		p.end_s = p.start_s + 1;
	head(&p, lines);
	where(&p);
	faults(&p);
	table(&p, "What to do", json_object_get(record, "advice"),
	      advice_columns);
	table(&p, "Slower than the others", json_object_get(record, "slow"),
	      slow_columns);
	html_lanes(&p);
	html_heat(&p);
	table(&p, "GPUs", json_object_get(record, "gpu"), gpu_columns);
	table(&p, "InfiniBand and RoCE", member_at(record, "fabric", "port"),
	      port_columns);
	raw(&p);
	fputs("</body></html>\n", f);
	return ferror(f) ? -1 : 0;
}
