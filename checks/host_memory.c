/* SPDX-License-Identifier: Apache-2.0
 * host_memory: is all of the node's memory there, and does it hold? */
#include "config.h"
#include "checks/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "checks/node.h"

/* What a new kernel may reserve; less than any DIMM of a GPU node. */
#define LOST_PCT 5

static const struct cfg_key keys[] = {
	{ "expected_mb", CFG_INT, "MB", "0", 0, 1LL << 40, NULL,
	  "MemTotal of a good node, as free -m shows it; 0: not judged" },
	{ "tolerance_pct", CFG_INT, "%", "2", 0, 50, NULL,
	  "how far below expected_mb is still good" },
	{ "min_available_mb", CFG_INT, "MB", "0", 0, 1LL << 40, NULL,
	  "memory that has to be available to a job; 0: not judged" },
	{ "max_corrected", CFG_INT, NULL, "1000", 0, 1LL << 40, NULL,
	  "corrected errors since the last look that are worth a warning" },
	{ NULL, CFG_BOOL, NULL, NULL, 0, 0, NULL, NULL }
};

const struct check check_host_memory;

/* GPU memory that is onlined as the system's comes and goes with the driver's
 * mode: it counts only where NUMA nodes cannot be told apart. */
static int64_t own_kb(const struct facts_host *h)
{
	return h->mem_local_kb > 0 ? h->mem_local_kb : h->mem_total_kb;
}

static void judge_expected(const struct check_env *env, struct check_result *r)
{
	int64_t have = env->facts->host.mem_total_kb / 1024;
	int64_t want = check_cfg_int(env, &check_host_memory, "expected_mb");
	int64_t pct = check_cfg_int(env, &check_host_memory, "tolerance_pct");
	struct finding *f;

	if (!want || have >= want - want * pct / 100)
		return;
	f = result_add(r, STATUS_FAIL, "size", "node",
		       "memory %" PRId64 "<%" PRId64 " MB", have, want);
	node_numbers(f, (double)have, (double)want, "MB");
	node_remedy(f, REMEDY_SERVICE);
	node_evidence(f, env, "gib=%" PRId64, have / 1024);
}

/* The largest size seen under this kernel, 0 if there was none. */
static int64_t largest_kb(const struct check_env *env)
{
	const char *kernel = json_string_value(json_object_get(env->memory,
							       "kernel"));

	if (!kernel || strcmp(kernel, env->facts->host.kernel))
		return 0;
	return node_recall(env, "largest_kb", 0);
}

static void judge_lost(const struct check_env *env, struct check_result *r)
{
	int64_t have = own_kb(&env->facts->host);
	int64_t had = largest_kb(env);
	struct finding *f;

	if (check_cfg_int(env, &check_host_memory, "expected_mb") ||
	    have >= had - had / 100 * LOST_PCT)
		return;
	f = result_add(r, STATUS_FAIL, "lost", "node",
		       "lost memory: %" PRId64 "<%" PRId64 " MB", have / 1024,
		       had / 1024);
	node_numbers(f, (double)(have / 1024), (double)(had / 1024), "MB");
	node_remedy(f, REMEDY_SERVICE);
	node_evidence(f, env, "gib=%" PRId64, have / 1024 / 1024);
}

static void judge_available(const struct check_env *env,
			    struct check_result *r)
{
	int64_t want = check_cfg_int(env, &check_host_memory,
				     "min_available_mb");
	int64_t have = env->facts->host.mem_available_kb;
	struct finding *f;

	if (!want || have < 0 || have / 1024 >= want)
		return;
	f = result_add(r, STATUS_FAIL, "available", "node",
		       "available memory %" PRId64 "<%" PRId64 " MB",
		       have / 1024, want);
	node_numbers(f, (double)(have / 1024), (double)want, "MB");
}

/* How far a counter went since the last look at this boot: since the boot if
 * it was not looked at before, or if the counter was reset. */
static int64_t growth(const struct check_env *env, const char *key, int64_t now)
{
	int64_t then = node_memory_is_fresh(env) ? node_recall(env, key, 0) : 0;

	return now < then ? now : now - then;
}

static void judge_edac(const struct check_env *env, struct check_result *r)
{
	const struct facts_host *h = &env->facts->host;
	int64_t bad = growth(env, "ue", h->edac_ue);
	int64_t corrected = growth(env, "ce", h->edac_ce);
	int64_t max = check_cfg_int(env, &check_host_memory, "max_corrected");
	struct finding *f;

	if (h->edac_ue > 0 && bad > 0) {
		f = result_add(r, STATUS_FAIL, "uncorrectable", "node",
			       "%" PRId64 " uncorrectable memory errors", bad);
		node_numbers(f, (double)bad, 0, "errors");
		node_remedy(f, REMEDY_SERVICE);
		node_evidence(f, env, "ue=%" PRId64, h->edac_ue);
	}
	if (h->edac_ce > 0 && max && corrected > max) {
		f = result_add(r, STATUS_WARN, "corrected", "node",
			       "%" PRId64 " corrected memory errors",
			       corrected);
		node_numbers(f, (double)corrected, (double)max, "errors");
		node_evidence(f, env, "ce=%" PRId64, h->edac_ce);
	}
}

static void remember(const struct check_env *env, struct check_result *r)
{
	const struct facts_host *h = &env->facts->host;
	int64_t largest = largest_kb(env);
	json_t *m;

	if (own_kb(h) > largest)
		largest = own_kb(h);
	m = json_pack("{s:s s:s s:I s:I s:I}", "boot", node_boot(env),
		      "kernel", h->kernel, "largest_kb", (json_int_t)largest,
		      "ue", (json_int_t)h->edac_ue, "ce",
		      (json_int_t)h->edac_ce);
	if (json_equal(m, env->memory))
		json_decref(m);
	else
		r->memory = m;
}

static int run(const struct check_env *env, struct check_result *r)
{
	if (env->facts->host.mem_total_kb < 0)
		return result_skip(r, "/proc/meminfo tells no MemTotal");
	judge_expected(env, r);
	judge_lost(env, r);
	judge_edac(env, r);
	judge_available(env, r);
	remember(env, r);
	return 0;
}

const struct check check_host_memory = {
	.name = "host_memory",
	.summary = "the node's memory is all there and without errors",
	.reads = "/proc/meminfo, memory of NUMA nodes with CPUs, EDAC counts;"
		 " under 1 ms",
	.fails = "less memory than configured, or than seen before under this"
		 " kernel; uncorrectable errors since the last look",
	.advice = "look for a DIMM that the firmware has mapped out, and into"
		  " the system event log",
	.domain = DOMAIN_HOST,
	.scope = SCOPE_NODE,
	.def = ACTION_WARN,
	.keys = keys,
	.run = run,
};
