/* SPDX-License-Identifier: Apache-2.0
 * stories DIR - the records of a job of four nodes, as their Epilogs would
 * have left them in a spool: one GPU is never used, one is slowed down by its
 * hardware for the second half, on one there is an XID whose text a browser
 * must not obey, and of one the last quarter is not known. */
#include "config.h"

#include <stdio.h>

#include "epilog/series.h"
#include "epilog/summary.h"
#include "lib/nvml.h"
#include "tests/unit/stories.h"

#define NODES 4
#define SAMPLES 480

static void idle(struct stories *b, int gpu)
{
	int i;

	for (i = 0; i < SAMPLES; i++) {
		struct track_sample *s = &b->sample[gpu][i];

		s->busy = s->sm = s->tensor = s->dram = 0;
		s->power_w = s->power_max_w = 90;
		s->energy_j = 90 * STEP_S;
		s->idle_s = STEP_S;
		s->mem_used_mib = 500;
		s->nvlink_mb = s->pcie_mb = 0;
	}
}

static void slow(struct stories *b, int gpu)
{
	int i;

	for (i = SAMPLES / 2; i < SAMPLES; i++) {
		b->sample[gpu][i].sm_mhz = 1200;
		b->sample[gpu][i].held_hw_s = STEP_S;
		b->sample[gpu][i].reasons = NVML_REASON_HW_SLOWDOWN;
		b->sample[gpu][i].temp_c = 91;
	}
}

static void fault(struct stories *b)
{
	struct story_event *e = &b->s.event[b->s.event_count++];

	e->time_s = T0 + 7200;
	e->kind = EVENT_XID;
	e->number = 94;
	e->pid = -1;
	snprintf(e->device, sizeof(e->device), "GPU6");
	snprintf(e->text, sizeof(e->text),
		 "Xid 94 <script>alert(1)</script> & <img src=x>");
}

static void unknown(struct stories *b, int gpu)
{
	int i;

	for (i = SAMPLES * 3 / 4; i < SAMPLES; i++)
		b->sample[gpu][i].busy = NAN;
}

/* Busy as training is: up and down. */
static void vary(struct stories *b, int node)
{
	int i, k;

	for (k = 0; k < STORIES_GPUS; k++)
		for (i = 0; i < SAMPLES; i++) {
			struct track_sample *s = &b->sample[k][i];

			s->busy = (float)(0.55 +
					  0.44 * fabs(sin(i / 18.0 + k + node)));
			s->power_w = 250 + 400 * s->busy;
		}
}

static int write_node(const char *dir, int node)
{
	char name[16], path[4200];
	struct stories *b;
	json_t *record;
	int rc;

	snprintf(name, sizeof(name), "n%d", node);
	b = stories_new(name, STORIES_GPUS, SAMPLES);
	b->s.job.nodes = NODES;
	b->s.job.state = STORY_FAILED;
	snprintf(b->s.job.user, sizeof(b->s.job.user), "<b>eve</b>");
	vary(b, node);
	if (node == 0)
		fault(b);
	if (node == 1)
		slow(b, 3);
	if (node == 2)
		idle(b, 5);
	if (node == 3)
		unknown(b, 0);
	stories_sum(b);
	record = summary_node(&b->s);
	json_object_set_new(record, "series", series_of(&b->s));
	snprintf(path, sizeof(path), "%s/1234.0.%s.json", dir, name);
	rc = json_dump_file(record, path, SUMMARY_DUMP);
	json_decref(record);
	free(b);
	return rc;
}

int main(int argc, char **argv)
{
	int i;

	if (argc != 2)
		return 2;
	for (i = 0; i < NODES; i++)
		if (write_node(argv[1], i))
			return 1;
	return 0;
}
