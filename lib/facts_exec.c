/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/facts_exec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/clock.h"
#include "lib/fan.h"
#include "lib/scrub.h"
#include "lib/spawn.h"
#include "lib/words.h"

#define WORDS_MAX 32
#define OUTPUT_MAX 4096
#define STOP_MS 150		/* what spawn_run() may take beyond its time */

_Static_assert(FACTS_EXECS_MAX <= FAN_MAX, "one worker for each command");

struct order {
	const struct cfg *cfg;
	int deadline_ms;
	int count;
	const char *section[FACTS_EXECS_MAX];
	char job[40], node[300];
};

/* Divide a command at its blanks, in place. The number of words, or -1. */
static int divide(char *command, const char *argv[WORDS_MAX + 1])
{
	char *save = NULL;
	int n = 0;

	for (char *w = strtok_r(command, " \t", &save); w;
	     w = strtok_r(NULL, " \t", &save)) {
		if (n == WORDS_MAX)
			return -1;
		argv[n++] = w;
	}
	argv[n] = NULL;
	return n;
}

/* Nagios: text in front of '|' is for people. */
static void first_line(char *dst, size_t size, const char *text)
{
	char line[256];

	snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\r\n|"),
		 text);
	for (size_t n = strlen(line); n && line[n - 1] == ' '; n--)
		line[n - 1] = '\0';
	scrub_copy(dst, size, line);
}

static void run_it(const struct order *o, const char *const argv[],
		   int timeout_ms, struct exec_fact *x)
{
	const char *envp[4] = { "PATH=/usr/sbin:/usr/bin:/sbin:/bin", o->node };
	struct spawn_out out;
	struct err e = { "" };

	if (o->job[0])
		envp[2] = o->job;
	if (spawn_run(argv, envp, timeout_ms, OUTPUT_MAX, &out, &e) < 0) {
		scrub_copy(x->why, sizeof(x->why), e.text);
		return;
	}
	x->started = true;
	x->timed_out = out.timed_out;
	x->elapsed_us = out.elapsed_ms * 1000;
	x->exit_code = -1;
	if (!out.timed_out && WIFEXITED(out.status))
		x->exit_code = WEXITSTATUS(out.status);
	if (!out.timed_out && WIFSIGNALED(out.status))
		x->signal = WTERMSIG(out.status);
	first_line(x->line, sizeof(x->line), out.text ? out.text : "");
	spawn_out_fini(&out);
}

static int run_one(int i, void *arg, void *answer)
{
	const struct order *o = arg;
	const char *sec = o->section[i];
	const char *command = cfg_text(o->cfg, sec, "command");
	int64_t timeout_ms = cfg_int(o->cfg, sec, "timeout_ms");
	const char *argv[WORDS_MAX + 1];
	struct exec_fact *x = answer;
	char words[1024];
	struct err e = { "" };

	if (timeout_ms > o->deadline_ms)
		timeout_ms = o->deadline_ms;
	snprintf(words, sizeof(words), "%s", command ? command : "");
	if (!command || strlen(command) >= sizeof(words) ||
	    divide(words, argv) <= 0)
		snprintf(x->why, sizeof(x->why), "no usable command");
	else if (argv[0][0] != '/')
		snprintf(x->why, sizeof(x->why),
			 "the command is not an absolute path");
	else if (cfg_file_trusted(argv[0], &e) < 0)
		scrub_copy(x->why, sizeof(x->why), e.text);
	else
		run_it(o, argv, (int)timeout_ms, x);
	return 0;
}

static bool asked_for(const struct exec_request *q, const char *sec)
{
	char name[80];

	snprintf(name, sizeof(name), "exec_%s", sec + strlen("exec "));
	return !q->only || words_have(q->only, name);
}

static void collect(const struct exec_request *q, struct order *o,
		    struct facts_exec *out)
{
	const char *sec;

	for (int i = 0; (sec = cfg_section_at(o->cfg, "exec *", i)); i++) {
		const char *why = cfg_broken(o->cfg, sec);
		struct exec_fact *x = &out->exec[o->count];

		if (!asked_for(q, sec) ||
		    (!why && !cfg_bool(o->cfg, sec, "enabled")))
			continue;
		if (o->count == FACTS_EXECS_MAX)
			break;
		scrub_copy(x->name, sizeof(x->name), sec + strlen("exec "));
		if (why)
			scrub_copy(x->why, sizeof(x->why), why);
		o->section[o->count++] = sec;
	}
	out->count = o->count;
}

static void ended(struct exec_fact *x, const struct fan_slot *slot,
		  const struct exec_fact *answer)
{
	char name[sizeof(x->name)];

	if (slot->end == FAN_ANSWERED) {
		memcpy(name, x->name, sizeof(name));
		*x = *answer;
		memcpy(x->name, name, sizeof(name));
	} else if (slot->end == FAN_LATE) {
		x->started = x->timed_out = true;
		x->exit_code = -1;
		x->elapsed_us = slot->elapsed_us;
	} else if (slot->end != FAN_SKIPPED) {
		snprintf(x->why, sizeof(x->why), "no process to run it in");
	}
}

int facts_exec_gather(const struct exec_request *q, struct facts_exec *out)
{
	struct order o = { .cfg = q->cfg,
			   .deadline_ms = q->deadline_ms > 2 * STOP_MS ?
				   q->deadline_ms - STOP_MS : q->deadline_ms };
	int64_t started = clock_mono_us();
	struct exec_fact answers[FACTS_EXECS_MAX];
	struct fan_slot slots[FACTS_EXECS_MAX];
	struct fan fan = { .body = run_one, .arg = &o,
			   .size = sizeof(answers[0]), .answers = answers,
			   .deadline_ms = q->deadline_ms };

	memset(out, 0, sizeof(*out));
	collect(q, &o, out);
	if (q->job->id)
		snprintf(o.job, sizeof(o.job), "SLURM_JOB_ID=%u", q->job->id);
	snprintf(o.node, sizeof(o.node), "SLURMD_NODENAME=%s", q->job->node);
	fan.count = o.count;
	for (int i = 0; i < o.count; i++)
		fan.skip[i] = out->exec[i].why[0];
	fan_run(&fan, slots);
	for (int i = 0; i < o.count; i++)
		ended(&out->exec[i], &slots[i], &answers[i]);
	out->gather.end = GATHER_DONE;
	out->gather.elapsed_us = clock_mono_us() - started;
	return 0;
}
