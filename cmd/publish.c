/* SPDX-License-Identifier: Apache-2.0
 * assay publish - what a finished job did, into Slurm's accounting. On the
 * controller's machine: by slurmctld as EpilogSlurmctld, which must not wait
 * (the job is queued, a process of its own writes), by a timer, by hand. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cmd/cmd.h"
#include "epilog/comment.h"
#include "epilog/records.h"
#include "lib/clock.h"
#include "lib/job.h"
#include "lib/log.h"
#include "lib/spawn.h"

#define IDENT "assay-publish"
#define ACCOUNTING_MS 15000
#define WORK_MS (15 * 60 * 1000)
#define MINUTE_MS 60000
#define SINCE_MAX_S (30 * 86400)

extern char **environ;

struct wish {
	uint32_t job;
	bool once;
	int64_t since_s; /* 0: no */
};

struct desk {
	struct comments p;
	struct queue q;
	char spool[4200];
};

/* ---- configuration ------------------------------------------------------------ */

static const char *mode_of(const struct session *s)
{
	return cfg_text(s->cfg, "report", "publish");
}

static int fill(struct desk *d, const struct session *s, struct err *e)
{
	const char *shared = cfg_text(s->cfg, "paths", "shared_dir");
	const char *user = cfg_text(s->cfg, "paths", "shared_user");
	const char *conf = cfg_text(s->cfg, "slurm", "conf");

	if (!*shared)
		return err_set(e, "[paths] shared_dir is not set: there is "
				  "nothing to publish from");
	if (records_owner(user, &d->p.owner) < 0)
		return err_set(e, "[paths] shared_user: no user '%.64s'", user);
	d->p.shared_dir = shared;
	d->p.accounting = (struct accounting){
		.sacct = cfg_text(s->cfg, "slurm", "sacct"),
		.sacctmgr = cfg_text(s->cfg, "slurm", "sacctmgr"),
		.conf = *conf ? conf : s->job->slurm_conf,
		.deadline_ms = ACCOUNTING_MS,
	};
	d->p.max = (size_t)cfg_int(s->cfg, "report", "publish_bytes");
	d->p.wait_s = (int)cfg_int(s->cfg, "report", "publish_wait_s");
	d->p.all = !strcmp(mode_of(s), "all");
	d->p.gap_ms = MINUTE_MS / (int)cfg_int(s->cfg, "report", "publish_rate");
	d->p.until_ms = clock_mono_ms() + WORK_MS;
	return 0;
}

static int prepare(struct desk *d, const struct session *s, struct err *e)
{
	const char *spool = cfg_text(s->cfg, "paths", "spool");

	if (cfg_broken(s->cfg, "report") || cfg_broken(s->cfg, "paths") ||
	    cfg_broken(s->cfg, "slurm"))
		return err_set(e, "%s", s->complaint);
	if (fill(d, s, e) < 0)
		return -1;
	mkdir(spool, 0711);
	snprintf(d->spool, sizeof(d->spool), "%s/publish", spool);
	return queue_open(&d->q, d->spool, e);
}

/* ---- the writer --------------------------------------------------------------- */

/* Who queues a job while another writes relies on that one to look again. */
static int write_all(struct desk *d, bool stay)
{
	struct queued *list;
	int left, n;

	do {
		if (!queue_lock(&d->q))
			return 0;
		left = comment_run(&d->p, &d->q, stay);
		queue_unlock(&d->q);
		list = NULL;
		n = left ? 0 : queue_list(&d->q, &list);
		free(list);
	} while (n > 0 && clock_mono_ms() < d->p.until_ms);
	return left;
}

static void writer(void *arg)
{
	struct desk *d = arg;
	struct err e;

	log_open(IDENT, true, LOG_LVL_INFO);
	if (queue_open(&d->q, d->spool, &e) < 0) {
		log_error("%s", e.text);
		return;
	}
	write_all(d, true);
	queue_close(&d->q);
}

/* As EpilogSlurmctld. */
static int queue_and_leave(struct desk *d, uint32_t job)
{
	struct err e;

	if (queue_add(&d->q, job, &e) < 0) {
		log_error("%s", e.text);
		return 1;
	}
	if (queue_is_paused(&d->q, clock_wall_s()))
		return 0;
	if (spawn_detached(writer, d) < 0) {
		log_error("job %u stays queued: %s", job, strerror(errno));
		return 1;
	}
	return 0;
}

/* At work, or stuck in shared_dir. */
static bool is_another(struct desk *d)
{
	if (queue_lock(&d->q))
		return false;
	printf("another one is at work\n");
	return true;
}

static int once(struct desk *d)
{
	int left;

	if (is_another(d))
		return 0;
	left = write_all(d, false);
	if (left > 0)
		printf("%d job%s still wait%s\n", left, left == 1 ? "" : "s",
		       left == 1 ? "s" : "");
	return left < 0;
}

/* One job by hand, waiting for nothing. */
static int one(struct desk *d, uint32_t job)
{
	struct err e = { "" };

	d->p.wait_s = 0;
	if (!records_answer(d->p.shared_dir, &e)) {
		log_error("%s", e.text);
		return 1;
	}
	switch (comment_job(&d->p, job, 0, &e)) {
	case COMMENT_DONE:
		printf("job %u: comment written\n", job);
		break;
	case COMMENT_KEPT:
		printf("job %u: no comment written: %s\n", job, e.text);
		break;
	case COMMENT_NOTHING:
		printf("job %u: no node has told enough of it%s%s\n", job,
		       e.text[0] ? ": " : "", e.text);
		return 1;
	default:
		log_error("job %u: %s", job, e.text);
		return 1;
	}
	return 0;
}

/* ---- what nodes have told of lately -------------------------------------------- */

struct since {
	struct desk *d;
	const char *jobs;
	int64_t from_s;
	uint32_t last; /* two runs of one job are one */
};

static int queue_if_new(uint32_t job, uint32_t restart, void *arg)
{
	struct since *s = arg;
	char path[4300];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%u.%u", s->jobs, job, restart);
	if (lstat(path, &st) == 0 && st.st_mtim.tv_sec >= s->from_s &&
	    job != s->last && !queue_has(&s->d->q, job)) {
		queue_add(&s->d->q, job, NULL);
		s->last = job;
	}
	return 0;
}

static int queue_since(struct desk *d, int64_t seconds)
{
	char jobs[4200];
	struct since s = { .d = d, .jobs = jobs };
	int64_t now_s = clock_wall_s();

	snprintf(jobs, sizeof(jobs), "%s/jobs", d->p.shared_dir);
	/* Each change is looked at once. */
	s.from_s = queue_looked(&d->q);
	if (s.from_s < now_s - seconds)
		s.from_s = now_s - seconds;
	if (records_each_job(jobs, queue_if_new, &s) < 0) {
		log_error("%s: %s", jobs, strerror(errno));
		return -1;
	}
	queue_look(&d->q, now_s - 1);
	return 0;
}

/* As a timer: not beside another, or there would be one more stuck each time.
 */
static int timer(struct desk *d, int64_t seconds)
{
	struct err e = { "" };

	if (is_another(d))
		return 0;
	if (!records_answer(d->p.shared_dir, &e)) {
		log_error("%s", e.text);
		return 1;
	}
	return queue_since(d, seconds) < 0 ? 1 : once(d);
}

/* ---- arguments ---------------------------------------------------------------- */

static bool parse_seconds(const char *text, int64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoll(text, &end, 10);
	return !errno && *text >= '0' && *text <= '9' && !*end && *out > 0 &&
	       *out <= SINCE_MAX_S;
}

static int parse(struct wish *w, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--once")) {
			w->once = true;
		} else if (!strcmp(argv[i], "--since") && i + 1 < argc) {
			if (!parse_seconds(argv[++i], &w->since_s))
				return cmd_usage("publish",
						 "--since wants seconds, %d "
						 "(30 days) at most",
						 SINCE_MAX_S);
		} else if (!strcmp(argv[i], "--config") && i + 1 < argc) {
			i++;
		} else if (argv[i][0] == '-' || w->job) {
			return cmd_unknown("publish", argv[i]);
		} else if (!(w->job = job_id_of(argv[i]))) {
			return cmd_usage("publish", "'%.40s' is no job id",
					 argv[i]);
		}
	}
	if (w->job && (w->once || w->since_s))
		return cmd_usage("publish", "a job stands alone");
	return 0;
}

static bool by_hand(const struct wish *w)
{
	return w->job || w->once || w->since_s;
}

static int work(struct desk *d, const struct wish *w, const struct job *job)
{
	if (w->job)
		return one(d, w->job);
	if (w->since_s)
		return timer(d, w->since_s);
	return by_hand(w) ? once(d) : queue_and_leave(d, job->id);
}

static int run(const struct session *s, const struct wish *w)
{
	struct desk d = { 0 };
	struct err e;
	int code;

	if (!strcmp(mode_of(s), "no") && !cfg_broken(s->cfg, "report")) {
		if (!by_hand(w))
			return 0;
		log_error("switched off: [report] publish = no");
		return 2;
	}
	if (prepare(&d, s, &e) < 0) {
		log_error("%s", e.text);
		return 2;
	}
	code = work(&d, w, s->job);
	queue_close(&d.q);
	return code;
}

int cmd_publish(const char *config, int argc, char **argv)
{
	static struct job job;
	struct wish w = { 0 };
	struct session s;
	struct err e;
	int code = parse(&w, argc, argv);

	if (code)
		return code;
	log_open(IDENT, true, LOG_LVL_INFO);
	job_from_env(&job, environ);
	if (!by_hand(&w) && !job.id)
		return cmd_usage("publish", "which job? (slurmctld says it in "
					    "SLURM_JOB_ID)");
	/* sacct has no TZ either: times are the system's. */
	unsetenv("TZ");
	tzset();
	if (session_switched_off(config, &e))
		return 0;
	if (session_open(&s, config, &job, &e) < 0) {
		log_error("%s", e.text);
		return 2;
	}
	code = run(&s, &w);
	session_close(&s);
	return code;
}
