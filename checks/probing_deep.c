/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/probing_deep.h"

#include <stdio.h>

#include "checks/probe_past.h"
#include "lib/facts_tasks.h"

#define STORAGE "check storage_read"
#define SUSTAIN "check gpu_sustain"
#define PATTERN "gpu_mem_pattern"

static const json_t *stuck_reader(const struct run *r)
{
	return json_object_get(json_object_get(r->memory, "storage_read"),
			       "stuck");
}

static json_int_t number(const json_t *obj, const char *key)
{
	return json_integer_value(json_object_get(obj, key));
}

/* Does the reader of an earlier run still hang there? */
static bool reader_hangs(const struct run *r)
{
	const json_t *stuck = stuck_reader(r);
	struct roots real = { .fd = -1 };	/* our own processes' */
	bool hangs;

	if (number(stuck, "pid") <= 0 || roots_open(&real, "/", NULL) < 0)
		return false;
	hangs = facts_tasks_in_d(&real, number(stuck, "pid"),
				 (uint64_t)number(stuck, "start"));
	roots_close(&real);
	return hangs;
}

/* Where the last run stopped; but what is bad already is looked for from the
 * start. */
static void plan_pattern(struct run *r, struct crew_plan *plan)
{
	struct check_env env;
	int i;

	run_env(r, &env);
	env.memory = json_object_get(r->memory, PATTERN);
	for (i = 0; i < plan->gpus->count && i < PROBE_GPUS_MAX; i++)
		if (!past_open(&env, i, "words"))
			plan->pattern_from[i] = past_number(&env, i, "next");
}

static bool has_path(const struct run *r)
{
	return *cfg_text(r->s->cfg, STORAGE, "path");
}

bool probing_deep_can(const struct run *r, enum probe probe)
{
	return probe != PROBE_storage || (has_path(r) && !reader_hangs(r));
}

void probing_deep_plan(struct run *r, struct crew_plan *plan)
{
	const struct cfg *cfg = r->s->cfg;

	plan->cublaslt_path = cfg_text(cfg, "libraries", "cublaslt");
	plan->sustain_s = (int)cfg_int(cfg, SUSTAIN, "seconds");
	plan->storage_path = cfg_text(cfg, STORAGE, "path");
	plan->storage_mb = (int)cfg_int(cfg, STORAGE, "size_mb");
	plan->probe[PROBE_storage] &= probing_deep_can(r, PROBE_storage);
	plan_pattern(r, plan);
}

void probing_deep_finish(struct run *r, const struct crew_plan *plan)
{
	struct facts_probes *p = r->probes;
	struct probe_shot *shot = &p->storage.shot[0];
	const json_t *stuck = stuck_reader(r);

	if (plan->probe[PROBE_storage])
		return;
	if (!*plan->storage_path) {
		shot->end = PROBE_UNABLE;
		snprintf(shot->why, sizeof(shot->why), "no path configured");
	} else if (reader_hangs(r)) {
		shot->end = PROBE_TIMEOUT;
		p->storage_pid = number(stuck, "pid");
		p->storage_start = (uint64_t)number(stuck, "start");
	}
}
