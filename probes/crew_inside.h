/* SPDX-License-Identifier: Apache-2.0
 * crew_inside - what the files of the crew share: crew.c (the phases of a
 * round), crew_staff.c (workers begin and end), crew_listen.c (what came of
 * what they were told).
 */
#ifndef ASSAY_PROBES_CREW_INSIDE_H
#define ASSAY_PROBES_CREW_INSIDE_H

#include "lib/spawn.h"
#include "probes/crew.h"
#include "probes/worker.h"

struct hand {
	struct worker_task task;
	struct worker worker;
	struct worker_page *page;
	bool ready;		/* can be told to measure */
	bool busy;
	enum probe probe;	/* busy with */
	int shot;
	int64_t until_ms;
};

/* Each place's hand, and behind them: */
#define GROUP PROBE_PLACES	/* the group's */
#define STORAGE (GROUP + 1)	/* the file system's */
#define HANDS (STORAGE + 1)

struct crew {
	struct crew_plan *plan;
	struct facts_probes *out;
	struct hand hand[HANDS];
	int64_t until_ms;
	/* The longest that a place took for it, where they go one after the
	 * other: the next one is not likely to take less. */
	int64_t took_ms[PROBE_COUNT];
	bool cancelled;
};

int64_t crew_left_ms(const struct crew *c);

/* GPUs and ports. */
int crew_places(const struct crew *c);
bool crew_is_port(int place);

/* Where a result belongs; the file system's belongs to no place. */
struct probe_shot *crew_shot(struct crew *c, int place, enum probe p, int n);

/* End a shot from outside: no figures, why and call put together. */
void crew_tell(struct probe_shot *shot, enum probe_end end, const char *why,
	       const char *call);

/* What is known of a place without a worker. */
void crew_introduce(struct crew *c, int place);

/* What failed under a probe is not measured further: what it would say is an
 * echo of the same. (NCCL fails for many reasons, and for all GPUs; a GPU is
 * not what the port fails by that its memory is written through.) */
bool crew_is_broken(const struct crew *c, int place);

/* It was told to measure, and has at most so long for it. */
void crew_busy(struct crew *c, struct hand *h, enum probe p, int n,
	       int limit_ms);

/* What it was to measure will not come. */
void crew_lost(struct crew *c, struct hand *h, enum probe_end end,
	       const char *why);

/* Until nobody of the first so many hands is busy: by an answer, a death, or
 * because the time is over. GROUP: for the places, not for the group, which
 * opens several GPUs and is waited for when its turn comes. */
void crew_wait(struct crew *c, int hands);

/* All workers, and their contexts. */
void crew_start(struct crew *c);

/* They give everything back and go; who hangs is left behind and noted. */
void crew_dismiss(struct crew *c);

#endif
