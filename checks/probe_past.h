/* SPDX-License-Identifier: Apache-2.0
 * probe_past - what the judge of a probe remembers of each place.
 *
 * {"basis": "DRIVER KERNELS", "gpus": {UUID: {"samples": {KEY: [...]},
 *                                             "open": {KEY: EVIDENCE},
 *                                             "numbers": {KEY: NUMBER}}}}
 *
 * Samples are first shots that were fair and that no reference held to be low,
 * taken with the same driver and the same kernels; of others they say nothing.
 * Of ports there is "ports": {"mlx5_0:1": {"basis": "FIRMWARE KERNELS", ...}}:
 * each device has its own firmware.
 *
 * What is open has been confirmed and has not passed since. Its evidence id
 * must not follow the value: a GPU that is measured at 1712 GB/s after it was
 * drained, and resumed, with 1710 is not a new fact. So the id stays until
 * the GPU passes or has become clearly worse. It has no boot id in it either:
 * a reboot does not make a slow GPU another one.
 */
#ifndef ASSAY_PROBE_PAST_H
#define ASSAY_PROBE_PAST_H

#include "checks/check.h"

#define PAST_SAMPLES 16

/* Samples of that place and figure into v[PAST_SAMPLES]. Their number. */
int past_samples(const struct check_env *env, int place, const char *key,
		 double *v);
void past_add(struct check_result *r, const struct check_env *env, int place,
	      const char *key, double v);

/* The evidence that is open, NULL none. Borrowed. */
const char *past_open(const struct check_env *env, int place, const char *key);
/* evidence NULL: it has passed. */
void past_set_open(struct check_result *r, const struct check_env *env,
		   int place, const char *key, const char *evidence);

/* A number that the check wants to find next time; 0: there is none. */
double past_number(const struct check_env *env, int place, const char *key);
void past_set_number(struct check_result *r, const struct check_env *env,
		     int place, const char *key, double v);

/* A place that has something open and was not measured this time: say so, with
 * the same evidence, or it would count as passed. */
void past_remind(struct check_result *r, const struct check_env *env, int place);

/* How bad, in steps: 0 down to 0.7 of what is expected, 1 down to 0.49, ...
 * open: the step that is open already, -1 none; it only grows, and only when
 * the next step is reached for sure. */
int past_step(double share, int open);

#endif
