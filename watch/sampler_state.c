/* SPDX-License-Identifier: Apache-2.0
 * <run>/watch/state.json: how the sampler is, and what it read last. */
#include "config.h"
#include "watch/sampler.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/jsonfile.h"
#include "lib/log.h"
#include "watch/snapshot.h"

static json_t *ports(const struct sampler *w)
{
	json_t *all = json_object();
	int i;

	for (i = 0; all && i < LOOK_PORTS_MAX; i++)
		if (w->port[i].name[0] && w->port[i].last.at_us)
			json_object_set_new(
				all, w->port[i].name,
				snapshot_port(&w->port[i].last.port));
	return all;
}

static json_t *gpus(const struct sampler *w)
{
	json_t *all = json_object();
	int i;

	for (i = 0; all && i < FACTS_GPUS_MAX; i++)
		if (w->gpu[i].name[0] && w->gpu[i].last.round)
			json_object_set_new(all, w->gpu[i].name,
					    snapshot_gpu(&w->gpu[i].last.gpu));
	return all;
}

static const char *driver_word(const struct driver *d)
{
	switch (d->state) {
	case DRIVER_STUCK:
		return "stuck";
	case DRIVER_BROKEN:
		return "broken";
	default:
		return "good";
	}
}

static json_t *document(const struct sampler *w)
{
	json_t *snapshot = json_pack("{s:I, s:s, s:o, s:o}", "time",
				     (json_int_t)w->last.wall_s, "boot_id",
				     w->boot_id, "gpus", gpus(w), "ports",
				     ports(w));

	return json_pack("{s:s, s:i, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
			 "s:s, s:s, s:I, s:I, s:o?}",
			 "schema", "assay.watch/1", "pid", (int)getpid(),
			 "boot_id", w->boot_id, "started",
			 (json_int_t)w->started.wall_s, "started_up",
			 (json_int_t)w->started.up_s, "last",
			 (json_int_t)w->last.wall_s, "last_up",
			 (json_int_t)w->last.up_s, "driver_last",
			 (json_int_t)w->driver_last.wall_s, "interval_s",
			 (json_int_t)(w->interval_ms / 1000), "samples",
			 (json_int_t)w->samples, "driver",
			 driver_word(&w->driver), "driver_why", w->driver.why,
			 "kmsg_next", (json_int_t)w->kernel.next_seq,
			 "events_cut",
			 (json_int_t)w->events.cut_up_s,
			 "snapshot", snapshot);
}

void sampler_write_state(struct sampler *w)
{
	static bool said;
	json_t *doc = document(w);

	if (jsonfile_replace(w->dir, SAMPLER_STATE, 0600, doc, JSON_COMPACT) <
		    0 &&
	    !said) {
		log_warn(SAMPLER_STATE " not written: %s", strerror(errno));
		said = true;
	}
	json_decref(doc);
}
