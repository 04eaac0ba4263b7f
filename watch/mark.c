/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/mark.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checks/memo.h"
#include "lib/fdio.h"
#include "lib/job.h"
#include "lib/jsonfile.h"
#include "watch/mark_json.h"
#include "watch/snapshot.h"

/* Does a job like this one get a sampler? */
static enum mark_watch watch_for(const struct cfg *cfg, const struct job *j,
				 bool gpus)
{
	if (!cfg_bool(cfg, "watch", "enabled"))
		return MARK_DISABLED;
	if (!gpus)
		return MARK_NO_GPU;
	return memo_job_is_short(j) ? MARK_SHORT : MARK_WANTED;
}

static void take_gpus(struct mark *m, const struct run *r)
{
	const struct facts_gpus *g = &r->facts->gpus;
	struct mark_gpu *to;
	int i;

	for (i = 0; i < g->count; i++) {
		if (!r->devices.gpu[i])
			continue;
		to = &m->gpu[m->gpu_count++];
		memcpy(to->uuid, g->gpu[i].uuid, sizeof(to->uuid));
		memcpy(to->bus_id, g->gpu[i].bus_id, sizeof(to->bus_id));
		memcpy(to->name, g->gpu[i].name, sizeof(to->name));
		to->index = g->gpu[i].index;
		to->minor = g->gpu[i].minor;
	}
}

int mark_of_pass(const struct pass *p, struct mark *m)
{
	const struct job *j = p->s->job;
	const struct facts *f = p->run.facts;

	memset(m, 0, sizeof(*m));
	m->job = j->id;
	m->restart = j->restart;
	m->uid = j->uid;
	m->gid = j->gid;
	m->start_s = j->start_s > 0 && j->start_s < p->now_s ? j->start_s :
							       p->now_s;
	m->start_up_s = p->up_s - (p->now_s - m->start_s);
	m->limit_end_s = j->end_s;
	m->array_job = m->array_task = -1;
	m->block_after_s = cfg_int(p->s->cfg, "report", "block_after_s");
	m->nodes = j->num_nodes;
	m->owned = p->run.owned.owned;
	memcpy(m->user, j->user, sizeof(m->user));
	memcpy(m->account, j->account, sizeof(m->account));
	memcpy(m->partition, j->partition, sizeof(m->partition));
	memcpy(m->node, j->node, sizeof(m->node));
	memcpy(m->sluid, j->sluid, sizeof(m->sluid));
	memcpy(m->boot_id, f->kmsg.boot_id, sizeof(m->boot_id));
	take_gpus(m, &p->run);
	m->watch = watch_for(p->s->cfg, j, run_wants_gpus(&p->run));
	m->snapshot = snapshot_of(f, p->run.devices.gpu, p->now_s);
	return m->snapshot ? 0 : -1;
}

static int open_job_dir(int run_dir, uint32_t job)
{
	char name[16];

	snprintf(name, sizeof(name), "%u", job);
	return openat(run_dir, name,
		      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int mark_write(int run_dir, const struct mark *m)
{
	json_t *doc = mark_to_json(m);
	int dir = open_job_dir(run_dir, m->job);
	int rc = -1;

	if (dir >= 0)
		rc = jsonfile_replace(dir, MARK_FILE, 0600, doc, JSON_COMPACT);
	fdio_close(dir);
	json_decref(doc);
	return rc;
}

int mark_read(int run_dir, uint32_t job, struct mark *m)
{
	json_t *doc;
	char path[32];
	int rc;

	snprintf(path, sizeof(path), "%u/" MARK_FILE, job);
	doc = jsonfile_read(run_dir, path);
	if (!doc)
		return -1;
	rc = mark_from_json(doc, m);
	json_decref(doc);
	if (rc == 0 && m->job == job)
		return 0;
	if (rc == 0)
		mark_fini(m);
	errno = EINVAL;
	return -1;
}

void mark_fini(struct mark *m)
{
	json_decref(m->snapshot);
	m->snapshot = NULL;
}

int64_t mark_time_s(const struct mark *m, int64_t up_s)
{
	return m->start_s + (up_s - m->start_up_s);
}

void mark_settle(struct mark *m, const struct instant *now, bool same_boot)
{
	if (!same_boot || m->start_up_s == INT64_MIN)
		m->start_up_s = now->up_s - (now->wall_s - m->start_s);
}

int mark_over(int run_dir, uint32_t job)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "%u/" MARK_OVER, job);
	fd = openat(run_dir, path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
		    0600);
	if (fd < 0)
		return -1;
	return close(fd);
}

bool mark_has(int run_dir, uint32_t job, const char *file)
{
	struct stat st;
	char path[48];

	snprintf(path, sizeof(path), "%u/%s", job, file);
	return fstatat(run_dir, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool wanted(int run_dir, uint32_t job, const char *boot_id)
{
	struct mark m;
	bool yes;

	if (mark_read(run_dir, job, &m) < 0)
		return false;
	yes = m.watch == MARK_WANTED &&
	      (!boot_id || !strcmp(m.boot_id, boot_id));
	mark_fini(&m);
	return yes;
}

int mark_alive(int run_dir, const char *boot_id, uint32_t *list, int max)
{
	struct dirent *d;
	uint32_t id;
	DIR *dir;
	int fd = openat(run_dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int n = 0;

	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		fdio_close(fd);
		return -1;
	}
	while (n < max && (d = readdir(dir))) {
		id = job_id_of(d->d_name);
		if (id && !mark_has(run_dir, id, MARK_OVER) &&
		    !mark_has(run_dir, id, MARK_ENDED) &&
		    wanted(run_dir, id, boot_id))
			list[n++] = id;
	}
	closedir(dir);
	return n;
}
