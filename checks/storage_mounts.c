/* SPDX-License-Identifier: Apache-2.0
 * storage_mounts: are the mounts that jobs need there, do they answer, is
 * there room? File systems are the site's: this never drains a node. */
#include "config.h"
#include "checks/check.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "checks/node.h"

static const struct cfg_key keys[] = {
	{ "paths", CFG_LIST, NULL, NULL, 0, 0, NULL,
	  "mount points that have to be there" },
	{ "ro_ok", CFG_LIST, NULL, NULL, 0, 0, NULL,
	  "those of them that may be read-only" },
	{ "min_free_pct", CFG_INT, "%", "1", 0, 100, NULL,
	  "free space they have to have; 0: not judged" },
	{ "min_inodes_pct", CFG_INT, "%", "1", 0, 100, NULL,
	  "free inodes they have to have; 0: not judged" },
	{ "timeout_ms", CFG_INT, "ms", "1000", 10, 30000, NULL,
	  "time within which they have to answer" },
	{ NULL, CFG_BOOL, NULL, NULL, 0, 0, NULL, NULL }
};

const struct check check_storage_mounts;

static void finish(const struct check_env *env, struct finding *f,
		   enum remedy remedy, const char *what)
{
	node_remedy(f, remedy);
	node_evidence(f, env, "%s", what);
	if (f)
		f->grace = true;
}

static void judge_share(const struct check_env *env, struct check_result *r,
			const struct mount_fact *m, const char *what)
{
	bool space = !strcmp(what, "space");
	int64_t total = space ? m->bytes_total : m->inodes_total;
	int64_t left = space ? m->bytes_avail : m->inodes_free;
	int64_t min = check_cfg_int(env, &check_storage_mounts, space ?
				    "min_free_pct" : "min_inodes_pct");
	double pct = total > 0 ? 100.0 * (double)left / (double)total : 0;
	struct finding *f;

	if (!min || total <= 0 || left < 0 || pct >= (double)min)
		return;
	f = result_add(r, STATUS_FAIL, what, m->path,
		       "%.1f<%" PRId64 "%% %s free", pct, min, what);
	node_numbers(f, round(pct * 10) / 10, (double)min, "%");
	finish(env, f, REMEDY_NONE, what);
}

static void judge_answer(const struct check_env *env, struct check_result *r,
			 const struct mount_fact *m)
{
	struct finding *f;

	if (m->hung) {
		f = result_add(r, STATUS_TIMEOUT, "hung", m->path,
			       "does not answer%s", m->stuck_pid ?
			       ", a process hangs in it" : "");
		node_numbers(f, (double)(m->elapsed_us / 1000), NAN, "ms");
		finish(env, f, REMEDY_NONE, "hung");
	} else if (m->rc == ECHILD) {
		result_add(r, STATUS_ERROR, "unknown", m->path,
			   "could not be asked");
	} else if (m->rc && m->rc != ENOSYS && m->mounted) {
		f = result_add(r, STATUS_FAIL, "broken", m->path, "statfs: %s",
			       strerror(m->rc));
		finish(env, f, REMEDY_NONE, "broken");
	}
}

static void judge(const struct check_env *env, struct check_result *r,
		  const struct mount_fact *m)
{
	struct finding *f;

	judge_answer(env, r, m);
	if (!m->mounted) {
		f = result_add(r, STATUS_FAIL, "absent", m->path,
			       "is not mounted");
		finish(env, f, REMEDY_CONFIG, "absent");
		return;		/* what answered is the directory below */
	}
	if (m->readonly && !cfg_list_has(env->cfg, "check storage_mounts",
					 "ro_ok", m->path)) {
		f = result_add(r, STATUS_FAIL, "readonly", m->path,
			       "is read-only");
		finish(env, f, REMEDY_CONFIG, "readonly");
	}
	if (m->answered && !m->rc) {
		judge_share(env, r, m, "space");
		judge_share(env, r, m, "inodes");
	}
}

/* {"stuck": {PATH: {"pid", "start"}}}: where no other process is to be sent. */
static void remember(const struct check_env *env, struct check_result *r)
{
	const struct facts_storage *s = &env->facts->storage;
	json_t *stuck = json_object();
	json_t *m;

	for (int i = 0; i < s->count; i++)
		if (s->mount[i].stuck_pid)
			json_object_set_new(stuck, s->mount[i].path, json_pack(
				"{s:I s:I}", "pid",
				(json_int_t)s->mount[i].stuck_pid, "start",
				(json_int_t)s->mount[i].stuck_start));
	m = json_pack("{s:o}", "stuck", stuck);
	if (json_equal(m, env->memory) ||
	    (!env->memory && !json_object_size(stuck)))
		json_decref(m);
	else
		r->memory = m;
}

static int run(const struct check_env *env, struct check_result *r)
{
	const struct facts_storage *s = &env->facts->storage;

	if (!s->count)
		return result_skip(r, "no paths configured");
	for (int i = 0; i < s->count; i++)
		judge(env, r, &s->mount[i]);
	remember(env, r);
	return 0;
}

const struct check check_storage_mounts = {
	.name = "storage_mounts",
	.summary = "required mounts are there, answer, and have room",
	.reads = "/proc/self/mountinfo, statfs of each path in a process of"
		 " its own; 0.3 ms each",
	.fails = "a path is not a mount point, is read-only, or is full; one"
		 " that does not answer in time is TIMEOUT",
	.advice = "look at the file system's servers first; then at this"
		  " node's mount and network",
	.domain = DOMAIN_STORAGE,
	.scope = SCOPE_SITE,
	.def = ACTION_WARN,
	.keys = keys,
	.run = run,
};
