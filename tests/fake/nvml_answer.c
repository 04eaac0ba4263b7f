/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "tests/fake/nvml_answer.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define GPUS_MAX 64
#define PLACES_MAX 4

static struct nvml_device gpus[GPUS_MAX];
static int gpu_count;
static int init_count;
static int load_rc;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct scn_device library; /* the section itself */

/* ---- devices --------------------------------------------------------- */

/* The bus id of a device without waiting for it: a control that fails or
 * hangs has none. */
static const char *peek_bus_id(const struct scn_device *d)
{
	json_t *o = json_object_get(d->over, "GetPciInfo_v3");
	json_t *t = json_object_get(d->tmpl, "GetPciInfo_v3");
	json_t *id;

	if (!o)
		return json_string_value(json_object_get(t, "busId"));
	if (json_integer_value(json_object_get(o, "hang_ms")) < 0 ||
	    json_integer_value(json_object_get(o, "rc")) != 0)
		return NULL;
	if (json_object_get(o, "value"))
		o = json_object_get(o, "value");
	id = json_object_get(o, "busId");
	return json_string_value(id ? id : json_object_get(t, "busId"));
}

static void load_gpus(void)
{
	struct nvml_device *g;
	json_t *sec = scn_section("nvml");
	size_t n = json_array_size(json_object_get(sec, "gpus"));
	const char *id;
	size_t i;

	library = scn_library("nvml");
	if (scn_broken() || n > GPUS_MAX)
		load_rc = NVML_RC_UNKNOWN;
	for (i = 0; i < n && !load_rc; i++) {
		g = &gpus[i];
		if (scn_device("nvml", (int)i, &g->scn) < 0)
			load_rc = NVML_RC_UNKNOWN;
		id = peek_bus_id(&g->scn);
		snprintf(g->bus_id, sizeof(g->bus_id), "%s", id ? id : "");
		gpu_count = (int)i + 1;
	}
	if (load_rc)
		fprintf(stderr, "fake NVML: %s\n",
			scn_broken() ? scn_broken() : "too many gpus");
}

static bool is_device(const struct nvml_device *g)
{
	return g >= gpus && g < gpus + gpu_count;
}

/* ---- answers --------------------------------------------------------- */

struct places {
	struct scn_path path[PLACES_MAX];
	int count;
};

static void place(struct places *p, const char *a, const char *b, const char *c)
{
	if (p->count < PLACES_MAX)
		p->path[p->count++] =
			(struct scn_path){ { a, b, b ? c : NULL, NULL } };
}

/* The first place that the device's own entries list, else the first that
 * its template lists. GetFieldValues as a whole speaks for no other route. */
static struct scn_node look(const struct scn_device *d, const struct places *p)
{
	struct scn_node none = { .rc = NVML_RC_NOT_SUPPORTED };
	json_t *tree[2] = { d->over, d->tmpl };
	int t, i;
	bool exactly;

	for (t = 0; t < 2; t++) {
		for (i = 0; i < p->count; i++) {
			exactly = i > 0 && strcmp(p->path[i].key[0],
						  "GetFieldValues") == 0;
			if (scn_lists(tree[t], &p->path[i], exactly))
				return scn_at(d, &p->path[i]);
		}
	}
	return none;
}

int answer_rc(const struct scn_node *n)
{
	if (n->rc)
		return n->rc;
	return scn_known(n) ? NVML_RC_OK : NVML_RC_NOT_SUPPORTED;
}

/* Other names of a function. */
static const char *alias_of(const char *func)
{
	static const char *const pairs[][2] = {
		{ "GetCurrentClocksEventReasons",
		  "GetCurrentClocksThrottleReasons" },
		{ "GetSupportedClocksEventReasons",
		  "GetSupportedClocksThrottleReasons" },
		{ "Init_v2", "InitWithFlags" },
		{ "GetCount_v2", "GetCount" },
		{ "GetHandleByIndex_v2", "GetHandleByIndex" },
		{ "GetHandleByPciBusId_v2", "GetHandleByPciBusId" },
	};
	size_t i;

	for (i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		if (strcmp(func, pairs[i][0]) == 0)
			return pairs[i][1];
		if (strcmp(func, pairs[i][1]) == 0)
			return pairs[i][0];
	}
	return NULL;
}

/* One number told by func [/ key [/ member]] or by its twins. */
static int number(const struct scn_device *d, const char *func, const char *key,
		  const char *member, struct scn_node *n)
{
	struct places p = { .count = 0 };
	char id[32];
	bool per_link;
	unsigned int field = field_of(func, key, &per_link);

	place(&p, func, key, member);
	if (alias_of(func))
		place(&p, alias_of(func), key, member);
	if (per_link)
		snprintf(id, sizeof(id), "%u:%s", field, key);
	else
		snprintf(id, sizeof(id), "%u", field);
	if (field)
		place(&p, "GetFieldValues", id, NULL);
	*n = look(d, &p);
	return answer_rc(n);
}

/* Every call on a device begins so. */
int answer_begin(const struct nvml_device *g, const void *out)
{
	scn_begin();
	if (!init_count)
		return NVML_RC_UNINITIALIZED;
	return is_device(g) && out ? NVML_RC_OK : NVML_RC_INVALID_ARGUMENT;
}

int answer_u32(struct nvml_device *g, const char *func, const char *key,
	       unsigned int *out)
{
	struct scn_node n;
	int rc = answer_begin(g, out);

	if (!rc)
		rc = number(&g->scn, func, key, NULL, &n);
	if (!rc)
		*out = (unsigned int)scn_int(&n);
	return rc;
}

int answer_u64(struct nvml_device *g, const char *func, const char *key,
	       unsigned long long *out)
{
	struct scn_node n;
	int rc = answer_begin(g, out);

	if (!rc)
		rc = number(&g->scn, func, key, NULL, &n);
	if (!rc)
		*out = (unsigned long long)scn_int(&n);
	return rc;
}

int answer_more(struct nvml_device *g, const char *func, const char *key,
		const char *member, unsigned long long *out)
{
	struct scn_node n;
	int rc = number(&g->scn, func, key, member, &n);

	if (!rc)
		*out = (unsigned long long)scn_int(&n);
	return rc;
}

static void put_typed(struct nvml_field_value *f, const struct scn_node *n)
{
	int64_t v = scn_int(n);

	memset(&f->value, 0, sizeof(f->value));
	f->type = field_type(f->field);
	switch ((enum nvml_value_type)f->type) {
	case NVML_TYPE_DOUBLE:
		f->value.d = scn_real(n);
		break;
	case NVML_TYPE_UINT:
		f->value.u = (unsigned int)v;
		break;
	case NVML_TYPE_INT:
		f->value.i = (int)v;
		break;
	case NVML_TYPE_USHORT:
		f->value.us = (unsigned short)v;
		break;
	default:
		f->value.ull = (unsigned long long)v;
	}
}

int answer_field(struct nvml_device *g, struct nvml_field_value *f)
{
	struct places p;
	struct field_text text;
	struct scn_node n;
	struct timespec now;

	p.count = field_paths(f->field, f->scope, &text, p.path);
	n = look(&g->scn, &p);
	f->rc = answer_rc(&n);
	clock_gettime(CLOCK_REALTIME, &now);
	f->timestamp_us = now.tv_sec * 1000000LL + now.tv_nsec / 1000;
	f->latency_us = 0;
	if (!f->rc)
		put_typed(f, &n);
	return f->rc;
}

static int copy_text(const struct scn_node *n, char *buf, unsigned int size)
{
	const char *text = scn_text(n);
	int rc = answer_rc(n);

	if (rc)
		return rc;
	if (!text)
		return NVML_RC_UNKNOWN;
	if (strlen(text) >= size)
		return NVML_RC_INSUFFICIENT_SIZE;
	strcpy(buf, text);
	return NVML_RC_OK;
}

int answer_text(struct nvml_device *g, const char *func, char *buf,
		unsigned int size)
{
	struct places p = { .count = 0 };
	struct scn_node n;
	int rc = answer_begin(g, buf);

	if (rc)
		return rc;
	place(&p, func, NULL, NULL);
	n = look(&g->scn, &p);
	return copy_text(&n, buf, size);
}

static void put(void *base, const struct answer_member *m, int64_t v)
{
	void *at = (char *)base + m->offset;
	uint8_t v8 = (uint8_t)v;
	uint32_t v32 = (uint32_t)v;

	if (m->size == 1)
		memcpy(at, &v8, 1);
	else if (m->size == 4)
		memcpy(at, &v32, 4);
	else
		memcpy(at, &v, 8);
}

struct scn_node answer_node(struct nvml_device *g, const char *func)
{
	struct scn_path p = { { func, NULL, NULL, NULL } };

	return scn_at(&g->scn, &p);
}

int answer_struct(struct nvml_device *g, const char *func,
		  const struct answer_member *m, void *out)
{
	struct scn_node n, s;
	int rc = answer_begin(g, out);

	if (rc)
		return rc;
	n = answer_node(g, func);
	rc = answer_rc(&n);

	for (; !rc && m->name; m++) {
		s = json_is_object(scn_json(&n)) ? scn_step(&n, m->name) : n;
		rc = s.rc;
		put(out, m, rc ? 0 : scn_int(&s));
		if (!json_is_object(scn_json(&n)))
			break;
	}
	return rc;
}

/* ---- the library ----------------------------------------------------- */

int answer_load(void)
{
	pthread_once(&once, load_gpus);
	return load_rc;
}

int answer_gpu_count(void)
{
	return gpu_count;
}

struct nvml_device *answer_gpu(int i)
{
	return i >= 0 && i < gpu_count ? &gpus[i] : NULL;
}

void answer_init(int step)
{
	init_count += step;
}

bool answer_ready(void)
{
	return init_count > 0;
}

static struct scn_path library_path(const char *func, const char *key)
{
	struct scn_path p = { { func, key, NULL, NULL } };

	if (!scn_lists(library.over, &p, false) && alias_of(func))
		p.key[0] = alias_of(func);
	return p;
}

bool answer_lists(const char *func, const char *key)
{
	struct scn_path p = library_path(func, key);

	return scn_lists(library.over, &p, false);
}

struct scn_node answer_library(const char *func, const char *key)
{
	struct scn_path p = library_path(func, key);

	return scn_at(&library, &p);
}

int answer_library_text(const char *func, char *buf, unsigned int size)
{
	struct scn_node n;

	scn_begin();
	if (!init_count)
		return NVML_RC_UNINITIALIZED;
	n = answer_library(func, NULL);
	return copy_text(&n, buf, size);
}
