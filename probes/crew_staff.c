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
#define TERM_MS 300		/* for those that were told to end */
#define CONTEXT_PERCENT 60	/* of the budget, until a context is there */
#define CONTEXT_MS_MAX 15000
#define EXCLUSIVE_PROCESS 3	/* of NVML's compute modes */

/* Is it out of any GPU's driver? Then a kill can do no harm. */
static bool is_killable(int hand)
{
	return hand == STORAGE || (hand < GROUP && crew_is_port(hand));
}

/* What the worker finds in its page. */
static void fill_page(struct crew *c, struct hand *h, int place)
{
	struct gpu_probes *g;

	if (crew_is_port(place))
		return;
	g = &h->page->result.gpu[place];
	h->page->crew[0] = c->hand[GROUP].worker.pid;
	g->left_mib = -1;
	g->port = c->out->gpu[place].port;
}

static void start(struct crew *c, int hand, int place)
{
	int limit_ms = c->plan->budget_ms * CONTEXT_PERCENT / 100;
	struct hand *h = &c->hand[hand];

	h->worker.sock = -1;
	h->page = mmap(NULL, sizeof(*h->page), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (h->page == MAP_FAILED)
		h->page = NULL;
	h->task = (struct worker_task){ .plan = c->plan, .page = h->page,
					.place = place };
	if (h->page && place >= 0)
		fill_page(c, h, place);
	if (!h->page || worker_start(&h->worker, worker_body, &h->task,
				     !is_killable(hand)) < 0) {
		if (place >= 0)
			crew_tell(crew_shot(c, place, PROBE_context, 0),
				  PROBE_BROKEN,
				  "cannot start a worker: ", strerror(errno));
		return;
	}
	if (place >= 0 && !crew_is_port(place) && c->hand[GROUP].page)
		c->hand[GROUP].page->crew[place] = h->worker.pid;
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
		if (plan->chosen[i] && is_exclusive(&plan->gpus->gpu[i]))
			return false;
	return plan->probe[PROBE_peer] || plan->probe[PROBE_nccl];
}

void crew_start(struct crew *c)
{
	int64_t began = clock_mono_us();
	int i, place;

	for (i = 0; i < HANDS; i++)
		c->hand[i].worker.sock = -1;
	if (c->plan->probe[PROBE_storage])
		start(c, STORAGE, WORKER_STORAGE);
	if (wants_group(c->plan))
		start(c, GROUP, WORKER_GROUP);
	/* Those that there is no time for are said to have had none. */
	for (i = 0; i < crew_places(c) && crew_left_ms(c) > 0; i++) {
		place = c->plan->order[i];
		if (c->plan->chosen[place])
			start(c, place, place);
	}
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
	s->place = h->task.place;
	snprintf(s->call, sizeof(s->call), "%.39s", h->page->progress.call);
}

/* Who has not gone by now is told once more. Who is in no GPU's driver is
 * killed, so that the next probes of GPUs may go on. */
static void end_the_rest(struct crew *c)
{
	int i;

	for (i = 0; i < HANDS; i++)
		if (c->hand[i].worker.pid > 0 &&
		    !worker_gone(&c->hand[i].worker))
			kill(c->hand[i].worker.pid,
			     is_killable(i) ? SIGKILL : SIGTERM);
}

/* It hangs in a read, and no kill has ended it. Nobody else is to be sent
 * there. */
static void note_reader(struct crew *c)
{
	struct hand *h = &c->hand[STORAGE];
	struct roots real = { .fd = -1 };

	if (h->worker.pid <= 0 || worker_gone(&h->worker) ||
	    roots_open(&real, "/", NULL) < 0)
		return;
	c->out->storage_start = facts_tasks_start(&real, h->worker.pid);
	c->out->storage_pid = c->out->storage_start ? h->worker.pid : 0;
	roots_close(&real);
}

/* What is left of a hand when its worker was waited for. How much memory a
 * GPU's worker could not give back, it says in its page on its way out. */
static void let_go(struct crew *c, int hand)
{
	struct hand *h = &c->hand[hand];
	bool gone = h->worker.pid <= 0 || worker_gone(&h->worker);

	if (!gone && hand != STORAGE)
		note_stuck(c, h);
	else if (h->page && hand < PROBE_GPUS_MAX)
		c->out->gpu[hand].left_mib = h->page->result.gpu[hand].left_mib;
	if (h->worker.sock >= 0)
		close(h->worker.sock);
	if (h->page)
		munmap(h->page, sizeof(*h->page));
}

/* However many hang, they are waited for together. */
void crew_dismiss(struct crew *c)
{
	int patience_ms = LEAVE_MS;
	int i;

	tell_to_go(c);
	/* Eight contexts in one process may take a second to go. */
	if (crew_left_ms(c) > patience_ms)
		patience_ms = (int)crew_left_ms(c);
	if (!all_gone(c, c->cancelled ? 0 : patience_ms)) {
		end_the_rest(c);
		all_gone(c, TERM_MS);
	}
	note_reader(c);
	for (i = 0; i < HANDS; i++)
		let_go(c, i);
}
