/* SPDX-License-Identifier: Apache-2.0
 * note - a step's event is written into the job's run directory.
 *
 * A child does it, with a deadline: whatever goes wrong there, slurmstepd
 * stays as it is. It knows nothing of Slurm: who calls has asked for all.
 */
#ifndef ASSAY_SPANK_NOTE_H
#define ASSAY_SPANK_NOTE_H

#include <stdbool.h>

#include "spank/block.h"
#include "spank/choice.h"
#include "spank/event.h"

#define NOTE_FILE "steps.jsonl"
#define NOTE_BYTES (64 * 1024)	/* of numbered steps; few lines more of others */
#define NOTE_DROPPED_FILE "steps.dropped"	/* a byte for each that had no
						 * place, NOTE_BYTES at most */
#define NOTE_CHOICE_FILE "choice"
#define NOTE_DEADLINE_MS 1000

struct note {
	int dir;		/* the job's run directory */
	struct event event;
	struct choice choice;	/* written as a file where it says something
				 * and none is there: the job's first step */
	bool cgroups_gone;	/* their numbers are left out */
	char pid[16];		/* a process of the step; "": none is left */
	struct event_place place;	/* "" is looked for; the answer */
	bool wants_block;
	struct block block;	/* the answer */
};

/* -1: the child did not do it, or not in time: better leave it. */
int note_make(struct note *n);

#endif
