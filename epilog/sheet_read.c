/* SPDX-License-Identifier: Apache-2.0
 * From a record back to rows. A record is a file that others may have
 * written: what is not as it should be is unknown, and lists have an end.
 */
#include "config.h"
#include "epilog/sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "epilog/clients.h"
#include "epilog/gate_rows.h"
#include "epilog/members.h"

#define FAULTS_OF_NODE 64
#define TIME_MAX INT64_C(100000000000)

static int64_t good_time(int64_t t)
{
	return t < 0 || t > TIME_MAX ? 0 : t;
}

static int64_t time_get(const json_t *o, const char *name)
{
	return good_time(member_whole(o, name, 0));
}

static json_t *fault_json(const json_t *f)
{
	struct fault_row r;

	fault_row_read(&r, f);
	r.time_s = good_time(r.time_s);
	return fault_row_json(&r);
}

static void read_faults(struct sheet *s, const json_t *record)
{
	json_t *f;
	size_t i;

	s->faults_cut |= json_is_true(json_object_get(record, "faults_cut"));
	json_array_foreach(json_object_get(record, "faults"), i, f) {
		if (i >= FAULTS_OF_NODE) {
			s->faults_cut = true;
			return;
		}
		json_array_append_new(s->faults, fault_json(f));
	}
}

static void read_clients(struct sheet *s, const json_t *record)
{
	const json_t *list = member_at(record, "storage", "clients");
	json_t *c;
	size_t i;

	json_array_foreach(list, i, c) {
		if (i >= CLIENTS_MAX)
			return;
		clients_add(s->clients, c);
	}
}

static int read_gpus(struct sheet *s, const json_t *record, const char *node)
{
	struct gpu_row *r;
	json_t *o;
	size_t i;

	json_array_foreach(json_object_get(record, "gpu"), i, o) {
		if (i >= FACTS_GPUS_MAX)
			break;
		r = sheet_gpu(s);
		if (!r)
			return -1;
		gpu_row_read(r, o);
		snprintf(r->node, sizeof(r->node), "%s", node);
	}
	return 0;
}

static int read_ports(struct sheet *s, const json_t *record, const char *node)
{
	const json_t *list = member_at(record, "fabric", "port");
	struct port_row *r;
	json_t *o;
	size_t i;

	json_array_foreach(list, i, o) {
		if (i >= STORY_PORTS_MAX)
			break;
		r = sheet_port(s);
		if (!r)
			return -1;
		port_row_read(r, o);
		snprintf(r->node, sizeof(r->node), "%s", node);
	}
	return 0;
}

/* Shares back into seconds. */
static void read_where(struct node_row *r, const json_t *record)
{
	const json_t *o = json_object_get(record, "where");
	struct story_number sec = number_get(o, "gpu_seconds"), share;
	int p;

	if (!number_is_known(&sec) || sec.v <= 0)
		return;
	r->gpu_s = sec.v;
	for (p = 0; p < PARTS; p++) {
		share = number_get(o, part_name((enum part)p));
		if (number_is_known(&share) && share.v >= 0 && share.v <= 1)
			r->part_s[p] = share.v * sec.v;
	}
}

static void read_spans(struct stalls *st, const json_t *list)
{
	struct span *sp;
	json_t *o;
	size_t i;

	json_array_foreach(list, i, o) {
		if (i >= SHEET_SPANS_MAX)
			return;
		sp = &st->span[st->spans];
		sp->from = json_number_value(json_array_get(o, 0));
		sp->to = json_number_value(json_array_get(o, 1));
		sp->idle_s = json_number_value(json_array_get(o, 2));
		if (fabs(sp->from) < 1e12 && sp->to > sp->from && sp->to < 1e12 &&
		    sp->idle_s >= 0 && sp->idle_s <= sp->to - sp->from + 1)
			st->spans++;
	}
}

static void read_stalls(struct stalls *st, const json_t *record)
{
	const json_t *o = json_object_get(record, "stalls");

	memset(st, 0, sizeof(*st));
	st->count = number_get(o, "count");
	st->total = number_get(o, "total_s");
	st->longest = number_get(o, "longest_s");
	st->longest_at = number_get(o, "longest_at");
	st->lead = number_get(o, "before_work_s");
	st->tail = number_get(o, "after_work_s");
	read_spans(st, json_object_get(o, "spans"));
}

static void read_job(struct story_job *j, const json_t *record)
{
	const json_t *o = json_object_get(record, "job");

	memset(j, 0, sizeof(*j));
	j->id = (uint32_t)member_whole(o, "id", 0);
	j->restart = (uint32_t)member_whole(o, "restart", 0);
	j->uid = (uint32_t)member_whole(o, "uid", 0);
	j->array_job = member_whole(o, "array_job", -1);
	j->array_task = member_whole(o, "array_task", -1);
	member_text(o, "user", j->user, sizeof(j->user));
	member_text(o, "account", j->account, sizeof(j->account));
	member_text(o, "partition", j->partition, sizeof(j->partition));
	member_text(o, "node", j->node, sizeof(j->node));
	j->nodes = (int)member_whole(o, "nodes", 0) & 0xffffff;
	j->limit_end_s = time_get(o, "limit_end");
	j->owned = json_is_true(json_object_get(o, "owned"));
}

int sheet_read(struct sheet *s, const json_t *record)
{
	const json_t *rows = json_object_get(record, "node");
	const json_t *o = json_array_get(rows, 0);
	struct node_row *r = sheet_node(s);

	if (!r)
		return -1;
	read_job(&s->job, record);
	read_stalls(&s->stalls, record);
	node_row_read(r, o);
	snprintf(r->node, sizeof(r->node), "%s", s->job.node);
	r->start_s = time_get(o, "start");
	r->end_s = time_get(o, "end");
	read_where(r, record);
	read_faults(s, record);
	read_clients(s, record);
	gate_part_merge(&s->gate, json_object_get(record, "gate"));
	gate_part_merge(&s->after, json_object_get(record, "after"));
	if (read_gpus(s, record, s->job.node) < 0)
		return -1;
	return read_ports(s, record, s->job.node);
}
