/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/fan.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/spawn.h"

#define ANSWER_MAX (16 * 1024)
#define KILL_PATIENCE_MS 20

struct child {
	const struct fan *fan;
	int i;
};

static int body(int sock, void *arg)
{
	const struct child *c = arg;
	void *answer = calloc(1, c->fan->size);
	int rc = -1;

	if (answer)
		rc = c->fan->body(c->i, c->fan->arg, answer);
	if (!rc)
		rc = worker_send(sock, answer, c->fan->size);
	free(answer);
	return rc ? 1 : 0;
}

static void start_all(const struct fan *f, struct worker *w,
		      struct fan_slot *slots)
{
	for (int i = 0; i < f->count; i++) {
		struct child c = { f, i };

		w[i] = (struct worker){ .sock = -1, .status = -1 };
		slots[i] = (struct fan_slot){ .end = FAN_SKIPPED };
		if (f->skip[i])
			continue;
		slots[i].end = worker_start(&w[i], body, &c, false) < 0 ?
			FAN_NOT_STARTED : FAN_LATE;
	}
}

static void take(const struct fan *f, int i, struct worker *w,
		 struct fan_slot *slot, int64_t started_us)
{
	char answer[ANSWER_MAX];
	ssize_t n = worker_recv(w, answer, sizeof(answer));

	if (n < 0 && errno == EAGAIN)
		return;
	slot->end = FAN_DIED;
	slot->elapsed_us = clock_mono_us() - started_us;
	if (n == (ssize_t)f->size) {
		slot->end = FAN_ANSWERED;
		memcpy((char *)f->answers + (size_t)i * f->size, answer,
		       f->size);
	}
	close(w->sock);
	w->sock = -1;
}

/* Wait for one answer; false when there is nothing left to wait for. */
static bool wait_some(const struct fan *f, struct worker *w,
		      struct fan_slot *slots, int64_t started_us)
{
	int64_t left = f->deadline_ms -
		(clock_mono_us() - started_us) / 1000;
	struct pollfd fds[FAN_MAX];
	int waiting = 0;

	for (int i = 0; i < f->count; i++) {
		fds[i] = (struct pollfd){ .fd = w[i].sock, .events = POLLIN };
		waiting += w[i].sock >= 0;
	}
	if (!waiting || left <= 0)
		return false;
	if (poll(fds, (nfds_t)f->count, (int)left) < 0)
		return errno == EINTR;
	for (int i = 0; i < f->count; i++)
		if (fds[i].revents)
			take(f, i, &w[i], &slots[i], started_us);
	return true;
}

/* All of them are asked to end at once; what is still there afterwards hangs
 * in the kernel, and is left to it. */
static void end_all(const struct fan *f, struct worker *w,
		    struct fan_slot *slots, int64_t started_us)
{
	int64_t until;
	bool left = false;

	for (int i = 0; i < f->count; i++) {
		if (w[i].sock < 0)
			continue;
		close(w[i].sock);
		slots[i].elapsed_us = clock_mono_us() - started_us;
		kill(w[i].pid, SIGKILL);
	}
	until = clock_mono_ms() + KILL_PATIENCE_MS;
	do {
		left = false;
		for (int i = 0; i < f->count; i++)
			left |= w[i].pid > 0 && !worker_gone(&w[i]);
		if (left)
			clock_sleep_ms(1);
	} while (left && clock_mono_ms() < until);
	for (int i = 0; i < f->count; i++)
		if (slots[i].end == FAN_LATE && !worker_gone(&w[i]))
			slots[i].left = w[i].pid;
}

void fan_run(const struct fan *f, struct fan_slot *slots)
{
	struct worker w[FAN_MAX];
	int64_t started_us = clock_mono_us();

	start_all(f, w, slots);
	while (wait_some(f, w, slots, started_us))
		;
	end_all(f, w, slots, started_us);
}
