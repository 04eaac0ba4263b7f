/* SPDX-License-Identifier: Apache-2.0
 * Inside the summary: how the story of a node fills the rows of a sheet.
 */
#ifndef ASSAY_EPILOG_SUMMARY_PRIVATE_H
#define ASSAY_EPILOG_SUMMARY_PRIVATE_H

#include "epilog/sheet.h"

/* A mean by weight; what is not a number does not count. */
struct mean {
	double sum, weight;
};

void mean_add(struct mean *m, double x, double weight);
double mean_of(const struct mean *m); /* NAN: of nothing */

/* How long a sample is, 0 for what cannot be. */
double sample_length_s(const struct track_sample *t);
/* A share as it can be, 0..1; NAN for what a counter makes when it breaks. */
double sample_share(float v);

/* Seconds of the job so far. */
double story_elapsed_s(const struct story_job *j);
/* Why there is no number of samples: none were taken, or the device told
 * nothing. */
enum story_why story_why(const struct story *s, int samples);
/* A sample's place on the clock and its share of idle time (NAN unknown).
 * Small gaps behind a sample belong to it. */
struct stretch {
	double from, to;
	double idle; /* 0..1 */
};
struct stretch story_stretch(const struct story_gpu *g, int i);

/* The SM clock as a share of the highest, NAN unknown. */
double summary_clock_ratio(const struct story_gpu *g,
			   const struct track_sample *t);
/* What being held down has cost in a sample: seconds at the highest clock,
 * NAN unknown. */
double summary_lost_s(const struct story_gpu *g, const struct track_sample *t);

void summary_gpus(struct sheet *sheet, const struct story *s);
void summary_thirds(struct gpu_row *r, const struct story *s,
		    const struct story_gpu *g);
void summary_stalls(struct sheet *sheet, const struct story *s);
void summary_where(struct sheet *sheet, const struct story *s,
		   struct node_row *row);
void summary_ports(struct sheet *sheet, const struct story *s);
void summary_node_row(struct node_row *row, const struct story *s);
void summary_clients(struct sheet *sheet, const struct story *s);
void summary_faults(struct sheet *sheet, const struct story *s);
void summary_gate(struct sheet *sheet, const struct story *s);

#endif
