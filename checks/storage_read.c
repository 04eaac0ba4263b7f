/* SPDX-License-Identifier: Apache-2.0
 * storage_read: does the file system give what the site expects of it? It is
 * the site's, not the node's: this never drains. */
#include "config.h"
#include "checks/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "checks/node.h"
#include "checks/probe_each.h"

extern const struct check check_storage_read;

#define SHARE 0.90		/* of what is expected */

static const struct cfg_key keys[] = {
	{ "path", CFG_PATH, NULL, NULL, 0, 0, NULL,
	  "file to be read, or the directory of a file assay-read.dat" },
	{ "size_mb", CFG_INT, "MiB", "1024", 1, 65536, NULL,
	  "how much of it is read at most" },
	{ "expected_mbps", CFG_INT, "MB/s", "0", 0, 1000000, NULL,
	  "rate that this site expects; 0: none" },
	{ "max_p99_ms", CFG_INT, "ms", "0", 0, 600000, NULL,
	  "time within which 99 of 100 blocks of 1 MiB come; 0: not judged" },
	{ 0 },
};

static int64_t number(const struct check_env *env, const char *key)
{
	return check_cfg_int(env, &check_storage_read, key);
}

static const char *path_of(const struct check_env *env)
{
	return check_cfg_text(env, &check_storage_read, "path");
}

static void judge_rate(const struct check_env *env, struct check_result *r,
		       double mbps)
{
	double limit = SHARE * (double)number(env, "expected_mbps");
	struct finding *f;

	if (!(mbps < limit))
		return;
	f = result_add(r, STATUS_WARN, "rate", path_of(env),
		       "%.0f<%.0f MB/s%s", mbps, limit,
		       env->probes->storage_direct ?
			       "" :
			       " (through the page cache)");
	node_numbers(f, round(mbps), round(limit), "MB/s");
}

static void judge_latency(const struct check_env *env, struct check_result *r,
			  double p99_ms)
{
	int64_t limit = number(env, "max_p99_ms");
	struct finding *f;

	if (!limit || !(p99_ms > (double)limit))
		return;
	f = result_add(r, STATUS_WARN, "latency", path_of(env),
		       "p99 %.0f>%" PRId64 " ms a block", p99_ms, limit);
	node_numbers(f, round(p99_ms), (double)limit, "ms");
}

/* True: there are figures. */
static bool judge_end(const struct check_env *env, struct check_result *r)
{
	const struct probe_shot *s = &env->probes->storage.shot[0];

	switch (s->end) {
	case PROBE_DONE:
		return true;
	case PROBE_FAULT:
		result_add(r, STATUS_WARN, "broken", path_of(env), "%s",
			   s->why);
		break;
	case PROBE_TIMEOUT:
		result_add(r, STATUS_TIMEOUT, "hung", path_of(env),
			   "does not answer%s",
			   env->probes->storage_pid ?
				   ", a process hangs in it" :
				   "");
		break;
	case PROBE_BROKEN:
		result_add(r, STATUS_ERROR, "unknown", path_of(env), "%s",
			   s->why);
		break;
	default:
		result_skip(r, "%s",
			    s->why[0] ? s->why : "not measured this time");
	}
	return false;
}

/* {"stuck": {"pid", "start"}}: nobody else is to be sent there. */
static void remember(const struct check_env *env, struct check_result *r)
{
	const struct facts_probes *p = env->probes;
	json_t *m = json_object();

	if (p->storage_pid)
		json_object_set_new(m, "stuck",
				    json_pack("{s:I, s:I}", "pid",
					      (json_int_t)p->storage_pid,
					      "start",
					      (json_int_t)p->storage_start));
	if (json_equal(m, env->memory) ||
	    (!env->memory && !p->storage_pid))
		json_decref(m);
	else
		r->memory = m;
}

static void report(const struct check_env *env, struct check_result *r)
{
	const struct probe_shot *s = &env->probes->storage.shot[0];
	json_t *obj;

	obj = json_pack("{s:s, s:s, s:b}", "subject", "node", "path",
			path_of(env), "direct", env->probes->storage_direct);
	probe_figure(obj, "mbps", s->figure[0] * 1e3);
	probe_figure(obj, "p99_ms", s->figure[1]);
	probe_figure(obj, "gib", s->figure[2]);
	probe_record(r, obj);
}

static int run(const struct check_env *env, struct check_result *r)
{
	const struct probe_shot *s = &env->probes->storage.shot[0];

	if (!*path_of(env))
		return result_skip(r, "no path configured");
	if (judge_end(env, r)) {
		judge_rate(env, r, s->figure[0] * 1e3);
		judge_latency(env, r, s->figure[1]);
		report(env, r);
	}
	remember(env, r);
	return 0;
}

const struct check check_storage_read = {
	.name = "storage_read",
	.summary = "a file of the site's storage is read as fast as expected",
	.reads = "a probe of the deep tier: an existing file, up to size_mb, in "
		 "blocks of 1 MiB, eight at a time, past the page cache where "
		 "the file system can, in a process of its own; seconds. It "
		 "belongs to the round that loads the GPUs, and is made where "
		 "they may be loaded",
	.fails = "never; warns when the rate is below 0.90 of expected_mbps, "
		 "when one block of a hundred takes longer than max_p99_ms, or "
		 "when reading fails. No answer in time is TIMEOUT",
	.advice = "look at the file system's servers first; then at this "
		  "node's mount and network",
	.domain = DOMAIN_STORAGE,
	.scope = SCOPE_SITE,
	.def = ACTION_WARN,
	.soft = true,
	.tier = TIER_DEEP,
	.probe = PROBE_storage,
	.keys = keys,
	.run = run,
};
