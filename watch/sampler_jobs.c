/* SPDX-License-Identifier: Apache-2.0
 * Which jobs are there: by their marks, not by anybody's word. */
#include "config.h"
#include "watch/sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/fdio.h"
#include "lib/log.h"

/* An Epilog that never comes: the job's cgroup is gone for so long, or its
 * time was up so long ago. A job that has its cgroup is alive: its time may
 * have been extended, and nobody tells. So is one not looked at yet. */
#define LOST_S 600
#define OVERDUE_S 3600

struct sampler_job *sampler_job_of(struct sampler *w, uint32_t id)
{
	int i;

	for (i = 0; i < w->job_count; i++)
		if (w->job[i].mark.job == id)
			return &w->job[i];
	return NULL;
}

/* A requeued job has the number of the one before. */
static bool same_run(const struct mark *a, const struct mark *b)
{
	return a->restart == b->restart && a->start_s == b->start_s;
}

/* Its directory and the track of its processes. */
static void begin(struct sampler *w, struct sampler_job *j)
{
	struct track_id id = { TRACK_HOST, "host", w->boot_id, clock_now() };
	char name[16];

	snprintf(name, sizeof(name), "%u", j->mark.job);
	j->track.fd = -1;
	j->dir = openat(w->s->run_dir, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (j->dir < 0 ||
	    track_open(&j->track, j->dir, SAMPLER_HOST_TRACK, &id) < 0)
		log_warn("no track for job %u: %s", j->mark.job,
			 strerror(errno));
	if (j->dir >= 0)
		sampler_read_host(j);
}

static void end(struct sampler_job *j)
{
	mark_fini(&j->mark);
	track_close(&j->track);
	fdio_close(j->dir);
}

/* True: it is new. */
static bool take_job(struct sampler *w, uint32_t id)
{
	struct sampler_job *j = sampler_job_of(w, id);
	const struct instant now = clock_now();
	struct mark m;

	if (mark_read(w->s->run_dir, id, &m) < 0)
		return false;
	mark_settle(&m, &now, true);
	if (j && same_run(&j->mark, &m)) {
		j->known = true;
		mark_fini(&m);
		return false;
	}
	if (!j && w->job_count == MARK_JOBS_MAX) {
		mark_fini(&m);
		return false;
	}
	if (j)
		end(j);
	else
		j = &w->job[w->job_count++];
	memset(j, 0, sizeof(*j));
	j->mark = m;
	j->known = true;
	begin(w, j);
	log_info("samples job %u", id);
	return true;
}

/* Somebody may have given it more time. */
static bool is_overdue(const struct sampler *w, const struct sampler_job *j,
		       int64_t up_s)
{
	return j->mark.limit_end_s > 0 &&
	       mark_time_s(&j->mark, up_s) - j->mark.limit_end_s >= OVERDUE_S &&
	       !session_steps_of(w->s, j->mark.job);
}

/* Where no cgroup was ever seen, there may be none for any job. */
static bool is_lost(const struct sampler *w, struct sampler_job *j)
{
	int64_t up_s = clock_now().up_s;

	if (j->has_cgroup || !j->last.at_us) {
		j->alone_up_s = 0;
		return false;
	}
	if (j->had_cgroup && !j->alone_up_s)
		j->alone_up_s = up_s;
	if (j->alone_up_s && up_s - j->alone_up_s >= LOST_S)
		return true;
	return is_overdue(w, j, up_s);
}

static bool drop_gone(struct sampler *w)
{
	int i, kept = 0;
	bool gone = false;

	for (i = 0; i < w->job_count; i++) {
		struct sampler_job *j = &w->job[i];

		if (j->known && is_lost(w, j)) {
			log_warn("job %u is over, but no Epilog came",
				 j->mark.job);
			mark_over(w->s->run_dir, j->mark.job);
			j->known = false;
		}
		if (j->known) {
			if (kept != i)
				w->job[kept] = *j;
			kept++;
			continue;
		}
		gone = true;
		end(j);
	}
	w->job_count = kept;
	return gone;
}

int sampler_look(struct sampler *w, bool *news, bool *ends)
{
	uint32_t list[MARK_JOBS_MAX];
	int i, n;

	*news = *ends = false;
	n = mark_alive(w->s->run_dir, w->boot_id, list, MARK_JOBS_MAX);
	for (i = 0; i < w->job_count; i++)
		w->job[i].known = false;
	for (i = 0; i < n; i++)
		*news |= take_job(w, list[i]);
	*ends = drop_gone(w);
	return w->job_count;
}

int64_t sampler_oldest_up_s(const struct sampler *w)
{
	int64_t oldest = INT64_MAX;
	int i;

	for (i = 0; i < w->job_count; i++)
		if (w->job[i].mark.start_up_s < oldest)
			oldest = w->job[i].mark.start_up_s;
	return oldest;
}

static bool knows(struct sampler *w, uint32_t id)
{
	const struct sampler_job *j = sampler_job_of(w, id);
	struct mark m;
	bool same;

	/* What is no mark any more is nobody's. */
	if (mark_read(w->s->run_dir, id, &m) < 0)
		return true;
	same = j && same_run(&j->mark, &m);
	mark_fini(&m);
	return same;
}

bool sampler_misses(struct sampler *w)
{
	uint32_t list[MARK_JOBS_MAX];
	int i, n;

	n = mark_alive(w->s->run_dir, w->boot_id, list, MARK_JOBS_MAX);
	for (i = 0; i < n; i++)
		if (!knows(w, list[i]))
			return true;
	return false;
}

void sampler_forget_jobs(struct sampler *w)
{
	int i;

	for (i = 0; i < w->job_count; i++)
		end(&w->job[i]);
	w->job_count = 0;
}
