/* SPDX-License-Identifier: Apache-2.0
 * The rows as JSON: one table for both ways. */
#include "config.h"
#include "epilog/sheet.h"

#include <limits.h>
#include <string.h>

#include "epilog/members.h"

#define COUNT(a) (int)(sizeof(a) / sizeof((a)[0]))
#define GPU(group, name, m) \
	{ \
		group, name, offsetof(struct gpu_row, m) \
	}
#define PORT(name, m) \
	{ \
		NULL, name, offsetof(struct port_row, m) \
	}
#define NODE(name, m) \
	{ \
		NULL, name, offsetof(struct node_row, m) \
	}

/* Of each GPU, however big the job is. */
static const struct member gpu_always[] = {
	GPU(NULL, "busy_pct", busy),
	GPU(NULL, "sm_active_pct", sm),
	GPU(NULL, "tensor_clock_pct", tensor_clock),
	GPU(NULL, "mem_peak_bytes", mem_peak),
	GPU(NULL, "mem_total_bytes", mem_total),
	GPU(NULL, "energy_j", energy),
	GPU("throttle_s", "power", held_power),
	GPU("throttle_s", "thermal", held_thermal),
	GPU("throttle_s", "hw", held_hw),
	GPU("sm_mhz", "mean", mhz_mean),
	GPU("temp_c", "max", temp_max),
};

static const struct member gpu_more[] = {
	GPU(NULL, "tensor_active_pct", tensor),
	GPU(NULL, "dram_active_pct", dram),
	GPU("power_w", "mean", power_mean),
	GPU("power_w", "max", power_max),
	GPU(NULL, "lost_s", lost),
	GPU("sm_mhz", "max", mhz_max),
	GPU("sm_mhz", "first", mhz_first),
	GPU("sm_mhz", "last", mhz_last),
	GPU("temp_c", "first", temp_first),
	GPU("temp_c", "last", temp_last),
	GPU("rate", "first", rate_first),
	GPU("rate", "last", rate_last),
	GPU(NULL, "nvlink_bytes", nvlink),
	GPU("nvlink_gbps", "mean", nvlink_mean),
	GPU("nvlink_gbps", "peak", nvlink_peak),
	GPU(NULL, "nvlink_errors", nvlink_errors),
	GPU(NULL, "pcie_bytes", pcie),
	GPU("pcie_gbps", "mean", pcie_mean),
	GPU("pcie_gbps", "peak", pcie_peak),
	GPU(NULL, "pcie_replay", pcie_replay),
	GPU(NULL, "idle_s", idle),
	GPU(NULL, "ecc_corr", ecc_corr),
	GPU(NULL, "ecc_unc", ecc_unc),
};

/* The same for ports. */
static const struct member port_always[] = {
	PORT("mean_gbps", mean),
	PORT("peak_gbps", peak),
	PORT("error_count", errors),
	PORT("downs", downs),
};

static const struct member port_more[] = {
	PORT("rate_gbit", rate_gbit), PORT("rate_gbit_lowest", rate_low),
	PORT("rx_bytes", rx),	      PORT("tx_bytes", tx),
	PORT("retries", retries),     PORT("congestion", congestion),
};

static const struct member node_members[] = {
	NODE("cpu_seconds", cpu),	  NODE("cores_alloc", cores),
	NODE("mem_peak_bytes", mem_peak), NODE("mem_limit_bytes", mem_limit),
	NODE("oom_kills", oom_kills),	  NODE("read_bytes", read),
	NODE("write_bytes", write),
};

static const char *const part_names[] = {
	[PART_COMPUTE] = "compute",
	[PART_MEMORY] = "memory",
	[PART_COMMUNICATION] = "communication",
	[PART_INPUT_CPU] = "input_cpu",
	[PART_STORAGE] = "storage",
	[PART_THROTTLED] = "throttled",
	[PART_IDLE] = "idle",
	[PART_UNKNOWN] = "unknown",
};

static const char *const state_texts[] = {
	[STORY_RUNNING] = "running",	 [STORY_COMPLETED] = "completed",
	[STORY_FAILED] = "failed",	 [STORY_CANCELLED] = "cancelled",
	[STORY_TIMEOUT] = "timeout",	 [STORY_OOM] = "oom",
	[STORY_NODE_FAIL] = "node_fail", [STORY_UNKNOWN] = "unknown",
};

static const char *const watch_texts[] = {
	[WATCH_WHOLE] = "whole",
	[WATCH_LATE] = "late",
	[WATCH_ENDED] = "ended",
	[WATCH_NONE] = "none",
};

/* Of the processes that were waited for the CPU time adds up; of their memory
 * the largest one's is known. */
static const char *const cpu_sources[] = {
	[STORY_CGROUP] = "cgroup",
	[STORY_PROCESSES] = "processes",
};

static const char *const memory_sources[] = {
	[STORY_CGROUP] = "cgroup",
	[STORY_PROCESSES] = "largest process",
};

/* The place of a word in a list; none: dflt. */
static int word_of(const char *const *list, int count, const char *word, int dflt)
{
	int i;

	for (i = 0; word && i < count; i++)
		if (!strcmp(word, list[i]))
			return i;
	return dflt;
}

const char *part_name(enum part p)
{
	return part_names[p];
}

const char *state_text(enum story_state s)
{
	return (int)s < 0 || (int)s >= COUNT(state_texts) ? "unknown"
							  : state_texts[s];
}

static enum story_state state_of(const char *text)
{
	return (enum story_state)word_of(state_texts, COUNT(state_texts), text,
					 STORY_UNKNOWN);
}

const char *watch_text(enum story_watch w)
{
	return (int)w < 0 || (int)w >= COUNT(watch_texts) ? "none"
							  : watch_texts[w];
}

static enum story_watch watch_of(const char *text)
{
	return (enum story_watch)word_of(watch_texts, COUNT(watch_texts), text,
					 WATCH_NONE);
}

/* A small integer, -1 where it is none. */
static int small_get(const json_t *o, const char *name)
{
	int64_t v = member_whole(o, name, -1);

	return v < -1 || v > INT_MAX ? -1 : (int)v;
}

static void used_put(json_t *o, const struct gpu_row *r)
{
	number_put(o, "used", r->used);
	if (number_is_known(&r->used))
		json_object_set_new(o, "used", json_boolean(r->used.v > 0));
}

json_t *gpu_row_json(const struct gpu_row *r, bool lean)
{
	json_t *o = json_pack("{s:s, s:o, s:s, s:o, s:o}", "node", r->node,
			      "index", member_whole_json(r->index), "uuid",
			      r->uuid, "minor", member_whole_json(r->minor),
			      "model", member_text_json(r->model));

	used_put(o, r);
	members_put(o, gpu_always, COUNT(gpu_always), r);
	if (lean)
		return o;
	members_put(o, gpu_more, COUNT(gpu_more), r);
	json_object_set_new(json_object_get(o, "rate"), "of",
			    member_text_json(r->rate_of));
	return o;
}

void gpu_row_read(struct gpu_row *r, const json_t *o)
{
	const json_t *used = json_object_get(o, "used");

	member_text(o, "node", r->node, sizeof(r->node));
	member_text(o, "uuid", r->uuid, sizeof(r->uuid));
	member_text(o, "model", r->model, sizeof(r->model));
	member_text(json_object_get(o, "rate"), "of", r->rate_of,
		    sizeof(r->rate_of));
	r->index = small_get(o, "index");
	r->minor = small_get(o, "minor");
	members_get(o, gpu_always, COUNT(gpu_always), r);
	members_get(o, gpu_more, COUNT(gpu_more), r);
	r->used = number_get(o, "used");
	if (json_is_boolean(used))
		r->used = number_known(json_is_true(used));
}

json_t *port_row_json(const struct port_row *r, bool lean)
{
	json_t *o = json_pack("{s:s, s:s}", "node", r->node, "name", r->name);

	members_put(o, port_always, COUNT(port_always), r);
	if (lean)
		return o;
	members_put(o, port_more, COUNT(port_more), r);
	json_object_set_new(o, "errors",
			    r->counters ? json_incref(r->counters)
					: json_object());
	return o;
}

void port_row_read(struct port_row *r, const json_t *o)
{
	json_t *counters = json_object_get(o, "errors");

	member_text(o, "node", r->node, sizeof(r->node));
	member_text(o, "name", r->name, sizeof(r->name));
	members_get(o, port_always, COUNT(port_always), r);
	members_get(o, port_more, COUNT(port_more), r);
	if (json_object_size(counters))
		r->counters = json_incref(counters);
}

static const char *cpu_of(const struct node_row *r)
{
	return number_is_known(&r->cpu) ? cpu_sources[r->cpu_of] : NULL;
}

const char *memory_of(const struct node_row *r)
{
	return number_is_known(&r->mem_peak) ? memory_sources[r->mem_of] : NULL;
}

static enum story_source source_get(const json_t *o, const char *name,
				    const char *const *texts)
{
	const char *text = json_string_value(json_object_get(o, name));

	return (enum story_source)word_of(texts, COUNT(cpu_sources), text,
					  STORY_CGROUP);
}

json_t *node_row_json(const struct node_row *r)
{
	json_t *o = json_pack(
		"{s:s, s:s, s:o, s:o, s:o, s:s, s:I, s:I, s:I, s:o, s:o}",
		"node", r->node, "state", state_text(r->state), "exit_code",
		member_whole_json(r->exit_code), "signal",
		member_whole_json(r->signal), "steps",
		member_whole_json(r->steps), "watch", watch_text(r->watch),
		"start", (json_int_t)r->start_s, "end", (json_int_t)r->end_s,
		"interval_s", (json_int_t)r->interval_s, "nvlink_domain",
		member_text_json(r->nvlink_domain), "leaf",
		member_text_json(r->leaf));

	json_object_set_new(o, "samples", number_json(r->samples));
	json_object_set_new(o, "cpu_of", member_text_json(cpu_of(r)));
	json_object_set_new(o, "mem_of", member_text_json(memory_of(r)));
	members_put(o, node_members, COUNT(node_members), r);
	return o;
}

void node_row_read(struct node_row *r, const json_t *o)
{
	double samples = json_number_value(json_object_get(o, "samples"));

	member_text(o, "node", r->node, sizeof(r->node));
	member_text(o, "nvlink_domain", r->nvlink_domain,
		    sizeof(r->nvlink_domain));
	member_text(o, "leaf", r->leaf, sizeof(r->leaf));
	r->state = state_of(member_string(o, "state"));
	r->watch = watch_of(member_string(o, "watch"));
	r->exit_code = small_get(o, "exit_code");
	r->signal = small_get(o, "signal");
	r->steps = small_get(o, "steps");
	r->interval_s = small_get(o, "interval_s");
	r->start_s = member_whole(o, "start", 0);
	r->end_s = member_whole(o, "end", 0);
	r->samples = samples > 0 && samples < 1e12 ? samples : 0;
	r->cpu_of = source_get(o, "cpu_of", cpu_sources);
	r->mem_of = source_get(o, "mem_of", memory_sources);
	members_get(o, node_members, COUNT(node_members), r);
}

json_t *fault_row_json(const struct fault_row *r)
{
	return json_pack("{s:I, s:s, s:o, s:s, s:o, s:s, s:s, s:s}", "time",
			 (json_int_t)r->time_s, "node", r->node, "device",
			 member_text_json(r->device), "kind", r->kind, "number",
			 member_whole_json(r->number), "text", r->text, "blame",
			 r->blame, "confidence", r->confidence);
}

void fault_row_read(struct fault_row *r, const json_t *o)
{
	r->time_s = member_whole(o, "time", 0);
	r->number = member_whole(o, "number", -1);
	member_text(o, "node", r->node, sizeof(r->node));
	member_text(o, "device", r->device, sizeof(r->device));
	member_text(o, "kind", r->kind, sizeof(r->kind));
	member_text(o, "text", r->text, sizeof(r->text));
	member_text(o, "blame", r->blame, sizeof(r->blame));
	member_text(o, "confidence", r->confidence, sizeof(r->confidence));
}
