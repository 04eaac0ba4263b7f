/* SPDX-License-Identifier: Apache-2.0
 * Where a job's record is: root's, and a copy that its owner may read. */
#include "config.h"
#include "cmd/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "epilog/members.h"
#include "epilog/merge.h"
#include "epilog/records.h"
#include "lib/accounting.h"
#include "lib/job.h"
#include "lib/log.h"

static const char *path_of(const struct session *s, const char *key)
{
	return cfg_text(s->cfg, "paths", key);
}

/* ---- the places -------------------------------------------------------------- */

/* Root's; or the reader's own, where the node is not root's. */
static void take(json_t *list, const char *path, uint32_t job, struct err *e)
{
	struct err why;
	json_t *record = records_read(AT_FDCWD, path, 0, job, &why);

	if (!record && errno == EPERM && geteuid())
		record = records_read(AT_FDCWD, path, geteuid(), job, &why);

	if (record)
		json_array_append_new(list, record);
	else if (errno != ENOENT && errno != ENOTDIR)
		*e = why;
}

static void look_here(const struct session *s, uint32_t job, json_t *list,
		      struct err *e)
{
	struct records_query q = { .dir = path_of(s, "spool"),
				   .job = job,
				   .restart = RECORDS_NEWEST };
	bool root = geteuid() == 0;
	char path[4400];

	snprintf(path, sizeof(path), "%s/%u/%s.json", path_of(s, "run"), job,
		 root ? "record" : "user");
	take(list, path, job, e);
	if (root) {
		records_of_spool(&q, list, NULL);
		return;
	}
	snprintf(path, sizeof(path), "%s/users/%u/%u.json", q.dir,
		 (unsigned int)geteuid(), job);
	take(list, path, job, e);
}

static void look_in_shared(const struct session *s, uint32_t job, json_t *list,
			   struct err *e)
{
	struct records_query q = { .dir = path_of(s, "shared_dir"),
				   .job = job,
				   .restart = RECORDS_NEWEST };

	if (!*q.dir)
		return;
	if (records_owner(cfg_text(s->cfg, "paths", "shared_user"), &q.owner) < 0)
		err_set(e, "[paths] shared_user: no such user");
	else if (!records_answer(q.dir, e))
		log_warn("%s", e->text);
	else
		records_of_shared(&q, list, e);
}

/* ---- what they say -------------------------------------------------------------- */

static int64_t of_job(const json_t *record, const char *member)
{
	return member_whole(json_object_get(record, "job"), member, 0);
}

static const char *node_of(const json_t *record)
{
	return member_string(json_object_get(record, "job"), "node");
}

/* Behind those whose names come before: "n2" before "n10". */
static void insert(json_t *list, json_t *record)
{
	size_t i = json_array_size(list);

	while (i && strverscmp(node_of(json_array_get(list, i - 1)),
			       node_of(record)) > 0)
		i--;
	json_array_insert(list, i, record);
}

/* Of each node the latest. */
static void keep_latest(json_t *best, json_t *record)
{
	json_t *other;
	size_t i;

	json_array_foreach(best, i, other) {
		if (strcmp(node_of(other), node_of(record)))
			continue;
		if (of_job(record, "end") > of_job(other, "end"))
			json_array_set(best, i, record);
		return;
	}
	insert(best, record);
}

/* Of the list only the newest restart's. */
static json_t *newest(const json_t *list)
{
	int64_t restart = -1;
	json_t *best = json_array();
	json_t *record;
	size_t i;

	json_array_foreach(list, i, record)
		if (of_job(record, "restart") > restart)
			restart = of_job(record, "restart");
	json_array_foreach(list, i, record)
		if (of_job(record, "restart") == restart)
			keep_latest(best, record);
	return best;
}

static int assemble(const json_t *found, uint32_t job, struct report *out,
		    struct err *e)
{
	struct merge_job what = { .id = job };
	size_t n;

	out->nodes = newest(found);
	what.restart = (uint32_t)of_job(json_array_get(out->nodes, 0), "restart");
	out->record = merge_all(out->nodes, &what);
	if (!out->record)
		return err_errno(e, "merge the records of job %u", job);
	n = json_array_size(out->nodes);
	if (n == 1)
		snprintf(out->from, sizeof(out->from), "as node %.64s told",
			 node_of(json_array_get(out->nodes, 0)));
	else
		snprintf(out->from, sizeof(out->from), "as %zu nodes told", n);
	return 0;
}

/* ---- all of it --------------------------------------------------------------- */

static int look(const struct session *s, uint32_t job, struct report *out,
		struct err *e)
{
	json_t *found = json_array();
	int rc = -1;

	look_in_shared(s, job, found, e);
	look_here(s, job, found, e);
	errno = ENOENT;
	if (json_array_size(found))
		rc = assemble(found, job, out, e);
	json_decref(found);
	return rc;
}

/* Where it was looked for, in front of what the accounting said. */
static int nowhere(const struct session *s, const char *here, struct err *e)
{
	const char *shared = path_of(s, "shared_dir");

	if (*here)
		return err_prefix(e, "%s", here);
	if (*shared)
		return err_prefix(e, "no record of it in %.200s or on this node",
				  shared);
	return err_prefix(e, "no record of it on this node, and [paths] "
			     "shared_dir, where all nodes' would be, is not set");
}

int report_find(const struct session *s, const char *word, struct report *out,
		struct err *e)
{
	struct err here = { "" };
	uint32_t job;

	memset(out, 0, sizeof(*out));
	if (!accounting_is_job(word)) {
		errno = EINVAL;
		return err_set(e, "'%.40s' is no job id", word);
	}
	job = job_id_of(word);
	if (!job && report_raw_id(s, word, &job, e) < 0)
		return -1;
	if (look(s, job, out, &here) == 0)
		return 0;
	if (report_from_sacct(s, word, out, e) == 0)
		return 0;
	return nowhere(s, here.text, e);
}

void report_add_series(const struct session *s, struct report *r)
{
	const char *dir = path_of(s, "shared_dir");
	uid_t owner;

	if (*dir && json_array_size(r->nodes) &&
	    records_owner(cfg_text(s->cfg, "paths", "shared_user"), &owner) == 0 &&
	    records_answer(dir, NULL))
		records_add_series(dir, owner, r->nodes);
}

void report_fini(struct report *r)
{
	json_decref(r->record);
	json_decref(r->nodes);
	memset(r, 0, sizeof(*r));
}
