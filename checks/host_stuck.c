/* SPDX-License-Identifier: Apache-2.0
 * host_stuck: does anything hang in the kernel, do zombies pile up?
 *
 * A task in state D is nothing: every read from a disk is one. One that slept
 * in D from one look to the next, 200 ms, without running once, is noted; and
 * only when the same sleep still lasts min_stuck_s later it is a fault. Kernel
 * threads do not count, many of them sleep in D all day. */
#include "config.h"
#include "checks/check.h"

#include <inttypes.h>
#include <stdio.h>

#include "checks/node.h"

static const struct cfg_key keys[] = {
	{ "max_stuck", CFG_INT, NULL, "0", 0, 100000, NULL,
	  "processes that may hang in the kernel" },
	{ "min_stuck_s", CFG_INT, "s", "60", 0, 86400, NULL,
	  "how long a hanging process is only warned about" },
	{ "max_zombies", CFG_INT, NULL, "100", 0, 1000000, NULL,
	  "zombies that may be there" },
	{ NULL, CFG_BOOL, NULL, NULL, 0, 0, NULL, NULL }
};

const struct check check_host_stuck;

/* "PID:START:RUNS" names one sleep of one task of one boot. */
static char *sleep_key(const struct stuck_task *t, char buf[64])
{
	snprintf(buf, 64, "%" PRId64 ":%" PRIu64 ":%" PRIu64, t->pid,
		 t->start, t->runs);
	return buf;
}

static int64_t since(const struct check_env *env, const struct stuck_task *t)
{
	const json_t *tasks = json_object_get(env->memory, "tasks");
	char key[64];
	const json_t *v = json_object_get(tasks, sleep_key(t, key));

	return json_is_integer(v) && node_memory_is_fresh(env) ?
		json_integer_value(v) : env->now_s;
}

static void remember(const struct check_env *env, struct check_result *r)
{
	const struct facts_host *h = &env->facts->host;
	json_t *tasks, *m;

	if (!h->stuck_count && !env->memory)
		return;
	tasks = json_object();
	for (int i = 0; i < h->stuck_count; i++) {
		char key[64];

		json_object_set_new(tasks, sleep_key(&h->stuck[i], key),
				    json_integer(since(env, &h->stuck[i])));
	}
	m = json_pack("{s:s s:o}", "boot", node_boot(env), "tasks", tasks);
	if (json_equal(m, env->memory))
		json_decref(m);
	else
		r->memory = m;
}

/* The task that hangs longest. */
static const struct stuck_task *oldest(const struct check_env *env)
{
	const struct facts_host *h = &env->facts->host;
	const struct stuck_task *t = &h->stuck[0];

	for (int i = 1; i < h->stuck_count; i++)
		if (since(env, &h->stuck[i]) < since(env, t))
			t = &h->stuck[i];
	return t;
}

static void judge_stuck(const struct check_env *env, struct check_result *r)
{
	const struct facts_host *h = &env->facts->host;
	int64_t max = check_cfg_int(env, &check_host_stuck, "max_stuck");
	int64_t min_s = check_cfg_int(env, &check_host_stuck, "min_stuck_s");
	const struct stuck_task *t;
	struct finding *f;
	int old = 0;

	if (!h->stuck_count || h->d_count <= max)
		return;
	for (int i = 0; i < h->stuck_count; i++)
		old += env->now_s - since(env, &h->stuck[i]) >= min_s;
	t = oldest(env);
	f = result_add(r, old > max ? STATUS_FAIL : STATUS_WARN, "stuck",
		       "node", "%d processes hang in the kernel: %s[%" PRId64
		       "]%s%s", h->d_count, t->comm, t->pid,
		       t->wchan[0] ? " in " : "", t->wchan);
	node_numbers(f, h->d_count, (double)max, "processes");
	node_remedy(f, REMEDY_REBOOT);
	node_evidence(f, env, "pid=%" PRId64 " start=%" PRIu64, t->pid,
		      t->start);
}

static void judge_zombies(const struct check_env *env, struct check_result *r)
{
	int have = env->facts->host.z_count;
	int64_t max = check_cfg_int(env, &check_host_stuck, "max_zombies");
	struct finding *f;

	if (have <= max)
		return;
	f = result_add(r, STATUS_FAIL, "zombies", "node",
		       "%d>%" PRId64 " zombies", have, max);
	node_numbers(f, have, (double)max, "processes");
	node_evidence(f, env, "zombies");
}

static int run(const struct check_env *env, struct check_result *r)
{
	if (!env->facts->host.task_count && !env->facts->host.tasks_cut)
		return result_skip(r, "/proc shows no processes");
	judge_stuck(env, r);
	judge_zombies(env, r);
	remember(env, r);
	return 0;
}

const struct check check_host_stuck = {
	.name = "host_stuck",
	.summary = "no process hangs in the kernel, zombies do not pile up",
	.reads = "/proc/PID/stat of user processes, 15 us each; a second look"
		 " 200 ms later only if one was in state D",
	.fails = "the same sleep in D lasts longer than min_stuck_s; more"
		 " than max_zombies zombies",
	.advice = "see what it waits for in /proc/PID/stack; a task that hangs"
		  " in a driver needs a reboot",
	.domain = DOMAIN_HOST,
	.scope = SCOPE_NODE,
	.def = ACTION_WARN,
	.keys = keys,
	.run = run,
};
