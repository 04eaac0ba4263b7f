/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/supervise.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/clock.h"
#include "lib/log.h"
#include "lib/spawn.h"

struct supervised {
	int sock;
};

enum { TELL_LINE, TELL_DEADLINE, TELL_EXPECT };

struct told {
	int what;
	int value;
	char line[1104];
};

struct body_arg {
	supervise_f body;
	void *arg;
};

static void tell(struct supervised *link, int what, int value,
		 const char *line)
{
	struct told t = { .what = what, .value = value };
	size_t len = offsetof(struct told, line);

	if (line) {
		snprintf(t.line, sizeof(t.line), "%s", line);
		len += strlen(t.line) + 1;
	}
	worker_send(link->sock, &t, len);
}

static void sink(const char *line, void *arg)
{
	tell(arg, TELL_LINE, 0, line);
}

void supervise_deadline(struct supervised *link, int deadline_ms)
{
	tell(link, TELL_DEADLINE, deadline_ms, NULL);
}

void supervise_expect(struct supervised *link, int exit_code)
{
	tell(link, TELL_EXPECT, exit_code, NULL);
}

static int run_body(int sock, void *arg)
{
	struct body_arg *b = arg;
	struct supervised link = { sock };

	log_set_sink(sink, &link);
	return b->body(&link, b->arg);
}

/* Handle what has come. True at the worker's end. */
static bool listen_to(struct worker *w, int *deadline_ms, int *code)
{
	struct told t;
	ssize_t n;

	while ((n = worker_recv(w, &t, sizeof(t))) > 0) {
		if (t.what == TELL_DEADLINE)
			*deadline_ms = t.value;
		else if (t.what == TELL_EXPECT)
			*code = t.value;
		else if ((size_t)n > offsetof(struct told, line))
			fprintf(stderr, "%.*s\n",
				(int)((size_t)n - offsetof(struct told, line)),
				t.line);
	}
	return n == 0 || (errno != EAGAIN && errno != EMSGSIZE);
}

int supervise(supervise_f body, void *arg, int deadline_ms, int fallback)
{
	struct body_arg b = { body, arg };
	int code = fallback;
	struct pollfd p;
	struct worker w;
	int64_t left;

	/* As a vendor worker: it may hold locks that a SIGKILL would not
	 * release in order, and slurmd kills what is left of the group. */
	if (worker_start(&w, run_body, &b, true) < 0) {
		log_error("cannot start: %s", strerror(errno));
		return fallback;
	}
	for (;;) {
		left = w.started_ms + deadline_ms - clock_mono_ms();
		if (left <= 0) {
			log_error("not done after %d ms, leaving with %d",
				  deadline_ms, code);
			return code;
		}
		p = (struct pollfd){ .fd = w.sock, .events = POLLIN };
		poll(&p, 1, (int)left);
		if (listen_to(&w, &deadline_ms, &code))
			break;
	}
	worker_wait(&w, (int)(w.started_ms + deadline_ms - clock_mono_ms()));
	if (w.status != -1 && WIFEXITED(w.status))
		return WEXITSTATUS(w.status);
	log_error("internal fault (wait status %d), leaving with %d", w.status,
		  code);
	return code;
}
