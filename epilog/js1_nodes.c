/* SPDX-License-Identifier: Apache-2.0
 * What readers of JS1 know: nodes with CPU and memory, and their GPUs.
 *
 * A reader divides by what it finds and takes what is missing for zero. So a
 * node is there with all that belongs to it or not at all, and so is a GPU. */
#include "config.h"
#include "epilog/js1_private.h"

#include <math.h>
#include <string.h>

#include "epilog/members.h"
#include "lib/scrub.h"

/* What a node's members come to. */
struct amounts {
	double cpus, cpu_s, memory, used;
	double cpu_s_told, used_told; /* before they were cut */
	bool of_alloc;		      /* the memory is what Slurm allocated */
	bool of_process;	      /* what was used is of the largest */
};

json_t *js1_tenth(double v)
{
	return json_real(round(v * 10) / 10);
}

json_t *js1_whole(double v)
{
	return json_integer((json_int_t)llround(v));
}

int64_t js1_wall_s(const json_t *record, const struct js1_alloc *alloc)
{
	double s = member_number(json_object_get(record, "job"), "elapsed_s");

	if (alloc->wall_s >= 0)
		return alloc->wall_s;
	return s > 0 && s < 1e12 ? (int64_t)s : 0;
}

const char *js1_short_name(const json_t *row, char buf[JS1_NAME_BYTES])
{
	member_text(row, "node", buf, JS1_NAME_BYTES);
	buf[strcspn(buf, ".")] = '\0';
	return buf;
}

/* ---- CPU and memory ----------------------------------------------------------- */

/* A node's even share of what the job has; NAN where it cannot be told. */
static double share_of(int64_t all, const struct js1_alloc *alloc)
{
	return all > 0 && alloc->nodes > 0
		       ? floor((double)all / (double)alloc->nodes)
		       : (double)NAN;
}

/* No limit: what Slurm allocated, which without one is the node's. */
static void fill_memory(struct amounts *a, const json_t *row,
			const struct js1_alloc *alloc)
{
	a->of_process = member_is(row, "mem_of", "largest process");
	a->used_told = member_number(row, "mem_peak_bytes");
	a->memory = member_number(row, "mem_limit_bytes");
	if (!(a->memory >= 1)) {
		a->memory = share_of(alloc->mem_bytes, alloc);
		a->of_alloc = true;
	}
	a->used = fmin(a->used_told, a->memory);
}

/* More than all CPUs all the time is the clocks' doing; one reader would warn
 * its user of it. */
static void fill_cpu(struct amounts *a, const json_t *row,
		     const struct js1_alloc *alloc, int64_t wall_s)
{
	a->cpu_s_told = member_number(row, "cpu_seconds");
	a->cpus = member_number(row, "cores_alloc");
	if (!(a->cpus >= 1))
		a->cpus = share_of(alloc->cpus, alloc);
	a->cpu_s = fmin(a->cpu_s_told, a->cpus * (double)wall_s);
}

static bool are_told(const struct amounts *a)
{
	return a->cpus >= 1 && a->cpu_s_told >= 0 && a->memory >= 1 &&
	       a->used_told >= 0;
}

/* What had to be bent to please a reader, as it was. */
static json_t *bent(const struct amounts *a)
{
	json_t *own = json_object();

	if (a->cpu_s < a->cpu_s_told)
		json_object_set_new(own, "cpu_seconds", js1_tenth(a->cpu_s_told));
	if (a->used < a->used_told)
		json_object_set_new(own, "mem_peak_bytes",
				    js1_whole(a->used_told));
	if (a->of_alloc)
		json_object_set_new(own, "mem_of_alloc", json_true());
	if (a->of_process)
		json_object_set_new(own, "mem_of_process", json_true());
	return own;
}

/* The node's object, NULL if it is not all told (or ENOMEM). */
static json_t *node_json(const json_t *row, const struct js1_alloc *alloc,
			 int64_t wall_s, enum js1_level level)
{
	struct amounts a = { 0 };
	json_t *o, *own;

	fill_memory(&a, row, alloc);
	fill_cpu(&a, row, alloc, wall_s);
	if (!are_told(&a))
		return NULL;
	o = json_pack("{s:o, s:o, s:o, s:o}", "total_memory", js1_whole(a.memory),
		      "used_memory", js1_whole(a.used), "total_time",
		      js1_tenth(a.cpu_s), "cpus", js1_whole(a.cpus));
	own = level == JS1_GPUS ? bent(&a) : NULL;
	if (json_object_size(own))
		json_object_set(o, "assay", own);
	json_decref(own);
	return o;
}

/* ---- the object --------------------------------------------------------------- */

static json_t *nodes_json(const json_t *record, const struct js1_alloc *alloc,
			  enum js1_level level, json_t *partial)
{
	int64_t wall_s = js1_wall_s(record, alloc);
	json_t *gpus = js1_gpus_by_node(record);
	json_t *nodes = json_object();
	char name[JS1_NAME_BYTES];
	json_t *row, *node;
	size_t i;

	json_array_foreach(json_object_get(record, "node"), i, row) {
		js1_short_name(row, name);
		node = *name && !json_object_get(nodes, name)
			       ? node_json(row, alloc, wall_s, level)
			       : NULL;
		if (!node) {
			json_array_append_new(partial, json_string(name));
			continue;
		}
		js1_add_gpus(node, json_object_get(gpus, name), level);
		json_object_set_new(nodes, name, node);
	}
	json_decref(gpus);
	return nodes;
}

static int64_t gpus_of(const json_t *record, const struct js1_alloc *alloc)
{
	double n = member_number(json_object_get(record, "gpus"), "allocated");

	if (alloc->gpus >= 0)
		return alloc->gpus;
	return n >= 0 && n < 1e9
		       ? (int64_t)n
		       : (int64_t)json_array_size(json_object_get(record, "gpu"));
}

json_t *js1_of_nodes(const json_t *record, const struct js1_alloc *alloc,
		     enum js1_level level, json_t **partial)
{
	json_t *o;

	*partial = json_array();
	o = json_pack("{s:o, s:I, s:I}", "nodes",
		      nodes_json(record, alloc, level, *partial), "total_time",
		      (json_int_t)js1_wall_s(record, alloc), "gpus",
		      (json_int_t)gpus_of(record, alloc));
	if (o)
		return o;
	json_decref(*partial);
	*partial = NULL;
	return NULL;
}
