/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "epilog/comment.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "epilog/js1.h"
#include "epilog/members.h"
#include "epilog/merge.h"
#include "epilog/records.h"
#include "lib/accounting_row.h"
#include "lib/clock.h"
#include "lib/hostlist.h"

/* A job, and what one record and the accounting tell of it. */
struct told {
	struct records_query q; /* restart -1: nobody told of the job */
	bool waits;		/* for nodes that have not told yet */
	int files;		/* of nodes */
	int64_t nodes;		/* it had, -1 unknown */
	int64_t start_s;
	char name[32]; /* as the accounting calls the job */
	struct accounting_row row;
};

/* The first record will do. */
static int read_told(const json_t *record, void *arg)
{
	const json_t *job = json_object_get(record, "job");
	int64_t array = member_whole(job, "array_job", -1);
	int64_t task = member_whole(job, "array_task", -1);
	struct told *t = arg;

	t->nodes = member_whole(job, "nodes", -1);
	t->start_s = member_whole(job, "start", -1);
	/* The array's own id stands for all its tasks. */
	if (array > 0 && array <= UINT32_MAX && task >= 0 && task <= UINT32_MAX)
		snprintf(t->name, sizeof(t->name), "%" PRId64 "_%" PRId64,
			 array, task);
	return 1;
}

/* False: the directory cannot be read. */
static bool look(struct told *t, struct err *e)
{
	t->nodes = -1;
	snprintf(t->name, sizeof(t->name), "%u", t->q.job);
	t->files = records_count_shared(&t->q, e);
	if (t->files < 0)
		return false;
	if (t->q.restart >= 0 && records_each_shared(&t->q, read_told, t, e) != 1)
		t->q.restart = -1;
	return true;
}

static struct js1_alloc alloc_of(const struct accounting_row *row)
{
	return (struct js1_alloc){ .wall_s = row->elapsed_s,
				   .gpus = row->gpus,
				   .cpus = row->cpus,
				   .mem_bytes = row->mem_bytes,
				   .nodes = row->nodes };
}

static int add(const json_t *record, void *arg)
{
	return merge_add(arg, record) < 0 && errno == ENOMEM;
}

/* All nodes' records as one; NULL: none of them is of this run, or ENOMEM. */
static json_t *merged(struct told *t)
{
	char **names = NULL;
	int n = hostlist_expand(t->row.nodelist, &names);
	struct merge_job job = { .id = t->row.id,
				 .restart = (uint32_t)t->q.restart,
				 .nodes = n > 0 ? n : (int)t->row.nodes,
				 .names = n > 0 ? (const char *const *)names
						: NULL };
	struct merge *m = merge_create(&job);
	json_t *record = NULL;

	if (m && records_each_shared(&t->q, add, m, NULL) == 0)
		record = merge_finish(m);
	merge_destroy(m);
	if (n > 0)
		hostlist_free(names, n);
	return record;
}

/* May what stands there be replaced by what so many nodes told of this run? */
static bool may_replace(const char *comment, long restart, int64_t reported,
			struct err *e)
{
	json_t *js1;
	bool older = false;

	if (!*comment)
		return true;
	if (js1_kind(comment) != JS1_DATA) {
		err_set(e, "it has a comment that is not assay's");
		return false;
	}
	js1 = js1_decode(comment, e);
	if (js1 && !js1_is_own(js1))
		err_set(e, "it has a comment of another writer's");
	else if (js1 && js1_restart(js1) == restart &&
		 js1_reported(js1) >= reported)
		err_set(e, "it has this comment already");
	else if (js1)
		older = true;
	json_decref(js1);
	return older;
}

/* Is there what was to be? That of 22.05 makes small letters of them
 * all, and a comment of those is none. */
static enum commented read_again(const struct comments *p,
				 const struct accounting_row *row,
				 const char *comment, struct err *e)
{
	char *now = accounting_ask(&p->accounting, row->job, "AdminComment", e);
	enum commented result = COMMENT_LATER;

	if (!now)
		return COMMENT_LATER;
	if (!strcmp(now, comment)) {
		result = COMMENT_DONE;
	} else if (!strcasecmp(now, comment)) {
		accounting_comment(&p->accounting, row->job, row->cluster, "",
				   NULL);
		err_set(e, "sacctmgr keeps no capital letters (that of "
			   "Slurm 22.05 does not): "
			   "set [slurm] sacctmgr to assay-sacctmgr");
		result = COMMENT_REFUSED;
	} else {
		err_set(e, "another comment came in between");
	}
	free(now);
	return result;
}

/* Not before its time: the accounting has others to serve. */
static void keep_pace(struct comments *p)
{
	int64_t wait_ms = p->next_ms - clock_mono_ms();

	if (wait_ms > 0 && wait_ms <= p->gap_ms)
		clock_sleep_ms((int)wait_ms);
	p->next_ms = clock_mono_ms() + p->gap_ms;
}

static enum commented write_comment(struct comments *p,
				    const struct accounting_row *row,
				    const char *comment, struct err *e)
{
	keep_pace(p);
	if (accounting_comment(&p->accounting, row->job, row->cluster, comment,
			       e) < 0)
		return COMMENT_LATER;
	return read_again(p, row, comment, e);
}

/* What there is to be said of the run: *comment, malloc'ed. */
static enum commented make(const struct comments *p, struct told *t,
			   char **comment, struct err *e)
{
	struct js1_alloc alloc = alloc_of(&t->row);
	json_t *record = t->q.restart >= 0 ? merged(t) : NULL;
	const json_t *job = json_object_get(record, "job");
	int64_t reported;
	enum commented result = COMMENT_DONE;

	reported = member_whole(json_object_get(record, "nodes"), "reported", -1);
	if (t->waits && member_is(job, "state", "running")) {
		err_set(e, "a node's record is of the running job");
		result = COMMENT_LATER;
	} else if (!record && !p->all) {
		result = COMMENT_NOTHING;
	} else if (!may_replace(t->row.comment, t->q.restart, reported, e)) {
		result = COMMENT_KEPT;
	} else {
		*comment = js1_encode(record, &alloc, p->max);
		if (!*comment)
			err_errno(e, "comment of job %u", t->row.id);
	}
	json_decref(record);
	return result == COMMENT_DONE && !*comment ? COMMENT_KEPT : result;
}

static bool is_told(const char *comment)
{
	return js1_kind(comment) == JS1_DATA;
}

/* The accounting has its row. */
static enum commented write_run(struct comments *p, struct told *t, struct err *e)
{
	const struct accounting_row *row = &t->row;
	char *comment = NULL;
	enum commented result;

	if (!accounting_row_is_over(row)) {
		err_set(e, "the accounting calls it %s", row->state);
		return COMMENT_LATER;
	}
	/* Of a run before this one; or the accounting is late. */
	if (t->q.restart >= 0 && !accounting_row_has(row, t->start_s)) {
		if (t->waits || t->start_s > row->start_s) {
			err_set(e,
				"records and accounting tell of different runs");
			return COMMENT_LATER;
		}
		t->q.restart = -1;
	}
	result = make(p, t, &comment, e);
	if (comment && !p->all && !is_told(comment))
		result = COMMENT_NOTHING;
	else if (comment)
		result = write_comment(p, row, comment, e);
	free(comment);
	return result;
}

/* An array's own id stands for all its tasks. Where their comments are too
 * much, this one's name first. */
static char *rows_of(const struct comments *p, const struct told *t,
		     struct err *e)
{
	const struct accounting *a = &p->accounting;
	char *lines = accounting_lines(a, t->name, ACCOUNTING_ROW_FIELDS, e);
	char *names, own[32];
	bool told;

	if (lines || errno != EFBIG)
		return lines;
	names = accounting_lines(a, t->name, ACCOUNTING_NAME_FIELDS, e);
	told = names && accounting_row_name(names, t->q.job, own);
	free(names);
	return told ? accounting_lines(a, own, ACCOUNTING_ROW_FIELDS, e) : NULL;
}

static enum commented ask(struct comments *p, struct told *t, struct err *e)
{
	enum commented result = COMMENT_LATER;
	char *lines = rows_of(p, t, e);

	/* What fails for one job must not hold up the others. */
	if (!lines)
		return accounting_answers(&p->accounting) ? COMMENT_LATER
							  : COMMENT_DOWN;
	if (accounting_row_parse(&t->row, lines, t->q.job) < 0) {
		err_errno(e, "job %u in what sacct tells", t->q.job);
	} else {
		result = write_run(p, t, e);
		accounting_row_fini(&t->row);
	}
	free(lines);
	return result;
}

enum commented comment_job(struct comments *p, uint32_t job, int64_t age_s,
			   struct err *e)
{
	struct told t = { .q = { p->shared_dir, p->owner, job, RECORDS_NEWEST },
			  .waits = age_s < p->wait_s };

	if (!look(&t, e))
		return COMMENT_LATER;
	if (t.waits && (t.q.restart < 0 || t.files < t.nodes)) {
		err_set(e, "%d of %" PRId64 " nodes told of it so far", t.files,
			t.nodes);
		return COMMENT_LATER;
	}
	if (t.q.restart < 0 && !p->all)
		return COMMENT_NOTHING;
	return ask(p, &t, e);
}
