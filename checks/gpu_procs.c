/* SPDX-License-Identifier: Apache-2.0
 * gpu_procs: is anybody left on the job's GPUs? Judged only on devices that
 * are known to be the job's alone, and only if seen in both looks. */
#include "config.h"
#include "checks/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "checks/gpu_each.h"

/* The kernel keeps 15 bytes of a process name. */
#define COMM_MAX 15

static const struct cfg_key keys[] = {
	{ .name = "allow",
	  .type = CFG_LIST,
	  .help = "further process names that may hold a GPU; a trailing * "
		  "matches any ending" },
	{ 0 },
};

static const char *const always[] = {
	"nvidia-cuda-mps-server",
	"nvidia-cuda-mps-control",
	"nv-hostengine",
	"nvidia-persistenced",
	"dcgm*",
	NULL,
};

static bool matches(const char *comm, const char *pattern)
{
	size_t len = strlen(pattern);

	if (len && pattern[len - 1] == '*')
		return !strncmp(comm, pattern,
				len - 1 < COMM_MAX ? len - 1 : COMM_MAX);
	return !strncmp(comm, pattern, COMM_MAX);
}

static bool allowed(const struct check_env *env, const char *comm)
{
	char word[64];
	int i;

	for (i = 0; always[i]; i++)
		if (matches(comm, always[i]))
			return true;
	for (i = 0; cfg_list_at(env->cfg, "check gpu_procs", "allow", i, word,
				sizeof(word));
	     i++)
		if (matches(comm, word))
			return true;
	return false;
}

static void judge(const struct check_env *env, struct check_result *r, int i)
{
	const struct gpu *g = &env->facts->gpus.gpu[i];
	const struct gpu_proc *first = NULL;
	struct finding *f;
	int j, count = 0;

	for (j = 0; j < g->proc_count && j < FACTS_PROCS_MAX; j++) {
		if (g->proc[j].comm[0] && allowed(env, g->proc[j].comm))
			continue;
		count++;
		if (!first || (!first->comm[0] && g->proc[j].comm[0]))
			first = &g->proc[j];
	}
	if (!count)
		return;
	/* A process without a name may live in a world that we do not see. */
	f = result_add_gpu(r, first->comm[0] ? STATUS_FAIL : STATUS_WARN,
			   "leftover", env, i, "pid %" PRId64 " (%s) holds it%s",
			   first->pid, first->comm[0] ? first->comm : "unknown",
			   count > 1 ? ", and others" : "");
	if (!f)
		return;
	f->value = count;
	f->limit = 0;
	snprintf(f->unit, sizeof(f->unit), "processes");
	gpu_evidence_boot(f, env, "pid=%" PRId64, first->pid);
}

static int run(const struct check_env *env, struct check_result *r)
{
	struct gpu_look l = { .env = env, .r = r };
	const struct gpu *g;
	int i;

	if (!env->owned)
		return result_skip(r, "the GPUs may be in use by others");
	for (i = gpu_next(env, -1); i >= 0; i = gpu_next(env, i)) {
		g = &env->facts->gpus.gpu[i];
		if (g->proc_count < 0 ||
		    (env->gpu_is_jobs && !env->gpu_is_jobs[i]))
			continue;
		l.known++;
		if (g->proc_count > 0 && g->procs_again)
			judge(env, r, i);
	}
	return gpu_done(&l, "no GPU tells its processes");
}

const struct check check_gpu_procs = {
	.name = "gpu_procs",
	.summary = "nobody is left on the GPUs before the job",
	.reads = "NVML's list of compute processes and their names in /proc, "
		 "twice, 200 ms apart, where the first is not empty; only on "
		 "GPUs that are the job's alone",
	.fails = "a process holds a GPU in both looks; MPS, DCGM and "
		 "persistenced are allowed, and what [check gpu_procs] allow "
		 "names",
	.advice = "Find whose it is (ps -o user,pid,lstart,cmd -p PID); a job "
		  "that escaped its cgroup, or a service to be put on the "
		  "allow list.",
	.domain = DOMAIN_GPU,
	.needs = NEED_GPU | NEED_NVML,
	.scope = SCOPE_NODE,
	.def = ACTION_WARN,
	.keys = keys,
	.run = run,
};
