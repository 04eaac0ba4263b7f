/* SPDX-License-Identifier: Apache-2.0
 * GPUs: known model, order of Slurm's positions, driver. The driver is asked
 * only by the runner's own workers. */
#include "config.h"
#include "cmd/doctor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks/gather.h"
#include "checks/runner.h"
#include "lib/clock.h"
#include "lib/facts_gpu.h"

#define DRIVER_MS 4000

/* From files only; NULL if there are no GPUs (or no memory). */
static struct facts_gpus *inventory(const struct doctor *d)
{
	struct facts_gpus *g = calloc(1, sizeof(*g));

	if (g && facts_gpu_inventory(&d->s->roots, g) == 0 && g->count)
		return g;
	free(g);
	return NULL;
}

void doctor_profile(struct doctor *d)
{
	const struct profiles *all = session_profiles(d->s);
	struct facts_gpus *g = inventory(d);
	const struct profile *p = NULL;
	const struct gpu *one;
	int i, unknown = 0;

	if (!g) {
		doctor_say(d, DOCTOR_OK, "profile", NULL,
			   "no NVIDIA GPUs here: none is needed");
		return;
	}
	for (i = 0; i < g->count; i++) {
		one = &g->gpu[i];
		p = all ? profiles_find(all, one->pci_id, one->name) : NULL;
		if (p || unknown++)
			continue;
		doctor_say(d, DOCTOR_NOTE, "profile",
			   "add a profile for this model to [paths] profiles",
			   "GPU%d (%s, PCI id %08" PRIx32 ") has no profile: "
			   "what it should have is not judged", one->index,
			   one->name[0] ? one->name : "unnamed", one->pci_id);
	}
	if (!unknown)
		doctor_say(d, DOCTOR_OK, "profile", NULL, "%d x %s (%.120s)",
			   g->count, p ? p->name : "?", p ? p->file : "?");
	free(g);
}

/* Can the device of each single position be told? Bad positions into buf. */
static int unsure(const struct doctor *d, const struct facts_gpus *g,
		  const struct gres_conf *gres, char *buf, size_t size)
{
	static struct job job;
	struct devices dev;
	size_t used = 0;
	int i, bad = 0;

	buf[0] = '\0';
	if (g->count == 1)
		return 0;	/* it has all: no map is needed */
	for (i = 0; i < g->count && i < JOB_GPUS_MAX; i++) {
		job.has_gpus = true;
		job.gpu_count = 1;
		job.gpu_pos[0] = i;
		devices_of_job(&job, g, gres, session_gres_order(d->s), &dev);
		if (dev.sure && !dev.unmapped && dev.count == 1)
			continue;
		bad++;
		if (used + 8 < size)
			used += (size_t)snprintf(buf + used, size - used,
						 "%s%d", used ? "," : "", i);
	}
	return bad;
}

void doctor_gres(struct doctor *d)
{
	struct facts_gpus *g = inventory(d);
	struct gres_conf gres;
	char which[120];
	bool have;

	if (!g)
		return;
	have = session_gres(d->s, &gres) == 0;
	if (!have && doctor_has_slurm(d))
		doctor_say(d, DOCTOR_NOTE, "gres", "set [slurm] conf",
			   "no gres.conf could be read: the order of GPUs is "
			   "guessed");
	if (have && gres.count && gres.count != g->count)
		doctor_say(d, DOCTOR_NOTE, "gres", NULL,
			   "gres.conf has %d GPUs for this node, %d are here",
			   gres.count, g->count);
	if (unsure(d, g, have ? &gres : NULL, which, sizeof(which)))
		doctor_say(d, DOCTOR_WRONG, "gres",
			   "[slurm] gres_order = nvml, file or list, whichever "
			   "Slurm uses here",
			   "which GPU is meant by position %s in a job's list "
			   "is not sure: faults there only warn", which);
	else
		doctor_say(d, DOCTOR_OK, "gres", NULL,
			   "each position in a job's list means one known GPU");
	free(g);
}

static void tell_driver(const struct doctor *d, const struct run *r)
{
	const struct facts_gpus *g = &r->facts->gpus;
	const struct check_result *res = r->count ? &r->results[0] : NULL;
	int k;

	if (!g->count && (g->no_library || !g->module_loaded)) {
		doctor_say(d, DOCTOR_OK, "driver", NULL,
			   "no GPUs and no driver here: nothing to ask");
		return;
	}
	if (g->no_library)
		doctor_say(d, DOCTOR_WRONG, "driver",
			   "install libnvidia-ml.so.1, or set [libraries] nvml",
			   "NVML cannot be loaded: %s", g->library_error);
	if (g->missing_required)
		doctor_say(d, DOCTOR_WRONG, "driver",
			   "a driver of the last years is needed",
			   "NVML lacks %d functions that are needed",
			   g->missing_required);
	for (k = 0; res && k < res->count; k++)
		if (res->finding[k].status > STATUS_SKIP)
			doctor_say(d, DOCTOR_WRONG, "driver",
				   res->check->advice, "%s %s",
				   res->finding[k].subject,
				   res->finding[k].text);
	if (res && res->status == STATUS_ERROR && !g->no_library)
		doctor_say(d, DOCTOR_WRONG, "driver", NULL, "%s", res->note);
	if (res && res->status == STATUS_PASS)
		doctor_say(d, DOCTOR_OK, "driver", NULL,
			   "NVML of driver %s answers for %d GPUs", g->driver,
			   g->count);
}

void doctor_driver(struct doctor *d)
{
	struct run r = { .s = d->s, .context = CONTEXT_HEALTH,
			 .only = "gpu_driver", .passive_ms = DRIVER_MS };
	struct err e = { "" };

	if (run_gather(&r, &e) == 0 && run_judge(&r, &e) == 0)
		tell_driver(d, &r);
	else
		doctor_say(d, DOCTOR_WRONG, "driver", NULL, "%s", e.text);
	run_fini(&r);
}

void doctor_stuck(struct doctor *d)
{
	struct gather_stuck stuck;
	char since[21];

	if (!gather_stuck_before(d->s, &stuck))
		return;
	doctor_say(d, DOCTOR_WRONG, "stuck", "reboot the node",
		   "process %d hangs in the driver since %s, in %s%s%s",
		   (int)stuck.pid,
		   clock_iso(clock_wall_s() - stuck.age_s, since), stuck.call,
		   stuck.bus_id[0] ? " on " : "", stuck.bus_id);
}
