/* SPDX-License-Identifier: Apache-2.0
 * The GPU domain: one worker asks all GPUs; where it hangs, a second one asks
 * the others, and a witness asks the same again. */
#include "config.h"
#include "checks/gather.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "checks/evidence.h"
#include "lib/clock.h"
#include "lib/faults.h"

#define SECOND_LOOK_MS 200
#define DYING_MS 2500	/* an ended job's contexts may take this long to go */

/* Shares of the passive budget. With persistence mode off a GPU may take
 * seconds to wake: both together leave it more than three of four. */
#define PATIENCE_PERCENT 47
#define WITNESS_PERCENT 30

/* A parent that was itself not scheduled for longer is no judge of time. */
#define LATE_MAX_MS 500
#define D_STATE_MS 2000

/* A worker of an earlier run, stuck for that long, is a witness by itself. */
#define STUCK_WITNESS_S 30

struct emit_arg {
	int sock;
};

static void say(int sock, enum gather_say what, int index)
{
	struct gather_msg m = { .say = (int32_t)what, .index = index };

	worker_send(sock, &m, sizeof(m));
}

static void emit(const struct facts_gpus *g, int i, void *arg)
{
	const struct emit_arg *e = arg;

	(void)g;
	say(e->sock, SAY_GPU, i);
}

/* Has this log record drained the node before, and the node came back? */
static bool forgiven(const struct run *r, const struct gpu *g,
		     const struct fault *f)
{
	static const char *const check[] = { "kmsg_xid", "kmsg_offbus" };
	char key[EVIDENCE_KEY_MAX];
	enum evidence_state state;
	size_t i;

	for (i = 0; i < 2; i++) {
		snprintf(key, sizeof(key), "%s|%s|%s:%" PRIu64, check[i],
			 g->uuid[0] ? g->uuid : g->bus_id,
			 r->facts->kmsg.boot_id, f->seq);
		state = evidence_state(r->evidence, key);
		if (state == EVIDENCE_RESUMED || state == EVIDENCE_ACKED)
			return true;
	}
	return false;
}

/* A GPU that the log declares dead is not asked, unless somebody has brought
 * the node back since (a GPU reset leaves no trace on older drivers). */
static void mark_dead(const struct run *r, struct facts_gpus *g)
{
	const struct facts_kmsg *log = &r->facts->kmsg;
	static struct facts_kmsg open;
	int i, k;

	for (i = 0; i < g->count; i++) {
		open.fault_count = 0;
		for (k = 0; k < log->fault_count; k++)
			if (!forgiven(r, &g->gpu[i], &log->fault[k]))
				open.fault[open.fault_count++] = log->fault[k];
		g->gpu[i].dead_by_log = faults_gpu_dead(&open, r->s->xids,
							g->gpu[i].bus_id);
	}
}

static int fill_gpus(struct gather_task *t, int sock)
{
	struct facts_gpus *g = &t->page->facts.gpus;
	struct emit_arg arg = { sock };
	bool skip[FACTS_GPUS_MAX];
	struct facts_gpu_request q = {
		.roots = &t->run->s->roots,
		.nvml_path = cfg_text(t->run->s->cfg, "libraries", "nvml"),
		.skip = skip,
		.second_look_ms = SECOND_LOOK_MS,
		.procs_patience_ms = t->run->context == CONTEXT_EPILOG ?
					     DYING_MS : 0,
		.progress = &t->page->progress,
		.emit = emit,
		.arg = &arg,
	};
	int i;

	if (t->again) {
		*g = t->run->facts->gpus;
	} else {
		facts_gpu_inventory(q.roots, g);
		mark_dead(t->run, g);
		say(sock, SAY_INVENTORY, 0);
	}
	if (t->files_only)
		return 0;
	for (i = 0; i < FACTS_GPUS_MAX; i++)
		skip[i] = t->skip[i] ||
			  (g->gpu[i].dead_by_log && !t->run->ask_dead);
	return facts_gpu_ask(&q, g);
}

const struct gather_kind gather_gpu_kind = {
	"gpus", DOMAIN_GPU, true, offsetof(struct facts, gpus),
	sizeof(struct facts_gpus), fill_gpus
};

static void hung(struct run *r, const struct gather_task *t)
{
	struct facts_gpus *g = &r->facts->gpus;
	struct gpu *gpu;

	g->gather.end = GATHER_TIMEOUT;
	snprintf(g->gather.call, sizeof(g->gather.call), "%s", t->stuck_call);
	snprintf(g->gather.why, sizeof(g->gather.why), "%s did not return",
		 t->stuck_call);
	if (t->stuck_gpu < 0)
		return;
	gpu = &g->gpu[t->stuck_gpu];
	gpu->hung = true;
	gpu->answered = false;
	snprintf(gpu->call, sizeof(gpu->call), "%s", t->stuck_call);
}

static void confirm(struct run *r, int gpu)
{
	if (gpu < 0)
		r->facts->gpus.gather.witness = true;
	else
		r->facts->gpus.gpu[gpu].hung_twice = true;
}

/* A worker of an earlier run is still in the driver: no new one goes in. */
static void still_stuck(struct run *r, const struct gather_stuck *n)
{
	struct facts_gpus *g = &r->facts->gpus;
	struct gather_task as = { .stuck_gpu = -1 };
	int i;

	for (i = 0; n->bus_id[0] && i < g->count; i++)
		if (!strcmp(g->gpu[i].bus_id, n->bus_id))
			as.stuck_gpu = i;
	snprintf(as.stuck_call, sizeof(as.stuck_call), "%s",
		 n->call[0] ? n->call : "a driver call");
	hung(r, &as);
	snprintf(g->gather.why, sizeof(g->gather.why),
		 "%s has not returned for %lld s", as.stuck_call,
		 (long long)n->age_s);
	/* Of several gates at once the first one's worker may just be slow. */
	if (n->age_s >= STUCK_WITNESS_S)
		confirm(r, as.stuck_gpu);
}

static int start(struct run *r, struct gather_task *t, int percent,
		 int64_t until_ms)
{
	t->patience_ms = r->passive_ms * percent / 100;
	return gather_start(t, &gather_gpu_kind, r, until_ms);
}

/* Ask the others (if one GPU hung), and the same one again. */
static int second_round(struct run *r, struct gather_task *first,
			struct gather_task *next, int64_t until_ms)
{
	const struct facts_gpus *g = &r->facts->gpus;
	int k = first->stuck_gpu;
	bool others = false;
	int i;

	next[0].again = next[0].witness = true;
	next[1].again = true;
	for (i = 0; i < FACTS_GPUS_MAX; i++) {
		next[0].skip[i] = k >= 0 && i != k;
		next[1].skip[i] = i == k || g->gpu[i].answered;
		if (i < g->count && !next[1].skip[i])
			others = true;
	}
	start(r, &next[0], WITNESS_PERCENT, until_ms);
	if (k < 0 || !others)
		return 1;
	start(r, &next[1], WITNESS_PERCENT, until_ms);
	return 2;
}

static int max(int a, int b)
{
	return a > b ? a : b;
}

static bool slept_in_d(const struct gather_task *t)
{
	return t->d_since_ms && spawn_proc_state(t->worker.pid) == 'D' &&
	       clock_mono_ms() - t->d_since_ms >= D_STATE_MS;
}

/* The witness answered: the driver was slow, not dead. */
static void acquit(struct run *r, struct gather_task *w, int k)
{
	struct facts_gpus *g = &r->facts->gpus;

	g->gather.end = GATHER_DONE;
	g->gather.call[0] = '\0';
	g->gather.why[0] = '\0';
	if (k >= 0) {
		g->gpu[k].hung = false;
		return;
	}
	memcpy(g, &w->page->facts.gpus, offsetof(struct facts_gpus, gpu));
	g->gather.end = GATHER_DONE;
}

/* Has the abandoned first worker come back after all? Then the witness may
 * have waited for nothing but the lock that it held. */
static bool came_back(struct gather_task *t)
{
	return t->worker.abandoned && worker_gone(&t->worker);
}

/* With persistence mode off the first call wakes the GPU, and nobody knows
 * how long that may take: it needs another witness than a second worker. */
static bool wakes_up(const struct run *r, int k)
{
	return k >= 0 && r->facts->gpus.gpu[k].asleep;
}

static int rescue(struct run *r, struct gather_task *tasks, int first, int n,
		  int64_t until_ms)
{
	struct gather_task *a = &tasks[first];
	struct gather_task *w = &tasks[n];
	int k = a->stuck_gpu;
	int more, late;

	hung(r, a);
	run_own(r);
	gather_stop(a);
	more = second_round(r, a, w, until_ms);
	for (late = 0; w[0].running || (more > 1 && w[1].running);)
		late = max(late, gather_wait(w, more));
	if (w->done)
		acquit(r, w, k);
	else if (came_back(a) || wakes_up(r, k))
		;
	else if (w->stuck && w->stuck_gpu == k && r->owned.owned &&
		 late < LATE_MAX_MS)
		confirm(r, k);
	else if (slept_in_d(a))
		confirm(r, k);
	if (more > 1 && w[1].stuck)
		hung(r, &w[1]);
	return more;
}

int gather_gpus(struct run *run, struct gather_task *tasks, int n,
		int64_t until_ms)
{
	struct gather_stuck before;
	int first = n;

	tasks[n].files_only = gather_stuck_before(run->s, &before);
	start(run, &tasks[n++], PATIENCE_PERCENT, until_ms);
	/* The workers are busy: time for what the judges will need. */
	session_profiles(run->s);
	gather_wait(tasks, n);
	if (tasks[first].files_only)
		still_stuck(run, &before);
	else if (tasks[first].stuck)
		n += rescue(run, tasks, first, n, until_ms);
	gather_wait(tasks, n);
	return n;
}
