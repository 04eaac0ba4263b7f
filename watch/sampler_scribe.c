/* SPDX-License-Identifier: Apache-2.0
 * After each round a worker writes what is known of the jobs: it reads all
 * tracks, which the sampler shall not have to hold. */
#include "config.h"
#include "watch/sampler.h"

#include <errno.h>
#include <string.h>

#include "epilog/publisher.h"
#include "epilog/spool.h"
#include "lib/clock.h"
#include "lib/log.h"
#include "watch/prom.h"
#include "watch/scribe.h"

#define SCRIBE_MS 30000
#define STOP_MS 50

static void share(const struct sampler *w, const json_t *record)
{
	struct err e = { "" };

	if (spool_store(cfg_text(w->s->cfg, "paths", "spool"), record,
			(uid_t)-1, true, &e) < 0)
		log_warn("%s", e.text);
	else if (publisher_start(w->s->cfg) < 0)
		log_warn("no publisher: %s", strerror(errno));
}

static void write_job(const struct sampler *w, const struct sampler_job *j)
{
	struct gathered_from from = { .s = w->s, .mark = &j->mark,
				      .now = w->last };
	json_t *record = scribe_record(&from);

	if (!record || j->dir < 0 ||
	    scribe_files(j->dir, record, &j->mark) < 0)
		log_warn("record of job %u: %s", j->mark.job, strerror(errno));
	if (record && j->share)
		share(w, record);
	json_decref(record);
}

static int body(int sock, void *arg)
{
	const struct sampler *w = arg;
	int i;

	(void)sock;
	for (i = 0; i < w->job_count; i++)
		write_job(w, &w->job[i]);
	prom_write(w);
	return 0;
}

static void mark_shared(struct sampler *w)
{
	struct scribe_times t = { .now_s = w->last.up_s };
	struct sampler_job *j;
	int i;

	for (i = 0; i < w->job_count; i++) {
		j = &w->job[i];
		t.start_s = j->mark.start_up_s;
		t.shared_s = j->shared_up_s;
		j->share = scribe_is_due(w->s->cfg, j->mark.nodes, &t);
		if (j->share)
			j->shared_up_s = w->last.up_s;
	}
}

static bool is_at_work(struct sampler *w)
{
	return w->scribe.pid > 0 && !worker_gone(&w->scribe) &&
	       clock_mono_ms() - w->scribe.started_ms < SCRIBE_MS;
}

void sampler_write_jobs(struct sampler *w)
{
	if (is_at_work(w))
		return;		/* it still writes of the round before */
	sampler_end_scribe(w, STOP_MS);
	if (w->scribe.pid > 0)
		return;
	mark_shared(w);
	if (worker_start(&w->scribe, body, w, false) < 0)
		w->scribe.pid = 0;
}

/* One that not even SIGKILL ends waits for a disk that hangs: it is left
 * alone, and no other is sent there before it is gone. */
void sampler_end_scribe(struct sampler *w, int patience_ms)
{
	bool left = w->scribe.abandoned;

	if (w->scribe.pid <= 0 || (left && !worker_gone(&w->scribe)))
		return;
	if (worker_end(&w->scribe, patience_ms))
		w->scribe.pid = 0;
	else
		log_warn("the records' worker hangs: they stay as they are");
}
