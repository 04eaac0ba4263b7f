/* SPDX-License-Identifier: Apache-2.0
 * html_page - what the parts of the page share: html.c (order and tables),
 * html_lanes.c (a GPU's timeline), html_heat.c (all of them at one glance).
 */
#ifndef ASSAY_EPILOG_HTML_PAGE_H
#define ASSAY_EPILOG_HTML_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct page {
	FILE *f;
	const json_t *record;  /* of the job */
	const json_t *nodes;   /* array of the nodes' own, may be empty */
	double start_s, end_s; /* of the job; end_s > start_s */
};

/* Width of all drawings, and of the labels to their left, in CSS pixels. */
#define PAGE_PLOT 860
#define PAGE_LABEL 110

/* Text, escaped. */
void page_put(const struct page *p, const char *text);

/* A number that can be a time or a figure: NAN for what is none, below 0, or
 * behind the year 9999. */
double page_number(const json_t *v);

/* Where a time lies in a drawing: 0..PAGE_PLOT; of NAN 0. */
double page_x(const struct page *p, double t);

/* The axis below a drawing: times since the start. y: its top. */
void page_axis(const struct page *p, int y);

/* One GPU's series, of one node. */
struct lane {
	const char *node;
	int index;
	const json_t *series; /* see series.h */
};

/* f for each of all lanes, in order of nodes and GPUs. */
void page_each_lane(const struct page *p,
		    void (*f)(const struct page *p, const struct lane *l,
			      void *arg),
		    void *arg);
int page_lanes(const struct page *p);

/* Columns of a lane: NAN where unknown. */
double lane_at(const struct lane *l, const char *column, size_t i);
size_t lane_steps(const struct lane *l);

/* "n1 GPU3" into buf. */
#define LANE_NAME 96
const char *lane_name(const struct lane *l, char buf[LANE_NAME]);

/* The sections that draw; they write nothing if there is nothing to draw. */
void html_lanes(const struct page *p);
void html_heat(const struct page *p);

#endif
