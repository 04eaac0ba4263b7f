/* SPDX-License-Identifier: Apache-2.0
 * The workers' beginning and end. */
#include "config.h"
#include "probes/crew_inside.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/facts_tasks.h"

#define LEAVE_MS 400		/* for a worker to give its context back: at
				 * least, and what is left of the budget */
#define TERM_MS 300		/* for one that was told to end */
#define CONTEXT_PERCENT 60	/* of the budget, until a context is there */
#define CONTEXT_MS_MAX 15000
#define EXCLUSIVE_PROCESS 3	/* of NVML's compute modes */

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
			crew_tell(crew_shot(c, gpu, PROBE_context, 0), PROBE_BROKEN,
			     "cannot start a worker: ", strerror(errno));
		return;
	}
	if (gpu >= 0 && c->hand[GROUP].page)
		c->hand[GROUP].page->crew[gpu] = h->worker.pid;
	crew_busy(c, h, PROBE_context, 0,
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

void crew_start(struct crew *c)
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
	crew_wait(c, GROUP);
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
void crew_dismiss(struct crew *c)
{
	int patience_ms = LEAVE_MS;
	int i;

	tell_to_go(c);
	/* Eight contexts in one process may take a second to go. */
	if (crew_left_ms(c) > patience_ms)
		patience_ms = (int)crew_left_ms(c);
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
