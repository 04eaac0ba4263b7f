/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/facts_tasks.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/scrub.h"

#define LOOK_US 50000
#define PF_KTHREAD 0x00200000u
#define KTHREADD 2

struct task {
	int64_t pid;
	char state;
	char comm[20];
	unsigned long ppid, flags;
	unsigned long long start;
};

/* The children of kthreadd, ascending; walked along with the directory. */
struct kthreads {
	char *text;
	const char *at;
	int64_t next;		/* -1: no more */
};

static int64_t kthreads_pop(struct kthreads *k)
{
	char *end;
	long long pid;

	if (!k->at)
		return -1;
	pid = strtoll(k->at, &end, 10);
	if (end == k->at)
		return -1;
	k->at = end;
	return pid;
}

static void kthreads_load(const struct roots *r, struct kthreads *k)
{
	k->text = roots_slurp(r, "proc/2/task/2/children", 256 * 1024, NULL);
	k->at = k->text;
	k->next = kthreads_pop(k);
}

/* Is pid one of them? The directory comes in ascending order, as the list
 * does (until pids wrap around; then the flags of the task itself tell). */
static bool kthreads_has(struct kthreads *k, int64_t pid)
{
	while (k->next >= 0 && k->next < pid)
		k->next = kthreads_pop(k);
	return k->next == pid;
}

/* "PID (any ) text) S PPID PGRP SESSION TTY TPGID FLAGS ..." */
static int parse_stat(const char *text, struct task *t)
{
	const char *open = strchr(text, '(');
	const char *close = strrchr(text, ')');
	char comm[20];
	size_t len;

	if (!open || !close || close < open)
		return -1;
	if (sscanf(close + 1,
		   " %c %lu %*d %*d %*d %*d %lu %*u %*u %*u %*u %*u %*u %*d"
		   " %*d %*d %*d %*d %*d %llu",
		   &t->state, &t->ppid, &t->flags, &t->start) != 4)
		return -1;
	len = (size_t)(close - open) - 1;
	if (len >= sizeof(comm))
		len = sizeof(comm) - 1;
	memcpy(comm, open + 1, len);
	comm[len] = '\0';
	scrub_copy(t->comm, sizeof(t->comm), comm);
	return 0;
}

static int read_stat(const struct roots *r, int64_t pid, struct task *t)
{
	char text[1024];

	t->pid = pid;
	if (roots_readf(r, text, sizeof(text), "proc/%lld/stat",
			(long long)pid) < 0)
		return -1;
	return parse_stat(text, t);
}

/* How often the task was put on a CPU; 0 if the kernel does not tell. */
static uint64_t times_run(const struct roots *r, int64_t pid)
{
	unsigned long long runs = 0;
	char text[128];

	if (roots_readf(r, text, sizeof(text), "proc/%lld/schedstat",
			(long long)pid) < 0 ||
	    sscanf(text, "%*u %*u %llu", &runs) != 1)
		return 0;
	return runs;
}

static void note_d(const struct roots *r, const struct task *t,
		   struct facts_host *out)
{
	struct stuck_task *s;

	if (out->stuck_count >= FACTS_STUCK_MAX)
		return;
	s = &out->stuck[out->stuck_count++];
	*s = (struct stuck_task){ .pid = t->pid, .start = t->start,
				  .state = 'D' };
	s->runs = times_run(r, t->pid);
	memcpy(s->comm, t->comm, sizeof(s->comm));
}

static void look_at(const struct roots *r, int64_t pid, struct facts_host *out)
{
	struct task t;

	if (read_stat(r, pid, &t) < 0)
		return;
	if (t.flags & PF_KTHREAD || t.ppid == KTHREADD)
		return;
	out->task_count++;
	if (t.state == 'Z')
		out->z_count++;
	if (t.state == 'D')
		note_d(r, &t, out);
}

static void first_look(const struct roots *r, DIR *dir, struct facts_host *out)
{
	int64_t until = clock_mono_us() + LOOK_US;
	struct kthreads kthreads;
	struct dirent *d;

	kthreads_load(r, &kthreads);
	while ((d = readdir(dir))) {
		int64_t pid;

		if (!isdigit((unsigned char)d->d_name[0]))
			continue;
		pid = strtoll(d->d_name, NULL, 10);
		if (pid == KTHREADD || kthreads_has(&kthreads, pid))
			continue;
		if (clock_mono_us() >= until) {
			out->tasks_cut = true;
			break;
		}
		look_at(r, pid, out);
	}
	free(kthreads.text);
}

static bool still_stuck(const struct roots *r, const struct stuck_task *s)
{
	return facts_tasks_in_d(r, s->pid, s->start) &&
	       times_run(r, s->pid) == s->runs;
}

static void where(const struct roots *r, struct stuck_task *s)
{
	char text[40];

	/* "0": not for us to know. */
	if (roots_readf(r, text, sizeof(text), "proc/%lld/wchan",
			(long long)s->pid) > 0 && strcmp(text, "0"))
		scrub_copy(s->wchan, sizeof(s->wchan), text);
}

static void second_look(const struct roots *r, struct facts_host *out)
{
	int kept = 0;

	for (int i = 0; i < out->stuck_count; i++) {
		if (!still_stuck(r, &out->stuck[i]))
			continue;
		out->stuck[kept] = out->stuck[i];
		where(r, &out->stuck[kept++]);
	}
	memset(&out->stuck[kept], 0,
	       (FACTS_STUCK_MAX - (size_t)kept) * sizeof(out->stuck[0]));
	out->stuck_count = kept;
	out->d_count = kept;
}

uint64_t facts_tasks_start(const struct roots *r, int64_t pid)
{
	struct task t;

	return read_stat(r, pid, &t) == 0 ? t.start : 0;
}

bool facts_tasks_in_d(const struct roots *r, int64_t pid, uint64_t start)
{
	struct task t;

	return read_stat(r, pid, &t) == 0 && t.state == 'D' &&
	       t.start == start;
}

void facts_tasks_gather(const struct roots *r, int second_look_ms,
			struct facts_host *out)
{
	int fd = roots_openat(r, "proc", O_RDONLY | O_DIRECTORY);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	first_look(r, dir, out);
	closedir(dir);
	if (!out->stuck_count)
		return;
	if (second_look_ms > 0)
		clock_sleep_ms(second_look_ms);
	second_look(r, out);
}
