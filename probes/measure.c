/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "probes/measure.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "probes/conditions.h"
#include "probes/crew.h"

void measure_begin(struct probe_device *d, struct probe_shot *shot)
{
	int i;

	memset(shot, 0, sizeof(*shot));
	for (i = 0; i < PROBE_FIGURES; i++)
		shot->figure[i] = NAN;
	conditions_init(&shot->cond);
	if (d)
		conditions_fixed(d, &shot->cond);
}

int measure_may_load(const struct crew_plan *plan, const char *path,
		     struct probe_shot *shot)
{
	bool other = plan->cuda_path && *plan->cuda_path;

	if (!other || (path && *path))
		return 0;
	return device_unable(shot, "[libraries] names a CUDA of its own, and "
				   "no library that goes with it");
}

/* A node may have no such library; one that is named has to be good. */
int measure_no_library(const char *path, const struct err *e,
		       struct probe_shot *shot)
{
	bool ours = errno == ENOSYS || (path && *path);

	device_unable(shot, "%.110s", e->text);
	if (ours)
		shot->end = PROBE_BROKEN;
	return -1;
}
