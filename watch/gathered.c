/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/gathered.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "epilog/members.h"
#include "lib/fdio.h"
#include "lib/jsonfile.h"
#include "lib/scrub.h"
#include "watch/keeper.h"
#include "watch/sampler.h"
#include "watch/snapshot.h"

#define LATE_S 5	/* a sampler that came so long after the Prolog */

/* ---- the job --------------------------------------------------------------- */

/* "code:signal" of SLURM_JOB_EXIT_CODE2, or a wait status. */
static void take_exit(struct story_job *to, const struct job *j)
{
	int code, sig;

	if (j && sscanf(j->exit_code2, "%d:%d", &code, &sig) == 2) {
		to->exit_code = code;
		to->signal = sig;
	} else if (j && j->exit_code >= 0) {
		to->signal = WIFSIGNALED(j->exit_code) ?
				     WTERMSIG(j->exit_code) :
				     0;
		to->exit_code = to->signal ? 0 : WEXITSTATUS(j->exit_code);
	}
}

/* Slurm tells an Epilog how the job left, not why it ended. */
static enum story_state state_of(const struct story_job *j, bool runs)
{
	if (runs)
		return STORY_RUNNING;
	if (j->exit_code < 0)
		return STORY_UNKNOWN;
	if (j->limit_end_s > 0 && j->end_s >= j->limit_end_s)
		return STORY_TIMEOUT;
	if (!j->exit_code && !j->signal)
		return STORY_COMPLETED;
	return j->signal == SIGTERM || j->signal == SIGINT ? STORY_CANCELLED :
							     STORY_FAILED;
}

/* What is since another boot cannot be compared. */
int64_t gather_time_s(const struct gathering *q, int64_t wall_s, int64_t up_s)
{
	return q->same_boot ? mark_time_s(q->mark, up_s) : wall_s;
}

static void gather_job(struct gathering *q)
{
	struct story_job *to = &q->g->story.job;
	const struct mark *m = q->mark;

	*to = (struct story_job){ .id = m->job,
				  .restart = m->restart,
				  .uid = (uint32_t)m->uid,
				  .array_job = m->array_job,
				  .array_task = m->array_task,
				  .nodes = m->nodes,
				  .start_s = m->start_s,
				  .end_s = mark_time_s(m, q->from->now.up_s),
				  .limit_end_s = m->limit_end_s,
				  .exit_code = -1,
				  .signal = -1,
				  .owned = m->owned };
	scrub_copy(to->user, sizeof(to->user), m->user);
	scrub_copy(to->account, sizeof(to->account), m->account);
	scrub_copy(to->partition, sizeof(to->partition), m->partition);
	scrub_copy(to->node, sizeof(to->node), m->node);
	take_exit(to, q->from->job);
	to->state = state_of(to, !q->from->job);
}

/* ---- the sampler ------------------------------------------------------------ */

static int64_t number(const json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

static bool of_this_boot(const struct gathering *q, const json_t *doc)
{
	const char *boot = json_string_value(json_object_get(doc, "boot_id"));

	return boot && !strcmp(boot, q->mark->boot_id);
}

static enum story_watch watch_of(const struct gathering *q)
{
	const json_t *state = q->g->state;
	const struct story_job *j = &q->g->story.job;
	int64_t interval = number(state, "interval_s");
	int64_t last = gather_time_s(q, number(state, "last"),
				     number(state, "last_up"));
	int64_t started = gather_time_s(q, number(state, "started"),
					number(state, "started_up"));

	if (q->mark->watch != MARK_WANTED || !state ||
	    !of_this_boot(q, state) || last < j->start_s)
		return WATCH_NONE;
	if (last + 2 * interval + 15 < j->end_s)
		return WATCH_ENDED;
	return started > number(q->mark->snapshot, "time") + LATE_S ?
		       WATCH_LATE :
		       WATCH_WHOLE;
}

static void gather_watch(struct gathering *q)
{
	struct story *s = &q->g->story;
	int64_t cut_up_s = number(q->g->state, "events_cut");

	s->watch = watch_of(q);
	s->interval_s = (int)number(q->g->state, "interval_s");
	/* An older one is of jobs before it. */
	s->events_cut = cut_up_s > 0 && cut_up_s >= q->mark->start_up_s;
}

/* The later look: the Epilog's own, or the sampler's last. */
static void take_after(struct gathering *q)
{
	if (q->from->facts) {
		q->after = snapshot_of(q->from->facts, NULL,
				       q->from->now.wall_s);
		q->same_boot = of_this_boot(q, q->after);
		return;
	}
	q->after = json_incref(json_object_get(q->g->state, "snapshot"));
	q->same_boot = of_this_boot(q, q->after);
}

/* ---- all of it ---------------------------------------------------------------- */

/* Nobody marked it: what the Epilog knows of it by itself. */
static void stand_in(struct mark *m, const struct gathered_from *from)
{
	const struct job *j = from->job;

	memset(m, 0, sizeof(*m));
	m->array_job = m->array_task = -1;
	m->watch = MARK_DISABLED;
	m->start_s = from->now.wall_s;
	if (!j)
		return;
	m->job = j->id;
	m->restart = j->restart;
	m->uid = j->uid;
	m->gid = j->gid;
	m->nodes = j->num_nodes;
	if (j->start_s > 0 && j->start_s < from->now.wall_s)
		m->start_s = j->start_s;
	memcpy(m->user, j->user, sizeof(m->user));
	memcpy(m->account, j->account, sizeof(m->account));
	memcpy(m->partition, j->partition, sizeof(m->partition));
	memcpy(m->node, j->node, sizeof(m->node));
}

static void open_places(struct gathering *q)
{
	int run = q->from->s->run_dir;
	char name[16];

	snprintf(name, sizeof(name), "%u", q->mark->job);
	q->watch_dir = run < 0 ? -1 :
				 openat(run, KEEPER_DIR,
					O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
						O_CLOEXEC);
	q->job_dir = run < 0 ? -1 :
			       openat(run, name,
				      O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
					      O_CLOEXEC);
}

static void take_gate(struct gathering *q)
{
	struct story *s = &q->g->story;

	/* The Epilog keeps the gate's verdict aside before it writes its own. */
	q->g->gate = jsonfile_read(q->job_dir, "prolog.json");
	if (!q->g->gate && !q->from->job)
		q->g->gate = jsonfile_read(q->job_dir, "verdict.json");
	s->gate = q->g->gate;
	s->after = q->from->after;
	s->xids = q->from->s->xids;
}

struct gathered *gathered_create(const struct gathered_from *from)
{
	struct gathered *g = calloc(1, sizeof(*g));
	struct gathering q = { .from = from, .mark = from->mark, .g = g };

	if (!g)
		return NULL;
	if (!q.mark) {
		stand_in(&g->none, from);
		mark_settle(&g->none, &from->now, false);
		q.mark = &g->none;
	}
	open_places(&q);
	g->state = jsonfile_read(q.watch_dir, SAMPLER_STATE);
	take_after(&q);
	gather_job(&q);
	gather_watch(&q);
	take_gate(&q);
	gather_devices(&q);
	gather_ports(&q);
	gather_events(&q);
	gather_host(&q);
	json_decref(q.after);
	fdio_close(q.watch_dir);
	fdio_close(q.job_dir);
	return g;
}

void gathered_destroy(struct gathered *g)
{
	int i;

	if (!g)
		return;
	for (i = 0; i < g->story.port_count; i++)
		json_decref(g->story.port[i].counters);
	for (i = 0; i < g->track_count; i++)
		free(g->tracks[i]);
	json_decref(g->state);
	json_decref(g->host);
	steps_fini(&g->steps);
	json_decref(g->gate);
	free(g->cpu_busy);
	free(g);
}
