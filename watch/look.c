/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/look.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/clock.h"
#include "lib/log.h"

#define STOP_MS 100

void look_init(struct look *l, const struct session *s, const json_t *memory)
{
	memset(l, 0, sizeof(*l));
	l->s = s;
	l->memory = memory;
	l->worker.sock = -1;
}

static int body(int sock, void *arg)
{
	const struct look *l = arg;
	char word = 1;

	look_fill(l, l->page);
	return worker_send(sock, &word, 1) < 0;
}

bool look_ask(struct look *l)
{
	if (l->asked || (l->stuck && !worker_gone(&l->worker)))
		return false;
	l->stuck = l->fresh = false;
	if (!l->page) {
		l->page = mmap(NULL, sizeof(*l->page), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (l->page == MAP_FAILED)
			l->page = NULL;
	}
	if (!l->page || worker_start(&l->worker, body, l, false) < 0)
		return false;
	l->asked = true;
	l->until_ms = clock_mono_ms() + LOOK_MS;
	return true;
}

int look_fd(const struct look *l)
{
	return l->asked ? l->worker.sock : -1;
}

/* One that not even a signal ends keeps its page. */
static void stop(struct look *l, int patience_ms)
{
	l->asked = false;
	if (worker_end(&l->worker, patience_ms))
		return;
	log_warn("a file of the fabric, a cgroup or a file system does not "
		 "answer");
	munmap(l->page, sizeof(*l->page));
	l->page = NULL;
	l->stuck = true;
}

bool look_hear(struct look *l, int64_t now_ms)
{
	ssize_t n;
	char word;

	if (!l->asked)
		return false;
	n = worker_recv(&l->worker, &word, 1);
	if (n < 0 && (errno == EAGAIN || errno == EMSGSIZE) &&
	    now_ms < l->until_ms)
		return false;
	l->fresh = n > 0;
	if (l->fresh)
		worker_wait(&l->worker, 50);	/* it has nothing left to do */
	stop(l, STOP_MS);
	return true;
}

void look_end(struct look *l, int patience_ms)
{
	if (l->asked)
		stop(l, patience_ms);
}
