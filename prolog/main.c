/* SPDX-License-Identifier: Apache-2.0
 * assay-prolog - the gate: Slurm's Prolog on a compute node. */
#include "config.h"

#include "checks/gate.h"
#include "watch/gate_side.h"

int main(int argc, char **argv)
{
	static const struct gate_program prolog = {
		.name = "assay-prolog",
		.about = "Checks the job's devices before it starts; called by "
			 "slurmd as Prolog.",
		.context = CONTEXT_PROLOG,
		.job_context = JOB_PROLOG,
		.hooks = { .after = watch_job_begins },
	};

	return gate_main(&prolog, argc, argv);
}
