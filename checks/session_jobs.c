/* SPDX-License-Identifier: Apache-2.0
 * What the node knows about its jobs: gres.conf, other jobs' traces. */
#include "config.h"
#include "checks/session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/clock.h"

#define ENDED "ended"
#define OVER "over"	/* its Epilog has begun, or is waited for in vain */
#define VERDICT "verdict.json"
#define OF_PROLOG "prolog.json"

/* What a run of the job before this one may have left. */
static const char *const of_last_run[] = {
	ENDED,	      OF_PROLOG, OVER,    "job.json",  "steps.jsonl",
	"record.json", "user.json", "block", "host.json", "host.track",
	"steps.dropped", "choice", "noblock",
};

enum gres_order session_gres_order(const struct session *s)
{
	static const char *const word[] = { "auto", "nvml", "file", "list" };
	const char *order = cfg_text(s->cfg, "slurm", "gres_order");
	int i;

	for (i = 0; i < 4; i++)
		if (!strcmp(order, word[i]))
			return (enum gres_order)i;
	return GRES_ORDER_AUTO;
}

char *session_read_text(const struct session *s, const char *path)
{
	struct roots system;
	char *text = roots_slurp(&s->roots, path, SESSION_TEXT_MAX, NULL);

	if (text || !s->roots.injected)
		return text;
	if (roots_open(&system, "/", NULL) < 0)
		return NULL;
	text = roots_slurp(&system, path, SESSION_TEXT_MAX, NULL);
	roots_close(&system);
	return text;
}

int session_gres(const struct session *s, struct gres_conf *out)
{
	const char *conf = cfg_text(s->cfg, "slurm", "conf");
	const char *slash;
	char path[4352];
	char *text;
	int rc;

	if (!*conf)
		conf = s->job->slurm_conf;
	slash = strrchr(conf, '/');
	if (!slash)
		return -1;
	snprintf(path, sizeof(path), "%.*s/gres.conf", (int)(slash - conf),
		 conf);
	text = session_read_text(s, path);
	if (!text)
		return -1;
	rc = gres_parse(text, s->job->node, out, NULL);
	free(text);
	return rc;
}

/* A run directory named like another job's? */
static bool is_other_job(const char *name, uint32_t mine)
{
	uint32_t id = job_id_of(name);

	return id && id != mine;
}

static DIR *open_run_dir(const struct session *s)
{
	DIR *dir;
	int fd = s->run_dir < 0 ? -1 :
				  openat(s->run_dir, ".",
					 O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir && fd >= 0)
		close(fd);
	return dir;
}

/* Since when (wall clock) a file has been in the directory; -1: it is not. */
static int64_t since_s(const struct session *s, const char *name,
		       const char *file)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "%.32s/%.16s", name, file);
	if (fstatat(s->run_dir, path, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	return (int64_t)st.st_mtime;
}

/* When did the job of this directory end (wall clock)? -1: it has not. An
 * Epilog takes seconds: one that has not come back for so long never will, and
 * its job must not count for ever. */
static int64_t ended_s(const struct session *s, const char *name, int64_t now_s)
{
	int64_t end = since_s(s, name, ENDED);
	int64_t over = since_s(s, name, OVER);

	if (end < 0 && over >= 0 && now_s - over >= SESSION_KEEP_S)
		return over;
	return end;
}

static int other_run_dirs(const struct session *s)
{
	struct dirent *d;
	DIR *dir = open_run_dir(s);
	int64_t now_s = clock_wall_s();
	int n = 0;

	if (!dir)
		return -1;
	while ((d = readdir(dir)))
		n += is_other_job(d->d_name, s->job->id) &&
		     ended_s(s, d->d_name, now_s) < 0;
	closedir(dir);
	return n;
}

void session_job_begin(const struct session *s, uint32_t job)
{
	int dir = session_job_dir(s, job);
	size_t i;

	if (dir < 0)
		return;
	for (i = 0; i < sizeof(of_last_run) / sizeof(of_last_run[0]); i++)
		unlinkat(dir, of_last_run[i], 0);
	close(dir);
}

/* A second Epilog finds the name taken, and so does no harm. */
void session_job_ending(const struct session *s, uint32_t job)
{
	int dir = session_job_dir(s, job);

	if (dir < 0)
		return;
	(void)!linkat(dir, VERDICT, dir, OF_PROLOG, 0);
	close(dir);
}

void session_job_end(const struct session *s, uint32_t job)
{
	int dir = session_job_dir(s, job);
	int fd;

	if (dir < 0)
		return;
	fd = openat(dir, ENDED,
		    O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
	close(dir);
}

/* A job's directory is flat: files only. */
static void remove_job_dir(const struct session *s, const char *name)
{
	struct dirent *d;
	DIR *dir;
	int fd = openat(s->run_dir, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((d = readdir(dir)))
		unlinkat(fd, d->d_name, 0);
	closedir(dir);
	unlinkat(s->run_dir, name, AT_REMOVEDIR);
}

void session_jobs_purge(const struct session *s, int64_t now_s)
{
	struct dirent *d;
	DIR *dir = open_run_dir(s);
	int64_t end;

	while (dir && (d = readdir(dir))) {
		if (!is_other_job(d->d_name, 0))
			continue;
		end = ended_s(s, d->d_name, now_s);
		if (end >= 0 && now_s - end >= SESSION_KEEP_S)
			remove_job_dir(s, d->d_name);
	}
	if (dir)
		closedir(dir);
}

struct cgroup_search {
	const struct session *s;
	int jobs;
};

/* 26.05 names a job's directory by its SLUID, "s" and more of such; beside
 * those are the kernel's files and Slurm's own "system". */
static bool is_other_sluid(const char *name, const char *mine)
{
	size_t n = strspn(name, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				"abcdefghijklmnopqrstuvwxyz");

	return name[0] == 's' && n > 8 && !name[n] && strcmp(name, mine) != 0;
}

static int count_job_dir(const char *name, void *arg)
{
	struct cgroup_search *q = arg;

	if (!strncmp(name, "job_", 4))
		q->jobs += is_other_job(name + 4, q->s->job->id);
	else
		q->jobs += is_other_sluid(name, q->s->job->sluid);
	return 0;
}

static int count_in_scope(const char *name, void *arg)
{
	struct cgroup_search *q = arg;
	char path[512];

	if (!strstr(name, "slurmstepd.scope"))
		return 0;
	snprintf(path, sizeof(path), "sys/fs/cgroup/system.slice/%s", name);
	roots_each(&q->s->roots, path, count_job_dir, q);
	return 0;
}

/* The tree of old: <controller>/slurm[_NODE]/uid_N/job_N. All of Slurm's
 * plugins for it have a job in one of these. */
static const char *const controllers[] = { "freezer", "cpuset", "memory" };

struct old_search {
	struct cgroup_search *q;
	const char *prefix;	/* of what counts here */
	char path[256];
};

static int count_below(const char *name, void *arg)
{
	const struct old_search *up = arg;
	struct old_search o = { .q = up->q, .prefix = "uid_" };

	if (strncmp(name, up->prefix, strlen(up->prefix)) != 0)
		return 0;
	snprintf(o.path, sizeof(o.path), "%.190s/%.60s", up->path, name);
	if (!strcmp(up->prefix, "uid_"))
		roots_each(&o.q->s->roots, o.path, count_job_dir, o.q);
	else
		roots_each(&o.q->s->roots, o.path, count_below, &o);
	return 0;
}

/* The most that one controller has. */
static int old_cgroup_jobs(const struct session *s)
{
	struct cgroup_search q = { .s = s };
	struct old_search o = { .q = &q, .prefix = "slurm" };
	int most = 0;
	size_t i;

	for (i = 0; i < sizeof(controllers) / sizeof(controllers[0]); i++) {
		q.jobs = 0;
		snprintf(o.path, sizeof(o.path), "sys/fs/cgroup/%s",
			 controllers[i]);
		roots_each(&s->roots, o.path, count_below, &o);
		most = q.jobs > most ? q.jobs : most;
	}
	return most;
}

int session_other_jobs(const struct session *s)
{
	struct cgroup_search q = { .s = s };
	int dirs = other_run_dirs(s);
	int old = old_cgroup_jobs(s);

	/* A system without a cgroup tree of Slurm's is not unknown. */
	roots_each(&s->roots, "sys/fs/cgroup/system.slice", count_in_scope, &q);
	if (old > q.jobs)
		q.jobs = old;
	if (dirs < 0)
		return q.jobs > 0 ? q.jobs : -1;
	return dirs > q.jobs ? dirs : q.jobs;
}
