/* SPDX-License-Identifier: Apache-2.0
 * Events: from the kernel log, from what readings say, into the file, to the
 * site's programs. */
#include "config.h"
#include "watch/sampler.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/cgroup.h"
#include "lib/clock.h"
#include "lib/jsonfile.h"
#include "lib/log.h"

/* ---- whose it is ----------------------------------------------------------- */

static const struct mark_gpu *gpu_at(const struct mark *m, const char *bus_id)
{
	int i;

	for (i = 0; i < m->gpu_count; i++)
		if (!strcasecmp(m->gpu[i].bus_id, bus_id))
			return &m->gpu[i];
	return NULL;
}

/* A PCI address of a job's GPU becomes "GPU3". */
static void name_device(const struct sampler *w, struct event *ev)
{
	const struct mark_gpu *g = NULL;
	int i;

	for (i = 0; i < w->job_count && !g; i++)
		g = gpu_at(&w->job[i].mark, ev->device);
	if (g && g->index >= 0)
		snprintf(ev->device, sizeof(ev->device), "GPU%d", g->index);
}

static bool same_cgroup(const struct cgroup *a, const struct cgroup *b)
{
	int i;

	for (i = 0; i < CGROUP_TREES; i++)
		if (a->dir[i][0] && !strcmp(a->dir[i], b->dir[i]))
			return true;
	return false;
}

/* The job that the process belongs to, if it is still there. */
static uint32_t job_of_pid(const struct sampler *w, int64_t pid)
{
	struct cgroup its, jobs;
	char text[24];
	int i;

	snprintf(text, sizeof(text), "%lld", (long long)pid);
	if (pid <= 0 ||
	    !cgroup_of_process(&w->s->roots, text, &its, NULL))
		return 0;
	for (i = 0; i < w->job_count; i++) {
		const struct mark *m = &w->job[i].mark;
		struct cgroup_job job = { m->job, m->sluid, m->node };

		if (cgroup_of_job(&w->s->roots, &job, &jobs) &&
		    same_cgroup(&its, &jobs))
			return m->job;
	}
	return 0;
}

static bool has_gpu(const struct mark *m, const char *device)
{
	char name[16];
	int i;

	for (i = 0; i < m->gpu_count; i++) {
		snprintf(name, sizeof(name), "GPU%d", m->gpu[i].index);
		if (!strcmp(name, device))
			return true;
	}
	return false;
}

/* "12,13": those that hold the GPU, or all for what is the node's. */
static void jobs_of(const struct sampler *w, const char *device,
		    char *buf, size_t size)
{
	bool is_gpu = !strncmp(device, "GPU", 3);
	size_t len = 0;
	int i;

	buf[0] = '\0';
	for (i = 0; i < w->job_count && len + 12 < size; i++)
		if (!is_gpu || has_gpu(&w->job[i].mark, device))
			len += (size_t)snprintf(buf + len, size - len, "%s%u",
						len ? "," : "",
						w->job[i].mark.job);
}

/* ---- telling ------------------------------------------------------------- */

void sampler_tell(struct sampler *w, struct event *ev)
{
	char jobs[256];

	if (!events_add(&w->events, ev))
		return;
	jobs_of(w, ev->device, jobs, sizeof(jobs));
	log_warn("%s %s%s%s: %s", event_kind_name(ev->kind), ev->device,
		 jobs[0] ? " of job " : "", jobs, ev->text);
	hook_add(&w->hook, ev, jobs);
}

static void on_fault(struct event *ev, const struct fault *f, void *arg)
{
	struct sampler *w = arg;

	(void)f;
	name_device(w, ev);
	/* A storm costs no look at processes for each. */
	if (!events_folds(&w->events, ev))
		ev->job = job_of_pid(w, ev->pid);
	sampler_tell(w, ev);
}

void sampler_read_kernel(struct sampler *w)
{
	const struct instant now = clock_now();

	if (kernel_read(&w->kernel, &now, on_fault, w))
		events_lost(&w->events, now.up_s);
}

/* ---- beginning ------------------------------------------------------------- */

static int64_t number(const json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

static uint64_t first_seq(const struct sampler *w)
{
	uint64_t first = UINT64_MAX, seq;
	int i;

	for (i = 0; i < w->job_count; i++) {
		seq = (uint64_t)number(w->job[i].mark.snapshot, "kmsg_seq");
		first = seq < first ? seq : first;
	}
	return first == UINT64_MAX ? 0 : first;
}

/* Did a sampler before this one already work for a job that is alive? */
static bool goes_on(const struct sampler *w, int64_t last_up_s)
{
	int i;

	for (i = 0; i < w->job_count; i++)
		if (w->job[i].mark.start_up_s <= last_up_s)
			return true;
	return false;
}

static json_t *last_state(const struct sampler *w)
{
	json_t *doc = jsonfile_read(w->dir, SAMPLER_STATE);
	const char *boot;

	boot = json_string_value(json_object_get(doc, "boot_id"));
	if (boot && !strcmp(boot, w->boot_id))
		return doc;
	json_decref(doc);
	return NULL;
}

void sampler_part_events(struct sampler *w)
{
	events_part(&w->events, sampler_oldest_up_s(w));
}

void sampler_begin_events(struct sampler *w)
{
	json_t *last = last_state(w);
	uint64_t seq = first_seq(w), told = (uint64_t)number(last, "kmsg_next");
	bool on = last && goes_on(w, number(last, "last_up"));

	events_open(&w->events, w->dir, !on);
	if (on && told > seq)
		seq = told;
	if (on)
		events_lost(&w->events, number(last, "events_cut"));
	json_decref(last);
	sampler_part_events(w);
	if (kernel_open(&w->kernel, &w->s->roots, seq) < 0)
		log_info("no kernel log: %s", strerror(errno));
}
