/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "probes/crew.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/facts_tasks.h"
#include "lib/spawn.h"
#include "probes/worker.h"

#define POLL_MS 20
#define LEAVE_MS 400		/* for a worker to give its context back: at
				 * least, and what is left of the budget */
#define TERM_MS 300		/* for one that was told to end */
#define CONTEXT_PERCENT 60	/* of the budget, until a context is there */
#define CONTEXT_MS_MAX 15000
#define EXCLUSIVE_PROCESS 3	/* of NVML's compute modes */

enum by {
	BY_EACH,		/* each GPU's worker, all at once */
	BY_TURNS,		/* one GPU after the other */
	BY_GROUP,		/* the group's worker measures all at once */
	BY_STORAGE		/* no GPU takes part */
};

/* In this order: the quick ones first, and of these the tensor cores' load
 * brings the clocks up for what follows. cost_ms: what it usually takes at most
 * on eight GPUs; with less time left it is not started. limit_ms: without an
 * answer by then it hangs. (To both of sustain its own length is added.) */
static const struct phase {
	enum probe probe;
	enum by by;
	int cost_ms, limit_ms;
} phases[] = {
	{ PROBE_pcie_bw, BY_TURNS, 100, 1500 },
	{ PROBE_gemm, BY_EACH, 800, 2500 },
	{ PROBE_membw, BY_EACH, 300, 1500 },
	{ PROBE_peer, BY_GROUP, 500, 2500 },
	{ PROBE_gemm_peak, BY_EACH, 2500, 8000 },
	{ PROBE_sdc, BY_EACH, 3000, 7000 },
	{ PROBE_pattern, BY_EACH, 1500, 15000 },
	{ PROBE_nccl, BY_GROUP, 5000, 15000 },
	{ PROBE_storage, BY_STORAGE, 2000, 10000 },
	{ PROBE_sustain, BY_EACH, 1500, 5000 },
};

#define PHASES ((int)(sizeof(phases) / sizeof(phases[0])))

struct hand {
	struct worker_task task;
	struct worker worker;
	struct worker_page *page;
	bool ready;		/* can be told to measure */
	bool busy;
	enum probe probe;	/* busy with */
	int shot;
	int64_t until_ms;
};

#define GROUP PROBE_GPUS_MAX	/* the group's place among the hands */
#define STORAGE (GROUP + 1)	/* the file system's */
#define HANDS (STORAGE + 1)

struct crew {
	struct crew_plan *plan;
	struct facts_probes *out;
	struct hand hand[HANDS];
	int64_t until_ms;
	bool cancelled;
};

static int64_t left_ms(const struct crew *c)
{
	return c->until_ms - clock_mono_ms();
}

/* ---- what a worker did --------------------------------------------------- */

static struct probe_shot *shot_of(struct crew *c, int gpu, enum probe p, int n)
{
	if (p == PROBE_storage)
		return &c->out->storage.shot[n];
	return &c->out->gpu[gpu].probe[p].shot[n];
}

static void tell(struct probe_shot *shot, enum probe_end end, const char *why,
		 const char *call)
{
	int i;

	shot->end = end;
	snprintf(shot->why, sizeof(shot->why), "%s%.40s", why, call);
	snprintf(shot->call, sizeof(shot->call), "%.39s", call);
	for (i = 0; i < PROBE_FIGURES; i++)
		shot->figure[i] = NAN;
}

/* What is known without a worker. */
static void introduce(struct crew *c, int gpu)
{
	struct gpu_probes *g = &c->out->gpu[gpu];
	const struct gpu *known = &c->plan->gpus->gpu[gpu];

	g->chosen = c->plan->gpu[gpu];
	g->mig = VAL_KNOWN(known->mig_mode) && known->mig_mode.v;
	g->pcie_path_mt = c->plan->pcie_path_mt[gpu];
	snprintf(g->uuid, sizeof(g->uuid), "%s", known->uuid);
}

/* All but the shots, of which only that one is new: what the parent has said
 * of the others, the worker does not know. */
static void take_gpu(struct crew *c, int gpu, enum probe p, int n)
{
	const struct gpu_probes *from = &c->hand[gpu].page->result.gpu[gpu];
	struct gpu_probes *to = &c->out->gpu[gpu];
	struct probe_result known[PROBE_COUNT];

	memcpy(known, to->probe, sizeof(known));
	*to = *from;
	memcpy(to->probe, known, sizeof(known));
	to->probe[p].shot[n] = from->probe[p].shot[n];
	introduce(c, gpu);
}

static bool is_groups(enum probe p)
{
	return p == PROBE_peer || p == PROBE_nccl;
}

static void take_group(struct crew *c, enum probe p, int n)
{
	const struct facts_probes *from = &c->hand[GROUP].page->result;
	int i;

	/* Its own start measures nothing, pairs least of all. */
	if (!is_groups(p))
		return;
	c->out->pairs = from->pairs;
	c->out->nccl_version = from->nccl_version;
	c->out->nccl_gpus = from->nccl_gpus;
	c->out->nccl_bytes = from->nccl_bytes;
	for (i = 0; i < PROBE_GPUS_MAX; i++)
		if (c->plan->gpu[i])
			c->out->gpu[i].probe[p].shot[n] =
				from->gpu[i].probe[p].shot[n];
}

static void take_storage(struct crew *c, int n)
{
	const struct facts_probes *from = &c->hand[STORAGE].page->result;

	c->out->storage.shot[n] = from->storage.shot[n];
	c->out->storage_direct = from->storage_direct;
}

/* A GPU that failed under a probe is not measured further: what it would say
 * is an echo of the same. (NCCL fails for many reasons, and for all GPUs.) */
static bool is_broken(const struct gpu_probes *g)
{
	const struct probe_shot *shot;
	int p;

	for (p = 0; p < PROBE_COUNT; p++) {
		shot = &g->probe[p].shot[0];
		if (p != PROBE_nccl && shot->end == PROBE_FAULT && shot->rc)
			return true;
	}
	return false;
}

static void take(struct crew *c, struct hand *h, const struct worker_msg *m)
{
	if (m->op != WORKER_DONE || !h->busy || m->probe != (int)h->probe ||
	    m->shot != h->shot)
		return;
	h->busy = false;
	h->ready = true;
	if (h == &c->hand[GROUP]) {
		take_group(c, h->probe, h->shot);
		return;
	}
	if (h == &c->hand[STORAGE]) {
		take_storage(c, h->shot);
		return;
	}
	take_gpu(c, h->task.gpu, h->probe, h->shot);
	h->ready = !is_broken(&c->out->gpu[h->task.gpu]) &&
		   c->out->gpu[h->task.gpu].probe[PROBE_context].shot[0].end ==
			   PROBE_DONE;
}

/* For all GPUs that a silent worker was to measure. (One for several things
 * has nothing to tell of its own start.) */
static void lost(struct crew *c, struct hand *h, enum probe_end end,
		 const char *why)
{
	char call[40];
	int i;

	snprintf(call, sizeof(call), "%.39s", h->page->progress.call);
	h->busy = h->ready = false;
	if (h->task.gpu >= 0 || h->probe == PROBE_storage) {
		tell(shot_of(c, h->task.gpu, h->probe, h->shot), end, why, call);
		return;
	}
	for (i = 0; i < c->plan->gpus->count; i++)
		if (c->plan->gpu[i] && h->probe != PROBE_context)
			tell(shot_of(c, i, h->probe, h->shot), end, why, call);
}

static void listen_to(struct crew *c, struct hand *h)
{
	struct worker_msg m;
	ssize_t n;

	while ((n = worker_recv(&h->worker, &m, sizeof(m))) > 0)
		if (n == sizeof(m))
			take(c, h, &m);
	if (n == 0 && h->busy)
		lost(c, h, PROBE_BROKEN, "the probe's worker died in ");
	else if (n == 0)
		h->ready = false;
}

/* Until nobody of these is busy: by an answer, a death, or because the time is
 * over. The group opens one GPU after the other: nobody waits for it before
 * its turn. */
static void wait_for(struct crew *c, int hands)
{
	struct pollfd fds[HANDS];
	struct hand *who[HANDS];
	int i, k;

	for (;;) {
		for (i = k = 0; i < hands; i++) {
			if (!c->hand[i].busy)
				continue;
			who[k] = &c->hand[i];
			fds[k++] = (struct pollfd){
				.fd = c->hand[i].worker.sock, .events = POLLIN
			};
		}
		if (!k)
			return;
		poll(fds, (nfds_t)k, POLL_MS);
		for (i = 0; i < k; i++) {
			listen_to(c, who[i]);
			if (who[i]->busy && clock_mono_ms() >= who[i]->until_ms)
				lost(c, who[i], PROBE_TIMEOUT, "no answer in ");
		}
		c->cancelled |= c->plan->cancelled &&
				c->plan->cancelled(c->plan->arg);
		if (c->cancelled)
			return;
	}
}

/* ---- telling them -------------------------------------------------------- */

/* What a phase takes besides. */
static int length_ms(const struct crew *c, const struct phase *ph)
{
	return ph->probe == PROBE_sustain ? c->plan->sustain_s * 1000 : 0;
}

static bool fits(const struct crew *c, const struct phase *ph)
{
	return left_ms(c) >= ph->cost_ms + length_ms(c, ph);
}

static void begin_busy(struct crew *c, struct hand *h, enum probe p, int n,
		       int limit_ms)
{
	int64_t left = left_ms(c);

	h->busy = true;
	h->probe = p;
	h->shot = n;
	h->until_ms = clock_mono_ms() + (limit_ms < left ? limit_ms : left);
}

static void order(struct crew *c, struct hand *h, const struct phase *ph, int n)
{
	struct worker_msg m = { .op = WORKER_MEASURE, .probe = (int)ph->probe,
				.shot = n };

	begin_busy(c, h, ph->probe, n, ph->limit_ms + length_ms(c, ph));
	m.left_ms = (int32_t)(h->until_ms - clock_mono_ms());
	if (worker_send(h->worker.sock, &m, sizeof(m)) < 0)
		lost(c, h, PROBE_BROKEN, "the probe's worker is gone ");
}

/* Nothing was measured, for want of time or of a worker. */
static void not_run(struct crew *c, const struct phase *ph, int gpu)
{
	struct probe_shot *shot = shot_of(c, gpu, ph->probe, 0);

	if (shot->end != PROBE_NONE || shot->why[0])
		return;
	tell(shot, PROBE_NONE,
	     !fits(c, ph)		  ? "no time left" :
	     ph->by == BY_STORAGE	  ? "no worker could be started" :
	     is_broken(&c->out->gpu[gpu]) ? "not after an earlier probe failed" :
					    "the GPU could not be opened",
	     "");
}

/* By one worker for all of them. */
static void run_common_phase(struct crew *c, const struct phase *ph)
{
	struct hand *h = &c->hand[ph->by == BY_STORAGE ? STORAGE : GROUP];
	int i;

	wait_for(c, HANDS);
	if (h->ready && fits(c, ph)) {
		order(c, h, ph, 0);
		wait_for(c, HANDS);
		return;
	}
	for (i = 0; i < c->plan->gpus->count; i++)
		if (c->plan->gpu[i])
			not_run(c, ph, i);
}

static void run_gpu_phase(struct crew *c, const struct phase *ph)
{
	int i, k;

	for (i = 0; i < c->plan->gpus->count; i++) {
		k = c->plan->order[i];
		if (!c->plan->gpu[k])
			continue;
		if (!c->hand[k].ready || !fits(c, ph)) {
			not_run(c, ph, k);
			continue;
		}
		order(c, &c->hand[k], ph, 0);
		if (ph->by == BY_TURNS)
			wait_for(c, GROUP);
		if (c->cancelled)
			return;
	}
	wait_for(c, GROUP);
}

static void run_phases(struct crew *c)
{
	int64_t began;
	int i;

	for (i = 0; i < PHASES && !c->cancelled; i++) {
		if (!c->plan->probe[phases[i].probe])
			continue;
		began = clock_mono_us();
		if (phases[i].by >= BY_GROUP)
			run_common_phase(c, &phases[i]);
		else
			run_gpu_phase(c, &phases[i]);
		c->out->phase_us[phases[i].probe] = clock_mono_us() - began;
	}
}

/* What is doubted is measured once more, with nothing else going on. */
static void repeat_phase(struct crew *c, const struct phase *ph)
{
	bool common = ph->by >= BY_GROUP;
	struct hand *h = &c->hand[ph->by == BY_STORAGE ? STORAGE : GROUP];
	int doubted = 0;
	int i;

	for (i = 0; i < c->plan->gpus->count && !c->cancelled; i++) {
		if (!c->plan->gpu[i] ||
		    !c->plan->doubts(ph->probe, i, c->plan->arg))
			continue;
		doubted++;
		if (common && h->page) {
			h->page->again[i] = true;
		} else if (!common && c->hand[i].ready && fits(c, ph)) {
			order(c, &c->hand[i], ph, 1);
			wait_for(c, GROUP);
		}
	}
	if (common && doubted && h->ready && fits(c, ph)) {
		order(c, h, ph, 1);
		wait_for(c, HANDS);
	}
}

static void repeat_doubted(struct crew *c)
{
	int i;

	if (!c->plan->doubts)
		return;
	for (i = 0; i < PHASES && !c->cancelled; i++)
		if (c->plan->probe[phases[i].probe])
			repeat_phase(c, &phases[i]);
}

/* ---- beginning and end --------------------------------------------------- */

static void start(struct crew *c, int place, int gpu)
{
	int limit_ms = c->plan->budget_ms * CONTEXT_PERCENT / 100;
	struct hand *h = &c->hand[place];

	h->worker.sock = -1;
	h->page = mmap(NULL, sizeof(*h->page), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (h->page == MAP_FAILED)
		h->page = NULL;
	h->task = (struct worker_task){ .plan = c->plan, .page = h->page,
					.gpu = gpu };
	if (h->page && gpu >= 0) {
		h->page->crew[0] = c->hand[GROUP].worker.pid;
		h->page->result.gpu[gpu].left_mib = -1;
	}
	if (!h->page ||
	    worker_start(&h->worker, worker_body, &h->task,
			 place != STORAGE) < 0) {
		if (gpu >= 0)
			tell(shot_of(c, gpu, PROBE_context, 0), PROBE_BROKEN,
			     "cannot start a worker: ", strerror(errno));
		return;
	}
	if (gpu >= 0 && c->hand[GROUP].page)
		c->hand[GROUP].page->crew[gpu] = h->worker.pid;
	begin_busy(c, h, PROBE_context, 0,
		   limit_ms < CONTEXT_MS_MAX ? limit_ms : CONTEXT_MS_MAX);
}

/* One process at a time: the GPU's own worker. */
static bool is_exclusive(const struct gpu *g)
{
	return VAL_KNOWN(g->compute_mode) &&
	       g->compute_mode.v == EXCLUSIVE_PROCESS;
}

static bool wants_group(const struct crew_plan *plan)
{
	int i;

	for (i = 0; i < plan->gpus->count; i++)
		if (plan->gpu[i] && is_exclusive(&plan->gpus->gpu[i]))
			return false;
	return plan->probe[PROBE_peer] || plan->probe[PROBE_nccl];
}

static void start_all(struct crew *c)
{
	int64_t began = clock_mono_us();
	int i;

	for (i = 0; i < HANDS; i++)
		c->hand[i].worker.sock = -1;
	if (c->plan->probe[PROBE_storage])
		start(c, STORAGE, WORKER_STORAGE);
	if (wants_group(c->plan))
		start(c, GROUP, WORKER_GROUP);
	for (i = 0; i < c->plan->gpus->count; i++)
		if (c->plan->gpu[i])
			start(c, i, i);
	wait_for(c, GROUP);
	c->out->phase_us[PROBE_context] = clock_mono_us() - began;
}

static void tell_to_go(struct crew *c)
{
	struct worker_msg quit = { .op = WORKER_QUIT };
	int i;

	for (i = 0; i < HANDS; i++) {
		if (c->hand[i].worker.pid <= 0)
			continue;
		if (c->cancelled || c->hand[i].busy || !c->hand[i].ready)
			kill(c->hand[i].worker.pid, SIGTERM);
		else
			worker_send(c->hand[i].worker.sock, &quit,
				    sizeof(quit));
	}
}

static bool all_gone(struct crew *c, int patience_ms)
{
	int64_t until = clock_mono_ms() + patience_ms;
	bool gone = true;
	int i;

	for (i = 0; i < HANDS; i++) {
		int64_t left = until - clock_mono_ms();

		if (c->hand[i].worker.pid > 0)
			gone &= worker_wait(&c->hand[i].worker,
					    left > 0 ? (int)left : 0);
	}
	return gone;
}

static void note_stuck(struct crew *c, struct hand *h)
{
	struct crew_stuck *s = &c->plan->stuck[c->plan->stuck_count++];

	s->pid = h->worker.pid;
	s->gpu = h->task.gpu;
	snprintf(s->call, sizeof(s->call), "%.39s", h->page->progress.call);
}

/* It hangs in a read: no driver, so the next probes of GPUs may go on. But
 * nobody else is to be sent there. */
static void end_storage(struct crew *c)
{
	struct hand *h = &c->hand[STORAGE];
	struct roots real = { .fd = -1 };

	if (h->worker.pid <= 0 || worker_gone(&h->worker))
		return;
	kill(h->worker.pid, SIGKILL);
	if (worker_wait(&h->worker, TERM_MS) || roots_open(&real, "/", NULL) < 0)
		return;
	c->out->storage_start = facts_tasks_start(&real, h->worker.pid);
	c->out->storage_pid = c->out->storage_start ? h->worker.pid : 0;
	roots_close(&real);
}

/* How much memory a GPU's worker could not give back, it says in its page on
 * its way out. */
static void dismiss(struct crew *c)
{
	int patience_ms = LEAVE_MS;
	int i;

	tell_to_go(c);
	/* Eight contexts in one process may take a second to go. */
	if (left_ms(c) > patience_ms)
		patience_ms = (int)left_ms(c);
	if (!all_gone(c, c->cancelled ? 0 : patience_ms)) {
		for (i = 0; i < HANDS; i++)
			if (c->hand[i].worker.pid > 0 &&
			    !worker_gone(&c->hand[i].worker))
				kill(c->hand[i].worker.pid, SIGTERM);
		all_gone(c, TERM_MS);
	}
	end_storage(c);
	for (i = 0; i < HANDS; i++) {
		struct hand *h = &c->hand[i];

		if (i != STORAGE && h->worker.pid > 0 &&
		    !worker_gone(&h->worker))
			note_stuck(c, h);
		else if (h->page && i < GROUP)
			c->out->gpu[i].left_mib =
				h->page->result.gpu[i].left_mib;
		if (h->worker.sock >= 0)
			close(h->worker.sock);
		if (h->page)
			munmap(h->page, sizeof(*h->page));
	}
}

static void prepare(struct crew *c)
{
	int i, k;

	memset(c->out, 0, sizeof(*c->out));
	c->plan->stuck_count = 0;
	c->until_ms = clock_mono_ms() + c->plan->budget_ms;
	snprintf(c->out->build_id, sizeof(c->out->build_id), "%s",
		 kernels_build_id);
	for (i = 0; i < PROBE_GPUS_MAX; i++) {
		c->out->gpu[i].left_mib = -1;
		for (k = 0; k < PROBE_GPUS_MAX; k++)
			c->out->pairs.gbps[0][i][k] =
				c->out->pairs.gbps[1][i][k] = NAN;
	}
	for (i = 0; i < c->plan->gpus->count; i++)
		introduce(c, i);
}

int crew_run(struct crew_plan *plan, struct facts_probes *out)
{
	struct crew *c = calloc(1, sizeof(*c));
	int64_t began = clock_mono_us();
	int rc;

	memset(out, 0, sizeof(*out));
	if (!c) {
		snprintf(out->why, sizeof(out->why), "out of memory");
		return 0;
	}
	c->plan = plan;
	c->out = out;
	prepare(c);
	start_all(c);
	run_phases(c);
	if (!c->cancelled)
		repeat_doubted(c);
	dismiss(c);
	out->elapsed_us = clock_mono_us() - began;
	out->ran = !c->cancelled;
	rc = c->cancelled ? -1 : 0;
	free(c);
	return rc;
}
