/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "spank/event.h"

#include <sys/wait.h>

#include "spank/jsonw.h"

#define BLOCK_BYTES 512		/* of getrusage(2) */
#define FIELDS_MAX 16

struct field {
	const char *name;
	uint64_t n;
	const char *why;	/* NULL: n is known */
};

struct fields {
	struct field field[FIELDS_MAX];
	int count;
};

static void add(struct fields *f, const char *name, uint64_t n, const char *why)
{
	if (f->count < FIELDS_MAX)
		f->field[f->count++] = (struct field){ name, n, why };
}

static void add_told(struct fields *f, const char *name, struct event_number n,
		     uint64_t unit)
{
	add(f, name, n.n * unit, n.known ? NULL : EVENT_NOT_TOLD);
}

static void put_fields(struct jsonw *j, const struct fields *f)
{
	bool open = false;
	int i;

	for (i = 0; i < f->count; i++) {
		if (f->field[i].why)
			jsonw_null(j, f->field[i].name);
		else
			jsonw_u64(j, f->field[i].name, f->field[i].n);
	}
	for (i = 0; i < f->count; i++) {
		if (!f->field[i].why)
			continue;
		if (!open)
			jsonw_open(j, "why");
		open = true;
		jsonw_text(j, f->field[i].name, f->field[i].why);
	}
	if (open)
		jsonw_close(j);
}

/* Where it is counted, and what is there: adds its numbers to f. Where there
 * is none, that is said once. */
static void put_cgroup(struct jsonw *j, const struct roots *r,
		       const struct cgroup *c, struct fields *f)
{
	struct cgroup_usage u;
	int i;

	if (!cgroup_found(c)) {
		add(f, "cgroup", 0, CGROUP_NO_CGROUP);
		return;
	}
	jsonw_open(j, "cgroup");
	for (i = 0; i < CGROUP_TREES; i++)
		if (c->dir[i][0])
			jsonw_text(j, cgroup_tree_name((enum cgroup_tree)i),
				   c->dir[i]);
	jsonw_close(j);
	cgroup_read(r, c, &u);
	for (i = 0; i < CGROUP_NUMBERS; i++)
		add(f, cgroup_number_name((enum cgroup_number)i), u.value[i].n,
		    u.value[i].why);
}

static void put_exit(struct jsonw *j, const struct event *e, struct fields *f)
{
	if (e->kind == EVENT_BEGIN)
		return;
	if (!e->has_status) {
		add(f, "exit", 0, EVENT_NOT_TOLD);
		return;
	}
	jsonw_open(j, "exit");
	jsonw_u64(j, "code",
		  WIFEXITED(e->status) ? (uint64_t)WEXITSTATUS(e->status) : 0);
	jsonw_u64(j, "signal",
		  WIFSIGNALED(e->status) ? (uint64_t)WTERMSIG(e->status) : 0);
	jsonw_close(j);
}

/* What the job and the node are, once for a step. */
static void put_begin(struct jsonw *j, const struct event *e, struct fields *f)
{
	if (!e->array_job.known || e->array_job.n) {
		add_told(f, "array_job", e->array_job, 1);
		add_told(f, "array_task", e->array_task, 1);
	}
	if (e->leaf_why)
		add(f, "leaf", 0, e->leaf_why);
	else
		jsonw_text(j, "leaf", e->leaf);
}

static uint64_t us(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000 + (uint64_t)t->tv_usec;
}

/* What the kernel tells of the processes that slurmstepd has waited for: also
 * where nothing else counts. */
static void put_rusage(struct jsonw *j, const struct rusage *u)
{
	jsonw_open(j, "rusage");
	jsonw_u64(j, "cpu_us", us(&u->ru_utime) + us(&u->ru_stime));
	jsonw_u64(j, "max_rss_bytes", (uint64_t)u->ru_maxrss * 1024);
	jsonw_u64(j, "io_read_bytes", (uint64_t)u->ru_inblock * BLOCK_BYTES);
	jsonw_u64(j, "io_write_bytes", (uint64_t)u->ru_oublock * BLOCK_BYTES);
	jsonw_close(j);
}

static void put_job(struct jsonw *j, const struct roots *r,
		    const struct event *e, const struct cgroup *job)
{
	struct fields f = { .count = 0 };

	jsonw_open(j, "job");
	put_cgroup(j, r, job, &f);
	add_told(&f, "mem_alloc_bytes", e->job_mem_mb, 1 << 20);
	put_fields(j, &f);
	jsonw_close(j);
}

static const char *const kinds[] = {
	[EVENT_BEGIN] = "begin", [EVENT_TASK] = "task", [EVENT_END] = "end"
};

int event_format(const struct event *e, const struct roots *r,
		 const struct event_place *place, char buf[EVENT_BYTES])
{
	struct fields f = { .count = 0 };
	struct jsonw j;

	jsonw_init(&j, buf, EVENT_BYTES);
	jsonw_text(&j, "event", kinds[e->kind]);
	jsonw_text(&j, "step", e->step);
	jsonw_seconds(&j, "time", e->time_ms);
	put_exit(&j, e, &f);
	if (e->kind == EVENT_BEGIN)
		put_begin(&j, e, &f);
	if (e->kind == EVENT_TASK)
		add_told(&f, "task", e->task, 1);
	add_told(&f, "ntasks", e->ntasks, 1);
	if (e->kind == EVENT_END)
		add_told(&f, "ended", e->ended, 1);
	add_told(&f, "cpus", e->cpus, 1);
	add_told(&f, "mem_alloc_bytes", e->step_mem_mb, 1 << 20);
	if (place)
		put_cgroup(&j, r, &place->step, &f);
	put_fields(&j, &f);
	if (e->has_usage)
		put_rusage(&j, &e->usage);
	if (place)
		put_job(&j, r, e, &place->job);
	return jsonw_done(&j);
}
