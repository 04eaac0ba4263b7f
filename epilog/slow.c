/* SPDX-License-Identifier: Apache-2.0
 * Slow GPUs: low among their like, and with a physical cause. In a synchronous
 * job the slow one is as busy as the others, or busier, since they wait for it
 * in kernels: so busy time is not looked at. It is named, never drained for.
 */
#include "config.h"
#include "epilog/sections.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "epilog/outlier.h"

#define SLOW_MAX 16
#define MODELS_MAX 8
#define HELD_SHARE 0.01 /* of the time, beyond what is usual in this job */
#define CAUSE_MAX 120
#define GPU(m) offsetof(struct gpu_row, m)

/* What is compared. */
struct metric {
	size_t member;
	const char *what, *unit;
	int digits;
};

static const struct metric metrics[] = {
	{ GPU(mhz_mean), "SM clock", " MHz", 0 },
	{ GPU(tensor_clock), "tensor x clock", "%", 1 },
	{ GPU(power_mean), "power", " W", 0 },
	{ GPU(nvlink_mean), "NVLink rate", " GB/s", 2 },
};

#define METRICS (sizeof(metrics) / sizeof(metrics[0]))

/* How being held down is called. */
struct hold {
	size_t member;
	const char *text;
};

static const struct hold holds[] = {
	{ GPU(held_hw), "slowed down by hardware" },
	{ GPU(held_thermal), "held down by heat" },
	{ GPU(held_power), "held down by its power limit" },
};

#define HOLDS (sizeof(holds) / sizeof(holds[0]))

/* What is usual for the GPUs that are compared. */
struct usual {
	struct outlier of[METRICS];
	double held[HOLDS]; /* medians, NAN unknown */
	const char *model;
};

struct slow {
	const struct gpu_row *gpu;
	double share; /* of the median */
	char what[96], cause[CAUSE_MAX];
};

static double value_of(const struct gpu_row *r, size_t member)
{
	return number_of(number_at(r, member));
}

/* The known values of the used GPUs of a model, n of them in x. */
static int gather(const struct sheet *s, const char *model, size_t member,
		  double *x)
{
	int i, n = 0;

	for (i = 0; i < s->gpus; i++) {
		if (!gpu_is_used(&s->gpu[i]) || strcmp(s->gpu[i].model, model))
			continue;
		x[n] = value_of(&s->gpu[i], member);
		n += isfinite(x[n]) ? 1 : 0;
	}
	return n;
}

static void learn(struct usual *u, const struct sheet *s, const char *model,
		  double *x)
{
	size_t i;

	u->model = model;
	for (i = 0; i < METRICS; i++)
		u->of[i] =
			outlier_limit(x, gather(s, model, metrics[i].member, x));
	for (i = 0; i < HOLDS; i++)
		u->held[i] =
			outlier_median(x, gather(s, model, holds[i].member, x));
}

static bool held_cause(const struct sheet *s, const struct gpu_row *r,
		       const struct usual *u, char cause[CAUSE_MAX])
{
	double elapsed = sheet_elapsed_s(s), held;
	size_t i;

	for (i = 0; i < HOLDS; i++) {
		held = value_of(r, holds[i].member);
		if (!(held - u->held[i] > HELD_SHARE * elapsed))
			continue;
		snprintf(cause, CAUSE_MAX, "%s for %.0f s", holds[i].text, held);
		return true;
	}
	return false;
}

static bool port_cause(const struct sheet *s, const struct gpu_row *r,
		       char cause[CAUSE_MAX])
{
	const struct port_row *p;
	int i;

	for (i = 0; i < s->ports; i++) {
		p = &s->port[i];
		if (strcmp(p->node, r->node))
			continue;
		if (number_of(&p->downs) > 0)
			snprintf(cause, CAUSE_MAX, "%s went down", p->name);
		else if (p->rate_low.v < p->rate_gbit.v)
			snprintf(cause, CAUSE_MAX, "%s ran at %.0f Gbit/s",
				 p->name, p->rate_low.v);
		else if (number_of(&p->errors) > 0)
			snprintf(cause, CAUSE_MAX, "%.0f link errors on %s",
				 p->errors.v, p->name);
		else
			continue;
		return true;
	}
	return false;
}

static bool fault_cause(const struct sheet *s, const struct gpu_row *r,
			char cause[CAUSE_MAX])
{
	char device[16], text[96];
	json_t *f;
	size_t i;

	snprintf(device, sizeof(device), "GPU%d", r->index);
	json_array_foreach(s->faults, i, f) {
		if (!member_is(f, "node", r->node) ||
		    !member_is(f, "device", device) ||
		    !member_is(f, "blame", "hardware"))
			continue;
		member_text(f, "text", text, sizeof(text));
		snprintf(cause, CAUSE_MAX, "%s", text);
		return true;
	}
	if (number_of(&r->nvlink_errors) > 0)
		snprintf(cause, CAUSE_MAX, "%.0f NVLink errors",
			 r->nvlink_errors.v);
	else
		return false;
	return true;
}

/* A check that complained about this GPU before the job. */
static bool gate_cause(const struct sheet *s, const struct gpu_row *r,
		       char cause[CAUSE_MAX])
{
	json_t *checks = json_object_get(s->gate, "checks"), *c;
	char device[16], name[40], text[72];
	size_t i;

	snprintf(device, sizeof(device), "GPU%d", r->index);
	json_array_foreach(checks, i, c) {
		if (!member_is(c, "node", r->node) ||
		    !member_is(c, "subject", device) ||
		    !(member_is(c, "status", "WARN") ||
		      member_is(c, "status", "FAIL")))
			continue;
		member_text(c, "name", name, sizeof(name));
		member_text(c, "text", text, sizeof(text));
		snprintf(cause, CAUSE_MAX, "%s before the job: %s", name, text);
		return true;
	}
	return false;
}

/* The metric in which a GPU is lowest, as a share of the median: below 1 if
 * it is an outlier in any. */
static double lowest(const struct gpu_row *r, const struct usual *u, char *what,
		     size_t size)
{
	double best = 1, x;
	size_t i;

	for (i = 0; i < METRICS; i++) {
		x = value_of(r, metrics[i].member);
		if (!outlier_is(&u->of[i], x) || x / u->of[i].median >= best)
			continue;
		best = x / u->of[i].median;
		snprintf(what, size, "%s %.*f%s, median %.*f", metrics[i].what,
			 metrics[i].digits, x, metrics[i].unit,
			 metrics[i].digits, u->of[i].median);
	}
	return best;
}

static bool is_slow(const struct sheet *s, const struct gpu_row *r,
		    const struct usual *u, struct slow *out)
{
	out->gpu = r;
	if (!gpu_is_used(r) || strcmp(r->model, u->model))
		return false;
	out->share = lowest(r, u, out->what, sizeof(out->what));
	if (out->share >= 1)
		return false;
	return held_cause(s, r, u, out->cause) || fault_cause(s, r, out->cause) ||
	       gate_cause(s, r, out->cause) || port_cause(s, r, out->cause);
}

/* Keep the slowest, in order. */
static void keep(struct slow list[SLOW_MAX], int *n, const struct slow *new)
{
	int at = *n;

	while (at > 0 && list[at - 1].share > new->share)
		at--;
	if (at == SLOW_MAX)
		return;
	if (*n < SLOW_MAX)
		(*n)++;
	memmove(&list[at + 1], &list[at], sizeof(*list) * (size_t)(*n - 1 - at));
	list[at] = *new;
}

static bool is_first_of_model(const struct sheet *s, int i)
{
	int j;

	for (j = 0; j < i; j++)
		if (!strcmp(s->gpu[j].model, s->gpu[i].model))
			return false;
	return true;
}

static int find_slow(const struct sheet *s, struct slow list[SLOW_MAX])
{
	double *x = calloc((size_t)s->gpus + 1, sizeof(*x));
	struct usual u;
	struct slow one;
	int i, j, n = 0, models = 0;

	for (i = 0; x && i < s->gpus && models < MODELS_MAX; i++) {
		if (!is_first_of_model(s, i))
			continue;
		models++;
		learn(&u, s, s->gpu[i].model, x);
		for (j = i; j < s->gpus; j++)
			if (is_slow(s, &s->gpu[j], &u, &one))
				keep(list, &n, &one);
	}
	free(x);
	return n;
}

json_t *section_slow(const struct sheet *s)
{
	struct slow list[SLOW_MAX];
	json_t *out = json_array();
	char gpu[24];
	int i, n = find_slow(s, list);

	for (i = 0; i < n; i++) {
		snprintf(gpu, sizeof(gpu), "GPU%d", list[i].gpu->index);
		json_array_append_new(out, json_pack("{s:s, s:s, s:s, s:o, s:s}",
						     "node", list[i].gpu->node,
						     "gpu", gpu, "what",
						     list[i].what, "share",
						     number_json(list[i].share),
						     "cause", list[i].cause));
	}
	return out;
}
