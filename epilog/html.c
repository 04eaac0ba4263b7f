/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "epilog/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "epilog/html_page.h"
#include "epilog/html_style.h"
#include "lib/clock.h"

/* ---- values ------------------------------------------------------------------ */

/* The member of a member, "power_w.mean". Borrowed, NULL. */
static const json_t *dig(const json_t *obj, const char *path)
{
	char part[64];
	size_t n;

	while (obj && *path) {
		n = strcspn(path, ".");
		snprintf(part, sizeof(part), "%.*s", (int)n, path);
		obj = json_object_get(obj, part);
		path += n + (path[n] == '.');
	}
	return obj;
}

static const char *text_at(const json_t *obj, const char *path)
{
	const char *s = json_string_value(dig(obj, path));

	return s ? s : "";
}

/* 0: none. */
static double time_of(const json_t *record, const char *which)
{
	double t = page_number(dig(record, which));

	return isfinite(t) ? t : 0;
}

/* A share or a count with as many digits as it is worth, in the column's unit. */
static void put_number(const struct page *p, double v, double per)
{
	v /= per;
	fprintf(p->f, fabs(v) < 10 && v != floor(v) ? "%.1f" : "%.0f", v);
}

/* Why a member is null; "" if nothing says so. */
static const char *why_of(const json_t *obj, const char *path)
{
	const char *dot = strchr(path, '.');
	char part[64];

	snprintf(part, sizeof(part), "%.*s",
		 dot ? (int)(dot - path) : (int)strlen(path), path);
	return text_at(json_object_get(obj, "why"), part);
}

static void put_value(const struct page *p, const json_t *obj, const char *path,
		      double per)
{
	const json_t *v = dig(obj, path);

	if (json_is_number(v)) {
		put_number(p, json_number_value(v), per);
	} else if (json_is_string(v)) {
		page_put(p, json_string_value(v));
	} else if (json_is_boolean(v)) {
		fputs(json_is_true(v) ? "yes" : "no", p->f);
	} else {
		fputs("<span title=\"", p->f);
		page_put(p, why_of(obj, path));
		fputs("\">not known</span>", p->f);
	}
}

/* ---- tables -------------------------------------------------------------------- */

struct column {
	const char *title, *path;
	double per; /* 1e3: the record's unit is shown by thousands */
};

static const struct column gpu_columns[] = {
	{ "node", "node", 1 },
	{ "GPU", "index", 1 },
	{ "used", "used", 1 },
	{ "busy %", "busy_pct", 1 },
	{ "SM %", "sm_active_pct", 1 },
	{ "tensor %", "tensor_active_pct", 1 },
	{ "memory GB", "mem_peak_bytes", 1e9 },
	{ "energy kJ", "energy_j", 1e3 },
	{ "mean W", "power_w.mean", 1 },
	{ "power cap s", "throttle_s.power", 1 },
	{ "heat s", "throttle_s.thermal", 1 },
	{ "hardware s", "throttle_s.hw", 1 },
	{ "SM MHz", "sm_mhz.mean", 1 },
	{ "at most C", "temp_c.max", 1 },
	{ "NVLink GB", "nvlink_bytes", 1e9 },
	{ "PCIe GB", "pcie_bytes", 1e9 },
	{ NULL, NULL, 1 }
};

static const struct column port_columns[] = { { "node", "node", 1 },
					      { "port", "name", 1 },
					      { "rate Gb/s", "rate_gbit", 1 },
					      { "received GB", "rx_bytes", 1e9 },
					      { "sent GB", "tx_bytes", 1e9 },
					      { "mean GB/s", "mean_gbps", 1 },
					      { "peak GB/s", "peak_gbps", 1 },
					      { "retries", "retries", 1 },
					      { "congestion", "congestion", 1 },
					      { "link down", "downs", 1 },
					      { NULL, NULL, 1 } };

static const struct column slow_columns[] = {
	{ "node", "node", 1 },	   { "GPU", "gpu", 1 },
	{ "what", "what", 1 },	   { "share of the others'", "share", 1 },
	{ "because", "cause", 1 }, { NULL, NULL, 1 }
};

static const struct column advice_columns[] = { { "advice", "text", 1 },
						{ "GPU hours", "gpu_hours", 1 },
						{ NULL, NULL, 1 } };

static void table(const struct page *p, const char *title, const json_t *rows,
		  const struct column *columns)
{
	const struct column *c;
	const json_t *row;
	size_t i;

	if (!json_array_size(rows))
		return;
	fprintf(p->f, "<h2>%s</h2>\n<div class=\"wide\"><table><tr>", title);
	for (c = columns; c->title; c++)
		fprintf(p->f, "<th>%s</th>", c->title);
	fputs("</tr>\n", p->f);
	json_array_foreach(rows, i, row) {
		fputs("<tr>", p->f);
		for (c = columns; c->title; c++) {
			fputs("<td>", p->f);
			put_value(p, row, c->path, c->per);
			fputs("</td>", p->f);
		}
		fputs("</tr>\n", p->f);
	}
	fputs("</table></div>\n", p->f);
}

/* ---- sections -------------------------------------------------------------------- */

/* "XID 94, " before the text that says what it means. */
static void put_xid(const struct page *p, const json_t *fault)
{
	const json_t *number = json_object_get(fault, "number");

	if (!strcmp(text_at(fault, "kind"), "xid") && json_is_integer(number))
		fprintf(p->f, "XID %d, ", (int)json_integer_value(number));
}

static void faults(const struct page *p)
{
	const json_t *list = json_object_get(p->record, "faults");
	const json_t *fault;
	char when[21];
	size_t i;

	if (!json_array_size(list))
		return;
	fputs("<h2>What broke</h2>\n<ul>\n", p->f);
	json_array_foreach(list, i, fault) {
		fprintf(p->f, "<li>%s ",
			clock_iso((int64_t)time_of(fault, "time"), when));
		page_put(p, text_at(fault, "node"));
		fputc(' ', p->f);
		page_put(p, text_at(fault, "device"));
		fputs(": ", p->f);
		put_xid(p, fault);
		page_put(p, text_at(fault, "text"));
		fputs(" (blame: ", p->f);
		page_put(p, text_at(fault, "blame"));
		fputs(", confidence ", p->f);
		page_put(p, text_at(fault, "confidence"));
		fputs(")</li>\n", p->f);
	}
	fputs("</ul>\n", p->f);
}

static void where(const struct page *p)
{
	static const char *const parts[] = { "compute",	      "memory",
					     "communication", "input_cpu",
					     "storage",	      "throttled",
					     "idle" };
	const json_t *w = json_object_get(p->record, "where");
	double x = 0, share;
	size_t i;

	if (!*text_at(w, "text"))
		return;
	fputs("<h2>Where the time went</h2>\n<p>", p->f);
	page_put(p, text_at(w, "text"));
	fprintf(p->f, "</p>\n<svg viewBox=\"0 0 %d 44\" role=\"img\">\n",
		PAGE_LABEL + PAGE_PLOT);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		share = page_number(json_object_get(w, parts[i]));
		if (!(share > 0 && share <= 1))
			continue;
		fprintf(p->f,
			"<rect class=\"w%zu\" x=\"%.1f\" y=\"0\" width=\"%.1f\""
			" height=\"24\"><title>%s %.0f%%</title></rect>",
			i, x, share * (PAGE_LABEL + PAGE_PLOT), parts[i],
			100 * share);
		if (share > 0.08)
			fprintf(p->f,
				"<text class=\"part\" x=\"%.1f\" "
				"y=\"40\">%s %.0f%%</text>",
				x + share * (PAGE_LABEL + PAGE_PLOT) / 2,
				parts[i], 100 * share);
		x += share * (PAGE_LABEL + PAGE_PLOT);
	}
	fputs("</svg>\n", p->f);
}

static void head(const struct page *p, const char *lines)
{
	const json_t *job = json_object_get(p->record, "job");
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
	page_put(p, text_at(job, "user"));
	fputs(", ", p->f);
	page_put(p, text_at(job, "state"));
	fprintf(p->f, ", %s to %s, ", clock_iso((int64_t)p->start_s, from),
		clock_iso((int64_t)p->end_s, to));
	put_value(p, p->record, "nodes.reported", 1);
	fputs(" of ", p->f);
	put_value(p, p->record, "nodes.expected", 1);
	fputs(" nodes reported</p>\n", p->f);
	if (!lines)
		return;
	fputs("<pre>", p->f);
	page_put(p, lines);
	fputs("</pre>\n", p->f);
}

/* For tools that read the page. "</" cannot occur in it: "/" is escaped. */
static void raw(const struct page *p)
{
	char *text = json_dumps(p->record, JSON_COMPACT | JSON_ENSURE_ASCII |
						   JSON_ESCAPE_SLASH);

	fprintf(p->f,
		"<script type=\"application/json\" id=\"record\">%s</script>\n",
		text ? text : "{}");
	free(text);
}

int html_write(FILE *f, const json_t *record, const json_t *nodes,
	       const char *lines)
{
	struct page p = { f, record, nodes, time_of(record, "job.start"),
			  time_of(record, "job.end") };

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
	table(&p, "InfiniBand and RoCE", dig(record, "fabric.port"),
	      port_columns);
	raw(&p);
	fputs("</body></html>\n", f);
	return ferror(f) ? -1 : 0;
}
