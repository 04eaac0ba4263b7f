/* SPDX-License-Identifier: Apache-2.0
 * From the sheet to the record, and the sections that need no thought.
 */
#include "config.h"
#include "epilog/sheet.h"

#include <math.h>

#include "epilog/clients.h"
#include "epilog/sections.h"

/* The node whose state is the job's: the first in order. */
static const struct node_row *speaker(const struct sheet *s)
{
	enum story_state state = sheet_state(s);
	int i;

	for (i = 0; i < s->nodes; i++)
		if (s->node[i].state == state)
			return &s->node[i];
	return NULL;
}

static void add_times(json_t *o, const struct sheet *s)
{
	int64_t start = sheet_start_s(s);

	json_object_set_new(o, "start", json_integer(start));
	json_object_set_new(o, "end",
			    json_integer(start + (int64_t)sheet_elapsed_s(s)));
	json_object_set_new(o, "elapsed_s", number_json(sheet_elapsed_s(s)));
	json_object_set_new(o, "limit_end",
			    s->job.limit_end_s > 0
				    ? json_integer(s->job.limit_end_s)
				    : json_null());
}

static json_t *job_json(const struct sheet *s)
{
	const struct story_job *j = &s->job;
	const struct node_row *n = speaker(s);
	json_t *o = json_pack(
		"{s:I, s:I, s:o, s:o, s:o, s:I, s:o, s:o, s:i, s:o, s:b}", "id",
		(json_int_t)j->id, "restart", (json_int_t)j->restart,
		"array_job", member_whole_json(j->array_job), "array_task",
		member_whole_json(j->array_task), "user",
		member_text_json(j->user), "uid", (json_int_t)j->uid, "account",
		member_text_json(j->account), "partition",
		member_text_json(j->partition), "nodes", s->expected, "node",
		s->of_job ? json_null() : member_text_json(j->node), "owned",
		j->owned);

	add_times(o, s);
	json_object_set_new(o, "state", json_string(state_text(sheet_state(s))));
	json_object_set_new(o, "exit_code",
			    member_whole_json(n ? n->exit_code : -1));
	json_object_set_new(o, "signal", member_whole_json(n ? n->signal : -1));
	json_object_set_new(o, "steps", member_whole_json(n ? n->steps : -1));
	return o;
}

static json_t *watch_json(const struct sheet *s)
{
	enum story_watch worst = WATCH_WHOLE;
	double samples = 0;
	int i, interval = 0;

	for (i = 0; i < s->nodes; i++) {
		if (s->node[i].watch > worst)
			worst = s->node[i].watch;
		if (s->node[i].interval_s > interval)
			interval = s->node[i].interval_s;
		samples += s->node[i].samples;
	}
	return json_pack("{s:s, s:i, s:o}", "state", watch_text(worst),
			 "interval_s", interval, "samples", number_json(samples));
}

static json_t *nodes_json(const struct sheet *s)
{
	return json_pack("{s:i, s:i, s:O}", "expected", s->expected, "reported",
			 s->nodes, "missing", s->missing);
}

/* Not known, or known that there was none: null, and only then a reason. */
static void put_if_any(json_t *o, const char *name, struct story_number n,
		       bool any)
{
	if (any || number_is_known(&n))
		number_put(o, name, n);
	else
		json_object_set_new(o, name, json_null());
}

static json_t *stalls_json(const struct sheet *s)
{
	const struct stalls *st = &s->stalls;
	bool any = !number_is_known(&st->count) || st->count.v > 0;
	json_t *o = json_object(), *spans = json_array();
	int i;

	number_put(o, "count", st->count);
	number_put(o, "total_s", st->total);
	number_put(o, "longest_s", st->longest);
	put_if_any(o, "longest_at", st->longest_at, any);
	put_if_any(o, "before_work_s", st->lead, !number_is_known(&st->count));
	put_if_any(o, "after_work_s", st->tail, !number_is_known(&st->count));
	for (i = 0; i < st->spans; i++)
		json_array_append_new(
			spans,
			json_pack("[o, o, o]", number_json(st->span[i].from),
				  number_json(st->span[i].to),
				  number_json(st->span[i].idle_s)));
	json_object_set_new(o, "spans", spans);
	return o;
}

static json_t *cpu_json(const struct sheet *s)
{
	struct total seconds = node_total(s, offsetof(struct node_row, cpu));
	struct total alloc = node_total(s, offsetof(struct node_row, cores));
	struct total used = seconds;
	double elapsed;
	json_t *o = json_object();
	int i;

	used.sum = 0;
	for (i = 0; i < s->nodes; i++) {
		elapsed = (double)(s->node[i].end_s - s->node[i].start_s);
		if (elapsed > 0 && number_is_known(&s->node[i].cpu))
			used.sum += s->node[i].cpu.v / elapsed;
	}
	total_put(o, "cores_used", &used);
	total_put(o, "cores_alloc", &alloc);
	total_put(o, "seconds", &seconds);
	return o;
}

/* Of the node that came nearest to its limit. */
static json_t *memory_json(const struct sheet *s)
{
	struct total oom = node_total(s, offsetof(struct node_row, oom_kills));
	struct total peak = node_total(s, offsetof(struct node_row, mem_peak));
	const struct node_row *r, *near = NULL;
	double share, most = -1;
	json_t *o = json_object();
	int i;

	for (i = 0; i < s->nodes; i++) {
		r = &s->node[i];
		share = number_of(&r->mem_peak) / number_of(&r->mem_limit);
		if (isnan(share))
			share = number_is_known(&r->mem_peak) ? 0 : -0.5;
		if (share > most) {
			most = share;
			near = r;
		}
	}
	number_put(o, "peak_bytes",
		   near ? near->mem_peak : number_unknown(STORY_UNREADABLE));
	number_put(o, "limit_bytes",
		   near ? near->mem_limit : number_unknown(STORY_UNREADABLE));
	partial_put(o, "peak_bytes", &peak);
	json_object_set_new(o, "of",
			    member_text_json(near ? memory_of(near) : NULL));
	json_object_set_new(o, "node", member_text_json(near ? near->node : ""));
	total_put(o, "oom_kills", &oom);
	return o;
}

static json_t *storage_json(const struct sheet *s)
{
	struct total rd = node_total(s, offsetof(struct node_row, read));
	struct total wr = node_total(s, offsetof(struct node_row, write));
	json_t *o = json_object();

	total_put(o, "read_bytes", &rd);
	total_put(o, "write_bytes", &wr);
	json_object_set_new(o, "clients", clients_sum(s->clients));
	return o;
}

static json_t *rows_json(const struct sheet *s)
{
	bool lean = s->gpus > SHEET_LEAN;
	json_t *list = json_array();
	int i;

	for (i = 0; i < s->gpus; i++)
		json_array_append_new(list, gpu_row_json(&s->gpu[i], lean));
	return list;
}

static json_t *node_rows_json(const struct sheet *s)
{
	json_t *list = json_array();
	int i;

	for (i = 0; i < s->nodes; i++)
		json_array_append_new(list, node_row_json(&s->node[i]));
	return list;
}

static void add_sections(json_t *o, const struct sheet *s)
{
	json_object_set_new(o, "job", job_json(s));
	json_object_set_new(o, "watch", watch_json(s));
	json_object_set_new(o, "nodes", nodes_json(s));
	json_object_set_new(o, "gpus", section_gpus(s));
	json_object_set_new(o, "gpu", rows_json(s));
	json_object_set_new(o, "stalls", stalls_json(s));
	json_object_set_new(o, "where", section_where(s));
	json_object_set_new(o, "power", section_power(s));
	json_object_set_new(o, "fabric", section_fabric(s));
	json_object_set_new(o, "cpu", cpu_json(s));
	json_object_set_new(o, "memory", memory_json(s));
	json_object_set_new(o, "storage", storage_json(s));
	json_object_set_new(o, "node", node_rows_json(s));
	json_object_set_new(o, "slow", section_slow(s));
	json_object_set(o, "faults", s->faults);
	json_object_set_new(o, "faults_cut", json_boolean(s->faults_cut));
	json_object_set_new(o, "blame", section_blame(s));
	json_object_set(o, "gate", s->gate ? s->gate : json_null());
	json_object_set(o, "after", s->after ? s->after : json_null());
	json_object_set_new(o, "advice", section_advice(s, o));
}

json_t *sheet_record(struct sheet *s)
{
	json_t *o =
		json_pack("{s:s, s:s, s:s}", "schema", RECORD_SCHEMA, "version",
			  PACKAGE_VERSION, "kind", s->of_job ? "job" : "node");

	if (!o)
		return NULL;
	sheet_sort(s);
	add_sections(o, s);
	return o;
}
