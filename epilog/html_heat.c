/* SPDX-License-Identifier: Apache-2.0
 * All GPUs of the job at one glance: a row each, or one for each node of a
 * job too big for that; the darker, the busier. */
#include "config.h"
#include "epilog/html_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GPUS_MAX 512 /* rows; of more GPUs, a row for each node */
#define ROWS_MAX 2048
#define BINS 172 /* of PAGE_PLOT / BINS = 5 pixels */
#define SHADES 6 /* idle, and five of busy */

struct row {
	char name[LANE_NAME];
	double busy[BINS], time[BINS];
};

struct heat {
	bool by_node;
	struct row *row;
	int rows;
};

/* The share of [from, from + length) that lies in each bin. */
static void spread(struct row *r, double from, double length, double busy)
{
	double until = fmin(from + length, 1);
	int bin;

	from = fmax(from, 0);
	if (!(until > from))
		return;
	for (bin = (int)(from * BINS); bin < BINS && bin < until * BINS; bin++) {
		double lo = fmax(from, (double)bin / BINS);
		double hi = fmin(until, (double)(bin + 1) / BINS);

		if (hi <= lo)
			continue;
		r->busy[bin] += busy * (hi - lo);
		r->time[bin] += hi - lo;
	}
}

static struct row *row_of(struct heat *h, const struct lane *l)
{
	char name[LANE_NAME];
	struct row *last = h->rows ? &h->row[h->rows - 1] : NULL;

	if (h->by_node)
		snprintf(name, sizeof(name), "%.64s", l->node);
	else
		lane_name(l, name);
	if (last && !strcmp(last->name, name))
		return last;
	if (h->rows == ROWS_MAX)
		return NULL;
	last = &h->row[h->rows++];
	memcpy(last->name, name, sizeof(name));
	return last;
}

static void add_lane(const struct page *p, const struct lane *l, void *arg)
{
	double whole = p->end_s - p->start_s;
	struct row *row = row_of(arg, l);
	size_t i;

	for (i = 0; row && i < lane_steps(l); i++) {
		double t = lane_at(l, "t", i);
		double length = lane_at(l, "length_s", i);
		double busy = lane_at(l, "busy", i);

		if (isfinite(t) && isfinite(length) && isfinite(busy))
			spread(row, (t - p->start_s) / whole, length / whole,
			       busy);
	}
}

/* 0 idle .. SHADES - 1; -1 unknown. */
static int shade(const struct row *r, int bin)
{
	double busy;
	int n;

	if (bin >= BINS || r->time[bin] <= 0)
		return -1;
	busy = r->busy[bin] / r->time[bin];
	if (busy < 0.005)
		return 0;
	n = 1 + (int)(busy * (SHADES - 1));
	return n < SHADES ? n : SHADES - 1;
}

/* Neighbours of one shade are one rectangle. */
static void draw_row(const struct page *p, const struct row *r, int y, int height)
{
	double width = (double)PAGE_PLOT / BINS;
	int from, to;

	for (from = 0; from < BINS; from = to) {
		for (to = from + 1; to < BINS; to++)
			if (shade(r, to) != shade(r, from))
				break;
		if (shade(r, from) < 0)
			continue;
		fprintf(p->f,
			"<rect class=\"b%d\" x=\"%.1f\" y=\"%d\" "
			"width=\"%.1f\" height=\"%d\"/>",
			shade(r, from), PAGE_LABEL + from * width, y,
			(to - from) * width, height);
	}
}

static void draw(const struct page *p, const struct heat *h)
{
	int height = h->rows <= 64 ? 14 : h->rows <= 256 ? 6 : 3;
	int every = height >= 14 ? 1 : height == 6 ? 2 : 4;
	int i;

	fprintf(p->f, "<svg viewBox=\"0 0 %d %d\" role=\"img\">\n",
		PAGE_LABEL + PAGE_PLOT + 10, h->rows * height + 24);
	for (i = 0; i < h->rows; i++) {
		if (i % every == 0) {
			fprintf(p->f, "<text class=\"label\" x=\"0\" y=\"%d\">",
				i * height + 10);
			page_put(p, h->row[i].name);
			fputs("</text>", p->f);
		}
		draw_row(p, &h->row[i], i * height, height - (height > 6));
		fputc('\n', p->f);
	}
	page_axis(p, h->rows * height);
	fputs("</svg>\n", p->f);
}

void html_heat(const struct page *p)
{
	int lanes = page_lanes(p);
	struct heat h = { .by_node = lanes > GPUS_MAX };

	if (lanes < 2)
		return;
	h.row = calloc((size_t)(lanes < ROWS_MAX ? lanes : ROWS_MAX),
		       sizeof(*h.row));
	if (!h.row)
		return;
	page_each_lane(p, add_lane, &h);
	fprintf(p->f, "<h2>All %s at one glance</h2>\n<p class=\"legend\">",
		h.by_node ? "nodes" : "GPUs");
	fputs("busy: <i class=\"b0\"></i> not <i class=\"b1\"></i> up to 20% "
	      "<i class=\"b2\"></i> 40% <i class=\"b3\"></i> 60% "
	      "<i class=\"b4\"></i> 80% <i class=\"b5\"></i> 100%; "
	      "empty: not known</p>\n",
	      p->f);
	draw(p, &h);
	free(h.row);
}
