/* SPDX-License-Identifier: Apache-2.0
 * gathered - a job's story, from all that is known of it on this node: its
 * mark, the tracks, events and notes in the run directory, and what the
 * Epilog has just seen.
 *
 * Files of the run directory are root's; all the same, whatever is in them, a
 * story comes of it: what is missing is unknown, with its reason.
 */
#ifndef ASSAY_WATCH_GATHERED_H
#define ASSAY_WATCH_GATHERED_H

#include "checks/session.h"
#include "epilog/story.h"
#include "watch/mark.h"
#include "watch/steps.h"

struct gathered_from {
	const struct session *s;
	const struct mark *mark; /* settled; NULL: no Prolog marked the job */
	const struct job *job;	 /* the Epilog's; NULL while it runs */
	const struct facts *facts; /* the Epilog's; NULL while it runs */
	const json_t *after;	 /* the Epilog's record, may be NULL */
	struct instant now;
};

struct gathered {
	struct story story;
	/* What it borrows. */
	struct mark none;	/* stands in for a mark that is not there */
	json_t *state, *host, *gate, *clients;
	struct steps steps;
	void *tracks[FACTS_GPUS_MAX + STORY_PORTS_MAX];
	int track_count;
	float *cpu_busy;
};

/* malloc'ed; NULL on ENOMEM. */
struct gathered *gathered_create(const struct gathered_from *from);
void gathered_destroy(struct gathered *g);

/* ---- its parts (inside) -------------------------------------------------- */

struct gathering {
	const struct gathered_from *from;
	const struct mark *mark;
	struct gathered *g;
	int watch_dir;	/* <run>/watch, -1 */
	int job_dir;	/* <run>/<job>, -1 */
	bool same_boot;	/* as the mark's */
	json_t *after;	/* the later snapshot, may be NULL */
};

/* A moment of a track, an event, the state file as the job's own time: both are
 * of it, by the wall clock and since boot. */
int64_t gather_time_s(const struct gathering *q, int64_t wall_s, int64_t up_s);

void gather_devices(struct gathering *q);
void gather_ports(struct gathering *q);
void gather_events(struct gathering *q);
void gather_host(struct gathering *q);

#endif
