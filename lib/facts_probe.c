/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/facts_probe.h"

struct probe_result *probe_results(struct facts_probes *f, int place)
{
	return place < PROBE_GPUS_MAX ? f->gpu[place].probe :
					f->port[place - PROBE_GPUS_MAX].probe;
}
