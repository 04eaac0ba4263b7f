/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "probes/measure.h"

#include <math.h>
#include <string.h>

#include "probes/conditions.h"

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
