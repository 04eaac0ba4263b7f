/* SPDX-License-Identifier: Apache-2.0
 * probe_each - what the judges of probes share: which places were measured, why
 * others were not, and under which conditions.
 */
#ifndef ASSAY_PROBE_EACH_H
#define ASSAY_PROBE_EACH_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "checks/check.h"

/* A place's result of one probe. shot: 0 first, 1 repeat. */
const struct probe_shot *probe_shot(const struct check_env *env,
				    enum probe probe, int place, int shot);

/* The place behind i (-1: the first) of those that such a probe measures, if
 * the plan has it; -1 behind the last. */
int probe_next(const struct check_env *env, enum probe probe, int i);

#define PROBE_EACH(i, env, probe) \
	for ((i) = probe_next(env, probe, -1); (i) >= 0; \
	     (i) = probe_next(env, probe, i))

/* Has the plan that place? */
bool probe_chosen(const struct check_env *env, int place);

/* Is the shot done (the first one, if the place was to be measured at all)? */
bool probe_done(const struct check_env *env, enum probe probe, int place,
		int shot);

/* One judge looking at one place's result after the other. Start with the
 * first three set and the rest zero. */
struct probe_look {
	const struct check_env *env;
	struct check_result *r;
	enum probe probe;
	int measured;		/* places with a first shot */
	int missed;		/* those that were not, without a finding */
	char why[160];		/* of the first of them */
};

/* Was that place measured? Faults and time-outs of either shot become findings;
 * that it was not its turn, or cannot be, only a reason. */
bool probe_measured(struct probe_look *l, int place);

/* It was not even to be measured: why, if the place says so. */
void probe_left_out(struct probe_look *l, int place);

/* How a judge ends: 0, and SKIP with the reason if no place was measured and
 * there is nothing else to say (as a check that also judges state has). Where
 * only some were, the result's note tells of the others. */
int probe_end(struct probe_look *l);

/* ---- conditions --------------------------------------------------------- */

/* Does the software or the set-up explain a low figure ("power limit 500<700
 * W")? Then it is no basis for a FAIL. host: the host takes part, so that the
 * place of its buffer and encryption count. false: buf is "". */
bool probe_excuse(const struct probe_shot *s, bool host, char *buf,
		  size_t size);

/* "held down by HW slowdown": hardware that slows itself down is no excuse,
 * but the finding. NULL: it does not. */
const char *probe_slowdown(const struct probe_shot *s);

/* Neither: the figure may be what others are held against. */
bool probe_is_fair(const struct probe_shot *s, bool host);

/* ---- for the record (check_result.measured) ------------------------------ */

/* What the measurement of a place was taken under: {"subject", "end" and "why"
 * unless it is done, "conditions", "partial" if time was short}; figures are
 * the caller's to add. */
json_t *probe_report(const struct check_env *env, enum probe probe, int place,
		     int shot);

/* Append to r->measured (steals obj). */
void probe_record(struct check_result *r, json_t *obj);

/* Set a figure in obj unless it is unknown. */
void probe_figure(json_t *obj, const char *key, double v);

#endif
