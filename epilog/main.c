/* SPDX-License-Identifier: Apache-2.0
 * assay-epilog - the same look at the node after the job: Slurm's Epilog. */
#include "config.h"

#include "checks/gate.h"
#include "watch/gate_side.h"

int main(int argc, char **argv)
{
	static const struct gate_program epilog = {
		.name = "assay-epilog",
		.about = "Checks the node after a job; called by slurmd as "
			 "Epilog.",
		.context = CONTEXT_EPILOG,
		.job_context = JOB_EPILOG,
		.hooks = { .before = watch_job_ends,
			   .after = watch_job_record },
	};

	return gate_main(&epilog, argc, argv);
}
