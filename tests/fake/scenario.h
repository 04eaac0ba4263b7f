/* SPDX-License-Identifier: Apache-2.0
 * scenario - what the fake vendor libraries answer: scenario.json.
 *
 * The file is read once per process, from ASSAY_SCENARIO, else from beside
 * the library that asks. A device's answers are its own entries laid over
 * those of the template it is "like"; a control object stands for an error,
 * a delay, a sequence or a ramp. See README.md here for the rules.
 */
#ifndef ASSAY_FAKE_SCENARIO_H
#define ASSAY_FAKE_SCENARIO_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* A device: its own entries and its template's (either may be NULL). */
struct scn_device {
	json_t *over;
	json_t *tmpl;
	uint64_t hash;		/* names it in the table of sequences */
};

/* A place in the merged tree, controls applied. */
struct scn_node {
	json_t *over;		/* what the device says here, or NULL */
	json_t *tmpl;		/* what its template says, or NULL */
	uint64_t hash;
	int rc;			/* a control answered this error */
	bool bare;		/* a control without a value: plain success */
	bool is_ramp;
	double ramp;
};

/* The named section ("nvml"), or NULL: there is none, or the scenario cannot
 * be read (then scn_broken() tells why). */
json_t *scn_section(const char *name);
const char *scn_broken(void);

/* Does the section say that the library lacks this symbol? Names count with
 * and without the prefix. */
bool scn_lacks(const char *section, const char *symbol, const char *prefix);

/* Fill *d for gpus[i] of a section. A device that is like nothing is like
 * gpus[i] of "nvml". -1: no such device or no such template. */
int scn_device(const char *section, int i, struct scn_device *d);

/* The section itself, as a device that is like nothing. */
struct scn_device scn_library(const char *section);

/* One call of a function begins: within a call a sequence moves once, and a
 * delay is slept once, however many values are taken from below it. */
void scn_begin(void);

/* Sleep, whatever wakes us. */
void scn_sleep_ms(double ms);

/* The root of a device, and the step down to key; controls met on the way
 * are obeyed (it may sleep). */
struct scn_node scn_root(const struct scn_device *d);
struct scn_node scn_step(const struct scn_node *n, const char *key);
/* The same into a list. */
struct scn_node scn_item(const struct scn_node *n, size_t i);

/* A place from the root: up to three keys. */
struct scn_path {
	const char *key[4];	/* NULL at the end */
};

struct scn_node scn_at(const struct scn_device *d, const struct scn_path *p);

/* Does one tree say something at this place? A control on the way, or a
 * plain value, speaks for all below it, unless exactly is set. */
bool scn_lists(json_t *tree, const struct scn_path *p, bool exactly);

/* What a place holds. */
bool scn_known(const struct scn_node *n);	/* a value, a ramp or bare */
json_t *scn_json(const struct scn_node *n);	/* the value or NULL */
double scn_real(const struct scn_node *n);
int64_t scn_int(const struct scn_node *n);	/* numbers, booleans, "0x.." */
const char *scn_text(const struct scn_node *n);	/* strings, else NULL */

#endif
