/* SPDX-License-Identifier: Apache-2.0
 * Tasks of all domains: start, watch, collect. */
#include "config.h"
#include "checks/gather.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "lib/clock.h"

#define POLL_MS 50
#define MESSAGES_MAX 4096	/* more from one worker is a flood */

static struct gather *gather_of(struct facts *facts,
				const struct gather_kind *kind)
{
	/* Every domain's struct begins with its struct gather. */
	return (struct gather *)((char *)facts + kind->offset);
}

static int body(int sock, void *arg)
{
	struct gather_task *t = arg;
	struct gather *g = gather_of(&t->page->facts, t->kind);
	struct gather_msg done = { .say = SAY_DONE, .index = 0 };
	int64_t began = clock_mono_us();

	if (t->kind->fill(t, sock) < 0) {
		if (g->end == GATHER_NONE || g->end == GATHER_DONE)
			g->end = GATHER_ERROR;
	} else if (g->end == GATHER_NONE) {
		g->end = GATHER_DONE;
	}
	g->elapsed_us = clock_mono_us() - began;
	return worker_send(sock, &done, sizeof(done)) < 0;
}

int gather_start(struct gather_task *t, const struct gather_kind *kind,
		 struct run *run, int64_t until_ms)
{
	struct gather *g = gather_of(run->facts, kind);

	t->kind = kind;
	t->run = run;
	t->until_ms = until_ms;
	t->moved_ms = clock_mono_ms();
	t->stuck_gpu = -1;
	t->page = mmap(NULL, sizeof(*t->page), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (t->page == MAP_FAILED)
		t->page = NULL;
	if (!t->page || worker_start(&t->worker, body, t, kind->vendor) < 0) {
		g->end = GATHER_ERROR;
		snprintf(g->why, sizeof(g->why), "cannot start a worker: %s",
			 strerror(errno));
		gather_end(t);
		return -1;
	}
	t->running = true;
	return 0;
}

void gather_stop(struct gather_task *t)
{
	struct gather_stuck note = { .pid = 0 };

	t->running = false;
	if (t->worker.pid <= 0 || t->worker.abandoned ||
	    worker_stop(&t->worker) == 0 || !t->kind->vendor)
		return;
	note.pid = t->worker.pid;
	snprintf(note.call, sizeof(note.call), "%s", t->stuck_call);
	if (t->stuck_gpu >= 0)
		snprintf(note.bus_id, sizeof(note.bus_id), "%s",
			 t->run->facts->gpus.gpu[t->stuck_gpu].bus_id);
	gather_stuck_note(t->run->s, &note);
}

void gather_end(struct gather_task *t)
{
	gather_stop(t);
	if (t->page)
		munmap(t->page, sizeof(*t->page));
	t->page = NULL;
}

static void take_gpus_head(struct gather_task *t)
{
	/* All but the array: counts, versions, return codes. */
	memcpy(&t->run->facts->gpus, &t->page->facts.gpus,
	       offsetof(struct facts_gpus, gpu));
}

static void take_gpu(struct gather_task *t, int i)
{
	if (i >= 0 && i < FACTS_GPUS_MAX)
		t->run->facts->gpus.gpu[i] = t->page->facts.gpus.gpu[i];
}

static void take_state(struct run *run, const char *text, size_t len)
{
	json_decref(run->kmsg_state);
	run->kmsg_state = json_loadb(text, len, 0, NULL);
}

static void on_message(struct gather_task *t, const struct gather_msg *m,
		       size_t len)
{
	switch (m->say) {
	case SAY_DONE:
		t->done = true;
		if (t->kind != &gather_gpu_kind)
			memcpy((char *)t->run->facts + t->kind->offset,
			       (char *)&t->page->facts + t->kind->offset,
			       t->kind->size);
		else if (!t->again)
			take_gpus_head(t);
		break;
	case SAY_STATE:
		take_state(t->run, m->text, len - sizeof(*m));
		break;
	case SAY_INVENTORY:
		t->run->facts->gpus = t->page->facts.gpus;
		break;
	case SAY_GPU:
		take_gpu(t, m->index);
		break;
	}
}

/* Everything that waits in the socket. True when the worker has gone. */
static bool drain(struct gather_task *t)
{
	static union {
		struct gather_msg m;
		char bytes[SPAWN_MSG_MAX];
	} buf;
	ssize_t n;
	int i;

	for (i = 0; i < MESSAGES_MAX; i++) {
		n = worker_recv(&t->worker, buf.bytes, sizeof(buf.bytes));
		if (n >= (ssize_t)sizeof(struct gather_msg)) {
			on_message(t, &buf.m, (size_t)n);
			continue;
		}
		if (n < 0 && (errno == EAGAIN || errno == EMSGSIZE))
			return false;
		if (n <= 0)
			return true;
	}
	return true;
}

static void say_end(struct gather_task *t, enum gather_end end,
		    const char *why)
{
	struct gather *g = gather_of(t->run->facts, t->kind);

	if (t->again)
		return;
	g->end = end;
	g->elapsed_us = (clock_mono_ms() - t->worker.started_ms) * 1000;
	snprintf(g->why, sizeof(g->why), "%s", why);
}

static void on_gone(struct gather_task *t)
{
	char why[64];

	worker_stop(&t->worker);
	t->running = false;
	if (t->done)
		return;
	if (WIFSIGNALED(t->worker.status))
		snprintf(why, sizeof(why), "worker ended by signal %d",
			 WTERMSIG(t->worker.status));
	else
		snprintf(why, sizeof(why), "worker ended half-way, status %d",
			 WEXITSTATUS(t->worker.status));
	say_end(t, GATHER_CRASHED, why);
}

/* Has the driver let go of a call since we last looked? */
static void watch_progress(struct gather_task *t, int64_t now)
{
	const struct facts_gpu_progress *p = &t->page->progress;

	if (spawn_proc_state(t->worker.pid) != 'D')
		t->d_since_ms = 0;
	else if (!t->d_since_ms)
		t->d_since_ms = now;
	if (p->calls != t->calls) {
		t->calls = p->calls;
		t->moved_ms = now;
	}
	if (now - t->moved_ms < t->patience_ms || !p->call[0])
		return;
	t->stuck = true;
	t->stuck_gpu = p->gpu < FACTS_GPUS_MAX ? p->gpu : -1;
	snprintf(t->stuck_call, sizeof(t->stuck_call), "%.60s", p->call);
}

static void watch(struct gather_task *t, int64_t now)
{
	if (drain(t)) {
		on_gone(t);
		return;
	}
	if (t->done) {		/* it only has to go: see gather_end() */
		t->running = false;
		return;
	}
	if (t->kind->vendor)
		watch_progress(t, now);
	if (!t->stuck && now < t->until_ms)
		return;
	if (!t->stuck)
		say_end(t, GATHER_TIMEOUT, "no answer in time");
	t->running = false;	/* its worker is stopped by gather_end() */
}

static int running(struct gather_task *tasks, int n, struct pollfd *fds)
{
	int k = 0;
	int i;

	for (i = 0; i < n; i++)
		if (tasks[i].running)
			fds[k++] = (struct pollfd){ .fd = tasks[i].worker.sock,
						    .events = POLLIN };
	return k;
}

static int64_t sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* How long poll() may sleep: to the next moment at which one is given up. */
static int nap_ms(const struct gather_task *tasks, int n, int64_t now)
{
	int64_t until = now + POLL_MS;
	int i;

	for (i = 0; i < n; i++) {
		const struct gather_task *t = &tasks[i];
		int64_t patience = t->moved_ms + t->patience_ms;

		if (!t->running)
			continue;
		until = sooner(until, t->until_ms);
		if (t->kind->vendor && patience > now)
			until = sooner(until, patience);
	}
	return until > now ? (int)(until - now) : 1;
}

int gather_wait(struct gather_task *tasks, int n)
{
	struct pollfd fds[16];
	int64_t before, now;
	bool stuck = false;
	int late = 0;
	int nap;
	int i, k;

	while (!stuck && (k = running(tasks, n, fds)) > 0) {
		before = clock_mono_ms();
		nap = nap_ms(tasks, n, before);
		poll(fds, (nfds_t)k, nap);
		now = clock_mono_ms();
		late = now - before - nap > late ? (int)(now - before - nap) :
						   late;
		for (i = 0; i < n; i++)
			if (tasks[i].running) {
				watch(&tasks[i], now);
				stuck |= tasks[i].stuck;
			}
	}
	return late;
}
