/* SPDX-License-Identifier: Apache-2.0
 * The SPANK plugin: thin dispatch, one line per hook of Slurm.
 *
 * It lives in srun, sbatch, salloc, slurmd and slurmstepd, on login nodes
 * too: nothing heavy here, no vendor library, no call into libslurm beyond
 * what those programs export. Every hook returns 0: on releases before 25.05
 * other values were handled each in its own way, and a failing remote hook
 * drains nodes. Gating is the Prolog's work. What can be refused is refused
 * while the job is submitted, by the option's callback.
 */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "spank/faults.h"

/* All else is hidden; plugin.map keeps the rest of the archive in. */
#pragma GCC visibility push(default)
#include "spank/hooks.h"

SPANK_PLUGIN(assay, 1)
#pragma GCC visibility pop

static int take_option(int val, const char *list, int remote)
{
	(void)val;
	if (!remote)
		return submit_option(list);
	step_option(list);
	return 0;
}

/* Registered wherever the plugin is loaded: a slurmstepd that finds a value
 * for an option that it does not know complains in the job's output. */
static void register_option(spank_t sp)
{
	static struct spank_option option = {
		.name = (char *)"assay",
		.arginfo = (char *)"LIST",
		.usage = (char *)"report or no-report: what the hardware "
				 "delivered, at the end of the job's output",
		.has_arg = 1,
		.cb = take_option,
	};

	if (spank_option_register(sp, &option) != ESPANK_SUCCESS)
		slurm_debug("assay: --assay cannot be registered");
}

/* run=DIRECTORY in plugstack.conf; what else is there is doctor's to tell. */
static const char *run_dir(int argc, char *argv[])
{
	const char *run = ASSAY_RUNDIR;
	int i;

	for (i = 0; i < argc; i++)
		if (!strncmp(argv[i], "run=/", 5))
			run = argv[i] + 4;
	FAULTS_LOAD(run);
	return run;
}

/* Slurm's functions crash on a handle that is none. */
#define HOOK(name, work)                                           \
	int slurm_spank_##name(spank_t sp, int argc, char *argv[]) \
	{                                                          \
		const char *run = run_dir(argc, argv);             \
		if (FAULT("null"))                                 \
			sp = NULL;                                 \
		if (sp)                                            \
			work;                                      \
		(void)run;                                         \
		return FAULT_RETURN(#name);                        \
	}

#pragma GCC visibility push(default)
HOOK(init, register_option(sp))
HOOK(init_post_opt, step_init(sp, run))
HOOK(task_post_fork, step_task_began(sp))
HOOK(task_exit, step_task_ended(sp))
HOOK(exit, step_ended(sp))
/* Before 21.08.2 slurmd called slurm_spank_init only where this was defined. */
HOOK(slurmd_exit, (void)0)

#ifdef SPANK_FAULTS
/* The others, too, have to be harmless when they fail. */
HOOK(job_prolog, (void)0)
HOOK(local_user_init, (void)0)
HOOK(user_init, (void)0)
HOOK(task_init_privileged, (void)0)
HOOK(task_init, (void)0)
HOOK(job_epilog, (void)0)
#endif
#pragma GCC visibility pop
