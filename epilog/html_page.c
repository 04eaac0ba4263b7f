/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "epilog/html_page.h"

#include <math.h>
#include <string.h>

#include "epilog/members.h"

#define TIME_MAX_S 253402300799.0 /* the year 9999 */

static const char *entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void page_put(const struct page *p, const char *text)
{
	const char *e;

	for (; text && *text; text++) {
		e = entity(*text);
		if (e)
			fputs(e, p->f);
		else if ((unsigned char)*text >= ' ' || *text == '\n')
			fputc(*text, p->f);
	}
}

double page_number(const json_t *v)
{
	double x = json_is_number(v) ? json_number_value(v) : NAN;

	return x >= 0 && x <= TIME_MAX_S ? x : NAN;
}

double page_x(const struct page *p, double t)
{
	double x = (t - p->start_s) / (p->end_s - p->start_s) * PAGE_PLOT;

	return x >= 0 ? fmin(x, PAGE_PLOT) : 0;
}

/* ---- the axis -------------------------------------------------------------- */

#define TICKS 8

/* A round number of seconds, of which TICKS at most make the whole. */
static double tick_s(double whole_s)
{
	static const double round_s[] = { 1,	 5,	15,	60,    300,
					  900,	 1800,	3600,	7200,  14400,
					  43200, 86400, 172800, 604800 };
	size_t i;

	for (i = 0; i < sizeof(round_s) / sizeof(round_s[0]) - 1; i++)
		if (whole_s / round_s[i] <= TICKS)
			break;
	return round_s[i];
}

static void put_time(const struct page *p, double s)
{
	long n = (long)s;

	if (n >= 86400)
		fprintf(p->f, "%ldd", n / 86400);
	if (n % 86400 >= 3600 || n >= 86400)
		fprintf(p->f, "%ldh", n % 86400 / 3600);
	if (n % 3600 >= 60)
		fprintf(p->f, "%ldm", n % 3600 / 60);
	if (n % 60 || !n)
		fprintf(p->f, "%lds", n % 60);
}

void page_axis(const struct page *p, int y)
{
	double whole = p->end_s - p->start_s;
	double step = tick_s(whole);
	double t;

	for (t = 0; t <= whole; t += step) {
		double x = PAGE_LABEL + t / whole * PAGE_PLOT;

		fprintf(p->f,
			"<path class=\"tick\" d=\"M%.1f %dv5\"/>"
			"<text class=\"tick\" x=\"%.1f\" y=\"%d\">",
			x, y, x, y + 16);
		put_time(p, t);
		fputs("</text>\n", p->f);
	}
}

/* ---- lanes ------------------------------------------------------------------- */

static const char *name_of_node(const json_t *node)
{
	return member_string(json_object_get(node, "job"), "node");
}

void page_each_lane(const struct page *p,
		    void (*f)(const struct page *p, const struct lane *l,
			      void *arg),
		    void *arg)
{
	const json_t *node, *series;
	struct lane lane;
	size_t i, k;

	json_array_foreach(p->nodes, i, node)
		json_array_foreach(member_at(node, "series", "gpu"), k, series) {
			lane = (struct lane){ .node = name_of_node(node),
					      .series = series };
			lane.index = (int)member_whole(series, "index", 0);
			f(p, &lane, arg);
		}
}

static void count(const struct page *p, const struct lane *l, void *arg)
{
	(void)p;
	(void)l;
	++*(int *)arg;
}

int page_lanes(const struct page *p)
{
	int n = 0;

	page_each_lane(p, count, &n);
	return n;
}

double lane_at(const struct lane *l, const char *column, size_t i)
{
	const json_t *v;

	v = json_array_get(json_object_get(l->series, column), i);
	return page_number(v);
}

size_t lane_steps(const struct lane *l)
{
	return json_array_size(json_object_get(l->series, "t"));
}

const char *lane_name(const struct lane *l, char buf[LANE_NAME])
{
	snprintf(buf, LANE_NAME, "%.64s%sGPU%d", l->node, *l->node ? " " : "",
		 l->index);
	return buf;
}
