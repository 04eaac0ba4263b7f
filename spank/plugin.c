/* SPDX-License-Identifier: Apache-2.0
 * The SPANK plugin: thin dispatch, one line per hook of Slurm.
 *
 * It lives in srun, sbatch, salloc, slurmd and slurmstepd, on login nodes
 * too: nothing heavy here, no vendor library, no call into libslurm beyond
 * what those programs export. Every hook returns 0: on releases before 25.05
 * other values were handled each in its own way, and a failing remote hook
 * drains nodes. Gating is the Prolog's work.
 */
#include "config.h"

#include <stdint.h>
#include <sys/types.h>	/* spank.h of 22.05 uses both without including */

/* All else is hidden; plugin.map keeps the rest of the archive in. */
#pragma GCC visibility push(default)
#include <slurm/spank.h>

SPANK_PLUGIN(assay, 1)

int slurm_spank_init(spank_t sp, int argc, char *argv[])
{
	(void)sp;
	(void)argc;
	(void)argv;
	return 0;
}

int slurm_spank_exit(spank_t sp, int argc, char *argv[])
{
	(void)sp;
	(void)argc;
	(void)argv;
	return 0;
}

/* Before 21.08.2 slurmd called slurm_spank_init only where this was defined. */
int slurm_spank_slurmd_exit(spank_t sp, int argc, char *argv[])
{
	(void)sp;
	(void)argc;
	(void)argv;
	return 0;
}
#pragma GCC visibility pop
