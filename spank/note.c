/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "spank/note.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/spawn.h"
#include "spank/faults.h"
#include "spank/rundir.h"

struct answer {
	struct event_place place;
	struct block block;
};

/* Slurm moves a task into its cgroups while it starts, and in v1 itself not
 * into all of them: who knows of more is believed. */
static void find_place(const struct roots *r, const struct note *n,
		       struct event_place *place)
{
	*place = n->place;
	if (!cgroup_found(&place->step) && n->pid[0])
		cgroup_of_process(r, n->pid, &place->job, &place->step);
	if (!cgroup_found(&place->step))
		cgroup_of_process(r, "self", &place->job, &place->step);
}

static void append(const struct note *n, const char *line)
{
	bool numbered = isdigit((unsigned char)n->event.step[0]);

	if (rundir_append(n->dir, NOTE_FILE, line,
			  numbered ? NOTE_BYTES : 2 * NOTE_BYTES) < 0)
		rundir_append(n->dir, NOTE_DROPPED_FILE, "\n", NOTE_BYTES);
}

static void write_event(const struct note *n, struct event_place *place)
{
	char line[EVENT_BYTES];
	struct roots r;

	if (roots_open(&r, "/", NULL) < 0)
		return;
	find_place(&r, n, place);
	if (event_format(&n->event, &r, n->cgroups_gone ? NULL : place, line) ==
	    0)
		append(n, line);
	roots_close(&r);
}

/* slurmstepd holds the pipes and sockets of its job: a child that would not
 * end must not hold them, too. */
static void keep_only(int a, int b)
{
	unsigned int low = (unsigned int)(a < b ? a : b);
	unsigned int high = (unsigned int)(a < b ? b : a);

	if (low > 3)
		syscall(SYS_close_range, 3u, low - 1, 0u);
	if (high > low + 1)
		syscall(SYS_close_range, low + 1, high - 1, 0u);
	syscall(SYS_close_range, high + 1, ~0u, 0u);
}

static void go_wrong(void)
{
	if (FAULT("segv"))
		raise(SIGSEGV);
	while (FAULT("hang"))
		pause();
}

static int body(int sock, void *arg)
{
	static const struct rlimit no_core;
	const struct note *n = arg;
	char text[CHOICE_TEXT_BYTES];
	struct answer a = { 0 };

	setrlimit(RLIMIT_CORE, &no_core);
	keep_only(sock, n->dir);
	go_wrong();
	if (*choice_format(&n->choice, text))
		rundir_note(n->dir, NOTE_CHOICE_FILE, text);
	write_event(n, &a.place);
	if (n->wants_block)
		block_read(n->dir, &n->choice, n->event.time_ms / 1000,
			   &a.block);
	return worker_send(sock, &a, sizeof(a)) < 0;
}

int note_make(struct note *n)
{
	struct answer a;
	struct worker w;
	int rc = -1;

	if (FAULT("fork") || worker_start(&w, body, n, false) < 0)
		return -1;
	if (worker_wait(&w, NOTE_DEADLINE_MS) &&
	    worker_recv(&w, &a, sizeof(a)) == sizeof(a)) {
		n->place = a.place;
		n->block = a.block;
		rc = 0;
	}
	worker_stop(&w);
	return rc;
}
