/* SPDX-License-Identifier: Apache-2.0
 * probe_rate - the rule for measured rates: GB/s and TFLOP/s of each place.
 *
 * A check describes its figures and hands them over; here they are held
 * against the references (yardstick.h), excused, compared with the repeat,
 * and remembered. Nothing fails without a repeat that is low as well.
 */
#ifndef ASSAY_PROBE_RATE_H
#define ASSAY_PROBE_RATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "checks/check.h"
#include "checks/probe_each.h"
#include "checks/yardstick.h"
#include "lib/profile.h"

struct rates;

struct rate_figure {
	const char *name;	/* suffix of its code: "read" */
	const char *json;	/* its key in the record: "read_gbps" */
	const char *site_key;	/* of the check's section; 0 there: none */
	size_t own, estimate;	/* of struct profile; 0: none */
};

struct rate_share {
	double peers;		/* share of the equals' median that is low */
	double history;		/* least distance from the own median */
};

#define RATE_PROFILE(m) offsetof(struct profile, m)

struct rate_rule {
	const struct check *check;
	enum probe probe;
	const char *unit;
	/* The figures are times, in microseconds (the site's in nanoseconds):
	 * judged as how often they go into a second, told as they are. */
	bool times;
	const struct rate_figure *figure;
	int figures;
	double peers, history;	/* as in struct rate_share */
	/* By figure, where some spread more than others; NULL: all alike. */
	const struct rate_share *share;
	bool host;		/* the host takes part (see probe_excuse()) */
	/* What the device says it could at most, NAN unknown; NULL: nothing
	 * says so. And the shares of it (see yardstick_physical()). */
	double (*peak)(const struct check_env *env, int place);
	double peak_floor, peak_achieved;
	/* Are equals measured alike? NULL: always. */
	bool (*alike)(const struct check_env *env, int a, int b);
	/* What others took of it meanwhile, in the figures' unit; NAN unknown.
	 * What is low for that is not judged. NULL: nobody shares it. */
	double (*others)(const struct rates *l, int place, int shot);
	/* More about a low figure (", link at Gen3 x16") into buf, which is "".
	 * NULL: there is never more to say. */
	void (*detail)(const struct rates *l, int place, int figure, char *buf,
		       size_t size);
	/* More figures for the record. NULL: none. */
	void (*report)(const struct rates *l, int place, int shot, json_t *obj);
};

struct rates {
	const struct rate_rule *rule;
	const struct check_env *env;
	/* The node's board is not what the profile is about: neither its
	 * figures nor the peak apply. And: its GPUs are not placed alike. */
	bool relative_only, no_peers;
	/* The figure of its equals that each one is held against: its own. */
	int peers_by[PROBE_FIGURES];
	/* NAN unknown; rates_open() takes them from the shots. */
	double value[PROBE_SHOTS][PROBE_PLACES][PROBE_FIGURES];
	void *arg;		/* the rule's */
};

void rates_open(struct rates *l, const struct rate_rule *rule,
		const struct check_env *env);

/* The first figure of its kind, held against what there is for that place. */
struct yard_sight rates_hold(const struct rates *l, int place, int figure,
			     int shot);

/* Is the first shot low without an excuse, and not repeated yet? */
bool rates_doubt(const struct rates *l, int place);

/* Judge all places: findings, the record, what is remembered. For check.run. */
int rates_judge(const struct rates *l, struct check_result *r);

/* Both in one, for figures that are the shots' own. */
int rates_run(const struct rate_rule *rule, const struct check_env *env,
	      struct check_result *r);
bool rates_doubts(const struct rate_rule *rule, const struct check_env *env,
		  int place);

#endif
