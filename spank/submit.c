/* SPDX-License-Identifier: Apache-2.0
 * In sbatch, salloc and srun, as the user: what nobody would understand later
 * is refused now. */
#include "config.h"
#include "spank/hooks.h"

#include "spank/choice.h"

int submit_option(const char *list)
{
	struct choice c = { REPORT_UNSAID };
	char bad[40];

	if (choice_parse(list, &c, bad, sizeof(bad)) == 0)
		return 0;
	slurm_spank_log("assay: --assay does not know '%s' (it knows: %s)", bad,
			CHOICE_KNOWN);
	return -1;
}
