/* SPDX-License-Identifier: Apache-2.0
 * From a comment to an object that no reader trips over. */
#include "config.h"
#include "epilog/js1_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 12
#define NUMBER_MAX 1e18
#define NODE_MAX 255

static int bad(struct err *e, const char *what, const char *where)
{
	errno = EINVAL;
	return err_set(e, "JS1: %s%s%.64s", what, where ? " in " : "",
		       where ? where : "");
}

static bool is_plain(const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (s[i] < ' ' || s[i] > '~')
			return false;
	return true;
}

/* ---- text -------------------------------------------------------------------- */

/* Before it becomes values: how many would it be at most? */
static bool is_bounded(const char *json, size_t len)
{
	size_t i, n = 0;

	for (i = 0; i < len; i++)
		n += json[i] == ',' || json[i] == '[' || json[i] == '{';
	return n <= JS1_VALUES_MAX;
}

/* An escape may hide what the text does not show. */
static bool is_all_plain(const json_t *v, int depth)
{
	const char *key;
	json_t *in;
	size_t i;

	if (!depth)
		return false;
	if (json_is_string(v))
		return is_plain(json_string_value(v), json_string_length(v));
	json_array_foreach(v, i, in)
		if (!is_all_plain(in, depth - 1))
			return false;
	json_object_foreach((json_t *)(uintptr_t)v, key, in)
		if (!is_plain(key, strlen(key)) || !is_all_plain(in, depth - 1))
			return false;
	return true;
}

static json_t *parse(const char *json, size_t len, struct err *e)
{
	json_error_t why;
	json_t *v;

	if (!is_plain(json, len)) {
		bad(e, "not ASCII", NULL);
		return NULL;
	}
	if (!is_bounded(json, len)) {
		errno = EFBIG;
		err_set(e, "JS1: more than %d values", JS1_VALUES_MAX);
		return NULL;
	}
	v = json_loadb(json, len, JSON_REJECT_DUPLICATES, &why);
	if (!v && json_error_code(&why) == json_error_out_of_memory)
		errno = ENOMEM;
	else if (!v)
		bad(e, "no JSON", NULL);
	return v;
}

/* ---- object ------------------------------------------------------------------ */

static bool in_range(const json_t *v, double low, double high)
{
	double n = json_number_value(v);

	return json_is_number(v) && isfinite(n) && n >= low && n <= high;
}

static bool is_whole(const json_t *v, double low)
{
	return json_is_integer(v) && in_range(v, low, NUMBER_MAX);
}

/* All members of a node's object of GPUs. */
static bool all_in_range(const json_t *gpus, double low, double high)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)gpus, key, v)
		if (!*key || !in_range(v, low, high))
			return false;
	return true;
}

static bool has_all_of(const json_t *a, const json_t *b)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)b, key, v)
		if (!json_object_get(a, key))
			return false;
	return true;
}

/* All three or fewer; what one has used, it has in total. */
static bool gpus_are_good(const json_t *node)
{
	const json_t *total = json_object_get(node, "gpu_total_memory");
	const json_t *used = json_object_get(node, "gpu_used_memory");
	const json_t *busy = json_object_get(node, "gpu_utilization");

	if ((total && !json_is_object(total)) ||
	    (used && !json_is_object(used)) || (busy && !json_is_object(busy)))
		return false;
	return all_in_range(total, 1, NUMBER_MAX) &&
	       all_in_range(used, 0, NUMBER_MAX) && all_in_range(busy, 0, 100) &&
	       has_all_of(used, total) && has_all_of(total, used);
}

static int check_node(const char *name, const json_t *node, struct err *e)
{
	if (!*name || strlen(name) > NODE_MAX || !json_is_object(node))
		return bad(e, "a node that is none", name);
	if (!in_range(json_object_get(node, "total_memory"), 1, NUMBER_MAX) ||
	    !in_range(json_object_get(node, "used_memory"), 0, NUMBER_MAX))
		return bad(e, "no memory", name);
	if (!in_range(json_object_get(node, "total_time"), 0, NUMBER_MAX) ||
	    !is_whole(json_object_get(node, "cpus"), 1))
		return bad(e, "no CPU", name);
	if (!gpus_are_good(node))
		return bad(e, "GPUs that do not match", name);
	if (json_object_get(node, "assay") &&
	    !json_is_object(json_object_get(node, "assay")))
		return bad(e, "not as assay writes it", name);
	return 0;
}

int js1_check(const json_t *js1, struct err *e)
{
	const json_t *nodes = json_object_get(js1, "nodes");
	const json_t *own = json_object_get(js1, "assay");
	const char *name;
	json_t *node;

	if (!json_is_object(js1) || !json_object_size(nodes))
		return bad(e, "no nodes", NULL);
	if (!in_range(json_object_get(js1, "total_time"), 0, NUMBER_MAX) ||
	    !is_whole(json_object_get(js1, "gpus"), 0))
		return bad(e, "no total_time or gpus", NULL);
	if (own && !json_is_object(own))
		return bad(e, "not as assay writes it", NULL);
	json_object_foreach((json_t *)(uintptr_t)nodes, name, node)
		if (check_node(name, node, e) < 0)
			return -1;
	return 0;
}

json_t *js1_decode(const char *comment, struct err *e)
{
	size_t len = 0;
	json_t *js1;
	char *json;

	if (js1_kind(comment) != JS1_DATA) {
		bad(e, "no data", NULL);
		return NULL;
	}
	json = js1_unpack(comment, &len);
	if (!json) {
		err_errno(e, "JS1: unpack");
		return NULL;
	}
	js1 = parse(json, len, e);
	free(json);
	if (js1 && is_all_plain(js1, DEPTH_MAX) && js1_check(js1, e) == 0)
		return js1;
	if (js1 && !is_all_plain(js1, DEPTH_MAX))
		bad(e, "text that cannot be printed, or too deep", NULL);
	json_decref(js1);
	return NULL;
}
