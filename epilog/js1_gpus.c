/* SPDX-License-Identifier: Apache-2.0
 * The GPUs of a node in JS1, and all nodes in one. */
#include "config.h"
#include "epilog/js1_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "epilog/members.h"

/* ---- GPUs --------------------------------------------------------------------- */

/* What only we know of a GPU. */
static const char *const gpu_own[] = { "index",		"used",
				       "sm_active_pct", "tensor_clock_pct",
				       "energy_j",	"throttle_s",
				       "temp_c",	"why" };

#define GPU_OWN (sizeof(gpu_own) / sizeof(gpu_own[0]))

static void put_in(json_t *node, const char *group, const char *key, json_t *v)
{
	json_object_set_new(member_object(node, group), key, v);
}

/* A GPU of which not all three are known is in none of them. */
static void add_gpu(json_t *node, const json_t *row, const char *key,
		    enum js1_level level)
{
	double total = member_number(row, "mem_total_bytes");
	double used = member_number(row, "mem_peak_bytes");
	double busy = member_number(row, "busy_pct");
	json_t *own, *copy;
	size_t i;

	if (total >= 1 && used >= 0 && busy >= 0) {
		put_in(node, "gpu_total_memory", key, js1_whole(total));
		put_in(node, "gpu_used_memory", key,
		       js1_whole(fmin(used, total)));
		put_in(node, "gpu_utilization", key, js1_tenth(fmin(busy, 100)));
	}
	if (level != JS1_GPUS)
		return;
	own = json_object();
	for (i = 0; i < GPU_OWN; i++) {
		copy = js1_shortened(json_object_get(row, gpu_own[i]), 0, 2);
		if (copy)
			json_object_set_new(own, gpu_own[i], copy);
	}
	put_in(member_object(node, "assay"), "gpu", key, own);
}

/* Do the rows have this number, each another one? */
static bool are_told_apart_by(const json_t *rows, const char *name)
{
	json_t *seen = json_object();
	char key[32];
	json_t *row;
	bool good = true;
	size_t i;

	json_array_foreach(rows, i, row) {
		int64_t n = member_whole(row, name, -1);

		snprintf(key, sizeof(key), "%" PRId64, n);
		good &= n >= 0 && !json_object_get(seen, key);
		json_object_set_new(seen, key, json_true());
	}
	json_decref(seen);
	return good;
}

/* Readers know GPUs by their minor numbers. */
void js1_add_gpus(json_t *node, const json_t *rows, enum js1_level level)
{
	const char *name = are_told_apart_by(rows, "minor")   ? "minor"
			   : are_told_apart_by(rows, "index") ? "index"
							      : NULL;
	char key[32];
	json_t *row;
	size_t i;

	if (!name)
		return;
	json_array_foreach(rows, i, row) {
		snprintf(key, sizeof(key), "%" PRId64,
			 member_whole(row, name, 0));
		add_gpu(node, row, key, level);
	}
}

/* {node: [its rows]} */
json_t *js1_gpus_by_node(const json_t *record)
{
	json_t *by_node = json_object();
	char name[JS1_NAME_BYTES];
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(record, "gpu"), i, row) {
		js1_short_name(row, name);
		if (!json_object_get(by_node, name))
			json_object_set_new(by_node, name, json_array());
		json_array_append(json_object_get(by_node, name), row);
	}
	return by_node;
}

/* ---- all in one --------------------------------------------------------------- */

static void add_up(json_t *sum, const char *name, double v)
{
	double old = json_number_value(json_object_get(sum, name));

	json_object_set_new(sum, name,
			    !strcmp(name, "total_time") ? js1_tenth(old + v)
							: js1_whole(old + v));
}

/* Sum and number of a node's object of GPUs. */
static double sum_of(const json_t *node, const char *group, int *n)
{
	const char *key;
	double sum = 0;
	json_t *v;

	json_object_foreach(json_object_get(node, group), key, v) {
		sum += json_number_value(v);
		*n += 1;
	}
	return sum;
}

/* The GPUs as one: it has the memory of all and their mean use. */
static void put_gpu(json_t *node, const double sum[3], int n)
{
	if (!n)
		return;
	put_in(node, "gpu_total_memory", "0", js1_whole(sum[0]));
	put_in(node, "gpu_used_memory", "0", js1_whole(sum[1]));
	put_in(node, "gpu_utilization", "0", js1_tenth(sum[2] / n));
}

int js1_total(json_t *js1)
{
	static const char *const own[] = { "total_memory", "used_memory",
					   "total_time", "cpus" };
	json_t *sum = json_object(), *one = json_object(), *node;
	double gpu[3] = { 0 };
	const char *key;
	char name[32];
	int i, n = 0, skip = 0;

	json_object_foreach(json_object_get(js1, "nodes"), key, node) {
		for (i = 0; i < 4; i++)
			add_up(sum, own[i],
			       json_number_value(json_object_get(node, own[i])));
		gpu[0] += sum_of(node, "gpu_total_memory", &skip);
		gpu[1] += sum_of(node, "gpu_used_memory", &skip);
		gpu[2] += sum_of(node, "gpu_utilization", &n);
	}
	put_gpu(sum, gpu, n);
	snprintf(name, sizeof(name), "all-%zu-nodes",
		 json_object_size(json_object_get(js1, "nodes")));
	json_object_set_new(one, name, sum);
	return json_object_set_new(js1, "nodes", one);
}
