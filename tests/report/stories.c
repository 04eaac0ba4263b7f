/* SPDX-License-Identifier: Apache-2.0
 * stories NAME: a job's story as a record and its block, {"record": ...,
 * "block": [...]}; without NAME what stories there are. What becomes of them
 * is tests/golden/blocks and held against etc/schema by tests/meta/records.py.
 */
#include "config.h"
#include "tests/unit/stories.h"

#include <jansson.h>

#include "epilog/block.h"
#include "epilog/summary.h"
#include "tests/unit/merges.h"

#define HOUR 120 /* samples */

static void each(struct stories *b, int gpu, int from, int to,
		 void (*f)(struct track_sample *t))
{
	int i, k;

	for (i = 0; i < b->s.gpu_count; i++)
		for (k = from; k < to && (gpu < 0 || i == gpu); k++)
			f(&b->sample[i][k]);
}

static void idle(struct track_sample *t)
{
	t->busy = t->sm = t->tensor = t->dram = 0;
	t->idle_s = STEP_S;
	t->power_w = 70;
	t->energy_j = 70 * STEP_S;
	t->nvlink_mb = t->pcie_mb = 0;
	t->sm_mhz = 345;
	t->temp_c = 31;
	t->mem_used_mib = 5;
}

static void pause(struct track_sample *t)
{
	t->busy = 0.55F;
	t->sm = 0.48F;
	t->tensor = 0.25F;
	t->idle_s = 0.45F * STEP_S;
	t->power_w = 410;
	t->energy_j = 410 * STEP_S;
}

static void read_memory(struct track_sample *t)
{
	t->tensor = 0.06F;
	t->dram = 0.71F;
}

static void exchange(struct track_sample *t)
{
	t->sm = 0.31F;
	t->tensor = 0.14F;
	t->dram = 0.12F;
	t->nvlink_mb = 900000;
}

static void heat(struct track_sample *t)
{
	t->sm_mhz = 1290;
	t->held_thermal_s = 28;
	t->temp_c = 88;
	t->power_w = 455;
	t->energy_j = 455 * STEP_S;
}

static void cap(struct track_sample *t)
{
	t->sm_mhz = 1755;
	t->held_power_s = 27;
	t->power_w = 698;
	t->power_max_w = 701;
	t->energy_j = 698 * STEP_S;
}

static void untold(struct track_sample *t)
{
	t->sm = t->tensor = t->dram = NAN;
}

static struct story_event *event(struct stories *b, enum story_event_kind kind,
				 int at, const char *device, const char *text)
{
	struct story_event *e = &b->s.event[b->s.event_count++];

	e->kind = kind;
	e->time_s = T0 + at;
	e->number = e->subcode = -1;
	e->pid = -1;
	snprintf(e->device, sizeof(e->device), "%s", device);
	snprintf(e->text, sizeof(e->text), "%s", text);
	return e;
}

static struct stories *compute(void)
{
	struct stories *b = stories_new("gpu001", 8, 2 * HOUR);

	each(b, -1, 0, 2 * HOUR, cap);
	return b;
}

static struct stories *input_bound(void)
{
	struct stories *b = stories_new("gpu001", 4, 3 * HOUR);

	each(b, -1, 0, 3 * HOUR, pause);
	b->s.host.cpus = 16;
	b->s.host.cpu_s = is(14.6 * 3 * 3600);
	return b;
}

static struct stories *storage_bound(void)
{
	struct stories *b = stories_new("gpu001", 4, 3 * HOUR);

	each(b, -1, 0, 3 * HOUR, pause);
	b->s.host.cpu_s = is(0.3 * 3 * 3600);
	b->s.host.read_bytes = is(6200 * GB);
	return b;
}

static struct stories *memory_bound(void)
{
	struct stories *b = stories_new("gpu001", 1, HOUR);

	each(b, -1, 0, HOUR, read_memory);
	return b;
}

static struct stories *exchanging(void)
{
	struct stories *b = stories_new("gpu001", 8, 2 * HOUR);

	each(b, -1, 0, 2 * HOUR, exchange);
	return b;
}

static struct stories *idle_gpus(void)
{
	struct stories *b = stories_new("gpu001", 4, 4 * HOUR);

	each(b, 1, 0, 4 * HOUR, idle);
	each(b, 2, 0, 4 * HOUR, idle);
	each(b, 3, 0, 4 * HOUR, idle);
	return b;
}

static struct stories *throttled(void)
{
	struct stories *b = stories_new("gpu001", 8, 2 * HOUR);

	each(b, 5, 30, 2 * HOUR, heat);
	return b;
}

static struct stories *slowing(void)
{
	struct stories *b = stories_new("gpu001", 2, 3 * HOUR);

	each(b, -1, 2 * HOUR, 3 * HOUR, heat);
	return b;
}

static struct stories *stalls(void)
{
	struct stories *b = stories_new("gpu001", 8, 2 * HOUR);
	int k;

	each(b, -1, 0, 7, idle);
	for (k = 20; k < 2 * HOUR; k += 20)
		each(b, -1, k, k + 2, idle);
	return b;
}

static struct stories *fallen_off(void)
{
	struct stories *b = stories_new("gpu001", 8, 2 * HOUR);

	b->s.job.state = STORY_FAILED;
	b->s.job.exit_code = 1;
	event(b, EVENT_XID, 7122, "GPU3", "")->number = 79;
	event(b, EVENT_OFFBUS, 7122, "GPU3", "GPU has fallen off the bus");
	return b;
}

static struct stories *own_bug(void)
{
	struct stories *b = stories_new("gpu001", 2, 25);
	struct story_event *e = event(b, EVENT_XID, 731, "GPU1", "");

	e->number = 31;
	e->pid = 4711;
	e->pid_is_jobs = true;
	b->s.job.state = STORY_FAILED;
	b->s.job.exit_code = 134;
	b->s.job.signal = 6;
	return b;
}

static struct stories *out_of_memory(void)
{
	struct stories *b = stories_new("gpu001", 2, HOUR);

	event(b, EVENT_OOM, 3590, "", "the job's cgroup ran out of memory");
	b->s.job.state = STORY_OOM;
	b->s.job.signal = 9;
	b->s.host.oom_kills = is(1);
	b->s.host.mem_peak_bytes = b->s.host.mem_limit_bytes = is(128 * GB);
	return b;
}

static struct stories *timed_out(void)
{
	struct stories *b = stories_new("gpu001", 4, 4 * HOUR);

	b->s.job.state = STORY_TIMEOUT;
	b->s.job.signal = 15;
	b->s.job.limit_end_s = b->s.job.end_s;
	return b;
}

static struct stories *cancelled(void)
{
	struct stories *b = stories_new("gpu001", 4, 50);

	b->s.job.state = STORY_CANCELLED;
	b->s.job.signal = 15;
	return b;
}

static struct stories *node_failed(void)
{
	struct stories *b = stories_new("gpu001", 4, 100);

	b->s.job.state = STORY_NODE_FAIL;
	b->s.job.exit_code = b->s.job.signal = -1;
	b->s.watch = WATCH_ENDED;
	return b;
}

static struct stories *slice(void)
{
	struct stories *b = stories_new("gpu001", 1, HOUR);
	int k;

	for (k = 0; k < HOUR; k++)
		b->sample[0][k].mem_used_mib = 15360;

	b->s.gpu[0].mig = true;
	b->s.gpu[0].mem_total_bytes = 20 * GB;
	strcpy(b->s.gpu[0].uuid, "MIG-4f6d3e02-0000-4000-8000-000000000001");
	b->s.job.owned = false;
	return b;
}

static struct stories *shared(void)
{
	struct stories *b = stories_new("gpu001", 2, HOUR);

	b->s.job.owned = false;
	return b;
}

static struct stories *unwatched(void)
{
	struct stories *b = stories_new("gpu001", 4, 0);
	int i;

	b->s.watch = WATCH_NONE;
	b->s.job.end_s = T0 + 2 * 3600;
	stories_sum(b);
	for (i = 0; i < 4; i++) {
		b->s.gpu[i].energy_j = is(530.0 * 7200);
		b->s.gpu[i].activity_why = STORY_NO_WATCH;
	}
	b->s.host.cpu_s = is(9000);
	return b;
}

static struct stories *short_one(void)
{
	struct stories *b = stories_new("gpu001", 1, 0);

	b->s.watch = WATCH_NONE;
	b->s.job.end_s = T0 + 3;
	return b;
}

static struct stories *old_gpu(void)
{
	struct stories *b = stories_new("gpu001", 2, HOUR);
	int i;

	each(b, -1, 0, HOUR, untold);
	for (i = 0; i < 2; i++) {
		b->s.gpu[i].activity_why = STORY_UNSUPPORTED;
		strcpy(b->s.gpu[i].model, "NVIDIA A100-SXM4-80GB");
		b->s.gpu[i].sm_mhz_max = 1410;
	}
	return b;
}

static struct stories *no_gpu(void)
{
	return stories_new("cpu001", 0, 2 * HOUR);
}

static struct stories *array_task(void)
{
	struct stories *b = stories_new("gpu001", 1, HOUR);

	b->s.job.array_job = 1200;
	b->s.job.array_task = 34;
	b->s.job.restart = 2;
	b->s.host.steps = 0; /* the batch script alone */
	return b;
}

static struct stories *running(void)
{
	struct stories *b = stories_new("gpu001", 8, 2 * HOUR);

	b->s.job.state = STORY_RUNNING;
	b->s.job.exit_code = b->s.job.signal = -1;
	b->s.job.limit_end_s = T0 + 48 * 3600;
	b->s.host.steps = -1;
	return b;
}

static struct stories *lost_counters(void)
{
	struct stories *b = stories_new("gpu001", 2, HOUR);

	stories_sum(b);
	b->s.gpu[0].energy_j = is(-1);
	b->s.gpu[1].pcie_replay = isnt(STORY_SATURATED);
	b->s.gpu[1].ecc_corr = isnt(STORY_UNREADABLE);
	b->s.port[0].errors = isnt(STORY_SATURATED);
	b->s.host.mem_peak_bytes = isnt(STORY_UNREADABLE);
	return b;
}

static struct stories *no_cgroup(void)
{
	struct stories *b = stories_new("gpu001", 1, HOUR);

	b->s.host.cpu_of = b->s.host.mem_of = STORY_PROCESSES;
	b->s.host.mem_peak_bytes = is(70 * GB);
	b->s.host.mem_limit_bytes = is(96 * GB);
	b->s.host.oom_kills = isnt(STORY_UNREADABLE);
	b->s.host.read_bytes = isnt(STORY_UNREADABLE);
	b->s.host.write_bytes = isnt(STORY_UNREADABLE);
	return b;
}

static const struct {
	const char *name;
	struct stories *(*make)(void);
} stories[] = {
	{ "compute", compute },
	{ "input-bound", input_bound },
	{ "storage-bound", storage_bound },
	{ "memory-bound", memory_bound },
	{ "communication", exchanging },
	{ "idle-gpus", idle_gpus },
	{ "throttled", throttled },
	{ "slowing", slowing },
	{ "stalls", stalls },
	{ "fallen-off", fallen_off },
	{ "own-bug", own_bug },
	{ "out-of-memory", out_of_memory },
	{ "timed-out", timed_out },
	{ "cancelled", cancelled },
	{ "node-failed", node_failed },
	{ "mig", slice },
	{ "shared-node", shared },
	{ "no-watch", unwatched },
	{ "short", short_one },
	{ "old-gpu", old_gpu },
	{ "no-gpu", no_gpu },
	{ "array-task", array_task },
	{ "running", running },
	{ "lost-counters", lost_counters },
	{ "no-cgroup", no_cgroup },
};

#define STORIES (sizeof(stories) / sizeof(stories[0]))

/* Counters that a story has set by hand stay as they are. What it points to
 * of JSON is its own. */
static json_t *record_of(struct stories *b)
{
	json_t *r;

	if (b->s.gpu_count && b->s.gpu[0].energy_j.v >= 0 &&
	    b->s.watch != WATCH_NONE)
		stories_sum(b);
	r = summary_node(&b->s);
	json_decref(b->s.port[1].counters);
	json_decref(b->s.host.clients);
	json_decref((json_t *)(uintptr_t)b->s.gate);
	json_decref((json_t *)(uintptr_t)b->s.after);
	free(b);
	return r;
}

static json_t *found(const char *check, const char *subject, const char *text)
{
	return json_pack("{s:{s:s}, s:[{s:s, s:s, s:[{s:s, s:s, s:s}]}]}",
			 "verdict", "action", "drain", "checks", "name", check,
			 "status", "FAIL", "findings", "status", "FAIL",
			 "subject", subject, "text", text);
}

static json_t *measured(int n)
{
	return json_pack("{s:{s:s}, s:[{s:s, s:s, s:[{s:s, s:f}, {s:s, s:f}]}]}",
			 "verdict", "action", "run", "checks", "name",
			 "gpu_membw", "status", "PASS", "measured", "subject",
			 "GPU0", "read_gbps", 2610.0 - n, "subject", "GPU1",
			 "read_gbps", 2602.0 + n);
}

/* What all four have in common. */
static struct stories *one_of_four(int n)
{
	char name[16];
	struct stories *b;

	snprintf(name, sizeof(name), "gpu%03d", n);
	b = stories_new(name, 2, 2 * HOUR);
	b->s.job.nodes = 4;
	b->s.job.state = STORY_FAILED;
	b->s.job.exit_code = 1;
	snprintf(b->s.leaf, sizeof(b->s.leaf), "leaf-%d", n / 3);
	snprintf(b->s.nvlink_domain, sizeof(b->s.nvlink_domain), "%s", name);
	b->s.host.clients = json_pack("[{s:s, s:s, s:f, s:f}]", "kind", "lustre",
				      "mount", "/scratch", "read_bytes",
				      310 * GB, "write_bytes", 42 * GB);
	b->s.gate = measured(n);
	return b;
}

/* A node of a job on four: n2's GPU1 is hot, n3's GPU0 idle, a port of n4
 * flaps, and n1's GPU1 dies of an XID. */
static json_t *node_of_four(int n)
{
	struct stories *b = one_of_four(n);

	if (n == 1) {
		event(b, EVENT_XID, 7183, "GPU1", "")->number = 95;
		b->s.after = found("gpu_ecc", "GPU1", "1 uncorrected error");
	} else if (n == 2) {
		each(b, 1, 20, 2 * HOUR, heat);
	} else if (n == 3) {
		each(b, 0, 0, 2 * HOUR, idle);
	} else {
		event(b, EVENT_LINK_DOWN, 4000, "mlx5_1", "link went down");
		event(b, EVENT_LINK_UP, 4007, "mlx5_1", "link is up");
		b->s.port[1].downs = is(1);
		b->s.port[1].errors = is(17);
		b->s.port[1].counters = json_pack("{s:i}", "symbol_error", 17);
	}
	return record_of(b);
}

static json_t *of_nodes(const char *names[4], int count)
{
	struct merge_job job = { .id = 1234, .nodes = 4, .names = names };
	json_t *r[4], *merged;
	int i;

	for (i = 0; i < count; i++)
		r[i] = node_of_four(i + 1);
	merged = merge_of(r, count, &job);
	while (count-- > 0)
		json_decref(r[count]);
	return merged;
}

static json_t *find(const char *name)
{
	const char *names[] = { "gpu001", "gpu002", "gpu003", "gpu004" };
	size_t i;

	if (!strcmp(name, "one-of-four"))
		return node_of_four(2);
	if (!strcmp(name, "four-nodes"))
		return of_nodes(names, 4);
	if (!strcmp(name, "nodes-missing"))
		return of_nodes(names, 2);
	for (i = 0; i < STORIES; i++)
		if (!strcmp(stories[i].name, name))
			return record_of(stories[i].make());
	return NULL;
}

static int print(json_t *record)
{
	struct block b;
	json_t *lines = json_array(), *o;
	int i;

	block_render(record, &b);
	for (i = 0; i < b.count; i++)
		json_array_append_new(lines, json_string(b.line[i]));
	o = json_pack("{s:o, s:o}", "record", record, "block", lines);
	if (!o || json_dumpf(o, stdout, SUMMARY_DUMP) < 0)
		return 1;
	json_decref(o);
	return putchar('\n') == EOF;
}

int main(int argc, char **argv)
{
	json_t *record;
	size_t i;

	if (argc < 2) {
		for (i = 0; i < STORIES; i++)
			puts(stories[i].name);
		puts("one-of-four\nfour-nodes\nnodes-missing");
		return 0;
	}
	record = find(argv[1]);
	if (!record) {
		fprintf(stderr, "stories: no story %s\n", argv[1]);
		return 2;
	}
	return print(record);
}
