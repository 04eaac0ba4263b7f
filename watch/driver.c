/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/driver.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "checks/gather.h"
#include "lib/clock.h"
#include "watch/driver_page.h"

/* After a failure the driver is left alone, twice as long each time. */
#define REST_MS 10000
#define REST_MAX 6
#define END_MS 120	/* for a child that is no good */

void driver_init(struct driver *d, const struct session *s)
{
	memset(d, 0, sizeof(*d));
	d->s = s;
	d->worker.sock = -1;
}

static void say(struct driver *d, const char *text)
{
	snprintf(d->why, sizeof(d->why), "%s", text);
}

static bool make_page(struct driver *d)
{
	if (d->page)
		return true;
	d->page = mmap(NULL, sizeof(*d->page), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (d->page == MAP_FAILED)
		d->page = NULL;
	return d->page != NULL;
}

static bool start(struct driver *d)
{
	if (!make_page(d)) {
		say(d, "no memory");
		return false;
	}
	memset(d->page, 0, offsetof(struct driver_page, reading));
	snprintf(d->page->nvml_path, sizeof(d->page->nvml_path), "%s",
		 cfg_text(d->s->cfg, "libraries", "nvml"));
	if (worker_start(&d->worker, driver_child, d->page, true) == 0)
		return true;
	d->worker.pid = 0;
	say(d, strerror(errno));
	return false;
}

static void rest(struct driver *d)
{
	int64_t rest_ms = (int64_t)REST_MS
			  << (d->failed < REST_MAX ? d->failed : REST_MAX);

	d->failed++;
	d->again_ms = clock_mono_ms() + rest_ms;
}

/* The page of one that stays behind is its own. */
static void abandon_page(struct driver *d)
{
	munmap(d->page, sizeof(*d->page));
	d->page = NULL;
}

/* A child of ours, or another program's, that has not come back. */
static bool somebody_is_stuck(struct driver *d)
{
	struct gather_stuck other;

	if (d->state == DRIVER_STUCK) {
		if (!worker_gone(&d->worker))
			return true;
		d->worker.pid = 0;
		d->state = DRIVER_IDLE;
	}
	if (!gather_stuck_before(d->s, &other))
		return false;
	snprintf(d->why, sizeof(d->why), "%s has not returned",
		 other.call[0] ? other.call : "a driver call");
	return true;
}

bool driver_ask(struct driver *d, const char (*bus_id)[24], int count)
{
	int64_t now = clock_mono_ms();
	char word = 1;

	if (d->state == DRIVER_ASKED || now < d->again_ms ||
	    somebody_is_stuck(d))
		return false;
	if (d->worker.pid <= 0 && !start(d)) {
		rest(d);
		return false;
	}
	d->page->count = count < FACTS_GPUS_MAX ? count : FACTS_GPUS_MAX;
	memcpy(d->page->bus_id, bus_id,
	       (size_t)d->page->count * sizeof(d->page->bus_id[0]));
	d->page->round = ++d->round;
	if (worker_send(d->worker.sock, &word, 1) < 0) {
		say(d, "the driver's child has gone");
		driver_end(d, END_MS);
		rest(d);
		return false;
	}
	d->state = DRIVER_ASKED;
	d->until_ms = now + DRIVER_ROUND_MS;
	return true;
}

int driver_fd(const struct driver *d)
{
	return d->state == DRIVER_ASKED ? d->worker.sock : -1;
}

static void note(const struct driver *d)
{
	struct gather_stuck n = { .pid = d->worker.pid };
	int slot = d->page->progress.gpu;

	snprintf(n.call, sizeof(n.call), "%.60s", d->page->progress.call);
	if (slot >= 0 && slot < d->page->count)
		memcpy(n.bus_id, d->page->bus_id[slot], sizeof(n.bus_id));
	gather_stuck_note(d->s, &n);
}

/* It did not come back in time. */
static void give_up(struct driver *d)
{
	snprintf(d->why, sizeof(d->why), "%.60s did not return",
		 d->page->progress.call[0] ? d->page->progress.call :
					     "a driver call");
	if (worker_end(&d->worker, END_MS)) {
		d->worker.pid = 0;
		d->state = DRIVER_BROKEN;
	} else {
		note(d);
		abandon_page(d);
		d->state = DRIVER_STUCK;
	}
	rest(d);
}

/* It is no good any more; it may not even end. */
static void end_broken(struct driver *d)
{
	driver_end(d, END_MS);
	if (d->state != DRIVER_STUCK)
		d->state = DRIVER_BROKEN;
	rest(d);
}

static void on_answer(struct driver *d)
{
	d->state = DRIVER_IDLE;
	if (!d->page->why[0]) {
		d->failed = 0;
		d->why[0] = '\0';
		return;
	}
	say(d, d->page->why);
	end_broken(d);
}

bool driver_hear(struct driver *d, int64_t now_ms)
{
	ssize_t n;
	char word;

	if (d->state != DRIVER_ASKED)
		return false;
	n = worker_recv(&d->worker, &word, 1);
	if (n > 0) {
		on_answer(d);
		return true;
	}
	if (n == 0 || (errno != EAGAIN && errno != EMSGSIZE)) {
		say(d, "the driver's child has died");
		end_broken(d);
		return true;
	}
	if (now_ms < d->until_ms)
		return false;
	give_up(d);
	return true;
}

const struct driver_reading *driver_reading(const struct driver *d, int slot)
{
	const struct driver_reading *r;

	if (!d->page || slot < 0 || slot >= FACTS_GPUS_MAX)
		return NULL;
	r = &d->page->reading[slot];
	return r->round == d->round ? r : NULL;
}

void driver_end(struct driver *d, int patience_ms)
{
	if (d->state == DRIVER_STUCK)
		return;		/* noted already */
	if (d->worker.pid > 0 && !worker_end(&d->worker, patience_ms)) {
		note(d);
		abandon_page(d);
		d->state = DRIVER_STUCK;
		return;
	}
	d->worker.pid = 0;
	d->state = DRIVER_IDLE;
}
