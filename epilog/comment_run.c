/* SPDX-License-Identifier: Apache-2.0
 * The one writer: through the queue at the pace that the accounting likes. */
#include "config.h"
#include "epilog/comment.h"

#include <stdlib.h>

#include "epilog/records.h"
#include "lib/clock.h"
#include "lib/log.h"

#define GIVE_UP_S 86400
#define REFUSED_PAUSE_S 600
#define PAUSE_FIRST_MS 1000
#define PAUSE_MAX_MS 8000
#define LOOK_MS 500

struct round {
	int left;     /* jobs that still wait */
	bool down;    /* the accounting does not answer */
	bool refused; /* it must not be written to */
};

static bool is_time_left(const struct comments *p)
{
	return clock_mono_ms() < p->until_ms;
}

/* Is there more to be done for it? */
static bool is_left(const struct queued *job, int64_t age_s,
		    enum commented result, const struct err *e)
{
	if (result == COMMENT_DONE)
		log_info("job %u: comment written", job->job);
	else if (result == COMMENT_KEPT)
		log_info("job %u: no comment written: %s", job->job, e->text);
	else if (result == COMMENT_NOTHING)
		log_debug("job %u: nothing to tell", job->job);
	else if (age_s < GIVE_UP_S || result == COMMENT_DOWN)
		return true; /* that it is down is not the job's fault */
	else
		log_warn("job %u: given up: %s", job->job, e->text);
	return false;
}

static void one(struct comments *p, struct queue *q, const struct queued *job,
		struct round *r)
{
	int64_t age_s = clock_wall_s() - job->since_s;
	struct err e = { "" };
	enum commented result = comment_job(p, job->job, age_s, &e);

	r->down = result == COMMENT_DOWN;
	r->refused = result == COMMENT_REFUSED;
	if (r->refused || (r->down && !p->told_down))
		log_error("job %u: %s", job->job, e.text);
	p->told_down = r->down;
	if (is_left(job, age_s, result, &e)) {
		log_debug("job %u: later: %s", job->job, e.text);
		r->left++;
		return;
	}
	queue_remove(q, job);
}

static struct round once_through(struct comments *p, struct queue *q)
{
	struct round r = { 0 };
	struct queued *list = NULL;
	int n = queue_list(q, &list), i;

	for (i = 0; i < n && !r.down && !r.refused && is_time_left(p); i++)
		one(p, q, &list[i], &r);
	r.left += n > i ? n - i : 0;
	free(list);
	return r;
}

/* Sleep, but not while there are more jobs than before: true then. */
static bool is_woken(const struct queue *q, int pause_ms)
{
	int64_t until_ms = clock_mono_ms() + pause_ms;
	int64_t before = queue_changed_ns(q);

	while (clock_mono_ms() < until_ms) {
		clock_sleep_ms(LOOK_MS);
		if (queue_changed_ns(q) != before)
			return true;
	}
	return false;
}

int comment_run(struct comments *p, struct queue *q, bool stay)
{
	int pause_ms = PAUSE_FIRST_MS;
	struct err e = { "" };
	struct round r;

	for (;;) {
		if (!records_answer(p->shared_dir, &e)) {
			log_error("%s", e.text);
			return -1;
		}
		r = once_through(p, q);
		if (r.refused)
			queue_pause(q, REFUSED_PAUSE_S);
		if (!r.left || r.refused || !stay ||
		    clock_mono_ms() + pause_ms >= p->until_ms)
			break;
		if (is_woken(q, pause_ms))
			pause_ms = PAUSE_FIRST_MS;
		else if (pause_ms < PAUSE_MAX_MS)
			pause_ms *= 2;
	}
	return r.down || r.refused ? -1 : r.left;
}
