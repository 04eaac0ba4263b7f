/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/hook.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/fdio.h"
#include "lib/log.h"

#define DIRECTORY "event.d"

void hook_init(struct hook *h, const struct session *s)
{
	const char *slash = strrchr(s->config_path, '/');

	memset(h, 0, sizeof(*h));
	h->worker.sock = -1;
	if (slash)
		snprintf(h->dir, sizeof(h->dir), "%.*s/" DIRECTORY,
			 (int)(slash - s->config_path), s->config_path);
}

/* ---- whether ------------------------------------------------------------- */

/* By the clock that nobody sets. */
static bool is_lately(int64_t up_s, const struct event *ev)
{
	return up_s && ev->up_s - up_s < HOOK_AGAIN_S;
}

static bool told_lately(const struct hook *h, const struct event *ev)
{
	int i;

	for (i = 0; i < HOOK_AT_MOST; i++)
		if (is_lately(h->told[i].up_s, ev) &&
		    h->told[i].kind == ev->kind &&
		    !strcmp(h->told[i].device, ev->device))
			return true;
	return false;
}

/* The oldest of the last HOOK_AT_MOST must be old enough. */
static bool too_many(const struct hook *h, const struct event *ev)
{
	return is_lately(h->told[h->next].up_s, ev);
}

void hook_add(struct hook *h, const struct event *ev, const char *jobs)
{
	struct hook_call *c;

	if (access(h->dir, F_OK) < 0 || told_lately(h, ev))
		return;
	if (h->count == HOOK_QUEUE || too_many(h, ev)) {
		if (!h->full_said)
			log_warn("too many events for " DIRECTORY);
		h->full_said = true;
		return;
	}
	h->full_said = false;
	h->told[h->next].kind = ev->kind;
	memcpy(h->told[h->next].device, ev->device, sizeof(ev->device));
	h->told[h->next].up_s = ev->up_s;
	h->next = (h->next + 1) % HOOK_AT_MOST;
	c = &h->queue[h->count++];
	c->ev = *ev;
	snprintf(c->jobs, sizeof(c->jobs), "%s", *jobs ? jobs : "-");
}

/* ---- in the child ----------------------------------------------------------- */

static int is_program(const struct dirent *d)
{
	size_t len = strlen(d->d_name);

	return d->d_name[0] != '.' && d->d_name[len - 1] != '~';
}

static void run_one(const char *path, const struct hook_call *c)
{
	char number[16] = "-", time[21];
	const char *argv[] = { path, event_kind_name(c->ev.kind),
			       c->ev.device[0] ? c->ev.device : "-", number,
			       c->jobs, clock_iso(c->ev.time_s, time), NULL };
	const char *envp[] = { NULL };
	struct spawn_out out;
	struct err e = { "" };

	if (c->ev.number >= 0)
		snprintf(number, sizeof(number), "%d", c->ev.number);
	if (spawn_run(argv, envp, HOOK_MS, 256, &out, &e) < 0) {
		log_warn("%s", e.text);
		return;
	}
	if (out.timed_out)
		log_warn("%s did not end in %d ms", path, HOOK_MS);
	else if (out.status)
		log_warn("%s: wait status %d", path, out.status);
	spawn_out_fini(&out);
}

static bool may_run(const char *path)
{
	struct stat st;
	struct err e;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) ||
	    access(path, X_OK) < 0)
		return false;
	if (cfg_file_trusted(path, &e) == 0)
		return true;
	log_warn("not run: %s", e.text);
	return false;
}

static int body(int sock, void *arg)
{
	const struct hook *h = arg;
	struct dirent **names;
	char path[4096 + 256 + 2];
	int i, k, n;

	(void)sock;
	n = scandir(h->dir, &names, is_program, alphasort);
	for (k = 0; k < h->count; k++)
		for (i = 0; i < n; i++) {
			snprintf(path, sizeof(path), "%s/%s", h->dir,
				 names[i]->d_name);
			if (may_run(path))
				run_one(path, &h->queue[k]);
		}
	return 0;
}

/* ---- in the sampler --------------------------------------------------------- */

/* The child has its own copy of the queue. */
static void start(struct hook *h)
{
	fdio_close(h->worker.sock);
	h->worker.sock = -1;
	if (worker_start(&h->worker, body, h, false) == 0)
		h->count = 0;
	else
		h->worker.pid = 0;
}

void hook_turn(struct hook *h)
{
	if (h->worker.pid > 0 && worker_gone(&h->worker)) {
		fdio_close(h->worker.sock);
		h->worker.sock = -1;
		h->worker.pid = 0;
	}
	if (h->count && h->worker.pid <= 0)
		start(h);
}

void hook_end(struct hook *h)
{
	hook_turn(h);
	if (h->count)
		start(h);	/* beside the one that still runs */
}
