/* SPDX-License-Identifier: Apache-2.0
 * hooks - what is behind the dispatch: one file for each of Slurm's contexts.
 */
#ifndef ASSAY_SPANK_HOOKS_H
#define ASSAY_SPANK_HOOKS_H

#include <stdint.h>
#include <sys/types.h>	/* spank.h of 22.05 uses both without including */

#include <slurm/spank.h>

/* sbatch, salloc, srun (submit.c): is LIST one that this build knows? 0, or
 * -1 once the user has been told: Slurm then submits nothing. */
int submit_option(const char *list);

/* slurmstepd (step.c). run: where the run directory is; it is copied. None of
 * them fails. */
void step_option(const char *list);
void step_init(spank_t sp, const char *run);
void step_task_began(spank_t sp);
void step_task_ended(spank_t sp);
void step_ended(spank_t sp);

#endif
