/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/probe_past.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STEP 0.7
#define STEPS_MAX 9
#define FOR_SURE 0.9

/* What samples are comparable by; "" where the driver is not known. */
static const char *basis(const struct check_env *env, char *buf, size_t size)
{
	const struct facts_gpus *g = &env->facts->gpus;
	const char *driver = g->driver[0] ? g->driver : g->kernel_driver;

	buf[0] = '\0';
	if (driver[0])
		snprintf(buf, size, "%s %s", driver, env->probes->build_id);
	return buf;
}

static bool is_comparable(const json_t *doc, const struct check_env *env)
{
	const char *was = json_string_value(json_object_get(doc, "basis"));
	char now[80];

	return was && *basis(env, now, sizeof(now)) && !strcmp(was, now);
}

static const json_t *of_gpu(const json_t *doc, const struct check_env *env,
			    int gpu)
{
	return json_object_get(json_object_get(doc, "gpus"),
			       env->facts->gpus.gpu[gpu].uuid);
}

static bool is_here(const struct check_env *env, const char *uuid)
{
	int i;

	for (i = 0; i < env->facts->gpus.count; i++)
		if (!strcmp(env->facts->gpus.gpu[i].uuid, uuid))
			return true;
	return false;
}

/* Forget GPUs that are gone, and samples that compare with nothing now. */
static void tidy(json_t *doc, const struct check_env *env)
{
	bool comparable = is_comparable(doc, env);
	json_t *gpus = json_object_get(doc, "gpus");
	const char *uuid;
	json_t *gpu;
	char now[80];
	void *next;

	json_object_foreach_safe(gpus, next, uuid, gpu) {
		if (!is_here(env, uuid))
			json_object_del(gpus, uuid);
		else if (!comparable)
			json_object_del(gpu, "samples");
	}
	json_object_set_new(doc, "basis",
			    json_string(basis(env, now, sizeof(now))));
}

/* The document that the next run will find. */
static json_t *next_doc(struct check_result *r, const struct check_env *env)
{
	if (r->memory)
		return r->memory;
	r->memory = env->memory ? json_deep_copy(env->memory) : json_object();
	tidy(r->memory, env);
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
			 int gpu, const char *part)
{
	const char *uuid = env->facts->gpus.gpu[gpu].uuid;

	if (!uuid[0])
		return NULL;
	return member(member(member(next_doc(r, env), "gpus"), uuid), part);
}

int past_samples(const struct check_env *env, int gpu, const char *key, double *v)
{
	const json_t *list, *sample;
	size_t i;
	int n = 0;

	if (!is_comparable(env->memory, env))
		return 0;
	list = json_object_get(of_gpu(env->memory, env, gpu), "samples");
	list = json_object_get(list, key);
	for (i = 0; i < json_array_size(list) && n < PAST_SAMPLES; i++) {
		sample = json_array_get(list, i);
		if (json_number_value(sample) > 0)
			v[n++] = json_number_value(sample);
	}
	return n;
}

void past_add(struct check_result *r, const struct check_env *env, int gpu,
	      const char *key, double v)
{
	json_t *samples = next_part(r, env, gpu, "samples");
	json_t *list = json_object_get(samples, key);

	if (!json_is_array(list)) {
		json_object_set_new(samples, key, json_array());
		list = json_object_get(samples, key);
	}
	json_array_append_new(list, json_real(round(1e3 * v) / 1e3));
	while (json_array_size(list) > PAST_SAMPLES)
		json_array_remove(list, 0);
}

const char *past_open(const struct check_env *env, int gpu, const char *key)
{
	const json_t *open;

	open = json_object_get(of_gpu(env->memory, env, gpu), "open");
	return json_string_value(json_object_get(open, key));
}

void past_set_open(struct check_result *r, const struct check_env *env, int gpu,
		   const char *key, const char *evidence)
{
	const char *was = past_open(env, gpu, key);
	json_t *open;

	if (!evidence ? !was : was && !strcmp(was, evidence))
		return;
	open = next_part(r, env, gpu, "open");
	if (evidence)
		json_object_set_new(open, key, json_string(evidence));
	else
		json_object_del(open, key);
}

double past_number(const struct check_env *env, int gpu, const char *key)
{
	const json_t *numbers;

	numbers = json_object_get(of_gpu(env->memory, env, gpu), "numbers");
	return json_number_value(json_object_get(numbers, key));
}

void past_set_number(struct check_result *r, const struct check_env *env,
		     int gpu, const char *key, double v)
{
	if (v == past_number(env, gpu, key))
		return;
	json_object_set_new(next_part(r, env, gpu, "numbers"), key,
			    json_real(v));
}

void past_remind(struct check_result *r, const struct check_env *env, int gpu)
{
	const json_t *open, *evidence;
	struct finding *f;
	const char *key;

	open = json_object_get(of_gpu(env->memory, env, gpu), "open");
	json_object_foreach((json_t *)open, key, evidence) {
		f = result_add_gpu(r, STATUS_SKIP, key, env, gpu,
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
