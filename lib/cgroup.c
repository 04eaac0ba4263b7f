/* SPDX-License-Identifier: Apache-2.0
 * Where the directories of a job and a step are. */
#include "config.h"
#include "lib/cgroup.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOUNT "/sys/fs/cgroup"
#define SCOPE "slurmstepd.scope"
#define SLICE ".slice"
#define SLICE_DEPTH 4		/* a-b-c.slice is in a-b.slice is in a.slice */
#define LINES_MAX (64 * 1024)

/* What a tree is called, and where it may be mounted. */
static const struct {
	const char *name;
	const char *mount[3];
} trees[CGROUP_TREES] = {
	[CGROUP_V2] = { "v2", { MOUNT, MOUNT "/unified" } },
	[CGROUP_CPUACCT] = { "cpuacct",
		{ MOUNT "/cpuacct", MOUNT "/cpu,cpuacct" } },
	[CGROUP_MEMORY] = { "memory", { MOUNT "/memory" } },
	[CGROUP_BLKIO] = { "blkio", { MOUNT "/blkio" } },
};

const char *cgroup_tree_name(enum cgroup_tree tree)
{
	return trees[tree].name;
}

bool cgroup_found(const struct cgroup *c)
{
	int i;

	for (i = 0; i < CGROUP_TREES; i++)
		if (c->dir[i][0])
			return true;
	return false;
}

static bool ends_in(const char *s, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len >= n && !memcmp(s + len - n, end, n);
}

static bool is_job_id(const char *s, size_t len)
{
	return len > 4 && !memcmp(s, "job_", 4) &&
	       strspn(s + 4, "0123456789") >= len - 4;
}

/* How much of a path is the job's, and the step's: lengths, 0 if neither. The
 * scope's own "system" is where Slurm's processes wait for a job. */
static void split(const char *path, size_t *job, size_t *step)
{
	const char *p = path;
	bool in_scope = false;
	size_t len;

	*job = *step = 0;
	while (*(p += strspn(p, "/"))) {
		len = strcspn(p, "/");
		if (*job) {
			if (!strncmp(p, "step_", 5))
				*step = (size_t)(p + len - path);
			return;
		}
		if (is_job_id(p, len) ||
		    (in_scope && !(len == 6 && !memcmp(p, "system", 6))))
			*job = (size_t)(p + len - path);
		in_scope = ends_in(p, len, SCOPE);
		p += len;
	}
}

/* The directory of the first len bytes of path, if it is there. */
static void place(const struct roots *r, enum cgroup_tree tree,
		  const char *path, size_t len, struct cgroup *out)
{
	char dir[CGROUP_PATH_BYTES];
	int i, n;

	for (i = 0; len && trees[tree].mount[i] && !out->dir[tree][0]; i++) {
		n = snprintf(dir, sizeof(dir), "%s%.*s", trees[tree].mount[i],
			     (int)len, path);
		if (n > 0 && (size_t)n < sizeof(dir) && roots_exists(r, "%s", dir))
			strcpy(out->dir[tree], dir);
	}
}

/* A path of v1 holds for all controllers: a process is moved into the next of
 * them one by one, and not into all by itself. */
static void place_line(const struct roots *r, const char *line,
		       struct cgroup *job, struct cgroup *step)
{
	bool v2 = !strncmp(line, "0::", 3);
	const char *path = strchr(line, ':');
	size_t in_job, in_step;
	int i;

	path = path ? strchr(path + 1, ':') : NULL;
	if (!path)
		return;
	split(++path, &in_job, &in_step);
	for (i = 0; i < CGROUP_TREES; i++) {
		if (v2 != (i == CGROUP_V2))
			continue;
		place(r, (enum cgroup_tree)i, path, in_job, job);
		place(r, (enum cgroup_tree)i, path, in_step, step);
	}
}

bool cgroup_of_process(const struct roots *r, const char *pid,
		       struct cgroup *job, struct cgroup *step)
{
	struct cgroup found[2] = { 0 };
	char path[64];
	char *text, *line, *save = NULL;

	snprintf(path, sizeof(path), "proc/%.20s/cgroup", pid);
	text = roots_slurp(r, path, LINES_MAX, NULL);
	line = text ? strtok_r(text, "\n", &save) : NULL;
	for (; line; line = strtok_r(NULL, "\n", &save))
		place_line(r, line, &found[0], &found[1]);
	free(text);
	if (job)
		*job = found[0];
	if (step)
		*step = found[1];
	return cgroup_found(&found[0]);
}

struct search {
	const struct roots *r;
	const struct cgroup_job *job;
	struct cgroup *out;
	enum cgroup_tree tree;
	char dir[CGROUP_PATH_BYTES];
	int depth;
};

/* job_12 or the SLUID below dir. Returns whether it was there. */
static bool take(struct search *q, const char *dir)
{
	const char *sluid = q->job->sluid ? q->job->sluid : "";
	char name[64];
	int i, n;

	for (i = 0; i < 2; i++) {
		if (i)
			snprintf(name, sizeof(name), "%.60s", sluid);
		else
			snprintf(name, sizeof(name), "job_%" PRIu32, q->job->id);
		if (!name[0] || !roots_exists(q->r, "%s/%s", dir, name))
			continue;
		n = snprintf(q->out->dir[q->tree], CGROUP_PATH_BYTES, "%s/%s",
			     dir, name);
		if (n < CGROUP_PATH_BYTES)
			return true;
		q->out->dir[q->tree][0] = '\0';
	}
	return false;
}

/* Does the name tell of another node's slurmd on this machine? rest is what
 * stands for the node. */
static bool is_foreign(const struct search *q, const char *rest, size_t len)
{
	const char *node = q->job->node ? q->job->node : "";

	return len && *node && (strlen(node) != len || memcmp(node, rest, len));
}

static int enter(struct search *q, const char *name, struct search *below)
{
	int n = snprintf(below->dir, sizeof(below->dir), "%s/%s", q->dir, name);

	return n > 0 && (size_t)n < sizeof(below->dir) ? 0 : -1;
}

static int look_v2(const char *name, void *arg)
{
	struct search *q = arg;
	struct search below = *q;
	size_t len = strlen(name);

	if (enter(q, name, &below) < 0)
		return 0;
	if (ends_in(name, len, SCOPE)) {
		len -= strlen(SCOPE);
		/* "n1_" before it */
		if (is_foreign(q, name, len ? len - 1 : 0))
			return 0;
		return take(q, below.dir);
	}
	below.depth++;
	if (!ends_in(name, len, SLICE) || below.depth > SLICE_DEPTH)
		return 0;
	return roots_each(q->r, below.dir, look_v2, &below) == 1;
}

static int look_user(const char *name, void *arg)
{
	struct search *q = arg;
	struct search below = *q;

	if (strncmp(name, "uid_", 4) != 0 || enter(q, name, &below) < 0)
		return 0;
	return take(q, below.dir);
}

static int look_v1(const char *name, void *arg)
{
	struct search *q = arg;
	struct search below = *q;

	if (strncmp(name, "slurm", 5) != 0 || (name[5] && name[5] != '_') ||
	    (name[5] && is_foreign(q, name + 6, strlen(name + 6))) ||
	    enter(q, name, &below) < 0)
		return 0;
	return roots_each(q->r, below.dir, look_user, &below) == 1;
}

bool cgroup_of_job(const struct roots *r, const struct cgroup_job *job,
		   struct cgroup *out)
{
	struct search q = { .r = r, .job = job, .out = out };
	int i, m;

	*out = (struct cgroup){ 0 };
	for (i = 0; i < CGROUP_TREES; i++) {
		q.tree = (enum cgroup_tree)i;
		for (m = 0; trees[i].mount[m] && !out->dir[i][0]; m++) {
			snprintf(q.dir, sizeof(q.dir), "%s", trees[i].mount[m]);
			roots_each(r, q.dir, i == CGROUP_V2 ? look_v2 : look_v1,
				   &q);
		}
	}
	return cgroup_found(out);
}
