/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/sampler.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/log.h"
#include "lib/scrub.h"
#include "watch/keeper.h"
#include "watch/prom.h"

/* A job's first seconds: the readings that its first sample begins with, when
 * its Prolog has gone, and the sample. */
#define FIRST_MS 1000
#define SECOND_MS 5000
/* For its end, of the KEEPER_PATIENCE_MS that an Epilog waits, and of that for
 * a last sample. */
#define END_MS 140
#define LAST_MS 60
#define LAST_LOG_MS 40

static void add_extra(struct sampler *w, int64_t at_ms)
{
	int i;

	for (i = 0; i < SAMPLER_EXTRAS; i++)
		if (!w->extra_ms[i]) {
			w->extra_ms[i] = at_ms;
			return;
		}
}

static int64_t next_due(const struct sampler *w)
{
	int64_t due = w->due_ms;
	int i;

	for (i = 0; i < SAMPLER_EXTRAS; i++)
		if (w->extra_ms[i] && w->extra_ms[i] < due)
			due = w->extra_ms[i];
	return due;
}

/* What is due is done with by one round. */
static bool take_due(struct sampler *w, int64_t now_ms)
{
	bool due = false;
	int i;

	for (i = 0; i < SAMPLER_EXTRAS; i++)
		if (w->extra_ms[i] && w->extra_ms[i] <= now_ms) {
			w->extra_ms[i] = 0;
			due = true;
		}
	if (w->due_ms > now_ms)
		return due;
	w->due_ms += w->interval_ms;
	if (w->due_ms <= now_ms)	/* asleep, or late */
		w->due_ms = now_ms + w->interval_ms;
	return true;
}

/* Look at the marks. False: nobody is there any more. */
static bool look(struct sampler *w)
{
	bool news, ends;
	int64_t now = clock_mono_ms();

	if (!sampler_look(w, &news, &ends))
		return false;
	if (news || ends) {
		sampler_fit_gpus(w);
		sampler_fit_ports(w);
		sampler_part_events(w);
	}
	if (news) {
		add_extra(w, now + FIRST_MS);
		add_extra(w, now + SECOND_MS);
	}
	return true;
}

static bool is_awaited(const struct sampler *w)
{
	return w->driver.state == DRIVER_ASKED || w->look.asked;
}

/* Nobody's answer is awaited any more. */
static void end_round(struct sampler *w)
{
	w->in_round = false;
	w->last = clock_now();
	w->samples++;
	sampler_write_state(w);
	if (!w->ending)
		sampler_write_jobs(w);
}

static void begin_round(struct sampler *w)
{
	if (w->in_round)
		return;		/* the one before has not ended */
	w->in_round = true;
	sampler_ask_gpus(w);
	sampler_ask_files(w);
	sampler_read_kernel(w);	/* while they work */
	if (!is_awaited(w))
		end_round(w);
}

static void hear_answers(struct sampler *w)
{
	int64_t now = clock_mono_ms();

	if (driver_hear(&w->driver, now))
		sampler_take_gpus(w);
	if (look_hear(&w->look, now))
		sampler_take_files(w);
	if (w->in_round && !is_awaited(w))
		end_round(w);
	hook_turn(&w->hook);
}

/* ---- signals --------------------------------------------------------------- */

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGCHLD);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -1;
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

/* True: somebody told us to look at the marks. */
static bool hear_signals(struct sampler *w)
{
	struct signalfd_siginfo info;
	bool told = false;

	while (read(w->signals, &info, sizeof(info)) ==
	       (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGTERM && !w->ending)
			w->end_by_ms = clock_mono_ms() + END_MS;
		w->ending |= info.ssi_signo == SIGTERM;
		told |= info.ssi_signo == SIGUSR1;
	}
	return told;
}

/* ---- the loop ---------------------------------------------------------------- */

static int left_ms(int64_t until_ms)
{
	int64_t left = until_ms - clock_mono_ms();

	return left > 0 ? (int)left : 0;
}

static int nap_ms(const struct sampler *w)
{
	int64_t until = next_due(w);

	if (w->driver.state == DRIVER_ASKED && w->driver.until_ms < until)
		until = w->driver.until_ms;
	if (w->look.asked && w->look.until_ms < until)
		until = w->look.until_ms;
	return left_ms(until);
}

static void wait_for_news(const struct sampler *w, int patience_ms)
{
	struct pollfd p[] = {
		{ .fd = w->signals, .events = POLLIN },
		{ .fd = driver_fd(&w->driver), .events = POLLIN },
		{ .fd = look_fd(&w->look), .events = POLLIN },
	};

	poll(p, sizeof(p) / sizeof(p[0]), patience_ms);
}

/* One turn. False: there is nobody left to sample for. */
static bool turn(struct sampler *w)
{
	bool told;

	wait_for_news(w, nap_ms(w));
	told = hear_signals(w);
	hear_answers(w);
	if (w->ending)
		return true;
	if (told && !look(w))
		return false;
	if (take_due(w, clock_mono_ms())) {
		if (!look(w))
			return false;
		begin_round(w);
	}
	return true;
}

/* One more sample, if the driver gives it at once: a job's last seconds. */
static void last_round(struct sampler *w)
{
	int64_t until = w->end_by_ms - (END_MS - LAST_MS);
	int left;

	/* There was not even a first one, or there is no use in waiting. */
	if (w->driver.worker.pid <= 0 || w->driver.state == DRIVER_STUCK)
		return;
	w->kernel.time_ms = LAST_LOG_MS;
	begin_round(w);
	while (w->in_round && (left = left_ms(until)) > 0) {
		wait_for_news(w, left);
		hear_signals(w);
		hear_answers(w);
	}
}

/* The driver's first: its session is what an Epilog waits for. */
static void end_children(struct sampler *w)
{
	if (!w->ending)
		w->end_by_ms = clock_mono_ms() + END_MS;
	driver_end(&w->driver, left_ms(w->end_by_ms));
	look_end(&w->look, left_ms(w->end_by_ms));
	w->in_round = false;
	sampler_end_scribe(w, left_ms(w->end_by_ms));
}

/* Let go of the lock, then look once more: who marked a job meanwhile saw the
 * lock held, and started nobody. True: go on. */
static bool anyone_came(struct sampler *w)
{
	uint32_t one;

	keeper_leave(w->lock);
	w->lock = -1;
	if (mark_alive(w->s->run_dir, w->boot_id, &one, 1) <= 0)
		return false;
	w->lock = keeper_take(w->dir);
	return w->lock >= 0;
}

/* The same of one that was told to end. It goes all the same, for an Epilog
 * waits; another one is to come. */
static bool is_missed(struct sampler *w)
{
	keeper_leave(w->lock);
	w->lock = -1;
	return sampler_misses(w);
}

static void read_boot_id(struct sampler *w)
{
	if (roots_read(&w->s->roots, "proc/sys/kernel/random/boot_id",
		       w->boot_id, sizeof(w->boot_id)) < 0)
		w->boot_id[0] = '\0';
	scrub(w->boot_id);
}

int sampler_run(struct sampler *w, struct err *e)
{
	w->signals = open_signals();
	if (w->signals < 0)
		return err_errno(e, "signals");
	read_boot_id(w);
	driver_init(&w->driver, w->s);
	hook_init(&w->hook, w->s);
	w->memory = state_get(&w->s->state, "memory");
	look_init(&w->look, w->s, json_object_get(w->memory, "ib_errors"));
	w->started = clock_now();
	w->interval_ms = 1000 * cfg_int(w->s->cfg, "watch", "interval_s");
	w->due_ms = clock_mono_ms() + w->interval_ms;
	do {
		if (!look(w))
			continue;
		sampler_begin_events(w);
		sampler_write_state(w);
		while (!w->ending && turn(w))
			;
		if (w->ending)
			last_round(w);
		end_children(w);
		prom_remove(w);
		hook_end(&w->hook);
		kernel_close(&w->kernel);
		sampler_close_gpus(w);
		sampler_close_ports(w);
		if (w->ending)
			w->missed = is_missed(w);
		sampler_forget_jobs(w);
	} while (!w->ending && anyone_came(w));
	if (w->driver.state == DRIVER_STUCK)
		log_warn("left a child in the driver: %s", w->driver.why);
	json_decref(w->memory);
	close(w->signals);
	return 0;
}
