/* SPDX-License-Identifier: Apache-2.0
 * A GPU's timeline: how busy it was, its power and clock, when it was held
 * down, and what happened to it. */
#include "config.h"
#include "epilog/html_page.h"

#include <math.h>
#include <string.h>

#include "epilog/members.h"
#include "lib/nvml.h"

#define LANES_MAX 16 /* of more, those that there is something to say of */
#define LANE_H 54
#define LANE_STEP 66

/* The highest of all lanes: their scales are one. */
struct scale {
	double power_w, sm_mhz;
};

struct drawing {
	struct scale scale;
	bool chosen_only;
	int drawn;
};

static void take_highest(const struct page *p, const struct lane *l, void *arg)
{
	struct scale *s = arg;
	size_t i;

	(void)p;
	for (i = 0; i < lane_steps(l); i++) {
		s->power_w = fmax(s->power_w, lane_at(l, "power_w", i));
		s->sm_mhz = fmax(s->sm_mhz, lane_at(l, "sm_mhz", i));
	}
}

/* ---- is there something to say of it? ---------------------------------------- */

static bool has_subject(const json_t *list, const char *name)
{
	const json_t *v;
	size_t i;

	json_array_foreach(list, i, v)
		if (json_is_string(v) && !strcmp(json_string_value(v), name))
			return true;
	return false;
}

/* A fault names a device, a slow GPU itself. */
static bool is_about(const json_t *entry, const struct lane *l)
{
	char own[24];

	if (*member_string(entry, "node") && !member_is(entry, "node", l->node))
		return false;
	snprintf(own, sizeof(own), "GPU%d", l->index);
	return member_is(entry, "device", own) || member_is(entry, "gpu", own);
}

static bool is_in(const json_t *list, const struct lane *l)
{
	const json_t *v;
	size_t i;

	json_array_foreach(list, i, v)
		if (is_about(v, l))
			return true;
	return false;
}

static bool is_remarkable(const struct page *p, const struct lane *l)
{
	const json_t *power = json_object_get(p->record, "power");
	char name[LANE_NAME];

	lane_name(l, name);
	return has_subject(member_at(p->record, "gpus", "idle"), name) ||
	       is_in(json_object_get(p->record, "slow"), l) ||
	       is_in(json_object_get(p->record, "faults"), l) ||
	       member_is(power, "worst", name);
}

/* ---- one lane ------------------------------------------------------------------ */

/* A line through what is known of a column; unknown steps leave a gap. */
static void line(const struct page *p, const struct lane *l, const char *column,
		 double highest)
{
	bool on = false;
	size_t i;

	if (!(highest > 0))
		return;
	fprintf(p->f, "<path class=\"%s\" d=\"", column);
	for (i = 0; i < lane_steps(l); i++) {
		double v = lane_at(l, column, i) / highest;
		double t = lane_at(l, "t", i);

		if (isfinite(v) && isfinite(t))
			fprintf(p->f, "%c%.1f %.1f", on ? 'L' : 'M',
				page_x(p, t), LANE_H * (1 - v));
		on = isfinite(v) && isfinite(t);
	}
	fputs("\"/>\n", p->f);
}

static void bars(const struct page *p, const struct lane *l)
{
	size_t i;

	for (i = 0; i < lane_steps(l); i++) {
		double t = lane_at(l, "t", i);
		double x = page_x(p, t);
		double width = page_x(p, t + lane_at(l, "length_s", i)) - x;
		double busy = fmin(lane_at(l, "busy", i), 1);

		if (!isfinite(width) || width <= 0)
			continue;
		if (!isfinite(busy))
			fprintf(p->f,
				"<rect class=\"unknown\" x=\"%.1f\" "
				"y=\"0\" width=\"%.2f\" height=\"%d\"/>",
				x, width, LANE_H);
		else if (busy > 0)
			fprintf(p->f,
				"<rect class=\"busy\" x=\"%.1f\" "
				"y=\"%.1f\" width=\"%.2f\" height=\"%.1f\"/>",
				x, LANE_H * (1 - busy), width, LANE_H * busy);
	}
	fputc('\n', p->f);
}

/* What held it down, the worst first; heat is heat, whoever acts on it, as in
 * the seconds of the record. */
static const char *held_by(uint32_t reasons)
{
	if (reasons & NVML_REASON_HW_POWER_BRAKE)
		return "hw";
	if (reasons & (NVML_REASON_SW_THERMAL | NVML_REASON_HW_THERMAL))
		return "thermal";
	if (reasons & NVML_REASON_HW_SLOWDOWN)
		return "hw";
	return reasons & NVML_REASON_SW_POWER_CAP ? "powercap" : NULL;
}

static void bands(const struct page *p, const struct lane *l)
{
	size_t i;

	for (i = 0; i < lane_steps(l); i++) {
		double reasons = lane_at(l, "reasons", i);
		double t = lane_at(l, "t", i);
		double x = page_x(p, t);
		const char *by;

		by = reasons <= UINT32_MAX ? held_by((uint32_t)reasons) : NULL;
		if (!by || !isfinite(t))
			continue;
		fprintf(p->f,
			"<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.2f\" "
			"height=\"5\"/>",
			by, x, LANE_H + 1,
			fmax(1, page_x(p, t + lane_at(l, "length_s", i)) - x));
	}
}

static void marks(const struct page *p, const struct lane *l)
{
	const json_t *fault;
	size_t i;

	json_array_foreach(json_object_get(p->record, "faults"), i, fault) {
		double t = page_number(json_object_get(fault, "time"));

		if (!is_about(fault, l) || !(t > 0))
			continue;
		fprintf(p->f, "<path class=\"mark\" d=\"M%.1f 0v%d\"><title>",
			page_x(p, t), LANE_H + 6);
		page_put(p, member_string(fault, "text"));
		fputs("</title></path>\n", p->f);
	}
}

static void draw(const struct page *p, const struct lane *l, void *arg)
{
	struct drawing *d = arg;
	char name[LANE_NAME];

	if (d->drawn >= LANES_MAX || (d->chosen_only && !is_remarkable(p, l)))
		return;
	fprintf(p->f, "<text class=\"label\" x=\"0\" y=\"%d\">",
		d->drawn * LANE_STEP + LANE_H / 2);
	page_put(p, lane_name(l, name));
	fprintf(p->f,
		"</text><g transform=\"translate(%d %d)\">"
		"<rect class=\"frame\" width=\"%d\" height=\"%d\"/>\n",
		PAGE_LABEL, d->drawn * LANE_STEP, PAGE_PLOT, LANE_H);
	bars(p, l);
	line(p, l, "sm_mhz", d->scale.sm_mhz);
	line(p, l, "power_w", d->scale.power_w);
	bands(p, l);
	marks(p, l);
	fputs("</g>\n", p->f);
	d->drawn++;
}

static void count_remarkable(const struct page *p, const struct lane *l, void *arg)
{
	*(int *)arg += is_remarkable(p, l);
}

static void legend(const struct page *p, const struct scale *s)
{
	fputs("<p class=\"legend\"><span><i class=\"busy\"></i> busy, 0 to "
	      "100%</span> ",
	      p->f);
	if (s->power_w > 0)
		fprintf(p->f,
			"<span><i class=\"power_w\"></i> power, up to %.0f "
			"W</span> ",
			s->power_w);
	if (s->sm_mhz > 0)
		fprintf(p->f,
			"<span><i class=\"sm_mhz\"></i> SM clock, up to %.0f "
			"MHz</span> ",
			s->sm_mhz);
	fputs("<span><i class=\"powercap\"></i> held by the power cap</span> "
	      "<span><i class=\"thermal\"></i> by heat</span> "
	      "<span><i class=\"hw\"></i> by the hardware</span> "
	      "<span><i class=\"mark\"></i> fault</span> "
	      "<span><i class=\"unknown\"></i> not known</span></p>\n",
	      p->f);
}

void html_lanes(const struct page *p)
{
	struct drawing d = { 0 };
	int all = page_lanes(p);
	int some = 0;
	int height;

	if (!all)
		return;
	page_each_lane(p, take_highest, &d.scale);
	page_each_lane(p, count_remarkable, &some);
	d.chosen_only = all > LANES_MAX && some > 0;
	height = d.chosen_only ? some : all;
	height = (height > LANES_MAX ? LANES_MAX : height) * LANE_STEP;
	fprintf(p->f, "<h2>Each GPU over time</h2>\n");
	if (all > LANES_MAX)
		fprintf(p->f, "<p>%s of %d GPUs.</p>\n",
			d.chosen_only ? "Those that there is something to say "
					"of,"
				      : "The first",
			all);
	legend(p, &d.scale);
	fprintf(p->f, "<svg viewBox=\"0 0 %d %d\" role=\"img\">\n",
		PAGE_LABEL + PAGE_PLOT + 10, height + 24);
	page_each_lane(p, draw, &d);
	page_axis(p, d.drawn * LANE_STEP);
	fputs("</svg>\n", p->f);
}
