/* SPDX-License-Identifier: Apache-2.0
 * In slurmstepd, as root: a step begins, its tasks end, it ends.
 *
 * What a step does is noted in the job's run directory (note.h); the report's
 * lines are printed when the batch script has ended. Everything that Slurm
 * tells may be missing: then it is unknown. Once a note has failed, no more
 * are tried in this step.
 */
#include "config.h"
#include "spank/hooks.h"

#include <inttypes.h>
#include <slurm/slurm.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "spank/faults.h"
#include "spank/note.h"
#include "spank/rundir.h"

#define TASKS_NOTED 16		/* of those that failed */

static struct step {
	pid_t pid;		/* slurmstepd's own */
	int dir;		/* -1: nothing is recorded */
	struct note note;	/* what all notes of the step share */
	uint64_t ended, noted;	/* tasks */
	int failed;		/* wait status of the first that did */
	bool is_batch, has_begun;
} step = { .dir = -1 };

void step_option(const char *list)
{
	char bad[2];

	/* Of another build, or forged: what is not known says nothing. */
	choice_parse(list, &step.note.choice, bad, sizeof(bad));
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* An item of size bytes, a number; 0 counts as told. */
static struct event_number ask(spank_t sp, spank_item_t item, size_t size)
{
	union {
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
	} v = { .u64 = 0 };

	if (FAULT("items") ||
	    spank_get_item(sp, item, &v) != ESPANK_SUCCESS)
		return (struct event_number){ false, 0 };
	return (struct event_number){ true, size == 2 ? v.u16 :
						  size == 4 ? v.u32 :
							      v.u64 };
}

static struct event_number ask32(spank_t sp, spank_item_t item)
{
	return ask(sp, item, sizeof(uint32_t));
}

/* Memory that Slurm does not share out is 0. */
static struct event_number ask_mem(spank_t sp, spank_item_t item)
{
	struct event_number mb = ask(sp, item, sizeof(uint64_t));

	mb.known = mb.known && mb.n;
	return mb;
}

static void name_step(uint32_t id, char *buf, size_t size)
{
	if (id == SLURM_BATCH_SCRIPT)
		snprintf(buf, size, "batch");
	else if (id == SLURM_INTERACTIVE_STEP)
		snprintf(buf, size, "interactive");
	else
		snprintf(buf, size, "%" PRIu32, id);
}

/* Of an array, and which task of it: 0 and NO_VAL are Slurm's for none. A step
 * of any job has its job's id for the array's, and no task. */
static void ask_array(spank_t sp, struct event *e)
{
	e->array_job = ask32(sp, S_JOB_ARRAY_ID);
	e->array_task = ask32(sp, S_JOB_ARRAY_TASK_ID);
	if (e->array_job.n >= NO_VAL || e->array_task.n >= NO_VAL)
		e->array_job.n = 0;
}

/* Slurm puts it there; but the environment is the user's, and it is no more
 * than a word in his own report. */
static void ask_leaf(spank_t sp, struct event *e)
{
	char addr[512], pattern[512];

	e->leaf_why = EVENT_NOT_TOLD;
	if (!FAULT("items") &&
	    spank_getenv(sp, "SLURM_TOPOLOGY_ADDR", addr, sizeof(addr)) ==
		    ESPANK_SUCCESS &&
	    spank_getenv(sp, "SLURM_TOPOLOGY_ADDR_PATTERN", pattern,
			 sizeof(pattern)) == ESPANK_SUCCESS)
		e->leaf_why = leaf_of(addr, pattern, e->leaf);
}

/* An array's tasks are many and short, and their reports would be noise. The
 * environment is the user's: who forges it goes without his own report. */
static bool is_array(spank_t sp)
{
	const struct event_number *array = &step.note.event.array_job;
	char task[32];

	return (array->known && array->n) ||
	       spank_getenv(sp, "SLURM_ARRAY_TASK_ID", task, sizeof(task)) !=
		       ESPANK_ENV_NOEXIST;
}

/* The extern step has no tasks of its own, and no options reach it. */
void step_init(spank_t sp, const char *run)
{
	struct event_number job, id;
	struct event *e = &step.note.event;

	if (spank_context() != S_CTX_REMOTE)
		return;
	job = ask32(sp, S_JOB_ID);
	id = ask32(sp, S_JOB_STEPID);
	if (!job.known || !id.known || id.n == SLURM_EXTERN_CONT)
		return;
	step.pid = getpid();
	step.dir = rundir_open(run, (uint32_t)job.n);
	step.is_batch = id.n == SLURM_BATCH_SCRIPT;
	name_step((uint32_t)id.n, e->step, sizeof(e->step));
	e->ntasks = ask32(sp, S_JOB_LOCAL_TASK_COUNT);
	e->cpus = ask(sp, S_JOB_NCPUS, sizeof(uint16_t));
	e->step_mem_mb = ask_mem(sp, S_STEP_ALLOC_MEM);
	e->job_mem_mb = ask_mem(sp, S_JOB_ALLOC_MEM);
	ask_array(sp, e);
	ask_leaf(sp, e);
}

/* A copy of what all notes share. */
static struct note new_note(enum event_kind kind)
{
	struct note n = step.note;

	n.dir = step.dir;
	n.event.kind = kind;
	n.event.time_ms = now_ms();
	/* with ContainSpank a hook is in a process that waited for nobody */
	n.event.has_usage = kind != EVENT_BEGIN && getpid() == step.pid &&
			    getrusage(RUSAGE_CHILDREN, &n.event.usage) == 0;
	return n;
}

static void make(struct note *n)
{
	if (note_make(n) == 0) {
		step.note.place = n->place;
		return;
	}
	slurm_debug("assay: a note of step %s failed", n->event.step);
	close(step.dir);
	step.dir = -1;
}

void step_task_began(spank_t sp)
{
	struct event_number pid;
	struct note n;

	if (step.dir < 0 || step.has_begun)
		return;
	step.has_begun = true;
	n = new_note(EVENT_BEGIN);
	pid = ask32(sp, S_TASK_PID);
	if (pid.known)
		snprintf(n.pid, sizeof(n.pid), "%" PRIu64, pid.n);
	make(&n);
}

/* A step may have thousands of tasks here: noted are the first to end, the
 * last, and some of those that failed. */
static bool is_noted(const struct event *e)
{
	if (step.ended == 1 || (e->ntasks.known && step.ended == e->ntasks.n))
		return true;
	return e->has_status && e->status && ++step.noted <= TASKS_NOTED;
}

/* Into the job's own output, by way of Slurm. The first line is empty: what
 * was printed last may lack its newline. */
static void print(const struct block *b)
{
	int i;

	for (i = 0; i < b->count; i++) {
		if (!i)
			slurm_spank_log("%s", "");
		slurm_spank_log("%s", b->line[i]);
	}
}

void step_task_ended(spank_t sp)
{
	struct event_number status;
	struct note n;

	if (step.dir < 0)
		return;
	step.ended++;
	n = new_note(EVENT_TASK);
	n.event.task = ask32(sp, S_TASK_GLOBAL_ID);
	status = ask32(sp, S_TASK_EXIT_STATUS);
	n.event.has_status = status.known;
	n.event.status = (int)status.n;
	if (!step.failed)
		step.failed = n.event.status;
	n.wants_block = step.is_batch && !is_array(sp);
	if (!is_noted(&n.event))
		return;
	make(&n);
	print(&n.block);
}

/* The cgroups have gone by now. */
static void note_end(void)
{
	struct note n = new_note(EVENT_END);

	n.cgroups_gone = true;
	n.event.ended = (struct event_number){ true, step.ended };
	n.event.has_status = step.ended > 0;
	n.event.status = step.failed;
	make(&n);
}

void step_ended(spank_t sp)
{
	(void)sp;
	if (step.dir >= 0)
		note_end();
	if (step.dir >= 0)
		close(step.dir);
	step = (struct step){ .dir = -1 };
}
