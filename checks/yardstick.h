/* SPDX-License-Identifier: Apache-2.0
 * yardstick - what a measured figure is held against, and whether it is low.
 *
 * There are several references, and none is believed alone: a profile may be
 * of another board, the neighbours may be sick as well, a history may be of
 * better days. Two of them must agree, or one be missed by far. Pure numbers;
 * nothing here knows a GPU.
 */
#ifndef ASSAY_YARDSTICK_H
#define ASSAY_YARDSTICK_H

#include <stdbool.h>
#include <stddef.h>

enum yard {
	YARD_PROFILE,		/* the same probe on this model, measured */
	YARD_SITE,		/* what the site says it expects */
	YARD_PHYSICAL,		/* a share of what the device says it can */
	YARD_PEERS,		/* the median of equal devices of the node */
	YARD_HISTORY,		/* what this device has shown before */
	YARD_ESTIMATE,		/* another tool's figure: only ever warns */
	YARD_KINDS
};

/* By kind: what a healthy device achieves, and where low begins; NAN: no such
 * reference. An estimate has a floor only. */
struct yardstick {
	double expected[YARD_KINDS];
	double floor[YARD_KINDS];
};

#define YARD_PROFILE_SHARE 0.88
#define YARD_SITE_SHARE 0.90
#define YARD_GROSS 0.7		/* below this share of what is expected */
#define YARD_PEERS_MIN 3	/* devices that make a median */
#define YARD_HISTORY_MIN 5	/* samples that make a history */

void yardstick_init(struct yardstick *y);

/* Add a reference; a figure that is unknown (NAN, not above 0) adds none. */
void yardstick_profile(struct yardstick *y, double measured);
void yardstick_site(struct yardstick *y, double expected);
void yardstick_estimate(struct yardstick *y, double floor);
/* Shares of peak: where low begins, and what is usually achieved. */
void yardstick_physical(struct yardstick *y, double peak, double floor,
			double achieved);
/* v (sorted by this) holds one figure for each of n equal devices. */
void yardstick_peers(struct yardstick *y, double *v, int n, double share);
/* v (sorted, then overwritten) holds earlier samples. Low begins six times
 * the usual spread below the median, and never nearer than the share least. */
void yardstick_history(struct yardstick *y, double *v, int n, double least);

/* The median; of an even number the lower one of the middle two, so that half
 * against half never makes anybody low. n > 0; sorts v. */
double yardstick_median(double *v, int n);

enum yard_sense {
	YARD_NOTHING,		/* no figure, or nothing to hold it against */
	YARD_GOOD,
	YARD_DOUBTFUL,		/* by one reference only */
	YARD_LOW		/* two agree, or one is missed by far */
};

struct yard_sight {
	enum yard_sense sense;
	bool gross;		/* misses the best reference it violates by far */
	enum yard by;		/* the violated reference with the highest floor */
	double limit;		/* its floor, NAN if none is violated */
	double expected;	/* the most that a violated one expects, NAN */
};

struct yard_sight yardstick_hold(const struct yardstick *y, double value);

/* "by the median of its equals": which reference, in words. */
const char *yardstick_name(enum yard by);

/* "1710" or "44.1": no more digits than the figure is worth. Returns buf. */
char *yardstick_number(double v, char *buf, size_t size);

/* "1710<2520": as many digits as it takes to tell the two apart. */
char *yardstick_less(double value, double limit, char *buf, size_t size);
char *yardstick_more(double value, double limit, char *buf, size_t size);

#endif
