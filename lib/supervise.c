/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/supervise.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/log.h"
#include "lib/spawn.h"

/* A worker of the worker may hold the link open: ends are looked for too. */
#define LOOK_MS 20
/* How far behind the deadline this process may be in a write to a log that
 * nobody reads, before it leaves without a word. */
#define GRACE_MS 200

struct supervised {
	int sock;
};

enum { TELL_LINE, TELL_DEADLINE, TELL_EXPECT, TELL_RESULT };

struct told {
	int what;
	int value;
	char line[1104];
};

struct body_arg {
	supervise_f body;
	void *arg;
};

struct watched {
	struct worker worker;
	int deadline_ms;
	bool has_result;	/* the body came to its end */
};

/* The code to leave with; the alarm's handler needs it. */
static volatile sig_atomic_t code_now;

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
	tell(&link, TELL_RESULT, b->body(&link, b->arg), NULL);
	return 0;
}

static void leave_now(int sig)
{
	(void)sig;
	_exit(code_now);
}

/* The last resort: no write of ours may keep this process. ms 0: none. */
static void set_alarm(int64_t ms)
{
	struct itimerval t = { { 0, 0 },
			       { ms / 1000, (ms % 1000) * 1000 } };

	setitimer(ITIMER_REAL, &t, NULL);
}

static int64_t left_ms(const struct watched *w)
{
	return w->worker.started_ms + w->deadline_ms - clock_mono_ms();
}

static void arm(const struct watched *w)
{
	int64_t left = left_ms(w);

	set_alarm((left > 0 ? left : 0) + GRACE_MS);
}

static void hear(struct watched *w, const struct told *t, size_t len)
{
	const size_t head = offsetof(struct told, line);

	switch (t->what) {
	case TELL_DEADLINE:
		w->deadline_ms = t->value;
		arm(w);
		break;
	case TELL_RESULT:
		w->has_result = true;
		code_now = t->value;
		break;
	case TELL_EXPECT:
		code_now = t->value;
		break;
	default:
		if (len > head)
			fprintf(stderr, "%.*s\n", (int)(len - head), t->line);
	}
}

/* Handle what has come. True at the end of the body, or of its worker. */
static bool listen_to(struct watched *w)
{
	struct told t;
	ssize_t n;

	while ((n = worker_recv(&w->worker, &t, sizeof(t))) > 0)
		hear(w, &t, (size_t)n);
	return w->has_result || n == 0 ||
	       (errno != EAGAIN && errno != EMSGSIZE);
}

/* Until the worker has ended; false if the time ended first. */
static bool wait_for(struct watched *w)
{
	struct pollfd p = { .fd = w->worker.sock, .events = POLLIN };
	int64_t left;
	bool gone;

	while ((left = left_ms(w)) > 0) {
		poll(&p, 1, left < LOOK_MS ? (int)left : LOOK_MS);
		/* Asked before the last words are read, so that none is lost. */
		gone = worker_gone(&w->worker);
		if (listen_to(w) || gone)
			return true;
	}
	return false;
}

/* Ends by default again what a caller may have left us ignoring, SIGCHLD
 * above all: without it no wait status is told. */
static void prepare(void)
{
	struct sigaction leave = { .sa_handler = leave_now };
	sigset_t none;

	spawn_fill_stdio();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	sigaction(SIGALRM, &leave, NULL);
}

int supervise(supervise_f body, void *arg, int deadline_ms, int fallback)
{
	struct body_arg b = { body, arg };
	struct watched w = { .deadline_ms = deadline_ms };

	code_now = fallback;
	prepare();
	if (worker_start(&w.worker, run_body, &b, false) < 0) {
		log_error("cannot start: %s", strerror(errno));
		return fallback;
	}
	arm(&w);
	if (!wait_for(&w)) {
		/* What is late must not be done when nobody waits for it. It
		 * loads no vendor library itself, so a signal may end it. */
		kill(w.worker.pid, SIGTERM);
		log_error("not done after %d ms, leaving with %d",
			  w.deadline_ms, (int)code_now);
	} else if (!w.has_result) {
		/* Whatever its exit status: only the body's own word counts. */
		log_error("internal fault, leaving with %d", (int)code_now);
	}
	set_alarm(0);
	return code_now;
}
