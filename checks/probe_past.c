/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/probe_past.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "checks/places.h"

#define STEP 0.7
#define STEPS_MAX 9
#define FOR_SURE 0.9

#define GPUS "gpus"
#define PORTS "ports"

static const char *kind(int place)
{
	return place_is_port(place) ? PORTS : GPUS;
}

#define BASIS_SIZE 160

/* The name stays where another board takes the slot, or one is missing and the
 * names of those behind it move up; and its rate is what a link agrees on. */
static const char *port_basis(const struct check_env *env, int place, char *buf,
			      size_t size)
{
	const struct hca *h = place_hca(env->facts, place);
	const struct ib_port *p = place_port(env->facts, place);

	snprintf(buf, size, "%s %s %s %d %s", h->fw[0] ? h->fw : "-",
		 h->board[0] ? h->board : "-", h->bus_id[0] ? h->bus_id : "-",
		 p->rate_gbit, env->probes->build_id);
	return buf;
}

/* What samples are comparable by; "" where the driver is not known. */
static const char *basis(const struct check_env *env, int place, char *buf,
			 size_t size)
{
	const struct facts_gpus *g = &env->facts->gpus;
	const char *driver = g->driver[0] ? g->driver : g->kernel_driver;

	if (place_is_port(place))
		return port_basis(env, place, buf, size);
	buf[0] = '\0';
	if (driver[0])
		snprintf(buf, size, "%s %s", driver, env->probes->build_id);
	return buf;
}

static const json_t *of_place(const json_t *doc, const struct check_env *env,
			      int place)
{
	char id[PLACE_SIZE];

	return json_object_get(json_object_get(doc, kind(place)),
			       place_id(env->facts, place, id));
}

/* Where the basis is kept: one for all GPUs, one for each port. */
static const json_t *of_basis(const json_t *doc, const struct check_env *env,
			      int place)
{
	return place_is_port(place) ? of_place(doc, env, place) : doc;
}

static bool is_comparable(const json_t *doc, const struct check_env *env,
			  int place)
{
	const json_t *at = of_basis(doc, env, place);
	const char *was = json_string_value(json_object_get(at, "basis"));
	char now[BASIS_SIZE];

	return was && *basis(env, place, now, sizeof(now)) && !strcmp(was, now);
}

/* The place of its kind that is remembered by this; -1: it is gone. */
static int find(const struct check_env *env, enum probe probe, const char *id)
{
	char buf[PLACE_SIZE];
	int i;

	PLACE_EACH(i, env->facts, probe)
		if (!strcmp(place_id(env->facts, i, buf), id))
			return i;
	return -1;
}

/* Forget what is gone, and samples that compare with nothing now. doc: as it
 * was, with its basis. */
static void tidy_kind(json_t *doc, const struct check_env *env,
		      enum probe probe)
{
	json_t *all = json_object_get(doc, probe_is_of_ports(probe) ? PORTS :
								      GPUS);
	const char *id;
	json_t *one;
	void *next;
	int place;

	json_object_foreach_safe(all, next, id, one) {
		place = find(env, probe, id);
		if (place < 0)
			json_object_del(all, id);
		else if (!is_comparable(doc, env, place))
			json_object_del(one, "samples");
	}
}

static void set_basis(json_t *obj, const struct check_env *env, int place)
{
	char now[BASIS_SIZE];

	json_object_set_new(obj, "basis",
			    json_string(basis(env, place, now, sizeof(now))));
}

/* The document that the next run will find. */
static json_t *next_doc(struct check_result *r, const struct check_env *env)
{
	if (r->memory)
		return r->memory;
	r->memory = env->memory ? json_deep_copy(env->memory) : json_object();
	tidy_kind(r->memory, env, PROBE_context);
	tidy_kind(r->memory, env, PROBE_loopback);
	return r->memory;
}

/* The member of obj, made if it is not there; NULL on ENOMEM. */
static json_t *member(json_t *obj, const char *key)
{
	json_t *m = json_object_get(obj, key);

	if (!json_is_object(m)) {
		json_object_set_new(obj, key, json_object());
		m = json_object_get(obj, key);
	}
	return m;
}

static json_t *next_part(struct check_result *r, const struct check_env *env,
			 int place, const char *part)
{
	char id[PLACE_SIZE];
	json_t *doc, *one;

	if (!*place_id(env->facts, place, id))
		return NULL;
	doc = next_doc(r, env);
	one = member(member(doc, kind(place)), id);
	set_basis(place_is_port(place) ? one : doc, env, place);
	return member(one, part);
}

int past_samples(const struct check_env *env, int place, const char *key, double *v)
{
	const json_t *list, *sample;
	size_t i;
	int n = 0;

	if (!is_comparable(env->memory, env, place))
		return 0;
	list = json_object_get(of_place(env->memory, env, place), "samples");
	list = json_object_get(list, key);
	for (i = 0; i < json_array_size(list) && n < PAST_SAMPLES; i++) {
		sample = json_array_get(list, i);
		if (json_number_value(sample) > 0)
			v[n++] = json_number_value(sample);
	}
	return n;
}

void past_add(struct check_result *r, const struct check_env *env, int place,
	      const char *key, double v)
{
	json_t *samples = next_part(r, env, place, "samples");
	json_t *list = json_object_get(samples, key);

	if (!json_is_array(list)) {
		json_object_set_new(samples, key, json_array());
		list = json_object_get(samples, key);
	}
	json_array_append_new(list, json_real(round(1e3 * v) / 1e3));
	while (json_array_size(list) > PAST_SAMPLES)
		json_array_remove(list, 0);
}

const char *past_open(const struct check_env *env, int place, const char *key)
{
	const json_t *open;

	open = json_object_get(of_place(env->memory, env, place), "open");
	return json_string_value(json_object_get(open, key));
}

void past_set_open(struct check_result *r, const struct check_env *env, int place,
		   const char *key, const char *evidence)
{
	const char *was = past_open(env, place, key);
	json_t *open;

	if (!evidence ? !was : was && !strcmp(was, evidence))
		return;
	open = next_part(r, env, place, "open");
	if (evidence)
		json_object_set_new(open, key, json_string(evidence));
	else
		json_object_del(open, key);
}

double past_number(const struct check_env *env, int place, const char *key)
{
	const json_t *numbers;

	numbers = json_object_get(of_place(env->memory, env, place), "numbers");
	return json_number_value(json_object_get(numbers, key));
}

void past_set_number(struct check_result *r, const struct check_env *env,
		     int place, const char *key, double v)
{
	if (v == past_number(env, place, key))
		return;
	json_object_set_new(next_part(r, env, place, "numbers"), key,
			    json_real(v));
}

void past_remind(struct check_result *r, const struct check_env *env, int place)
{
	const json_t *open, *evidence;
	struct finding *f;
	const char *key;

	open = json_object_get(of_place(env->memory, env, place), "open");
	json_object_foreach((json_t *)open, key, evidence) {
		f = place_finding(r, STATUS_SKIP, key, env, place,
				  "was bad, not measured this time");
		if (f && json_is_string(evidence))
			snprintf(f->evidence, sizeof(f->evidence), "%s",
				 json_string_value(evidence));
	}
}

static int steps(double share)
{
	double s = floor(log(share) / log(STEP));

	return s > STEPS_MAX ? STEPS_MAX : s > 0 ? (int)s : 0;
}

int past_step(double share, int open)
{
	if (open < 0)
		return steps(share);
	return steps(share / FOR_SURE) > open ? steps(share / FOR_SURE) : open;
}
